"""Bad values for every parameter of everything public: one line that names the parameter, and no randomness is spent.

`VALID` has one good call of each public function and class, `KINDS` says by its name what a parameter takes, `BAD` what
such a parameter must not be given. A public function without a row, or a parameter without a kind, fails the test.
"""

import inspect
import math
import re
import time
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps
from dpspectra import checks
from dpspectra.fast.spectral_noise import semicircle
from tests.test_bad_calls import DOORS
from tests.test_messages import keeps

NAN, INF = math.nan, math.inf
SECRET = 0.7315246
"""The number that all private data below are made of, and that no message may hold."""
HALF, MATRIX = np.full((3, 2), 0.5), np.diag([2.0, 1.0])
TINY_ROWS = np.full((3, 2), SECRET / 4)

# ---------------------------------------------------------------- bad values, by kind of parameter

NO_NUMBER: list[Any] = ["1", b"1", None, True, np.True_, 1j, [0.5], {}, np.ones(1), np.ma.masked, Fraction, ()]
NO_INTEGER: list[Any] = ["1", b"1", None, True, np.True_, 1j, 1.0, NAN, INF, [1], {}, np.ones(1, int), np.ma.masked]
NO_WORD: list[Any] = ["nothing", "", 3, None, True, b"real", ["replace"], {}, np.zeros(2), NAN]
NO_FUNCTION: list[Any] = [3, "f", True, [abs], {}]


def objects(*values):
    return np.array([values], dtype=object)


NO_DATA: list[Any] = [
    *(None, str(SECRET), b"1", {}, {"a": SECRET}, object(), SECRET, True, [], [[]], np.zeros((0, 2)), np.zeros((2, 0))),
    *([SECRET, SECRET], np.full((2, 2, 2), SECRET), [[SECRET], [SECRET, SECRET]], [[str(SECRET), "1"]]),
    *([[SECRET, NAN], [SECRET, SECRET]], [[SECRET, SECRET], [-INF, SECRET]], objects(SECRET, None)),
    *(objects(SECRET, str(SECRET)), objects(SECRET, 1j), objects(SECRET, 10**400), [[SECRET, None], [0, 0]]),
    *(np.ma.array(np.full((2, 2), SECRET), mask=[[0, 1], [0, 0]]), np.ma.masked, np.array([["2020"]], "datetime64")),
    *(sparse.csr_array([[SECRET, NAN], [0.0, SECRET]]), sparse.csr_array([[SECRET * 1j, 0.0], [0.0, SECRET]])),
    np.array([(SECRET, 1)], dtype="f8,i4"),
]
COMPLEX = np.full((2, 2), SECRET * 1j)
SKEW = [[SECRET, SECRET], [0.0, SECRET]]
NO_HERMITIAN: list[Any] = [*NO_DATA, SKEW, COMPLEX]
NO_SPECTRUM: list[Any] = [
    *(None, str(SECRET), {}, SECRET, [], [SECRET], [SECRET, NAN], [INF, SECRET], [SECRET, 2 * SECRET], [[SECRET, 0.0]]),
    *([SECRET, 1j], ["a", "b"], [SECRET, None], np.ma.array([1.0, SECRET], mask=[0, 1]), [SECRET, [SECRET]]),
]
BAD: dict[str, list[Any]] = {
    "positive": [0, -1, NAN, INF, 10**400, *NO_NUMBER],
    "non_negative": [-1, NAN, INF, 10**400, *NO_NUMBER],
    "probability": [0, 1, -0.1, 2, NAN, INF, *NO_NUMBER],
    "delta": [1, -0.1, 2, NAN, INF, *NO_NUMBER],
    "non_negatives": [-1, NAN, INF, [1.0, NAN], "1", b"1", None, True, 1j, ["1"], [], [[1.0], []], {}, np.ma.masked],
    "count": [0, -1, *NO_INTEGER],
    "rank": [0, -1, 10**9, *NO_INTEGER],
    "size": [-1, 10**12, 10**400, *NO_INTEGER],
    "huge": [0, -1, 10**9, 10**400, *NO_INTEGER],
    "natural": [-1, *NO_INTEGER],
    "real": [NAN, INF, *NO_NUMBER],
    "bound": [0, -1, NAN, -INF, *NO_NUMBER],
    "word": NO_WORD,
    "text": ["", 3, None, True, b"real", ["replace"], {}, np.zeros(2), NAN],
    "record": [None, 3, "f", True, [abs], {}, object()],
    "key": [None, 3, "k" * 32, b"", bytes(31), [0] * 32, np.zeros(32), bytearray(32)],
    "names": [None, 3, "HP-D2.1", b"HP", ["nothing"], [3], [None], {}, [["HP-D2.1"]]],
    "tree": [None, 3, 1.5, True, b"1", "", "a", [], (), ["nothing", "1"], ["add", 1], {}, ["add", "a"]],
    "batches": [*([x] for x in NO_DATA), None, 3, [], "ab"],
    "flag": [0, 1, "no", "yes", None, np.zeros(2)],
    "function": NO_FUNCTION,
    "rng": ["a", -1, 0.5, True, np.True_, object(), {}, NAN],
    "type": [None, int, complex, "float16", "nothing", 3, np.float16, object],
    "rows": [*NO_DATA, COMPLEX],
    "long rows": [*NO_DATA, COMPLEX, [[SECRET, 0.0], [SECRET, SECRET]]],
    "matrix": [*NO_DATA, COMPLEX],
    "hermitian": NO_HERMITIAN,
    "psd": [*NO_HERMITIAN, np.diag([SECRET, -SECRET])],
    "symmetric": [*NO_DATA, SKEW],
    "spectrum": NO_SPECTRUM,
    "any spectrum": [x for x in NO_SPECTRUM if np.ndim(np.asarray(x, object)) != 1 or len(x) != 1],
    "frame": [*NO_DATA, np.full((2, 1), SECRET)],
}

# ---------------------------------------------------------------- good calls, and what their parameters take

ROOMS = dps, dps.angles, dps.audit, dps.bounds, dps.calibrate, dps.ledger, dps.postprocessing, dps.profile
ROOMS = (*ROOMS, dps.sampling, dps.strategies)
X, M, A = {"X": TINY_ROWS}, {"M": MATRIX}, {"A": np.eye(6)}
ONE, PAIRED = {"k": 1, "epsilon": 1.0}, {"k": 1, "epsilon": 1.0, "delta": 0.1}
VALID: dict[str, dict[str, Any]] = {
    "advise": {"goal": "pca", "d": 4, "k": 2, "n": 100, "epsilon": 1.0, "spectrum": [2.0, 1.0, 0.0, 0.0]},
    "clipped_rows": X | {"norm_bound": 1.0},
    "unit_rows": X,
    "gaussian_covariance": X | {"epsilon": 1.0, "delta": 0.1},
    "knorm_covariance": X | {"epsilon": 1.0},
    "laplace_covariance": X | {"epsilon": 1.0},
    "symmetric_wishart_covariance": X | {"epsilon": 1.0},
    "wishart_covariance": X | {"epsilon": 1.0, "delta": 0.1},
    "noisy_power_method": {"A": MATRIX} | {"k": 1, "iterations": 2},
    "private_low_rank": M | ONE,
    "private_orbit": M | {"eigenvalues": [1.0, 0.0], "epsilon": 1.0},
    "private_pca": X | ONE,
    "private_power_method": {"A": MATRIX} | ONE | {"iterations": 2},
    "private_projection": A | {"basis": np.eye(6)[:, :1], "epsilon": 1.0, "delta": 0.1},
    "private_range_finder": A | PAIRED,
    "private_spectrum": M | ONE,
    "project_find_prune": A | PAIRED,
    "randomized_range_finder": A | {"k": 1},
    "randomized_response_low_rank": A | PAIRED,
    "row_counting_direction": X | {"epsilon": 1.0, "aligned": 1},
    "streaming_power_method": {"batches": [np.eye(6)], "k": 1, "rows_per_round": 3},
    "StreamingPowerMethod": {"dimension": 6, "k": 1, "rows_per_round": 3},
    "sufficient_iterations": {"d": 10, "k": 1, "ratio": 0.5, "accuracy": 0.1},
    "Entropy": {"key": bytes(32)},
    "angles.principal": {"U": np.eye(2)[:, :1], "V": np.eye(2)[:, :1]},
    "audit.certify_not_psd": {"matrix": [[1.0, 2.0], [2.0, 1.0]]},
    "audit.check_certificate": {"certificate": dps.audit.certify_not_psd([[1.0, 2.0], [2.0, 1.0]])},
    "audit.impossible_output": {"output": [[1.0, 2.0], [2.0, 1.0]], "shift": np.zeros((2, 2))},
    "audit.structured_pairs": {"dimension": 2},
    "bounds.best_split": {"d": 4, "k": 1, "lambda1": 1.0, "epsilon": 1.0},
    "bounds.one_apart": {"spectrum": np.array([1.0, 0.0])},
    "bounds.orbit_gap": {"eigenvalues": [1.0, 0.0], "epsilon": 1.0, "field": "real", "spread": 1.0},
    "bounds.orbit_mean_gap": {"eigenvalues": [1.0, 0.0], "epsilon": 1.0, "field": "real", "spread": 1.0},
    "bounds.orbit_utility": {"d": 3, "k": 2, "eigenvalues": [1.0, 0.5], "epsilon": 1.0},
    "bounds.sin_theta": {"difference": 0.1, "gap": 1.0},
    "calibrate.gaussian": {"epsilon": 1.0, "delta": 0.1, "sensitivity": 1.0},
    "calibrate.laplace": {"epsilon": 1.0, "sensitivity": 1.0},
    "postprocessing.best_rank": {"value": MATRIX, "k": 1},
    "postprocessing.nearest_psd": {"value": MATRIX},
    "postprocessing.shrink": {"value": MATRIX, "noise": semicircle(2, 0.5, 3.0)},
    "profile.gaussian": {"epsilon": 1.0, "sensitivity": 1.0, "sigma": 1.0},
    "profile.wishart": {"epsilon": 1.0, "degrees_of_freedom": 5, "d": 2, "sensitivity": 1.0, "scale": 1.0},
    "profile.wishart_one_sided": {"epsilon": 1.0, "sensitivity": 1.0, "scale": 1.0},
    "sampling.bingham": {"A": MATRIX},
    "sampling.haar": {"d": 2},
    "sampling.orbit": M | {"eigenvalues": [1.0, 0.0], "kappa": 1.0},
    "sampling.orbit_chunks": M | {"eigenvalues": [1.0, 0.0], "kappa": 1.0, "size": 3},
    "strategies.ball_vectors": {"d": 2},
    "strategies.deltas": {},
    "strategies.dimensions": {},
    "strategies.distributions": {"outcomes": 2},
    "strategies.dyadics": {},
    "strategies.epsilons": {},
    "strategies.hermitian": {"d": 2},
    "strategies.independent_columns": {"d": 2, "k": 1},
    "strategies.matrix_neighbours": {"d": 2},
    "strategies.neighbours": {"relation": "replace", "n": 2, "d": 2},
    "strategies.psd": {"d": 2},
    "strategies.rectangular": {"m": 2, "n": 2},
    "strategies.spectra": {"d": 2},
    "strategies.subspaces": {"frame": np.eye(2), "k": 1, "m": 1},
    "strategies.unit_rows": {"n": 2, "d": 2},
    "strategies.unitaries": {"d": 2},
    "strategies.with_spectrum": {"spectrum": np.array([1.0, 0.0])},
    "ledger.check": {"certificate": dps.ledger.inequality("HP-D2.1", "a reason", "2", "1")},
    "ledger.get": {"label": "HP-D2.1"},
    "ledger.inequality": {"label": "HP-D2.1", "reason": "a reason", "greater": "2", "lesser": "1"},
    "ledger.select": {"names": ["HP-D2.1"]},
}
"""Good arguments of public functions by name."""
KINDS = {
    "epsilon": "positive",
    "delta": "probability",
    "sensitivity": "non_negative",
    "X": "long rows",
    "A": "matrix",
    "M": "psd",
    "value": "hermitian",
    "eigenvalues": "spectrum",
    "spectrum": "spectrum",
    "basis": "frame",
    "U": "frame",
    "V": "frame",
    "matrix": "hermitian",
    "output": "hermitian",
    "shift": "hermitian",
    "start": "matrix",
    "batches": "batches",
    "d": "huge",
    "dimension": "huge",
    "size": "size",
    "chunk": "count",
    "n": "count",
    "m": "count",
    "outcomes": "count",
    "entries": "count",
    "bits": "count",
    "k": "rank",
    "width": "rank",
    "oversampling": "rank",
    "aligned": "rank",
    "iterations": "count",
    "rows_per_round": "count",
    "dtype": "type",
    **dict.fromkeys(("relation", "field", "method", "mechanism", "shape", "denoise", "arithmetic", "goal"), "word"),
    **dict.fromkeys(("label", "reason", "paper"), "word"),
    "low_rank": "flag",
    "signed": "flag",
    "noise": "function",
    "checkpoint": "function",
    "kappa": "non_negative",
    "margin": "non_negative",
    "difference": "non_negative",
    "ratio": "probability",
    "failure": "probability",
    "beta": "probability",
    "share": "probability",
    "split": "probability",
    "rng": "rng",
}
"""Kinds by name of the parameter; numbers that are not here are positive."""
OWN = {
    **dict.fromkeys(("advise.delta", "private_low_rank.delta", "private_pca.delta", "private_power_method.delta"), "delta"),
    **dict.fromkeys(("noisy_power_method.A", "private_power_method.A"), "symmetric"),
    **dict.fromkeys(("unit_rows.X", "clipped_rows.X", "row_counting_direction.X"), "rows"),
    **dict.fromkeys(("private_range_finder.oversampling", "randomized_range_finder.oversampling"), "natural"),
    "row_counting_direction.aligned": "natural",
    "sufficient_iterations.d": "count",
    "sufficient_iterations.ratio": "delta",
    "audit.check_certificate.certificate": "anything",
    **dict.fromkeys(("bounds.orbit_gap.eigenvalues", "bounds.orbit_mean_gap.eigenvalues"), "any spectrum"),
    "bounds.one_apart.spectrum": "any spectrum",
    "bounds.sin_theta.other_gap": "non_negative",
    **dict.fromkeys(("bounds.orbit_gap.spread", "bounds.orbit_mean_gap.spread"), "non_negative"),
    **dict.fromkeys(("bounds.orbit_gap.trace", "bounds.orbit_mean_gap.trace"), "non_negative"),
    "postprocessing.shrink.noise": "record",
    "postprocessing.shrink.largest_trace": "bound",
    **dict.fromkeys((f"profile.{x}.epsilon" for x in ("gaussian", "wishart", "wishart_one_sided")), "non_negatives"),
    "sampling.bingham.A": "hermitian",
    **dict.fromkeys(("sampling.orbit.M", "sampling.orbit_chunks.M"), "hermitian"),
    "sampling.orbit_chunks.size": "count",
    "private_power_method.resume": "record",
    "ledger.check.certificate": "record",
    **dict.fromkeys(("ledger.inequality.label", "ledger.inequality.reason"), "text"),
    **dict.fromkeys(("ledger.inequality.greater", "ledger.inequality.lesser"), "tree"),
    "ledger.select.names": "names",
    "Entropy.key": "key",
    "private_low_rank.lambda1": "positive",
    "streaming_power_method.batches": "batches",
    "strategies.with_spectrum.spectrum": "any spectrum",
    "strategies.deltas.low": "probability",
    "strategies.deltas.high": "probability",
    "strategies.dimensions.low": "count",
    "strategies.dimensions.high": "count",
    "strategies.dyadics.low": "real",
    "strategies.dyadics.high": "real",
    "strategies.subspaces.frame": "matrix",
}
ELSEWHERE = {door.__name__ for door in DOORS}


def public():
    """Public functions and classes by name, each once."""
    found = {}
    for room in ROOMS:
        for name in room.__all__:
            value = getattr(room, name)
            if callable(value) and value not in found.values():
                found[name if room is dps else f"{room.__name__.removeprefix('dpspectra.')}.{name}"] = value
    return found


PUBLIC = public()


def kind(function, parameter):
    return OWN.get(f"{function}.{parameter.name}") or KINDS.get(parameter.name, "positive")


def calls():
    for name, arguments in VALID.items():
        for parameter in inspect.signature(PUBLIC[name]).parameters.values():
            for number, value in enumerate(BAD.get(kind(name, parameter), [])):
                if value is None and parameter.default is None:
                    continue
                yield name, parameter.name, number, value
