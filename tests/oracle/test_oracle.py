"""The oracle face of an entry is a second computation: it shares no formula and no arithmetic with the fast face.

What both faces may reach is named here, function by function: what builds the instance, and what words an outcome.
"""

import numpy as np
import pytest
from mpmath import mp

from dpspectra.ledger import AtMost, Statement, Verdict, all_statements
from tests.support.closures import closure

WORDS = ("ledger", "relations")
"""Rooms that hold no statement: the outcomes, and the names of neighbour relations."""

BUILDERS = {
    "lemmas.packing.grassmann_packing.candidates": "random subspaces, from which both faces choose",
    "lemmas.packing.grassmann_packing.cross": "points of a packing, whose distances each face measures",
    "lemmas.packing.images.packed": "points of a packing, whose images each face measures",
    "lemmas.packing.orbit_packing_printed._turn": "a rational rotation",
    "lemmas.packing.whole_orbit_packing.packed": "points of a packing, whose images each face measures",
    "lemmas.packing.grassmann_packing.witness": "points of a packing, whose distances each face measures",
    "lemmas.covering.constructions._points": "points of the sphere, whose covering radius each face measures",
    "lemmas.auditing.mixture_loss._ends": "ends of intervals, at which each face computes densities",
    "lemmas.auditing.mixture_loss._knots": "ends of intervals, at which each face computes densities",
    "lemmas.auditing.mixture_loss._near": "places beside them",
    "lemmas.auditing.mixture_loss._between": "places between them",
    "lemmas.auditing.whole_numbers.ends": "ends of a cell, whose mass each face computes",
    "lemmas.lower_bounds.counting_steps.other_points": "an outcome from numbers that each face computes",
    "lemmas.lower_bounds.bound_printed._vertices": "vertices of a regular solid",
    "lemmas.lower_bounds.row_counting._moved": "the neighbouring data set",
    "lemmas.noise.crossover._ordered": "an outcome from numbers that each face computes",
    "lemmas.power.without_gap._narrow": "the same run with fewer columns",
    "lemmas.privacy.adjacency.swap": "two vectors, whose change each face measures",
    "lemmas.privacy.power_method._unit_changes": "all changes by one, whose shifts each face measures",
    "lemmas.sampling.pattern_law.uniform_numbers": "random numbers of the cells of a pattern",
    "lemmas.sensitivity.power_step._changes": "all changes by one, whose shifts each face measures",
    "lemmas.streaming.sample_complexity._counts": "random counts of the samples of each block",
}
"""What both faces may reach, and what an oracle may draw in float64; each with what it makes."""

FLOAT_KERNEL = "it is a kernel of the float64 path"
SHARED = "the fast face reaches it too"
FLOAT_LIBRARY = "it names numpy or scipy"


def offences(statement):
    """Names of functions that the oracle face must not reach, each with the reason."""
    fast, oracle = (closure(statement.faces[face], (*WORDS, *BUILDERS)) for face in ("fast", "oracle"))
    found = {}
    for name, libraries in oracle.items():
        if name.startswith("fast."):
            found[name] = FLOAT_KERNEL
        elif name in fast:
            found[name] = SHARED
        elif libraries & {"numpy", "scipy"}:
            found[name] = FLOAT_LIBRARY
    return found


def test_no_oracle_shares_a_computation_with_its_fast_face():
    found = {statement.id: offences(statement) for statement in all_statements() if "oracle" in statement.faces}
    assert {entry: reasons for entry, reasons in found.items() if reasons} == {}


def test_every_builder_is_in_use():
    oracles = [statement.faces["oracle"] for statement in all_statements() if "oracle" in statement.faces]
    assert {name for oracle in oracles for name in closure(oracle, WORDS)} >= BUILDERS.keys()


def square(x):
    return x * x


class Rectangle:
    """A record whose property is a formula."""

    def __init__(self, sides):
        self.sides = sides

    @property
    def area(self):
        return self.sides[0] * self.sides[1]


def toy(oracle):
    """An entry whose fast face is ``x^2 <= x^2``, computed by `square`, and ``Rectangle.area``."""
    faces = {"fast": lambda x: AtMost(square(x), Rectangle((x, x)).area), "oracle": oracle}
    return Statement(("TOY",), "", Verdict.NEW, "", faces=faces)


def through_a_helper(x):
    return [square(y) for y in (x,)]


def local_import(x):
    import scipy.special as special

    return special.gamma(x)


@pytest.mark.parametrize(
    ("oracle", "offence"),
    [
        (lambda x: AtMost(mp.mpf(x) ** 2, mp.mpf(x) ** 2), {}),
        (lambda x: AtMost(square(mp.mpf(x)), 1), {"square": SHARED}),
        (lambda x: [AtMost(through_a_helper(y), 1) for y in x], {"square": SHARED}),
        (lambda x: AtMost(x.area, 1), {"Rectangle.area": SHARED}),
        (lambda x: AtMost(np.sqrt(x), 1), {"toy": FLOAT_LIBRARY}),
        (lambda x, root=np.linalg.norm: AtMost(root(x), 1), {"toy": FLOAT_LIBRARY}),
        (lambda x: AtMost(local_import(x), 1), {"local_import": FLOAT_LIBRARY}),
    ],
)
def test_a_planted_offence_is_reported(oracle, offence):
    here = f"{__name__}."
    oracle.__qualname__ = "toy"
    assert offences(toy(oracle)) == {here + name: reason for name, reason in offence.items()}
