"""A difference of rows that only grows keeps its unit vector, in both arithmetics."""

import numpy as np

from dpspectra.ledger import get
from dpspectra.ledger.judgement import judge


def test_a_row_that_moves_along_its_difference_with_a_neighbour_changes_one_unit_vector():
    rows = np.array([[-5.0, 4.0], [-2.0, 1.0], [-5.0, 7.0], [-8.0, 1.0], [7.0, -5.0]])
    judgement = judge(get("DPS-PAIRS"), (rows, np.array([-1.0, 8.0]), np.array([4, 2, 1, 3, 0])))  # (3, 3) to (7, 7)
    assert judgement.faults == []
    assert judgement.parts["differences that change"].closest == 0.5
