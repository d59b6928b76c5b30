"""Rows are what the definition says, whatever brings them, and each is a function of itself alone."""

import math

import numpy as np
import pytest

from dpspectra.matrices import people
from dpspectra.matrices.reading_rule import Reading
from dpspectra.matrices.text_rows import Text
from dpspectra.oracle import rows as oracle
from tests.support.rows import integers

for module in ("pandas", "pyarrow"):
    pytest.importorskip(module)

SEED, PART = 20261128, 250
"""A night draws others: python -m tests.support.sources SEED NUMBER."""


@pytest.mark.parametrize("part", range(8))
def test_all_sources_are_read_by_one_rule(part):
    from tests.support.sources import compared

    assert list(compared(SEED, PART, part * PART)) == []


def _unmapped(real):
    return lambda self, *given: real(Reading(self.norm_bound, self.rows, self.bad_rows, self.per_person), *given)


def _zero_first(real):
    def prepared(self, rows, name="X", start=0, counts=None):
        if counts is not None and isinstance(rows, np.ndarray):
            rows = np.where(counts[:, None], rows, 0.0)
        return real(self, rows, name, start)

    return prepared


PLANTED = {
    "bounds left out": (Reading, "prepared", _unmapped),
    "zero before the map": (Reading, "prepared", _zero_first),
    "no clip": (Reading, "fitted", lambda real: lambda self, rows: rows),
    "blanks of ids": (people, "_id_of", lambda real: lambda entry: real(str(entry).strip())),
    "an open quote": (Text, "_over_lines", lambda real: lambda self, begun, taken: ("", "", 0)),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_noticed(fault, monkeypatch):
    from tests.support.sources import compared

    home, name, change = PLANTED[fault]
    monkeypatch.setattr(home, name, change(getattr(home, name)))
    assert next(compared(SEED, 400), None) is not None


def test_the_reference_is_the_one_of_the_quantiser():
    for bound in (1.0, 2.5, 2.0**-30):
        for row in ([bound, 0.0], [bound * 0.6, bound * 0.8000000000003], [0.1 * bound, -0.3 * bound], [bound, bound]):
            assert oracle.integers(row, bound) == integers(row, bound)
    assert oracle.integers([math.nan, 1.0], 1.0) is None
    assert oracle.integers([math.nan, 1.0], 1.0, bad_rows="zero") == [0, 0]
    assert oracle.integers([3.0, 4.0], 1.0, rows="clip") == [629145, 838860]
