"""Bad values for every parameter of everything public: one line that names the parameter, and no randomness is spent.

`VALID` has one good call of each public function and class, `KINDS` says by its name what a parameter takes, `BAD` what
such a parameter must not be given. A public function without a row, or a parameter without a kind, fails the test.
"""

import inspect
import math
import re
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps
from dpspectra.fast.spectral_noise import semicircle
from dpspectra.ground import checks
from tests.support.helpers import keeps
from tests.test_bad_calls import DOORS

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
    "non_negatives": [
        -1,
        NAN,
        INF,
        [1.0, NAN],
        "1",
        b"1",
        None,
        True,
        1j,
        ["1"],
        [True],
        [[1.0], []],
        {},
        np.ma.masked,
    ],
    "count": [0, -1, *NO_INTEGER],
    "rank": [0, -1, 10**9, *NO_INTEGER],
    "size": [-1, 10**12, 10**400, *NO_INTEGER],
    "huge": [0, -1, 10**9, 10**400, *NO_INTEGER],
    "natural": [-1, *NO_INTEGER],
    "real": [NAN, INF, *NO_NUMBER],
    "bound": [0, -1, NAN, -INF, *NO_NUMBER],
    "word": NO_WORD,
    "taken": [],
    "labels": [None, 3, ["HP-D2.1"], "HP", [None]],
    "text": ["", 3, None, True, b"real", ["replace"], {}, np.zeros(2), NAN],
    "record": [None, 3, "f", True, [abs], {}, object()],
    "key": [None, 3, "k" * 32, b"", bytes(31), [0] * 32, np.zeros(32), bytearray(32)],
    "names": [None, 3, "HP-D2.1", b"HP", ["nothing"], [3], [None], {}, [["HP-D2.1"]]],
    "tree": [None, 3, 1.5, True, b"1", "", "a", [], (), ["nothing", "1"], ["add", 1], {}, ["add", "a"]],
    "batches": [*([x] for x in NO_DATA if np.shape(np.asarray(x, object)) != (0, 2)), None, 3, [], "ab"],
    "flag": [0, 1, "no", "yes", None, np.zeros(2)],
    "function": NO_FUNCTION,
    "rng": ["a", -1, 0.5, True, np.True_, object(), {}, NAN],
    "type": [None, int, complex, "float16", "nothing", 3, np.float16, object],
    "rows": [*NO_DATA, COMPLEX],
    "long rows": [*NO_DATA, COMPLEX, [[SECRET, 0.0], [SECRET, SECRET]]],
    "matrix": [*NO_DATA, COMPLEX],
    "any matrix": NO_DATA,
    "vector": [None, str(SECRET), {}, SECRET, [], [SECRET, NAN], [[SECRET, 0.0]], [SECRET, 1j], ["a"], [SECRET, None]],
    "hermitian": NO_HERMITIAN,
    "psd": [*NO_HERMITIAN, np.diag([SECRET, -SECRET])],
    "symmetric": [*NO_DATA, SKEW],
    "spectrum": NO_SPECTRUM,
    "any spectrum": [x for x in NO_SPECTRUM if np.ndim(np.asarray(x, object)) != 1 or len(x) != 1],
    "frame": [*NO_DATA, COMPLEX, np.eye(6)[:, :1] * 1j, np.full((2, 1), SECRET)],
}

# ---------------------------------------------------------------- good calls, and what their parameters take

ROOMS: tuple[Any, ...] = dps, *(getattr(dps, name) for name in dps.__all__ if inspect.ismodule(getattr(dps, name)))
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
    "sampling.frames": M | {"k": 1, "kappa": 1.0},
    "private_mean": X | {"epsilon": 1.0},
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
    "ledger.examine": {"statement": dps.ledger.get("HP-D2.1"), "examples": 1},
    "ledger.judge": {"statement": dps.ledger.get("HP-D2.1"), "case": dps.ledger.get("HP-D2.1").faces["tight"]()[0]},
    "ledger.verify": {"wanted": []},
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
    **dict.fromkeys(
        ("relation", "field", "method", "mechanism", "shape", "denoise", "arithmetic", "goal", "center"), "word"
    ),
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
    "statement": "record",
    "case": "record",
    "wanted": "labels",
    "examples": "count",
    "jobs": "count",
    "challenged": "flag",
    "seed": "natural",
    "announce": "function",
    **dict.fromkeys(
        ("norm_bound", "entry_bound", "row_bound", "row_change", "lambda1", "gap", "sigma", "scale"), "positive"
    ),
    **dict.fromkeys(("degrees_of_freedom", "accuracy", "low", "high"), "positive"),
}
"""Kinds by name of the parameter."""
OWN = {
    **dict.fromkeys(
        (
            "advise.delta",
            "private_low_rank.delta",
            "private_mean.delta",
            "private_pca.delta",
            "private_power_method.delta",
        ),
        "delta",
    ),
    **dict.fromkeys(("noisy_power_method.A", "private_power_method.A"), "symmetric"),
    **dict.fromkeys(("unit_rows.X", "clipped_rows.X", "row_counting_direction.X"), "rows"),
    **dict.fromkeys(("private_range_finder.oversampling", "randomized_range_finder.oversampling"), "natural"),
    "row_counting_direction.aligned": "natural",
    "sufficient_iterations.d": "count",
    "sufficient_iterations.ratio": "delta",
    "audit.check_certificate.certificate": "taken",
    "private_orbit.trace": "non_negative",
    **dict.fromkeys(("bounds.orbit_gap.eigenvalues", "bounds.orbit_mean_gap.eigenvalues"), "any spectrum"),
    "bounds.one_apart.spectrum": "any spectrum",
    "bounds.sin_theta.other_gap": "non_negative",
    **dict.fromkeys(("bounds.orbit_gap.spread", "bounds.orbit_mean_gap.spread"), "non_negative"),
    **dict.fromkeys(("bounds.orbit_gap.trace", "bounds.orbit_mean_gap.trace"), "non_negative"),
    "postprocessing.shrink.noise": "record",
    "postprocessing.shrink.largest_trace": "bound",
    **dict.fromkeys((f"profile.{x}.epsilon" for x in ("gaussian", "wishart", "wishart_one_sided")), "non_negatives"),
    "sampling.bingham.A": "hermitian",
    **dict.fromkeys(("sampling.frames.M", "sampling.orbit.M", "sampling.orbit_chunks.M"), "hermitian"),
    "sampling.orbit_chunks.size": "natural",
    **{f"strategies.{x}": "natural" for x in ("neighbours.n", "rectangular.m", "rectangular.n", "unit_rows.n")},
    **{f"strategies.{x}": "natural" for x in ("rectangular.entries", "independent_columns.entries", "dyadics.bits")},
    **{f"strategies.{x}": "natural" for x in ("independent_columns.k", "subspaces.k", "subspaces.m", "dimensions.low")},
    "private_power_method.resume": "record",
    "ledger.check.certificate": "record",
    **dict.fromkeys(("ledger.inequality.label", "ledger.inequality.reason"), "text"),
    **dict.fromkeys(("ledger.inequality.greater", "ledger.inequality.lesser"), "tree"),
    "ledger.select.names": "names",
    "Entropy.key": "key",
    "private_low_rank.lambda1": "positive",
    "streaming_power_method.batches": "batches",
    "strategies.with_spectrum.spectrum": "vector",
    "strategies.deltas.low": "probability",
    "strategies.deltas.high": "positive",
    "strategies.dimensions.high": "count",
    "strategies.dyadics.low": "real",
    "strategies.dyadics.high": "real",
    "strategies.subspaces.frame": "any matrix",
}
NONE_TOO = {"private_low_rank.denoise"}
"""Parameters that take ``None`` though it is not what they are by default."""
RECORDS = "a record that the library fills in"
WITHOUT_ROW = {
    **dict.fromkeys(
        ("AuditResult", "FixedResult", "Fit", "OrbitUtility", "PowerState", "Release", "WorstPair"), RECORDS
    ),
    **dict.fromkeys(("AtMost", "Equal", "Frequency", "Label", "Reading", "Report", "Slack", "Verdict"), RECORDS),
    **dict.fromkeys(("Neighbours", "Statement"), RECORDS),
    **dict.fromkeys(("BudgetError", "Claim", "Guarantee"), "they have tests of their own"),
    **dict.fromkeys(
        ("ApproxDP", "Closeness", "GDP", "Marginal", "Profile", "PureDP", "Renyi"), "tests/test_bad_calls.py"
    ),
    **dict.fromkeys((door.__name__ for door in DOORS), "tests/test_bad_calls.py"),
    **dict.fromkeys(("all_statements", "fields", "labels", "seeds"), "takes nothing"),
    **dict.fromkeys(("BrokenMechanismWarning", "LargeEntryError", "ReusedSeedWarning"), "an exception"),
    "CurveClaim": "abstract",
    "Budget": "it has tests of its own",
    "compose": "it has tests of its own",
}
"""Why public names have no row here."""
ACCEPTED = {
    "check_certificate": "what is no certificate proves nothing: the answer is False",
    "a table of truth values as data": "0 and 1 are numbers that float64 holds",
    "numpy numbers, 0-d or from an array": "they are the numbers that they hold",
    "sensitivity 0": "nothing is to be hidden; the noise is 0",
    "10**9 rounds": "the number of rounds is the caller's, and an interruption leaves a state to resume",
    "oversampling beyond the rows": "the sketch is as wide as it can be, as documented",
    "a stream of no rows": "refused at its end only, when its random start is drawn",
    "profiles of no epsilon": "an array for an array",
    "bit generators, seed sequences, lists of seeds as rng": "numpy takes them",
}
"""What looks like bad input, and is taken on purpose."""


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


def kind(name, parameter):
    """What a parameter takes."""
    return OWN.get(f"{name}.{parameter}") or KINDS[parameter]


def calls(name):
    """Parameters of a public function, each with every bad value."""
    for parameter in inspect.signature(PUBLIC[name]).parameters.values():
        optional = parameter.default is None or f"{name}.{parameter.name}" in NONE_TOO
        for value in BAD[kind(name, parameter.name)]:
            if not (value is None and optional):
                yield parameter.name, value


def test_everything_public_has_a_row():
    rows = {name.rpartition(".")[2] for name in VALID}
    assert {name.rpartition(".")[2] for name in PUBLIC} - set(WITHOUT_ROW) == rows
    assert sum(len(list(calls(name))) for name in VALID) >= 4000


@pytest.fixture
def no_entropy(monkeypatch):
    """Whoever asks the operating system for entropy fails the test."""
    monkeypatch.setattr("os.urandom", lambda count: pytest.fail("randomness was spent"))


@pytest.mark.parametrize("name", VALID)
def test_the_good_call_is_taken(name):
    function = PUBLIC[name]
    seeded = {"rng": np.random.default_rng(0)} if "rng" in inspect.signature(function).parameters else {}
    function(**VALID[name] | seeded)


@pytest.mark.parametrize("name", VALID)
def test_bad_values_are_refused(name, no_entropy):
    """All of a function's, by a generator that must not move; by a key too where arithmetic can be certified."""
    function = PUBLIC[name]
    signature = inspect.signature(function).parameters
    sources: list[Callable[[], dict[str, Any]]] = [dict]
    if "rng" in signature:
        sources = [lambda: {"rng": np.random.default_rng(0)}]
    if "arithmetic" in signature:
        sources.append(lambda: {"rng": dps.Entropy(bytes(32))})
    for source in sources:
        for parameter, value in calls(name):
            refused(function, VALID[name] | source(), parameter, value)


def refused(function, arguments, parameter, value):
    """Calls with one bad value, and looks at what is said, how long it took and what was drawn."""
    rng = arguments.get("rng")
    before, start = spent(rng), time.process_time()
    call = f"{function.__name__}({parameter}={checks.shown(value)})"
    with pytest.raises((ValueError, KeyError) if parameter == "label" else ValueError) as caught:
        print(call, function(**arguments | {parameter: value}))  # shown if it was taken
    message = str(caught.value)
    assert time.process_time() - start < 1, call
    assert spent(rng) == before, call
    for part in (SAID.get(parameter, parameter), REQUIREMENT, FOUND):
        assert re.search(rf"\b({part})\b", message), (call, message)
    assert len(message.splitlines()) == 1, (call, message)
    assert len(message) < 300, (call, message)
    keeps(message)


def spent(rng):
    """What shows whether a source was used."""
    return repr(rng.bit_generator.state if isinstance(rng, np.random.Generator) else getattr(rng, "_calls", None))


SAID = {"batches": "batch(es)?", "names": "names|label or a chapter"}
"""What a message calls a parameter, where it is not its name."""
REQUIREMENT, FOUND = "must|expected|carries", "got|unlike|which|label"
