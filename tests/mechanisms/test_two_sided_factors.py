"""Factors of both sides of a rectangular matrix: by definition, with the same claim, and said to be noise where so."""

import math

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.mechanisms.usefulness import singular_edge

RNG = np.random.default_rng(0)
LEFT, RIGHT = (np.linalg.qr(RNG.normal(size=(size, 2)))[0] for size in (30, 20))
A = (LEFT * [3.0, 2.0]) @ RIGHT.T


def released(a, k=4, seed=1, **options):
    given = {"relation": "entry", "width": 4, "iterations": 6, "low_rank": True, "rng": seed} | options
    return dps.private_power_method(a, k, 1.0, 1e-6, **given)


def stated(y, x, m, **details):
    """Return a release of this product and block, by hand, whose noise has a standard deviation of 1."""
    known = {
        "noise": (1.0,),
        "mu": 1.0,
        "largest_entry": 1.0,
        "matrix_shape": (m, len(y) - m),
        "singular_values": (9.0,) * 4,
    }
    return dps.Release((y, x), dps.Claim("entry", 1.0, 1e-6), known | details)


def test_they_are_in_the_shape_of_the_matrix_and_near_it_under_the_same_claim():
    release = released(1e5 * A)
    found = dps.factors(release, 2)
    assert (found.value.left.shape, found.value.right.shape, found.value.shape) == ((30, 2), (2, 20), (30, 20))
    assert np.allclose(found.value.left.T @ found.value.left, np.eye(2))
    assert np.linalg.norm(found.value.toarray() / 1e5 - A) < 0.02
    assert np.allclose(np.linalg.norm(found.value.right, axis=1) / 1e5, [3, 2], atol=0.01)
    assert np.linalg.norm(dps.factors(release, 1).value.toarray() / 1e5 - 3 * np.outer(LEFT[:, 0], RIGHT[:, 0])) < 0.02
    assert found.claim == release.claim
    assert found.remarks == ()
    same = dps.Release.from_json(found.to_json())
    assert np.array_equal(same.value.right, found.value.right)
    assert dps.factors(dps.Release.from_json(release.to_json()), 2).remarks == ()


def test_they_are_the_best_of_their_rank_for_the_mean_of_both_estimates():
    release = released(20 * A)
    (y, x), m = release.value, 30
    u, values, v = np.linalg.svd((y[:m] @ x[m:].T + x[:m] @ y[m:].T) / 2)
    for rank in (1, 2):
        found = dps.factors(release, rank).value.toarray()
        assert np.allclose(found, (u[:, :rank] * values[:rank]) @ v[:rank])


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_factors_of_nothing_are_said_to_be_noise(delta):
    """Each fails with probability .01, about, if the remark is right."""
    release = dps.private_power_method(
        np.zeros((30, 20)), 4, 1.0, delta, relation="entry", iterations=3, low_rank=True, rng=2
    )
    assert "singular values 1 to 2 of 2" in dps.factors(release, 2).remarks[0]


@pytest.mark.parametrize("laplace", [False, True])
@pytest.mark.parametrize("weaker", [0, 1])
def test_a_factor_stands_out_if_it_does_on_both_sides(weaker, laplace):
    """The threshold of the weaker side is met from both sides; the other side is far above its own."""
    sizes = 30, 20
    edge = singular_edge((sizes[weaker], 4), 1.0, laplace)
    x = np.linalg.qr(RNG.normal(size=(50, 4)))[0]
    for factor, shows in ((1 - 1e-9, False), (1 + 1e-9, True)):
        sides = [np.linalg.qr(RNG.normal(size=(size, 4)))[0] * 1e3 for size in sizes]
        sides[weaker] *= [1, factor * edge / 1e3, 1e-3, 1e-3]
        found = dps.factors(stated(np.vstack(sides), x, 30, mu=None if laplace else 1.0), 2)
        assert (not found.remarks) == shows
        assert shows or ("singular value 2 of 2" in found.remarks[0] and found.details["singular_edge"] == edge)


@pytest.mark.parametrize(
    "release",
    [
        released(A, low_rank=False),
        released(A @ A.T, relation="pair"),
        dps.private_moments(np.eye(3), 1.0, rng=3),
        stated(np.ones(4), np.ones(4), 2, matrix_shape=None).claim,
    ],
)
def test_other_releases_are_refused(release):
    with pytest.raises(ValueError, match="release must be"):
        dps.factors(release, 1)


@pytest.mark.parametrize("rank", [0, 3, 1.5, math.inf])
def test_a_rank_out_of_range_is_refused(rank):
    with pytest.raises(ValueError, match="rank must be"):
        dps.factors(released(A, seed=4 + int(min(rank, 9) * 2)), rank)
