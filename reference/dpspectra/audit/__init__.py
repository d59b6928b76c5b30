"""Judge other people's code: try to refute a privacy claim from samples alone.

`specimens` holds mechanisms that are known to be broken; it is imported on request only, since importing it warns.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from dpspectra.audit.certificates import certify_not_psd, check_certificate, impossible_output
from dpspectra.audit.claims import GDP, ApproxDP, CurveClaim, Profile, PureDP, Renyi
from dpspectra.audit.engine import audit
from dpspectra.audit.result import AuditResult, BrokenMechanismWarning

__all__ = [
    "GDP",
    "ApproxDP",
    "AuditResult",
    "BrokenMechanismWarning",
    "CurveClaim",
    "Profile",
    "PureDP",
    "Renyi",
    "audit",
    "certify_not_psd",
    "check_certificate",
    "impossible_output",
]


def __getattr__(name: str) -> ModuleType:
    if name == "specimens":
        return importlib.import_module("dpspectra.audit.specimens")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
