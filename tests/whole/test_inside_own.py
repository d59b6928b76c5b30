"""Our own mechanisms from inside, in ideal arithmetic: on a worst pair the loss met is the claim."""

import math

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.audit import inside
from dpspectra.fast.gaussian_profile import mu_for

AXES = np.eye(3)
ROWS = np.repeat(AXES[[0, 1]], 4, axis=0) * 0.9
ANGLE = math.atan(0.5) / 2  # where |cos u - cos v| + |sin u - sin v| / 2 is largest, for unit rows in the plane
FLAT = np.tile(np.eye(2) * 0.9, (3, 1))


def pair(first, second, rows=ROWS):
    return np.vstack([rows, first]), np.vstack([rows, second])


TURNED = pair([math.cos(ANGLE), math.sin(ANGLE)], [-math.sin(ANGLE), math.cos(ANGLE)], FLAT)
MATRICES = np.diag([3.0, 2.0, 1.0]), np.diag([3.0, 2.0, 1.0]) + np.outer(AXES[0], AXES[1])
DELTA = 1e-3


PURE = {
    "Laplace": (lambda X, rng: dps.laplace_covariance(X, 1.0, rng=rng).value, TURNED),
    "K-norm": (lambda X, rng: dps.knorm_covariance(X, 1.0, rng=rng).value, pair(*AXES[:2])),
    "l2-gamma mean": (lambda X, rng: dps.private_mean(X, 1.0, rng=rng).value, pair(AXES[0], -AXES[0])),
}


@pytest.mark.parametrize("name", PURE)
def test_pure_noise_has_the_bound_of_the_claim(name):
    mechanism, data = PURE[name]
    result = inside(mechanism, data, 1.0)
    assert result.verdict == "explained"
    assert result.bound == pytest.approx(1, abs=1e-9)
    assert result.loss == pytest.approx(1, abs=1e-9 if name == "Laplace" else 0.1)
    assert inside(mechanism, data, 0.8).refuted


NORMAL = {
    "triangle": (
        lambda X, rng: dps.gaussian_covariance(X, 1.0, DELTA, shape="triangle", rng=rng).value,
        pair(*AXES[:2]),
    ),
    "optimal": (lambda X, rng: dps.gaussian_covariance(X, 1.0, DELTA, rng=rng).value, pair(*AXES[:2])),
    "mean": (lambda X, rng: dps.private_mean(X, 1.0, DELTA, rng=rng).value, pair(AXES[0], -AXES[0])),
    "projection": (lambda X, rng: dps.private_projection(X, np.eye(3)[:, :2], 1.0, DELTA, rng=rng).value, MATRICES),
}


@pytest.mark.parametrize("name", NORMAL)
def test_normal_noise_has_the_distance_of_the_claim(name):
    mechanism, data = NORMAL[name]
    result = inside(mechanism, data, 1.0, DELTA)
    assert result.verdict == "explained"
    assert result.mu == pytest.approx(mu_for(1.0, DELTA), abs=1e-9)


OPEN = {
    "Wishart": (lambda X, rng: dps.symmetric_wishart_covariance(X, 1.0, rng=rng).value, pair(*AXES[:2])),
}


@pytest.mark.parametrize("name", OPEN)
def test_what_is_not_followed_names_a_line_and_is_not_refuted(name):
    mechanism, data = OPEN[name]
    result = inside(mechanism, data, 1.0)
    assert result.verdict in ("exceeded", "undecided")
    assert ".py:" in result.reasons[0]
