import math

import pytest

from dpspectra.symbolic.analysis import decide
from tests.support.noise_runs import runner


def rounded(scale):
    return lambda x, rng: f"{x + rng.laplace(scale=scale):.1f}"


def decided(mechanism, pair=(0.0, 1.0), epsilon=1.0, delta=0.0):
    return decide(runner(mechanism, pair, epsilon, delta))


@pytest.mark.parametrize(("scale", "verdict"), [(1.0, "undecided"), (1.01, "undecided"), (0.9, "exceeded")])
def test_a_transcript_refutes_and_explains_nothing(scale, verdict):
    found = decided(rounded(scale))
    assert found.verdict == verdict
    for side in found.sides:
        assert side.transcript
        assert side.bound == pytest.approx(1 / scale)
        assert side.loss <= side.bound + 1e-9
        assert "is looked at before the output, at test_transcripts.py:" in side.reasons[0]
        assert ("bounded so far (at most" in side.reasons[0]) == (verdict == "undecided")


def test_normal_noise_is_told_by_its_distance():
    found = decided(lambda x, rng: f"{x + rng.normal(scale=4.0):.1f}", delta=0.1)
    assert found.verdict == "undecided"
    assert [s.mu for s in found.sides] == [pytest.approx(0.25)] * 2
    assert "bounded so far (mu 0.25)" in found.sides[0].reasons[0]


def test_points_count():
    """A point with no list, likelier on one data set: its log-ratio is part of the loss."""

    def mechanism(x, rng):
        return round(float(rng.choice(3000, p=x)) + rng.laplace(), 1)

    p = [1 / 3000] * 3000
    q = [1 / 6000] * 1500 + [1 / 2000] * 1500
    found = decided(mechanism, (p, q))
    assert found.sides[0].loss == pytest.approx(math.log(2), abs=1e-9)
    assert found.sides[1].loss == pytest.approx(math.log(1.5), abs=1e-9)
    assert found.sides[0].bound == pytest.approx(math.log(2), abs=1e-9)


def test_points_and_noise_add_up():
    def mechanism(x, rng):
        return round(float(rng.choice(3000, p=x[0])) + x[1] + rng.laplace(), 1)

    p = [1 / 3000] * 3000
    q = [1 / 6000] * 1500 + [1 / 2000] * 1500
    found = decided(mechanism, ((p, 0.0), (q, 0.5)))
    assert found.sides[0].bound == pytest.approx(math.log(2) + 0.5, abs=1e-9)


def test_other_questions_in_a_later_record():
    def mechanism(x, rng):
        v = float(rng.normal())
        return v if v < -1.5 or not x else v + round(rng.normal(), 1)

    found = decided(mechanism)
    assert found.verdict == "undecided"
    assert any("other questions" in r for s in found.sides for r in s.reasons)


def test_a_difference_without_noise_is_tested():
    def mechanism(x, rng):
        v = rng.normal() ** 3
        return v > -1.0 and x

    found = decided(mechanism)
    assert found.verdict == "refuted"
    assert "confirmed" in found.confirmed


def test_all_records_count():
    def mechanism(x, rng):
        first = str(x + rng.laplace(scale=1.5))
        return first, x + rng.laplace(scale=2.0)

    found = decided(mechanism, epsilon=2.0)
    assert [s.bound for s in found.sides] == [pytest.approx(7 / 6)] * 2
    assert {round(c.bound, 6) for c in found.calls.values()} == {0.666667, 0.5}


def test_the_largest_distance_counts():
    def mechanism(x, rng):
        v = round(rng.normal(), 1)
        return x * v + rng.normal()

    found = decided(mechanism, delta=0.1)
    met = max(s.mu for s in found.sides)
    assert {s.mu for s in found.sides} != {0.0}
    assert met > 0.5  # six rounded normal numbers; smaller with probability 0.003


@pytest.mark.parametrize(("scale", "verdict"), [(1.0, "undecided"), (0.4, "refuted")])
def test_what_is_seen_beside_the_output_is_not_the_output(scale, verdict):
    """Noise that is looked at tells with the output where that is, and neither does alone (as in a quantile of it)."""

    def mechanism(x, rng):
        noisy = x + rng.laplace(scale=scale, size=1)
        assert str(noisy[0] - x)
        return noisy[0]

    found = decided(mechanism)
    assert found.verdict == verdict
    assert found.sides[0].loss == math.inf
    if verdict == "undecided":
        assert "together, and each alone does not" in found.sides[0].reasons[0]


def test_what_is_seen_is_enough_if_it_loses_more_alone():
    def mechanism(x, rng):
        noisy = x + rng.laplace(scale=0.5, size=1)
        assert str(noisy[0] - x)
        assert str(x + rng.laplace(scale=0.5))
        return noisy[0] > -9

    assert decided(mechanism).verdict == "exceeded"
