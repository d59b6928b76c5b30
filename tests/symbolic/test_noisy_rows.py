import numpy as np

from dpspectra.symbolic.noisy_rows import evaluated, joined, matrix, noisy_rows, picked
from dpspectra.symbolic.tape import Rows

ROWS = Rows(np.array([1.0, 2.0, 3.0]), np.array([[0, 1, 2], [1, 1, 2]]), np.array([[1.0, 2.0, 4.0], [0.5, -2.0, 1.0]]))


def test_rows():
    assert matrix(ROWS, 3).toarray().tolist() == [[1, 0.5, 0], [0, 0, 0], [0, 0, 5]]
    assert noisy_rows(ROWS, 3).tolist() == [True, False, True]
    assert evaluated(ROWS, np.array([1.0, 10.0, 100.0])).tolist() == [7, 2, 503]
    assert evaluated(picked(ROWS, [2, 0]), np.array([1.0, 10.0, 100.0])).tolist() == [503, 7]
    narrow = Rows(np.array([5.0]), np.array([[1]]), np.array([[3.0]]))
    both = joined([ROWS, narrow])
    assert evaluated(both, np.array([1.0, 10.0, 100.0])).tolist() == [7, 2, 503, 35]
    assert joined([narrow]) is narrow
