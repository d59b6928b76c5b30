import numpy as np
import pytest

import dpspectra as dps
from dpspectra.audit import inside
from dpspectra.fast import knorm, trace_noise, vector_noise, wishart
from dpspectra.fast.gaussian_profile import mu_for
from dpspectra.matrices import tall_blocks
from dpspectra.symbolic import own_noise
from dpspectra.symbolic.own_noise import KNORM_OF, L2_GAMMA, L2_GAMMA_OF, knorm_of, wishart_of
from dpspectra.symbolic.replaced_sources import followed_sources
from tests.support.noise_runs import real, recorded

PAIR = np.zeros(3), np.array([0.6, 0.0, -0.8])


def noisy(scale):
    return lambda x, rng: x + vector_noise.l2_gamma(3, scale, rng)


def test_the_density_is_that_of_the_function():
    """A shifted density over the density has mean 1 under the law: within 5 standard errors, with a fixed seed."""
    rng = real(1)
    for law in (L2_GAMMA, knorm_of(2), wishart_of(2, tilt=False), wishart_of(2, tilt=True)):
        drawn = np.array([law.sample(rng, 3) for _ in range(5_000)])
        here = np.array([law.joint(z) for z in drawn])
        for shift in ([2.0, 0.0, 0.0], [1.0, -1.0, 1.0]):
            moved = np.array([law.joint(z - shift) for z in drawn]) - here
            ratios = np.exp(moved)
            assert abs(ratios.mean() - 1) < 5 * ratios.std() / np.sqrt(len(ratios))
            wrong = np.exp(1.3 * moved)
            assert abs(wrong.mean() - 1) > 5 * wrong.std() / np.sqrt(len(wrong))


def test_the_scale_of_the_density_is_that_of_the_function():
    """The mean of ``-z' grad log f(z)`` is the number of numbers, 3: within 5 standard errors, with a fixed seed."""
    rng, step = real(2), 1e-4
    for law in (L2_GAMMA, knorm_of(2), wishart_of(2, tilt=False), wishart_of(2, tilt=True)):
        drawn = [law.sample(rng, 3) for _ in range(4_000)]
        slopes = np.array([(law.joint(z * (1 - step)) - law.joint(z * (1 + step))) / (2 * step) for z in drawn])
        assert abs(slopes.mean() - 3) < 5 * slopes.std() / np.sqrt(len(slopes)) < 0.2


def test_the_loss_is_the_length_of_the_move():
    found = inside(noisy(1.0), PAIR, 1.0)
    assert (found.verdict, found.calls[0].law) == ("explained", "l2-gamma")
    assert found.bound == pytest.approx(1.0, abs=1e-12)
    assert 0.9 < found.loss <= 1.0
    assert inside(noisy(2.0), PAIR, 0.5).bound == pytest.approx(0.5, abs=1e-12)


def test_less_noise_is_refuted():
    for pair in (PAIR, PAIR[::-1]):
        assert inside(noisy(0.5), pair, 1.0).refuted
        assert inside(lambda x, rng: x + vector_noise.l2_gamma(3, 2.0 - x[0], rng), pair, 0.5).refuted


def test_combinations_of_all_numbers_lose_as_much():
    for scale, verdict in ((1.0, "explained"), (0.5, "refuted")):
        found = inside(lambda x, rng, s=scale: np.cumsum(noisy(s)(x, rng)), PAIR, 1.0)
        assert (found.verdict, found.bound) == (verdict, pytest.approx(1 / scale))
    twice = inside(lambda x, rng: [noisy(1.0)(x, rng), noisy(1.0)(x, rng)], PAIR, 2.0)
    assert (twice.verdict, twice.bound) == ("explained", pytest.approx(2.0))


def test_a_single_number_is_laplace():
    found = inside(lambda x, rng: x + vector_noise.l2_gamma(1, 1.0, rng), (0.0, 1.0), 1.0)
    assert (found.verdict, found.calls[0].law) == ("explained", "laplace")


APART = {
    "two of three": lambda x, rng: (x + vector_noise.l2_gamma(3, 1.0, rng))[:2],
    "signs": lambda x, rng: [bool(v > 0) for v in x + vector_noise.l2_gamma(3, 1.0, rng)],
    "logarithms": lambda x, rng: np.exp(x + vector_noise.l2_gamma(3, 1.0, rng)),
    "the largest": lambda x, rng: int(np.argmax(x + vector_noise.l2_gamma(3, 1.0, rng))),
    "beside other noise": lambda x, rng: x + vector_noise.l2_gamma(3, 1.0, rng) + rng.laplace(size=3),
}


@pytest.mark.parametrize("name", APART)
@pytest.mark.parametrize("epsilon", [0.01, 1.0])
def test_numbers_that_are_used_apart_are_not_decided(name, epsilon):
    """The claim of .01 is false, that of 1 is true."""
    found = inside(APART[name], PAIR, epsilon)
    assert found.verdict in ("undecided", "exceeded")
    assert ".py:" in found.reasons[0]


def test_what_moves_no_number_loses_nothing():
    found = inside(lambda x, rng: [vector_noise.l2_gamma(3, 1.0, rng)[:2], x[0] + rng.laplace()], PAIR, 0.6)
    assert (found.verdict, found.bound) == ("explained", pytest.approx(0.6))


def test_other_generators_and_other_times_are_left_alone():
    assert np.array_equal(vector_noise.l2_gamma(3, 2.0, real(1)), L2_GAMMA_OF(3, 2.0, real(1)))
    with followed_sources():
        assert np.array_equal(vector_noise.l2_gamma(3, 2.0, real(1)), L2_GAMMA_OF(3, 2.0, real(1)))
    assert (vector_noise.l2_gamma, knorm.draw) == (L2_GAMMA_OF, KNORM_OF)
    assert len(recorded(noisy(1.0), PAIR[1]).tape.blocks) == 1


ROW, OTHER, NONE = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]), np.zeros((1, 2))


@pytest.mark.parametrize(
    ("relation", "pair"), [("replace", (ROW, OTHER)), ("replace", (ROW, NONE)), ("zero_out", (ROW, NONE))]
)
def test_differences_of_wishart_matrices_lose_what_is_claimed(relation, pair):
    def released(x, rng):
        return dps.symmetric_wishart_covariance(x, 1.0, relation=relation, rng=rng).value

    for both in (pair, pair[::-1]):
        found = inside(released, both, 1.0)
        assert (found.verdict, found.bound) == ("explained", pytest.approx(1.0))
        assert 0.5 < found.loss <= 1.0 + 1e-9
        assert inside(released, both, 0.5).refuted


def test_rows_that_are_exchanged_lose_more_than_rows_that_are_left_out():
    def released(x, rng):
        return dps.symmetric_wishart_covariance(x, 1.0, relation="zero_out", rng=rng).value

    found = inside(released, (ROW, OTHER), 1.0)
    assert (found.refuted, found.bound) == (True, pytest.approx(2.0))


def test_wider_wishart_matrices_are_looked_at():
    def released(x, rng):
        return dps.symmetric_wishart_covariance(x, 1.0, rng=rng).value

    found = inside(released, (np.eye(3)[:1], np.zeros((1, 3))), 1.0)
    assert found.verdict in ("undecided", "exceeded")
    assert ".py:" in found.reasons[0]


CHANGED = np.diag([4.0, 2.0, 1.0]), np.array([[4.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize(("delta", "so_far"), [(0.1, f"mu {mu_for(1.0, 0.1):.6g}"), (0.0, "at most 1")])
def test_rounds_of_the_power_method_lose_what_is_claimed(delta, so_far):
    """The change of a pair of entries next to a start along an axis is the worst one."""

    def released(a, rng, epsilon):
        start = np.eye(3)[:, :1]
        return dps.private_power_method(a, 1, epsilon, delta, width=1, iterations=1, start=start, rng=rng).value

    for pair in (CHANGED, CHANGED[::-1]):
        found = inside(lambda a, rng: released(a, rng, 1.0), pair, 1.0, delta)
        assert (found.verdict, found.calls[0].law) == ("undecided", "normal" if delta else "laplace")
        assert f"bounded so far ({so_far})" in found.reasons[0]
        assert ".py:" in found.reasons[0]
        less = inside(lambda a, rng: released(a, rng, 2.0), pair, 1.0, delta)
        assert "more than the claim" in less.reasons[0] if delta else less.verdict == "refuted"


def test_losses_that_delta_may_allow_are_not_more_than_the_claim():
    """The range finder's product with normal numbers has another covariance on each data set."""

    def released(a, rng):
        return dps.private_range_finder(a, 1, 1.0, 0.1, oversampling=0, rng=rng).value

    found = inside(released, CHANGED, 1.0, 0.1)
    assert found.verdict == "undecided"
    assert "of which the claim's delta may allow some, on 6 transcripts" in found.reasons[0]


def test_streams_of_another_generator_are_its_own():
    key = tall_blocks.key_of(real(1))
    assert np.array_equal(tall_blocks.stream(key, 1).random(3), tall_blocks.stream(key, 1).random(3))
    with followed_sources():
        assert np.array_equal(own_noise._key_of(real(1)), key)
        assert np.array_equal(tall_blocks.stream(key, 1).random(3), own_noise.STREAM_OF(key, 1).random(3))
        added = tall_blocks.add_noise(np.zeros((2, 2)), 1.0, real(1))
        assert np.array_equal(added, own_noise.ADDED_TO(np.zeros((2, 2)), 1.0, real(1)))
    assert (wishart.difference, trace_noise.tilted_wishart) == (own_noise.DIFFERENCE_OF, own_noise.TILTED_OF)
