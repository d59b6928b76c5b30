"""What functions of lemmas refuse, at the edge: the last argument that they take, and the first that they do not."""

import ast
from pathlib import Path

import numpy as np
import pytest

from dpspectra import formulas, lemmas
from dpspectra.formulas import quantised_step
from dpspectra.lemmas.lower_bounds import reconstruction_of_bits, row_counting

NEAR = 2.0**-40


EDGES = {
    "chance_of_error_above": (
        row_counting,
        lambda side: row_counting.chance_of_error_above(2 * 4.0**2 * 0.25**2 * (1 + side * NEAR), 4.0, 1.0, 0.25),
        "the cap reaches farther than the error",
    ),
    "least_epsilon": (
        reconstruction_of_bits,
        lambda side: reconstruction_of_bits.least_epsilon(0.125 * (1 - side * NEAR), 0.5),
        r"square must lie in \(0, \(1 - delta\)/4\]",
    ),
    "exact": (
        quantised_step,
        lambda side: quantised_step.exact(np.nextafter(quantised_step.EXACT, -side * np.inf)),
        "the columns of a block must be orthonormal",
    ),
}
"""By function: its module, a call just inside (1) or just outside (-1) of what it takes, and the refusal."""


@pytest.mark.parametrize("name", EDGES)
def test_a_refusal_begins_at_its_edge(name):
    module, call, message = EDGES[name]
    assert hasattr(module, name)
    call(1)
    with pytest.raises(ValueError, match=message):
        call(-1)


def refuses(node):
    return isinstance(node, ast.Raise) and "ValueError" in ast.dump(node)


def test_nothing_else_of_a_lemma_refuses():
    """A function that comes to refuse something needs a row."""
    refusing = set()
    for path in (path for room in (lemmas, formulas) for path in Path(room.__file__).parent.rglob("*.py")):
        text = path.read_text()
        for function in ast.walk(ast.parse(text)) if "raise ValueError" in text else ():
            if isinstance(function, ast.FunctionDef) and any(map(refuses, ast.walk(function))):
                refusing.add(function.name)
    assert refusing == EDGES.keys()
