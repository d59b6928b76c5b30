import functools

import numpy as np

from dpspectra.audit.from_inside import inside
from dpspectra.symbolic.return_lines import returned_at
from tests.support.noise_runs import runner


def bare(x, rng):
    if x:
        return x
    return rng.laplace(), float(np.sum(x))


class Made:
    def __call__(self, x, rng):
        return bare(x, rng)


def line(function, after):
    return f"test_return_lines.py:{function.__code__.co_firstlineno + after} ({function.__name__})"


def test_the_line_that_is_taken():
    it = runner(bare, (0, 1))
    assert [returned_at(it, side) for side in (0, 1)] == [line(bare, 3), line(bare, 2)]
    assert it.mechanism is bare


def test_partial_functions_objects_and_exceptions():
    def fails(x, rng):
        raise ValueError(x)

    assert returned_at(runner(functools.partial(bare), (0, 1)), 0) == line(bare, 3)
    assert returned_at(runner(Made(), (0, 1)), 0) == line(Made.__call__, 1)
    assert returned_at(runner(fails, (0, 1)), 0) == line(fails, 1)
    assert returned_at(runner(len, ("a", "")), 0) is None


def test_a_refutation_without_noise_names_the_line_of_the_output():
    result = inside(lambda x, rng: bare(x, rng)[1] if not x else 1.0, (0, 1), 1.0)
    assert result.refuted
    assert "its output is returned at test_return_lines.py:" in str(result)
    assert "bare(x, rng)[1] if not x" in str(result)
