"""The table of bad calls: good arguments of everything public, and values that an argument must not have.

`VALID` has one good call of each public function and class, `KINDS` says by its name what a parameter takes, `BAD` what
such a parameter must not be given. `SAID` has calls whose message must have certain words.
"""

import functools
import inspect
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps
from dpspectra.audit import GDP, Marginal, Neighbours, Profile, PureDP
from dpspectra.fast.spectral_noise import semicircle
from dpspectra.mechanisms.catalogue import MECHANISMS
from dpspectra.relations import Relation
from tests.support.releases import DEFAULTS

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
    "loss": [0, -1, NAN, INF, 1e-300, 1e-170, 1e300, *NO_NUMBER],
    "above zero": [0, -1, NAN, 10**400, *NO_NUMBER],
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
    "count or share": [0, -1, 10**9, 0.0, 1.0, -0.5, NAN, INF, "1", b"1", None, True, np.True_, 1j, [1], {}],
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
    "texts": [None, 3, SECRET, "ab", [], ["a"], ["a", "a"], ["", " "], [3, 4], [None, "a"], {"a", "b"}, {"a": "b"}],
    "table": [None, 3, "ab", {}, [], [[1], [2]], {"a": []}, {"a": [1], "b": [1, 2]}, {"a": [1, "b"]}, {"a": SECRET}],
    "type": [None, int, complex, "float16", "nothing", 3, np.float16, object],
    "rows": [*NO_DATA, COMPLEX],
    "long rows": [*NO_DATA, COMPLEX, [[SECRET, 0.0], [SECRET, SECRET]]],
    "rows or none": [x for x in (*NO_DATA, COMPLEX) if np.shape(np.asarray(x, object)) != (0, 2)],
    "columns": [3, "ab", [], [3], ["a", "a"], [None], ["a", "b", "c"], True],
    "order": [0, 3, *NO_INTEGER],
    "levels": [3, "ab", [], ["a", "a"], [None], [[0]], [0.5]],
    "ids": [3, "id", [], [1, 2], np.ones((3, 2)), True],
    "salt": [None, 3, b"a", [], True],
    "sums": [None, 3, [], ["a"], [None], "ab", {"a": 1}],
    "matrix": [*NO_DATA, COMPLEX],
    "any matrix": NO_DATA,
    "vector": [None, str(SECRET), {}, SECRET, [], [SECRET, NAN], [[SECRET, 0.0]], [SECRET, 1j], ["a"], [SECRET, None]],
    "hermitian": NO_HERMITIAN,
    "square": [None, 3, "ab", {}, object(), True, [], np.ones(2), np.ones((2, 3)), np.zeros((0, 0))],
    "psd": [*NO_HERMITIAN, np.diag([SECRET, -SECRET])],
    "symmetric": [*NO_DATA, SKEW],
    "spectrum": NO_SPECTRUM,
    "any spectrum": [x for x in NO_SPECTRUM if np.ndim(np.asarray(x, object)) != 1 or len(x) != 1],
    "bounds": [3, "ab", True, [0.0, 1.0], ([0.0], [1.0]), np.ones((2, 2)), {}, dps.ColumnBounds([0.0], [1.0])],
    "frame": [*NO_DATA, COMPLEX, np.eye(6)[:, :1] * 1j, np.full((2, 1), SECRET)],
}

# ---------------------------------------------------------------- good calls, and what their parameters take

ROOMS: tuple[Any, ...] = dps, *(getattr(dps, name) for name in dps.__all__ if inspect.ismodule(getattr(dps, name)))
X, M = {"X": TINY_ROWS}, {"M": MATRIX}
NEEDED = {
    "aligned": 1,
    "lower": 0.125,
    "upper": 2.0,
    "basis": np.eye(6)[:, :1],
    "delta": 0.1,
    "directions": np.eye(2),
    "eigenvalues": [1.0, 0.0],
    "frame": [-1.0, 1.0, -1.0, 1.0],
    "iterations": 2,
    "k": 1,
    "rows_per_round": 3,
}
"""Good values of what some mechanism needs besides data and epsilon."""


def mechanism(record):
    """Good arguments of a mechanism, from its record."""
    data = next(iter(inspect.signature(record.function()).parameters))
    by_rows = Relation.ROW in record.relations or not record.private
    given = {"X": TINY_ROWS, "A": np.eye(6) if by_rows else MATRIX, "batches": [np.eye(6)]}[data]
    private = {"epsilon": 1.0} if record.private else {}
    needed = {name: NEEDED[name] for name in record.needs}
    return {data: given} | private | needed | DEFAULTS.get(record.name, {})


TWO_ROUNDS: dict[str, Any] = {"iterations": 2, "low_rank": True}
NOISY = dps.laplace_covariance(np.eye(2)[[0, 1] * 500], 1.0, rng=0)
VALID: dict[str, dict[str, Any]] = {name: mechanism(record) for name, record in MECHANISMS.items()} | {
    "advise": {"goal": "pca", "d": 4, "k": 2, "n": 100, "epsilon": 1.0, "spectrum": [2.0, 1.0, 0.0, 0.0]},
    "clipped_rows": X | {"norm_bound": 1.0},
    "unit_rows": X,
    **{name: {"release": NOISY} for name in ("explained_ratio", "precision", "whitening")},
    "correlation": {"release": dps.private_covariance(np.eye(2), 1.0, rng=0)},
    "components": {"release": NOISY, "k": 1},
    "eigenvalue_intervals": {"release": NOISY},
    "factors": {"release": dps.private_power_method(np.eye(3, 2), 2, 1.0, relation="entry", **TWO_ROUNDS), "rank": 1},
    "ColumnBounds": {"lower": [0.0, 0.0], "upper": [1.0, 2.0]},
    "Matrix": M,
    "Moments.of": X,
    "Moments.empty": {"width": 2},
    "Moments.with_rows": X,
    "Moments.together": {"parts": [dps.Moments.empty(2)]},
    "sampling.frames": M | {"k": 1, "kappa": 1.0},
    "StreamingPowerMethod": {"dimension": 6, "k": 1, "rows_per_round": 3},
    "sufficient_iterations": {"d": 10, "k": 1, "ratio": 0.5, "accuracy": 0.1},
    "Entropy": {"key": bytes(32)},
    "angles.principal": {"U": np.eye(2)[:, :1], "V": np.eye(2)[:, :1]},
    "audit.certify_not_psd": {"matrix": [[1.0, 2.0], [2.0, 1.0]]},
    "audit.check_certificate": {"certificate": dps.audit.certify_not_psd([[1.0, 2.0], [2.0, 1.0]])},
    "audit.impossible_output": {"output": [[1.0, 2.0], [2.0, 1.0]], "shift": np.zeros((2, 2))},
    "audit.structured_pairs": {"dimension": 2, "relation": "replace", "domain": "ball"},
    "audit.number_pairs": {"low": 0.0, "high": 1.0},
    "audit.histogram_pairs": {"cells": 2, "relation": "replace"},
    "audit.text_pairs": {"texts": ["a b", "b"], "relation": "replace"},
    "audit.traced_pair": {"d": 4, "n": 3},
    "audit.table_pairs": {"table": {"a": [1, 2]}, "relation": "replace"},
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
    "profile.wishart_releases": {
        "epsilon": 1.0,
        "degrees_of_freedom": 5,
        "d": 2,
        "sensitivity": 1.0,
        "scale": 1.0,
        "releases": 2,
    },
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
    "epsilon": "loss",
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
    "cells": "count",
    "texts": "texts",
    "table": "table",
    "entries": "count",
    "bits": "count",
    "k": "rank",
    "rank": "rank",
    "width": "rank",
    "oversampling": "rank",
    "aligned": "rank",
    "iterations": "count",
    "releases": "count",
    "rows_per_round": "count",
    "dtype": "type",
    **dict.fromkeys(
        (
            "relation",
            "domain",
            "field",
            "method",
            "mechanism",
            "shape",
            "denoise",
            "arithmetic",
            "goal",
            "center",
            "rows",
            "bad_rows",
        ),
        "word",
    ),
    "domain": "word",
    **dict.fromkeys(("label", "reason", "paper"), "word"),
    "bounds": "bounds",
    **dict.fromkeys(("lower", "upper"), "positive"),
    "weights": "vector",
    **dict.fromkeys(("quantile", "probability"), "probability"),
    "directions": "matrix",
    "frame": "vector",
    "bins": "count",
    "groups": "ids",
    "levels": "levels",
    **dict.fromkeys(("constant", "difference_bound"), "positive"),
    "floor": "positive",
    "largest_trace": "above zero",
    "release": "record",
    "columns": "columns",
    "order": "order",
    "part": "text",
    "person": "ids",
    "per_person": "count",
    "salt": "salt",
    "parts": "sums",
    "low_rank": "flag",
    "gather": "flag",
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
    **dict.fromkeys(("degrees_of_freedom", "accuracy", "low", "high", "loss", "typical_norm"), "positive"),
}
"""Kinds by name of the parameter."""
OWN = {
    **dict.fromkeys(
        (
            "advise.delta",
            "private_low_rank.delta",
            "private_mean.delta",
            "private_moments.delta",
            "private_scaler.delta",
            "private_covariance.delta",
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
    "Matrix.M": "square",
    "components.k": "count or share",
    **dict.fromkeys(("ColumnBounds.lower", "ColumnBounds.upper"), "vector"),
    **dict.fromkeys(("private_norm_bound.X", "private_score_histogram.X"), "rows"),
    **dict.fromkeys(("Moments.of.X", "Moments.with_rows.X"), "rows or none"),
    **dict.fromkeys(("bounds.orbit_gap.eigenvalues", "bounds.orbit_mean_gap.eigenvalues"), "any spectrum"),
    "bounds.one_apart.spectrum": "any spectrum",
    "bounds.sin_theta.other_gap": "non_negative",
    **dict.fromkeys(("bounds.orbit_gap.spread", "bounds.orbit_mean_gap.spread"), "non_negative"),
    **dict.fromkeys(("bounds.orbit_gap.trace", "bounds.orbit_mean_gap.trace"), "non_negative"),
    "postprocessing.shrink.noise": "record",
    "postprocessing.shrink.largest_trace": "bound",
    **dict.fromkeys(
        (f"profile.{x}.epsilon" for x in ("gaussian", "wishart", "wishart_one_sided", "wishart_releases")),
        "non_negatives",
    ),
    **dict.fromkeys(("calibrate.gaussian.epsilon", "calibrate.laplace.epsilon"), "positive"),
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
    "Entropy.source": "word",
    "private_low_rank.lambda1": "positive",
    "streaming_power_method.batches": "batches",
    "strategies.with_spectrum.spectrum": "vector",
    "strategies.deltas.low": "probability",
    "strategies.deltas.high": "positive",
    "strategies.dimensions.high": "count",
    **dict.fromkeys(("audit.number_pairs.low", "audit.number_pairs.high"), "real"),
    "strategies.dyadics.low": "real",
    "strategies.dyadics.high": "real",
    "strategies.subspaces.frame": "any matrix",
}
NONE_TOO = {"private_low_rank.denoise"}
"""Parameters that take ``None`` though it is not what they are by default."""
RECORDS = "a record that the library fills in"
WITHOUT_ROW = {
    **dict.fromkeys(
        ("AuditResult", "AuditedPairs", "Fit", "OrbitUtility", "PowerState", "Release", "TracedPair", "WorstPair"),
        RECORDS,
    ),
    **dict.fromkeys(("AtMost", "Equal", "Frequency", "Label", "Report", "Slack", "Verdict"), RECORDS),
    **dict.fromkeys(("InsideResult", "Neighbours", "Statement"), RECORDS),
    **dict.fromkeys(("Column", "Parts", "Real", "Reals"), "a type"),
    "Relation": "names",
    **dict.fromkeys(("BudgetError", "Claim", "Guarantee"), "they have tests of their own"),
    **dict.fromkeys(
        ("ApproxDP", "Closeness", "GDP", "Marginal", "Profile", "PureDP", "Renyi", "ZCDP"),
        "tests/whole/test_bad_calls.py",
    ),
    **dict.fromkeys(("all_statements", "fields", "labels", "seeds"), "takes nothing"),
    **dict.fromkeys(("BrokenMechanismWarning", "LargeEntryError", "ReusedSeedWarning"), "an exception"),
    "CurveClaim": "abstract",
    **dict.fromkeys(("all_parts", "statement"), "tests/ledger/test_entry.py"),
    "Budget": "it has tests of its own",
    "Moments": "made by class methods, which have rows",
    **dict.fromkeys(("compose", "convert", "read_release"), "they have tests of their own"),
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

# ---------------------------------------------------------------- functions that would draw from what they are given


class Counted:
    """A mechanism that knows how often it was called."""

    calls = 0

    def __call__(self, x, *, size, rng):
        Counted.calls += 1
        return rng.normal(size=size)


class Mean:
    def __init__(self, x):
        self.x = x


def two(x, y):
    pytest.fail("drawn")


def none():
    pytest.fail("drawn")


def keyword(x, *, scale):
    pytest.fail("drawn")


def generated():
    yield 0.0
    yield 1.0


MARGINAL = Marginal("itself", lambda values: values, lambda values: values)
DOORS = {
    "audit.audit": {"mechanism": Counted(), "pair": (0.0, 1.0), "epsilon": 1.0, "draws": 10},
    "audit.audit_pairs": {"mechanism": Counted(), "pairs": {"ends": (0.0, 1.0)}, "epsilon": 1.0, "draws": 10},
    "audit.inside": {"mechanism": Counted(), "pair": (0.0, 1.0), "epsilon": 1.0},
    "audit.conforms": {"candidate": Counted(), "reference": Counted(), "x": 0.0},
    "audit.fits": {"candidate": Counted(), "marginals": (MARGINAL,), "x": 0.0},
    "audit.worst_pair": {
        "mechanism": Counted(),
        "epsilon": 1.0,
        "dimension": 2,
        "relation": "replace",
        "domain": "ball",
    },
}
"""Arguments with which functions would draw, by name."""
NO_REAL = ["a", None, True, 1j, [0.5], np.bool_(True), b"1", np.datetime64("2020-01-01")]
OPTIONS: dict[str, list[Any]] = {
    "confidence": [0, 1, -0.5, 2, NAN, INF, *NO_REAL],
    "draws": [0, -5, 2.5, NAN, "10", INF, None, True, [100]],
    "seconds": [0, -1, NAN, INF, *NO_REAL],
    "epsilon": [-1, NAN, INF, 10**400, *NO_REAL],
    "delta": [-1, 1, 2, NAN, INF, *NO_REAL],
    "tv_tolerance": [-0.1, 1, NAN, *NO_REAL],
    "snap": [0, 53, -1, 1.5, "a", None, True],
    "workers": [0, -1, 1.5, "2", True],
    "bits": [0, 1, "yes", None],
    "independent": [0, 1, "yes", None],
    "resume": ["a", 3, {}, True],
    "rng": ["a", 0.5, -1, True, object()],
    "log_ratio": [1, "a", two, none],
    "support": [1, "a", none, lambda output: False, keyword],
    "watch": [1, "a", none, two],
    "classifier": ["svm", object(), type("Model", (), {"fit": two, "predict_proba": two}), Mean],
    "statistics": [3, "ab", [abs], {"a": 1}, {1: abs}, {None: abs}, {"a": two}, {"a": none}],
    "dimension": [0, -1, 1.5, "2", None, True],
    "norm_bound": [0, -1, NAN, INF, *NO_REAL],
    "relation": ["near", "", 3, None, ["replace"], np.zeros(2)],
    "domain": ["disc", "", 3, None, ["ball"], np.zeros(2)],
    "form": ["list", 3, None, np.zeros(2)],
    "candidates": [[], (), "ab", ["a"], 3, [None], [Neighbours("b", "c", np.eye(3), np.zeros(3), None)]],
    "marginals": [(), None, "ab", 3, [abs], MARGINAL, (MARGINAL, MARGINAL)],
    "pair": [
        *(None, 3, (), (1.0,), (1.0, 2.0, 3.0), "ab", b"ab", {"a": 1, "b": 2}, {1.0, 2.0}, generated(), np.eye(2)),
        *((None, 1.0), (1.0, None), (1.0, 1.0), (np.eye(2), np.eye(2)), ([], []), ([1.0, 2.0], [])),
        *((np.eye(2), np.eye(3)), (np.zeros((0, 2)), np.eye(2)), (np.zeros((2, 0)), np.zeros((3, 0)))),
        *((np.eye(2), "a"), (np.eye(2), [1.0, 2.0]), (1.0, "a"), (np.array(["a"]), np.array([1.0]))),
        *(((np.eye(2), np.ones(2)), (np.eye(2), np.ones((2, 1)))), ((np.eye(2), 1), (np.eye(2), 1))),
        *(([[1.0, 2.0]], [[1.0]]), ({"a": 1}, {"a": 1}), (np.ones(2), np.ones((2, 2)))),
    ],
}
OPTIONS["pairs"] = [None, 3, "ab", (0.0, 1.0), {}, {1: (0.0, 1.0)}, *({"ends": pair} for pair in OPTIONS["pair"])]
FUNCTIONS = [None, 3, "f", Mean, Counted, functools.partial(Mean), float, two, none, keyword, np.eye(2)]
OPTIONS |= dict.fromkeys(("mechanism", "candidate", "reference"), FUNCTIONS)
"""Values that an argument of this name must not have, in `DOORS`."""

# ---------------------------------------------------------------- words of messages

WISHART = "symmetric_wishart_covariance", "wishart_covariance"
COVARIANCES = "laplace_covariance", "gaussian_covariance", "private_pca", *WISHART
OF_MATRICES = "private_orbit", "private_low_rank", "private_spectrum"
PCA = "private_pca", "private_low_rank"
ABOUT_MEAN = ("private_covariance",)
DIRECTIONS, LOW_RANK, POWER = ("private_pca",), ("private_low_rank",), ("private_power_method",)
SKETCHED = "private_range_finder", "project_find_prune", "randomized_response_low_rank"
PROJECTED = (*SKETCHED, "private_projection")
ROW_MAPS = "unit_rows", "clipped_rows"
KEY = dps.Entropy(bytes(32))
BEYOND = r"row_change must lie between 2\*\*-250 and 2\*\*250, got "
UNIT_BOX = dps.ColumnBounds([0.0, 0.0], [1.0, 1.0])
CURVE = Profile(((0.0, 0.1),))
SAID: list[tuple[tuple[str, ...], str, Any, str]] = [
    (COVARIANCES, "X", [[0.5, NAN]], r"X must be finite, but entry \(0, 1\) is not"),
    (COVARIANCES, "X", [[INF, 0.0]], r"X must be finite, but entry \(0, 0\) is not"),
    (COVARIANCES, "X", [[0.5 + 1j, 0.0]], "X must be real, got complex"),
    (COVARIANCES, "X", [[3.0, 0.0]], "norm at most 1, but row 0 is longer"),
    (COVARIANCES, "X", [0.5, 0.5], r"X must have shape \(n, d\), got \(2,\)"),
    (COVARIANCES, "X", np.zeros((0, 2)), "X must not be empty"),
    (COVARIANCES, "X", np.zeros((2, 0)), "X must not be empty"),
    (COVARIANCES, "X", [[1.0, 0.0], [0.0]], "X must be a rectangular array, got ragged rows"),
    (COVARIANCES, "X", [["a", "b"]], "X must hold numbers"),
    (COVARIANCES, "X", [[None, 1.0]], "X must hold numbers"),
    (OF_MATRICES, "X", dps.Matrix([[1.0, NAN], [NAN, 1.0]]), "M must be finite"),
    (OF_MATRICES, "X", dps.Matrix([[1.0, 2.0], [0.0, 1.0]]), r"M must be Hermitian, but entry \(0, 1\) and its mirror"),
    (OF_MATRICES, "X", dps.Matrix([[1.0, 0.0], [0.0, -1.0]]), "M must be positive semidefinite, got a negative eigen"),
    (OF_MATRICES, "X", dps.Matrix([[1.0, 1j], [1j, 1.0]]), "M must be Hermitian"),
    (OF_MATRICES, "X", dps.Matrix([[1.0, 1j], [-1j, 1.0]]), "M must be of a complex type to hold complex numbers"),
    (OF_MATRICES, "X", np.eye(2), "X must be rows or a Matrix, got a square array: say Matrix"),
    (OF_MATRICES, "X", [[SECRET, 0.0], [0.0, SECRET]], "X must be rows or a Matrix, got a square array"),
    (OF_MATRICES, "X, norm_bound", (dps.Matrix(MATRIX), 2.0), "norm_bound must be that of the Matrix, 1, got 2"),
    (OF_MATRICES, "X, rows", (dps.Matrix(MATRIX), "clip"), "rows and bad_rows must be 'refuse', and bounds None, for"),
    (COVARIANCES, "X", dps.Matrix(MATRIX), "X must be rows, got a Matrix"),
    (
        COVARIANCES + OF_MATRICES,
        "bounds",
        dps.ColumnBounds([0.0], [1.0]),
        "must have as many columns as bounds, 1, got 2",
    ),
    (COVARIANCES, "norm_bound, bounds", (2.0, UNIT_BOX), "norm_bound must be at most 1 with bounds, as rows then are"),
    (OF_MATRICES, "X, bounds", (dps.Matrix(MATRIX), UNIT_BOX), "and bounds None, for a Matrix, which has no rows"),
    (
        ("symmetric_wishart_covariance",),
        "relation, bounds",
        ("zero_out", UNIT_BOX),
        "relation must be replace with bounds, which move a row of zeros, got zero_out",
    ),
    (("private_moments", "private_covariance"), "constant", 1.5, "constant must be at most 1, got 1.5"),
    (("private_moments", "private_covariance"), "constant", 1e-9, r"constant must be at least 2\*\*-19, got 1e-09"),
    (ABOUT_MEAN, "center", "none", "center must be one of mean, pairs, got 'none'"),
    (ABOUT_MEAN, "difference_bound", 1.0, "difference_bound must be None where center is 'mean', got 1.0"),
    (ABOUT_MEAN, "center, difference_bound", ("pairs", 0.0), "difference_bound must be positive and finite, got 0"),
    (ABOUT_MEAN, "center, difference_bound", ("pairs", 1e200), r"difference_bound must lie between 2\*\*-400 and"),
    (ABOUT_MEAN, "center, constant", ("pairs", 1.0), "constant must be 0.5 for center='pairs', got 1.0"),
    (ABOUT_MEAN, "center, mechanism", ("pairs", "orbit"), "mechanism must be one of auto, laplace_covariance"),
    (ABOUT_MEAN, "center, relation", ("pairs", "add_remove"), "relation must be one of replace, got 'add_remove'"),
    (ABOUT_MEAN, "center, X", ("pairs", np.array([[1.0, NAN]])), "but entry"),
    (("private_moments",), "mechanism", "orbit", "mechanism must be one of auto, laplace_covariance"),
    (("private_norm_bound",), "upper", 0.125, "upper must be above lower, 0.125, and below"),
    (("ColumnBounds",), "upper", [0.0, 2.0], "upper must exceed lower by more than rounding, but entry 0 does not"),
    (("ColumnBounds",), "upper", [1.0, 5e-324], "upper must exceed lower by more than rounding, but entry 1 does not"),
    (("ColumnBounds",), "upper", [1.0], "upper must have length 2, as lower has, got 1"),
    (("ColumnBounds",), "weights", [1.0, 0.0], "weights must be positive, but entry 1 is not"),
    (("ColumnBounds",), "weights", [1.0, 1e-320], "weights must be of similar size, but entry 1 vanishes"),
    (COVARIANCES, "norm_bound, rows", (2.0, "unit"), "norm_bound must be 1 for unit rows, got 2"),
    (
        ("Matrix",),
        "M",
        np.ones((1, 2)),
        r"M must hold numbers in shape \(d, d\) and not be empty, got",
    ),
    (COVARIANCES + OF_MATRICES, "epsilon", 0.0, "epsilon must be positive and finite, got 0.0"),
    (COVARIANCES + OF_MATRICES, "epsilon", -1.0, "epsilon must be positive"),
    (COVARIANCES + OF_MATRICES, "epsilon", NAN, "epsilon must be positive"),
    (COVARIANCES + OF_MATRICES, "epsilon", INF, "epsilon must be positive and finite"),
    (COVARIANCES + OF_MATRICES, "epsilon", 1e-300, r"epsilon must be between 2\*\*-60 and 2\*\*40, got 1e-300"),
    (("advise", "bounds.orbit_gap"), "epsilon", 1e300, r"epsilon must be between 2\*\*-60 and 2\*\*40, got 1e\+300"),
    (COVARIANCES + OF_MATRICES, "epsilon", "1", "epsilon must be a real number"),
    (COVARIANCES + OF_MATRICES, "epsilon", 1j, "epsilon must be a real number"),
    (COVARIANCES + OF_MATRICES, "epsilon", True, "epsilon must be a real number"),
    (("gaussian_covariance", "wishart_covariance"), "delta", 0.0, "delta must"),
    (("gaussian_covariance", "wishart_covariance"), "delta", 1.0, "delta must"),
    (("gaussian_covariance", "wishart_covariance"), "delta", -0.1, "delta must"),
    (("gaussian_covariance", "wishart_covariance"), "delta", NAN, "delta must"),
    (("gaussian_covariance", "wishart_covariance"), "delta", INF, "delta must"),
    (("gaussian_covariance", "wishart_covariance"), "delta", "x", "delta must"),
    (PCA, "k", 0, "k must be between 1 and 2, got 0"),
    (PCA, "k", 3, "k must be between 1 and 2, got 3"),
    (PCA, "k", 1.0, "k must be an integer"),
    (PCA, "k", True, "k must be an integer"),
    (("private_orbit", "sampling.orbit"), "eigenvalues", [1.0], "eigenvalues must have length 2, got 1"),
    (("private_orbit", "sampling.orbit"), "eigenvalues", [0.0, 1.0], "eigenvalues must be descending"),
    (("private_orbit", "sampling.orbit"), "eigenvalues", [NAN, 0.0], "eigenvalues must be finite"),
    (("private_orbit", "sampling.orbit"), "eigenvalues", [1j, 0.0], "eigenvalues must be real"),
    (("private_orbit", "sampling.orbit"), "eigenvalues", [[1.0, 0.0]], "eigenvalues must have shape"),
    (("laplace_covariance",), "norm_bound", 0.0, "norm_bound must be positive"),
    (("laplace_covariance",), "relation", "other", "relation must be one of replace"),
    (("private_orbit",), "relation", "row", "relation must be one of"),
    (("private_orbit",), "field", "quaternion", "field must be one of"),
    (("private_orbit",), "method", "mcmc", "method must be one of"),
    (("private_orbit",), "method", "ball_chart", "in the real field"),
    (LOW_RANK, "split", 1.0, "split must lie in"),
    (LOW_RANK, "field", "x", "field must be one of"),
    (("sampling.orbit",), "M, eigenvalues", (np.diag([3.0, 2, 1]), [3, 2, 1]), "field must be 'complex'"),
    (("sampling.orbit",), "kappa", -1.0, "kappa must be non-negative"),
    (("sampling.orbit",), "size", -1, "size must be at least 0"),
    (("sampling.orbit",), "M, field", (MATRIX + 0j, "real"), "'complex' for a complex M"),
    (("sampling.haar",), "d", 0, "d must be at least 1"),
    (("sampling.haar",), "field", "x", "field must be one of"),
    (("sampling.haar",), "rng", "seed", "rng must be"),
    (("sampling.haar",), "rng", -1, "rng must be"),
    (("sampling.bingham",), "A", [[1.0, 2.0], [0.0, 1.0]], "A must be Hermitian"),
    (
        ("audit.audit",),
        "epsilon, delta",
        (GDP(1.0), 0.1),
        "delta must be part of the claim, got 1-GDP and delta = 0.1",
    ),
    (("audit.audit",), "epsilon, delta", (PureDP(1.0), NAN), "delta must be part of the claim, got"),
    (
        ("audit.worst_pair",),
        "epsilon, delta",
        (CURVE, 0.1),
        "delta must be part of the claim, got",
    ),
    (
        ("audit.audit", "audit.conforms", "audit.worst_pair"),
        "accept_unread",
        1.0,
        r"accept_unread must lie in \[0, 1\)",
    ),
    (("audit.audit",), "require_power", "1.8@word", "class of require_power must be one of prespecified, threshold"),
    (
        ("audit.worst_pair", "audit.structured_pairs"),
        "domain",
        None,
        "domain must say which rows are allowed, got None",
    ),
    (
        ("audit.worst_pair", "audit.structured_pairs"),
        "domain",
        "disc",
        "domain must be one of ball, box, cube, signs, one-hot, got 'disc'",
    ),
    (("audit.worst_pair",), "draws", 511, "draws must be at least 512, got 511"),
    (("Claim",), "relation", "row_replace", "relation must be one of replace, add_remove, .*, got 'row_replace'"),
    (("Claim",), "relation", None, "relation must be one of replace"),
    (("Claim",), "epsilon", -1.0, "epsilon must be non-negative and finite, got -1.0"),
    (("Claim",), "epsilon", math.inf, "epsilon must be non-negative and finite, got inf"),
    (("Claim",), "epsilon", math.nan, "epsilon must be non-negative and finite, got nan"),
    (("Claim",), "epsilon", "1", "epsilon must be a real number, got '1'"),
    (("Claim",), "epsilon", True, "epsilon must be a real number, got True"),
    (("Claim",), "delta", 1.0, r"delta must lie in \[0, 1\), got 1.0"),
    (("Claim",), "delta", -1e-9, r"delta must lie in \[0, 1\), got -1e-09"),
    (("Claim",), "gdp_mu", 0.0, "gdp_mu must be positive and finite, got 0.0"),
    (("Claim",), "gdp_mu", "a", "gdp_mu must be a real number, got 'a'"),
    (("Claim",), "assumptions", "one", "assumptions must be texts in a tuple, got 'one'"),
    (("Claim",), "labels", ("A", 3), "labels must be texts in a tuple, got 3 among them"),
    (("Claim",), "labels", None, "labels must be texts in a tuple, got None"),
    (("Claim",), "arithmetic", "exact", "arithmetic must be one of certified, ideal, got 'exact'"),
    (("Guarantee",), "quantity", 3, "quantity must be text, got 3"),
    (("Guarantee",), "bound", -0.5, "bound must be non-negative and finite, got -0.5"),
    (("Guarantee",), "bound", math.nan, "bound must be non-negative and finite, got nan"),
    (("Guarantee",), "probability", 1.0, r"probability must lie in \(0, 1\), got 1.0"),
    (("Guarantee",), "probability", 0, r"probability must lie in \(0, 1\), got 0"),
    (("wishart_covariance",), "degrees_of_freedom", 2, "degrees_of_freedom must be at least 3, got 2"),
    (("wishart_covariance",), "degrees_of_freedom", 5.0, "degrees_of_freedom must be an integer"),
    (WISHART, "relation", "add_remove", "relation must be one of replace, zero_out"),
    (WISHART, "norm_bound", 0.0, "norm_bound must be positive"),
    (WISHART, "norm_bound", 0.1, "norm at most 0.1"),
    (("profile.wishart_one_sided",), "epsilon", -1.0, "epsilon must be non-negative"),
    (("profile.wishart_one_sided",), "scale", 0.0, "scale must be positive"),
    (("profile.wishart",), "degrees_of_freedom, d", (4, 4), "degrees_of_freedom must be at least d"),
    (("profile.wishart",), "d", 0, "d must be at least 1"),
    (("profile.wishart",), "sensitivity", -1.0, "sensitivity must be non-negative"),
    (("knorm_covariance",), "X", np.zeros((3, 7)), "at most 6 columns for K-norm noise, got 7; symmetric_wishart"),
    (DIRECTIONS, "mechanism", "wishart", "mechanism must be one of auto, orbit, .*laplace_covariance"),
    (PCA, "mechanism", "gaussian_covariance", r"delta must lie in \(0, 1\), got 0"),
    (DIRECTIONS, "mechanism, field", ("laplace_covariance", "real"), "must be None unless the mechanism is 'orbit'"),
    (DIRECTIONS, "delta", 1.0, "delta must lie in"),
    (DIRECTIONS, "mechanism, field", ("orbit", "quaternion"), "field must be one of"),
    (DIRECTIONS, "spectrum", [1.0, 2.0], "spectrum must be descending"),
    (DIRECTIONS, "spectrum", [1.0], "spectrum must have length 2, got 1"),
    (DIRECTIONS, "center", "median", "center must be one of auto, none, mean, pairs, got 'median'"),
    (DIRECTIONS, "center, relation", ("mean", "add_remove"), "must be 'replace' for center='mean', got 'add_rem"),
    (DIRECTIONS, "center, field", ("mean", "real"), "field must be None for center='mean', got 'real'"),
    (DIRECTIONS, "center, spectrum", ("pairs", [1, 1]), "spectrum must be None for center='pairs', got 'a guess'"),
    (DIRECTIONS, "center, mechanism", ("pairs", "orbit"), "mechanism must be a noisy covariance or 'auto'"),
    (DIRECTIONS, "center, X", ("mean", iter([])), "X must have chunks of rows of one width, got no chunks"),
    (DIRECTIONS, "center, X", ("mean", iter([np.eye(2), np.eye(3)])), "of one width, got chunks of 2 widths"),
    (DIRECTIONS, "center, X", ("mean", iter([np.eye(2), 2 * np.eye(2)])), "norm at most 1, but row 2 is longer"),
    (DIRECTIONS, "center, X", ("mean", 2 * np.eye(2)), "X must have rows of norm at most 1, but row 0 is longer"),
    (DIRECTIONS, "center, X", ("pairs", sparse.csr_array([[1.0, 0], [0, NAN]])), r"but entry \(1, 1\) is not"),
    (DIRECTIONS, "center, k", ("pairs", 3), "k must be"),
    (LOW_RANK, "mechanism, split", ("laplace_covariance", 0.5), "split must be None unless the mechanism is"),
    (LOW_RANK, "X, mechanism", (dps.Matrix(MATRIX + 0j), "laplace_covariance"), "X must be real for noise"),
    (LOW_RANK, "denoise", "psd", "denoise must be one of shrink, got 'psd'"),
    (LOW_RANK, "mechanism", "best", "mechanism must be one of auto, orbit"),
    (LOW_RANK, "X, k, field", (dps.Matrix(np.eye(3)), 2, "real"), "'complex' or None for k > 1, got 'real' with"),
    (LOW_RANK, "X, k, field, mechanism", (dps.Matrix(np.eye(3)), 2, "real", "orbit"), "field must be 'com"),
    (LOW_RANK, "split, lambda1", (0.5, 20.0), "lambda1 must be None where the split is given"),
    (LOW_RANK, "lambda1", 0.0, "lambda1 must be positive"),
    (("postprocessing.best_rank",), "k", 3, "k must be between 1 and 2"),
    (("private_orbit",), "X, eigenvalues, field", (dps.Matrix(np.diag([4, 3, 1.0])), [3, 2, 1], "real"), "be 'complex"),
    (("row_counting_direction",), "X", [[1.0]], "X must have 2 columns or more, got 1"),
    (("row_counting_direction",), "X", [1.0, 2.0], r"X must have shape \(n, d\)"),
    (("row_counting_direction",), "X", [[1.0, NAN]], "X must be finite"),
    (("row_counting_direction",), "X", [[1j, 0.0]], "X must be real"),
    (("row_counting_direction",), "X", np.zeros((0, 2)), "X must not be empty"),
    (("row_counting_direction",), "epsilon", 0.0, "epsilon must be positive"),
    (("row_counting_direction",), "epsilon", "1", "epsilon must be a real number"),
    (("row_counting_direction",), "aligned", 0, "aligned must be at least 1, got 0"),
    (("row_counting_direction",), "aligned", 2.0, "aligned must be an integer"),
    (("row_counting_direction",), "relation", "row", "relation must be one of replace, add_remove"),
    (SKETCHED, "epsilon", 0.0, "epsilon must be positive"),
    (SKETCHED, "delta", 0.0, "delta must lie"),
    (SKETCHED, "row_change", 0.0, "row_change must be positive"),
    (PROJECTED, "row_change, rng", (-1.0, KEY), "row_change must be positive"),
    (PROJECTED, "row_change, rng", (2.0**-251, KEY), f"{BEYOND}2.7"),
    (PROJECTED, "row_change, rng", (2.0**251, KEY), BEYOND),
    (SKETCHED, "k", 0, "k must be"),
    (SKETCHED, "k", 7, "k must be"),
    (SKETCHED, "A", np.full((2, 2), NAN), "A must be finite"),
    (SKETCHED, "A", np.zeros((2, 2)) * 1j, "A must be real"),
    (SKETCHED, "A", np.zeros((0, 2)), "A must be a matrix and not empty"),
    (SKETCHED, "A", [[1.0], [1.0, 2.0]], "A must be a rectangular array"),
    (PROJECTED, "A, rng", (np.full((6, 6), 1e300), KEY), r"A must have finite entries below 2\*\*400"),
    (("private_projection",), "basis", np.ones((6, 2)), "basis must have orthonormal columns"),
    (("private_projection",), "basis", np.eye(3), "basis must have shape"),
    (("private_projection",), "basis", np.full((6, 1), NAN), "basis must have orthonormal columns"),
    (("private_projection",), "basis", 0.9 * np.eye(6)[:, :2], "basis must have orthonormal columns"),
    (("project_find_prune",), "share", 1.0, "share must lie"),
    (("project_find_prune",), "share, delta, rng", (math.nextafter(1.0, 0.0), 1e-6, KEY), "mu must leave room below d"),
    (("project_find_prune",), "row_bound", -1.0, "row_bound must be positive"),
    (("private_range_finder",), "oversampling", -1, "oversampling must be"),
    (POWER, "epsilon", 0.0, "epsilon must be positive"),
    (POWER, "delta", 1.0, "delta must lie"),
    (POWER, "relation", "row", "relation must be one of"),
    (POWER, "scale", "none", "scale must be one of"),
    (POWER, "scale", "fixed", "entry_bound must be given"),
    (POWER, "entry_bound", 0.5, "entry_bound must be given for scale 'fixed' and only then, got 0.5"),
    (POWER, "k", 0, "k must be"),
    (POWER, "k", 3, "k must be"),
    (POWER, "k, width", (2, 1), "width must be"),
    (POWER, "iterations", 0, "iterations must be"),
    (POWER, "dtype", np.float16, "dtype must be float64 or float32"),
    (("StreamingPowerMethod",), "dtype", int, "dtype must be float64 or float32"),
    *((POWER, "A, rng", (form(np.triu(np.ones((2, 2)))), rng), "^A must be symmetric, got a square matrix that is not")
      for form in (np.asarray, sparse.csr_array) for rng in (np.random.default_rng(0), KEY)),
    (POWER, "A, rng", ([[2.0, 2.0**-20], [0.0, 1.0]], KEY), "^A must be symmetric"),
    (POWER, "A, rng", (np.full((3, 3), 1e200), KEY), r"A must have finite entries below 2\*\*400"),
    (POWER, "A", [[1.0, NAN], [NAN, 1.0]], r"A must be finite, but entry \(0, 1\) is not"),
    (POWER, "A", sparse.csr_array([[INF, 0], [0, 1.0]]), "stored values of A must be finite, but entry"),
    (POWER, "A", MATRIX + 1j, "A must be real"),
    (POWER, "A", sparse.csr_array(MATRIX + 1j), "A must be real"),
    (POWER, "A", np.zeros((0, 0)), "A must be a matrix and not empty"),
    (POWER, "A", MATRIX[0], "A must be a matrix"),
    (POWER, "A, relation", (np.ones((3, 2)), "pair"), "'entry' or 'spectral' for a rectangular matrix A, got 'pair'"),
    (POWER, "start", np.eye(2)[:, :1], r"start must be finite of shape \(2, 2\), got shape \(2, 1\)"),
    (POWER, "start", np.ones((2, 2)), "start must have full rank 2, got 1"),
    (POWER, "start, rng", (np.ones((2, 2)), KEY), "start must have full rank 2, got 1"),
    (POWER, "start", np.full((2, 2), NAN), "not finite"),
    (("sampling.frames",), "k", 0, "k must be between 1 and 2, got 0"),
    (("sampling.frames",), "k", 3, "k must be between 1 and 2, got 3"),
    (("sampling.frames",), "k", 2.0, "k must be an integer, got 2.0"),
    (("sampling.frames",), "kappa", -1.0, "kappa must be non-negative"),
    (("sampling.frames",), "size", -1, "size must be at least 0, got -1"),
    (("sampling.frames",), "field", "quaternion", "field must be one of real, complex"),
    (("sampling.frames",), "method", "qr", "method must be one of auto"),
    (("sampling.frames",), "M", [[1.0, 2.0], [0.0, 1.0]], "M must be Hermitian"),
    *((("sampling.orbit",), "M, eigenvalues, kappa, method, field",
       (np.diag(np.arange(len(spectrum))[::-1] + 0.0), spectrum, kappa, method, "complex"), words)
      for spectrum, kappa, method, words in (
          ([2, 1, 0, 0], 1.0, "ball_chart", "exactly two values"),
          ([2, 1, 0, 0], 1.0, "macg", "exactly two values"),
          ([1, 1, 0, 0], 1.0, "bingham", "all places but one"),
          ([1, 1, 0, 0], 1.0, "two_part", "complex field, got 'two_part'"),
          (np.repeat([1.0, 0.0], [10, 30]), 9.0, "macg", "none of .* proposals of a pilot run"),
          ([1, 1, 0, 0], 1e308, "auto", "must be finite"),
          ([1, 0, 0, -1], 1e308, "auto", "must be finite"),
      )),
    (ROW_MAPS, "X", [[1.0, 2.0], [INF, 3.0]], r"^X must be finite, but entry \(1, 0\) is not$"),
    (ROW_MAPS, "X", sparse.csr_array([[NAN, 3.0]]), "stored values of X must be finite"),
    (ROW_MAPS, "X", [[1j]], "X must be real"),
    (ROW_MAPS, "X", sparse.csr_array([[1j]]), "X must be real"),
    (ROW_MAPS, "X", np.zeros((0, 2)), "X must not be empty"),
    (ROW_MAPS, "X", sparse.csr_array((0, 2)), "X must not be empty"),
    (("clipped_rows",), "norm_bound", 0.0, "norm_bound must be positive"),
    (("Claim",), "relation", "rows", "relation must be one of"),
    (("Claim",), "relation, norm_bound", ("row", 1.0), "norm_bound must be None for relation row, got 1.0"),
    (("Claim",), "change", 1.0, "change must be None for relation replace, got 1.0"),
    (("Claim",), "norm_bound", 0.0, "norm_bound must be positive"),
    (("Claim",), "relation, change", ("row", -1.0), "change must be positive"),
    (("Claim",), "relation, domain", ("row", "finite"), "domain must be texts in a tuple, got 'finite'"),
    (("Claim",), "relation, domain", ("row", (1,)), "domain must be texts in a tuple, got 1 among them"),
    (("Claim",), "relation, people", ("row", 3), "people must be text or None, got 3"),
]  # fmt: skip
"""Functions, parameters, bad values of these, and words of the message."""
RECORDS_OF_CLAIMS = {
    "Claim": {"relation": "replace", "epsilon": 1.0},
    "Guarantee": {"quantity": "error", "bound": 1.0, "probability": 0.95},
}
"""Good arguments of records that have no row above."""
GOOD = VALID | DOORS | RECORDS_OF_CLAIMS


def public():
    """Public functions and classes by name, each once."""
    found = {}
    for room in ROOMS:
        for name in room.__all__:
            value = getattr(room, name)
            if callable(value) and value not in found.values():
                found[name if room is dps else f"{room.__name__.removeprefix('dpspectra.')}.{name}"] = value
    methods = {"of": dps.Moments.of, "empty": dps.Moments.empty, "together": dps.Moments.together}
    methods["with_rows"] = dps.Moments.empty(2).with_rows
    return found | {f"Moments.{name}": method for name, method in methods.items()}


PUBLIC = public()


def kind(name, parameter):
    """What a parameter takes."""
    return OWN.get(f"{name}.{parameter}") or KINDS[parameter]


def calls(name):
    """Parameters of a public function, each with every bad value."""
    for parameter in inspect.signature(PUBLIC[name]).parameters.values():
        if name in DOORS:
            yield from ((parameter.name, value) for value in OPTIONS.get(parameter.name, []))
            continue
        optional = parameter.default is None or f"{name}.{parameter.name}" in NONE_TOO
        for value in BAD[kind(name, parameter.name)]:
            if not (value is None and optional):
                yield parameter.name, value
