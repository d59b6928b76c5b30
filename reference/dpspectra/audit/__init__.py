"""Judge other people's code: try to refute a privacy claim from samples alone, or by following the noise inside.

`references` holds laws for `conforms` to compare samplers with, `own_samplers` the samplers of this package beside
theirs, `adapters` other libraries' mechanisms and programs in other languages. `specimens` holds mechanisms that are
known to be broken, `refuted_claims` shows each with its claim and a pair of data sets; they are imported on request
only, since importing them warns. `museum` holds faults that were public, beside sound twins.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from dpspectra.audit.claims import GDP, ZCDP, ApproxDP, Closeness, CurveClaim, Profile, PureDP, Renyi
from dpspectra.audit.conformance import Fit, Marginal, conforms, fits
from dpspectra.audit.engine import audit
from dpspectra.audit.from_inside import InsideResult, inside
from dpspectra.audit.not_psd import certify_not_psd, check_certificate, impossible_output
from dpspectra.audit.pairs.neighbours import Neighbours, structured_pairs
from dpspectra.audit.pairs.ready_pairs import histogram_pairs, number_pairs, table_pairs, text_pairs
from dpspectra.audit.pairs.search import WorstPair, worst_pair
from dpspectra.audit.pairs.several_pairs import AuditedPairs, audit_pairs
from dpspectra.audit.pairs.traced_rows import TracedPair, traced_pair
from dpspectra.audit.result import AuditResult, BrokenMechanismWarning

__all__ = [
    "GDP",
    "ZCDP",
    "ApproxDP",
    "AuditResult",
    "AuditedPairs",
    "BrokenMechanismWarning",
    "Closeness",
    "CurveClaim",
    "Fit",
    "InsideResult",
    "Marginal",
    "Neighbours",
    "Profile",
    "PureDP",
    "Renyi",
    "TracedPair",
    "WorstPair",
    "audit",
    "audit_pairs",
    "certify_not_psd",
    "check_certificate",
    "conforms",
    "fits",
    "histogram_pairs",
    "impossible_output",
    "inside",
    "number_pairs",
    "structured_pairs",
    "table_pairs",
    "text_pairs",
    "traced_pair",
    "worst_pair",
]


def __getattr__(name: str) -> ModuleType:
    if name in ("adapters", "references", "specimens"):
        return importlib.import_module(f"dpspectra.audit.{name}")
    if name in ("museum", "own_samplers", "refuted_claims"):
        return importlib.import_module(f"dpspectra.audit.subjects.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
