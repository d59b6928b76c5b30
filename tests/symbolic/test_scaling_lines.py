import pytest

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.scaling_lines import scaled_at
from tests.support.noise_runs import runner


def divided(x, rng):
    noisy = x + rng.laplace()
    return noisy / (1.0 + x)


def on_other_lines(x, rng):
    noisy = 2.0 * rng.laplace()
    if x:
        return x + 3.0 * noisy
    return noisy * 3.1


@pytest.mark.parametrize(
    ("mechanism", "line"), [(divided, "test_scaling_lines.py:10 (divided)"), (on_other_lines, None)]
)
def test_the_line_is_that_of_the_first_number_that_differs(mechanism, line):
    it = runner(mechanism, (0.0, 1.0), 0.01)
    assert decide(it).verdict == "refuted"
    found = scaled_at(it)
    assert found == line if line is None else found.startswith(line)


def test_nothing_is_compared_where_scales_are_the_same_or_time_is_over():
    it = runner(lambda x, rng: 2.0 * x + rng.laplace(), (0.0, 1.0), 0.01)
    assert decide(it).verdict == "refuted"
    runs = it.found.runs
    assert scaled_at(it) is None
    assert it.found.runs == runs
    it = runner(divided, (0.0, 1.0), 0.01)
    decide(it)
    it.end = 0.0
    assert scaled_at(it) is None
