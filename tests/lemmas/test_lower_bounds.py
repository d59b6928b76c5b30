"""Lower bounds, beyond what all statements are tested for."""

import pytest

from dpspectra.ledger import get
from dpspectra.lemmas.lower_bounds.common_part import Case
from dpspectra.relations import Relation


@pytest.mark.parametrize(
    ("spectrum", "top", "bottom", "a", "b"),
    [
        ((2.0, 1.0), (0, 1), (1, 2), 0.5, 0.0),  # no radius
        ((2.0, 2.0, 0.0), (0, 2), (2, 3), 0.5, 0.25),  # a negative eigenvalue at the lower end
        ((2.0, 1.0, 1.0), (0, 1), (1, 3), 2.5, 0.25),  # and at the upper one
        ((2.0, 2.0, 1.0), (0, 1), (1, 3), 0.25, 0.25),  # no gap
    ],
)
@pytest.mark.parametrize("face", ["fast", "oracle"])
def test_nothing_is_stated_of_a_common_part_that_is_none(face, spectrum, top, bottom, a, b):
    case = Case(spectrum, top, bottom, a, b, 0.5, Relation.REPLACE)
    assert list(get("MWKTV-T2.4ROW").faces[face](*case)) == []
