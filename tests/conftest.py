"""What holds for every test."""

import importlib
import warnings

from dpspectra.audit import BrokenMechanismWarning

with warnings.catch_warnings():  # the warning comes with the first import only, and warnings are errors
    warnings.simplefilter("ignore", BrokenMechanismWarning)
    importlib.import_module("dpspectra.audit.specimens")
