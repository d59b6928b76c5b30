"""Definitions that several statements share have the values that are known by hand, in both arithmetics.

A statement that speaks of less stays true, so a definition that is weaker in both would be noticed by no statement.
Here each definition is weakened in turn, as a whole and in each of its arguments, and the known values must notice.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from mpmath import mp

import dpspectra
from tests.support.definitions import KNOWN, Column, Matrix, Numbers, function, given, numbers

ACCURACY = 1e-9
"""Largest error, relative to 1 or to the value."""
MOVED = 1.001
"""Factor of a planted fault."""
ROOMS = ("fast", "oracle")
NAMES = sorted({name for name, _, _ in KNOWN})


def close(found, known):
    found = numbers(found)
    return len(found) == len(known) and all(
        x == y or abs(complex(x) - y) <= ACCURACY * max(1, abs(y)) for x, y in zip(found, known, strict=True)
    )


def holds(name, room, definition, moved=lambda argument: argument):
    """Whether a definition has its known values, with arguments that are perhaps moved."""
    with mp.workdps(25):
        for own, arguments, known in KNOWN:
            if own == name and not close(definition(*(given(x, room) for x in moved(arguments))), known):
                return False
    return True


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("name", NAMES)
def test_known_values(name, room):
    definition = function(name, room)
    assert definition is None or holds(name, room, definition)


def test_every_definition_is_of_some_arithmetic():
    assert all(any(function(name, room) for room in ROOMS) for name in NAMES)


def weakened(x, kind):
    """An argument with a fault: without imaginary parts, conjugated, or times a factor; None where it has none such."""
    if isinstance(x, Matrix | Column | Numbers):
        entries = np.array(x.entries)
        if kind in ("real", "conjugate"):
            if np.iscomplexobj(entries):
                return type(x)((entries.real if kind == "real" else entries.conj()).tolist())
            return None
        return type(x)((entries * (MOVED if kind == "larger" else 1 / MOVED)).tolist())
    if kind in ("real", "conjugate") or not isinstance(x, float):
        return None
    return x * (MOVED if kind == "larger" else 1 / MOVED) if x else x + (MOVED - 1) * (1 if kind == "larger" else -1)


def faults(name):
    """Places and kinds of the faults that can be planted in the arguments of a definition."""
    for own, arguments, _ in KNOWN:
        if own == name:
            for place, x in enumerate(arguments):
                for kind in ("real", "conjugate", "larger", "smaller"):
                    if weakened(x, kind) is not None:
                        yield place, kind


def unnoticed(name, room):
    """Faults that the known values of a definition do not notice; the result itself times a factor is ``result``."""
    definition, found = function(name, room), set()
    if holds(name, room, lambda *arguments: [x * MOVED for x in numbers(definition(*arguments))]):
        found.add("result")
    for place, kind in set(faults(name)):

        def moved(arguments, place=place, kind=kind):
            wrong = weakened(arguments[place], kind) if place < len(arguments) else None
            return arguments if wrong is None else [*arguments[:place], wrong, *arguments[place + 1 :]]

        try:
            if holds(name, room, definition, moved):
                found.add(f"{place} {kind}")
        except (ValueError, ArithmeticError, RuntimeWarning):
            continue
    return found


ELSEWHERE = dict.fromkeys(
    ["linalg.exact", "betting.KINDS", "noisy_sketch_profile.TAIL", "patterns.Function"], "no definition"
)
ELSEWHERE |= dict.fromkeys(["roots.bisect", "roots.bracket", "roots.root"], "tests/fast/test_roots.py")
ELSEWHERE |= dict.fromkeys(["quadrature.integral", "quadrature.working"], "tests/oracle/test_quadrature.py")
ELSEWHERE |= {"linalg.whitening": "tests/oracle/test_linalg.py"}
ELSEWHERE |= dict.fromkeys(
    ["wishart_row_exchange.profile", "wishart_row_exchange.profile_by_density"],
    "tests/fast/test_wishart_row_exchange.py",
)
ELSEWHERE |= {
    "packing.log_tableaux": "packing.tableaux",
    "neighbour_paths.step_count": "neighbour_paths.step_counts",
    "wishart.log_density": "wishart.density",
    "patterns.mass": "patterns.normaliser",
    "patterns.weight_below": "patterns.normaliser",
    "patterns.transition": "DPS-GTKERNEL",
    "patterns.tilted_mass": "DPS-GTKERNEL",
    "patterns.utility_moments": "MWKTV-N3",
    "divided_differences.confluent": "DPS-GTKERNEL",
    "divided_differences.divided_difference": "DPS-GT",
    "betting.ever": "DPS-EPROCESS",
    "neighbour_paths.neighbour_path": "MWKTV-PATH",
    "power.iterates": "HP-T2.4",
    "power.largest": "power.worst_step",
    "lower_bound_radii.best": "MWKTV-T2.4R",
    "lower_bound_radii.separation": "MWKTV-T2.4U",
    "lower_bound_radii.separations": "MWKTV-T2.4U",
    "wishart.draws": "JXZ-T4-X",
    "trace_noise.gaussian": "DPS-SHAPE",
    "linalg.trace_projection": "DPS-PSDTRACE",
}
"""What is named by several statements and has no row: where its values are compared with what is known."""
SCALED, CONJUGATED = ("larger", "smaller"), ("conjugate",)
INVARIANT: dict[str, dict[int, tuple[str, ...]]] = {
    "alignment.complex_orthonormal": {0: SCALED},
    "alignment.orthonormal": {0: SCALED},
    "betting.log_wealth": {0: ("larger",)},  # the oracle rounds counts down to integers
    "leverages.leverages": {0: (*SCALED, *CONJUGATED)},
    "leverages.projector": {0: SCALED},
    "leverages.range_basis": {0: SCALED},
    "leverages.range_coherence": {0: (*SCALED, *CONJUGATED)},
    "leverages.row_coherence": {0: (*SCALED, *CONJUGATED)},
    "bingham_laws.log_gram": {0: (*SCALED, *CONJUGATED)},
    "bingham_laws.trace_form": {0: (*SCALED, *CONJUGATED)},
    "linalg.eigenvalues": {0: CONJUGATED},
    "linalg.frobenius_norm": {0: CONJUGATED},
    "linalg.nuclear_norm": {0: CONJUGATED},
    "linalg.orbit_projection": {0: SCALED},
    "linalg.polar_factor": {0: SCALED},
    "linalg.principal_angles": {1: SCALED},
    "linalg.singular_values": {0: CONJUGATED},
    "linalg.spectral_norm": {0: CONJUGATED},
    "linalg.top_projector": {0: SCALED},
    "packing.projectors": {0: SCALED},
    "patterns.free_cells": {0: SCALED},
    "patterns.minors": {0: CONJUGATED},
    "power.ratio": {0: SCALED},
    "power.tangent": {0: SCALED},
    "pruning.row_norms": {0: CONJUGATED},
}
"""Changes of arguments, by place, after which a definition has the same value by its nature, in some arithmetic."""


def test_a_weaker_definition_has_other_values():
    """A factor of a thousandth, imaginary parts left out, a conjugate forgotten, a threshold moved: all are seen."""
    found = {name: set().union(*(unnoticed(name, room) for room in ROOMS if function(name, room))) for name in NAMES}
    expected = {
        name: {f"{place} {kind}" for place, kinds in INVARIANT.get(name, {}).items() for kind in kinds}
        for name in NAMES
    }
    assert found == expected


def test_every_definition_of_several_statements_is_in_the_table_or_is_guarded_elsewhere():
    """A definition is shared if modules of two statements at least name it."""
    users = defaultdict(set)
    for path in Path(dpspectra.__file__).parent.joinpath("lemmas").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        own = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dpspectra."):
                own |= {a.asname or a.name: f"{node.module}.{a.name}".removeprefix("dpspectra.") for a in node.names}
        for node in ast.walk(tree):
            name = ""
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                name = f"{own.get(node.value.id, '')}.{node.attr}"
            elif isinstance(node, ast.Name):
                name = own.get(node.id, "")
            room, _, rest = name.partition(".")
            if room in ROOMS and rest.count(".") == 1:
                users[rest].add(path)
    shared = {name for name, paths in users.items() if len(paths) > 1}
    assert shared - set(NAMES) == ELSEWHERE.keys()
