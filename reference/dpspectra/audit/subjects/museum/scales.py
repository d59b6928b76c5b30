"""Noise of a scale that a wrong formula gives, or a wrong argument of it."""

from __future__ import annotations

import math
import secrets
from typing import Any

import numpy as np

import dpspectra.calibrate as calibrate
from dpspectra.audit.claims import ApproxDP, PureDP
from dpspectra.audit.subjects.museum.case import DEVIATION, SIGMA, Both, case


@case("own list", ApproxDP(8.0, 0.1), (0.0, 1.0), line="return x + rng.normal", outside="undecided")
def classical_noise_beyond_its_range() -> Both:
    """The classical standard deviation, proved for epsilon below 1, is used at 8."""

    def noisy(x: Any, scale: float, rng: Any) -> Any:
        return x + rng.normal(scale=scale)

    def wrong(x: Any, rng: Any) -> Any:
        """Use the formula where it is false."""
        return noisy(x, math.sqrt(2 * math.log(1.25 / 0.1)) / 8, rng)

    def right(x: Any, rng: Any) -> Any:
        """Take the scale from the exact curve."""
        return noisy(x, calibrate.gaussian(8.0, 0.1, 1.0), rng)

    return wrong, right


@case("own list", ApproxDP(1.0, 0.01), (0.0, 1.0), line="return x + rng.normal(scale=math.sqrt")
def deviation_for_variance() -> Both:
    """A sampler is given the standard deviation where it takes the variance."""

    def with_variance(x: Any, variance: float, rng: Any) -> Any:
        return x + rng.normal(scale=math.sqrt(variance))

    def wrong(x: Any, rng: Any) -> Any:
        """Put the standard deviation where the variance belongs."""
        return with_variance(x, DEVIATION, rng)

    def right(x: Any, rng: Any) -> Any:
        """Square it first."""
        return with_variance(x, DEVIATION**2, rng)

    return wrong, right


@case("own", PureDP(1.0), (np.zeros((2, 2)), np.array([[0.0, 0.0], [0.6, 0.8]])), line="rng.laplace(scale=scale)")
def entry_noise_for_a_covariance() -> Both:
    """A covariance has noise for one entry on every entry."""

    def covariance(x: Any, rng: Any, scale: float) -> Any:
        noise = np.zeros((2, 2))
        for i in range(2):
            for j in range(i, 2):
                noise[i, j] = noise[j, i] = rng.laplace(scale=scale)
        return x.T @ x + noise

    def wrong(x: Any, rng: Any) -> Any:
        """Scale 1: the largest change of one entry."""
        return covariance(x, rng, 1.0)

    def right(x: Any, rng: Any) -> Any:
        """Scale 3/2: the largest change of all entries of the triangle together."""
        return covariance(x, rng, 1.5)

    return wrong, right


@case("smartnoise-sdk 472", PureDP(1.0), (np.array([3.0, 1.0, 0.0, 0.0]), np.array([2.0, 2.0, 0.0, 0.0])))
def measured_by_dimensions() -> Both:
    """A count is chosen and measured, each by half of the claim; the scale is divided by the number of counts."""

    def round_of(h: Any, rng: Any, scale: float) -> Any:
        weights = np.exp(0.25 * (np.abs(h - h.mean()) - np.abs(h - h.mean()).max()))
        k = int(rng.choice(len(h), p=weights / weights.sum()))
        return k, h[k] + rng.laplace(scale=scale)

    def wrong(h: Any, rng: Any) -> Any:
        """Divide, though one row moves a count by 1 however many there are."""
        return round_of(h, rng, 2.0 / len(h))

    def right(h: Any, rng: Any) -> Any:
        """Do not divide."""
        return round_of(h, rng, 2.0)

    return wrong, right


@case("classic", PureDP(1.0), (np.array([3, 1]), np.array([2, 2])), line="rng.laplace(scale=1.0, size=2)")
def replaced_as_added() -> Both:
    """A histogram where a row may be replaced, with noise for a row that joins."""

    def wrong(h: Any, rng: Any) -> Any:
        """One count moves, it says."""
        return h + rng.laplace(scale=1.0, size=2)

    def right(h: Any, rng: Any) -> Any:
        """Two counts move."""
        return h + rng.laplace(scale=2.0, size=2)

    return wrong, right


@case(
    "smartnoise-core 243",
    ApproxDP(1.0, 1e-3),
    (np.zeros((10, 4)), np.vstack([np.zeros((9, 4)), np.ones((1, 4))])),
    line="rng.normal(scale",
)
def root_left_out() -> Both:
    """Means of several columns: the Euclidean sensitivity is given without its square root."""

    def means(x: Any, rng: Any, sensitivity: float) -> Any:
        return np.sum(np.clip(x, 0, 1), axis=0) / 10 + rng.normal(scale=SIGMA * sensitivity, size=4)

    def wrong(x: Any, rng: Any) -> Any:
        """Use the squared sensitivity."""
        return means(x, rng, 4 / 10**2)

    def right(x: Any, rng: Any) -> Any:
        """Its root."""
        return means(x, rng, (4 / 10**2) ** 0.5)

    return wrong, right


@case("PySyft 6914", PureDP(0.5), (np.zeros(3), np.array([0.0, 0.0, 1.0])), line="rng.laplace(scale=0.5 / 1.0)")
def scale_upside_down() -> Both:
    """The scale is epsilon over the sensitivity: a smaller claim gives less noise."""

    def wrong(x: Any, rng: Any) -> Any:
        """Epsilon over sensitivity."""
        return np.sum(np.clip(x, 0, 1)) + rng.laplace(scale=0.5 / 1.0)

    def right(x: Any, rng: Any) -> Any:
        """Sensitivity over epsilon."""
        return np.sum(np.clip(x, 0, 1)) + rng.laplace(scale=1.0 / 0.5)

    return wrong, right


@case("dp-recorder, class of parameters", PureDP(2.0), (3.0, 4.0))
def scale_zero_by_parameters() -> Both:
    """A scale is rounded to whole numbers, and a small one becomes 0."""

    def wrong(x: Any, rng: Any) -> Any:
        """Round the scale 1/2 to 0."""
        return x + rng.laplace(scale=round(1.0 / 2.0))

    def right(x: Any, rng: Any) -> Any:
        """Leave the scale as it is."""
        return x + rng.laplace(scale=1.0 / 2.0)

    return wrong, right


@case("classic", PureDP(1.0), (np.zeros(3), np.array([0.0, 0.0, 1.0])), line="generator.expovariate(rate) - ")
def secure_generator_half_scale() -> Both:
    """A difference of exponential numbers of a secure generator, at twice the rate."""

    def noise(rate: float) -> Any:
        generator = secrets.SystemRandom()
        return generator.expovariate(rate) - generator.expovariate(rate)

    def wrong(x: Any) -> Any:
        """Twice the rate."""
        return float(np.sum(x)) + noise(2.0)

    def right(x: Any) -> Any:
        """Take the rate of the claim."""
        return float(np.sum(x)) + noise(1.0)

    return wrong, right


@case("smartnoise-core 316", ApproxDP(1.0, 1e-3), (np.zeros(3), np.array([0.0, 0.0, 1.0])), line="scale=1 / (mu + 2.0)")
def sign_in_calibration() -> Both:
    """A sign in the calibration of normal noise makes its standard deviation too small."""
    mu = 1 / calibrate.gaussian(1.0, 1e-3, 1.0)

    def wrong(x: Any, rng: Any) -> Any:
        """Enter the epsilon of the profile with the other sign: mu grows by twice the gap."""
        return np.sum(np.clip(x, 0, 1)) + rng.normal(scale=1 / (mu + 2.0))

    def right(x: Any, rng: Any) -> Any:
        """Calibrate exactly."""
        return np.sum(np.clip(x, 0, 1)) + rng.normal(scale=1 / mu)

    return wrong, right


@case("diffprivlib 105", PureDP(1.0), (np.zeros(3), np.array([0.0, 0.0, 10.0])))
def squared_lower_end() -> Both:
    """A squared moment takes the lower end of [0, 10] for both ends: its noise has scale 0."""

    def moment(x: Any, rng: Any, ends: tuple[float, float]) -> Any:
        return np.sum(np.clip(x, 0.0, 10.0) ** 2) + rng.laplace(scale=max(abs(e) for e in ends) ** 2)

    def wrong(x: Any, rng: Any) -> Any:
        """Use the lower end twice."""
        return moment(x, rng, (0.0, 0.0))

    def right(x: Any, rng: Any) -> Any:
        """Both ends."""
        return moment(x, rng, (0.0, 10.0))

    return wrong, right


@case("diffprivlib 34", PureDP(1.0), (np.zeros((2, 2)), np.array([[0.0, 0.0], [3.0, 0.0]])))
def target_bounds_by_row() -> Both:
    """Squares of target columns: the sensitivity of the first reads all lower ends, and its noise has scale 0."""
    bounds = np.array([0.0, 0.0]), np.array([3.0, 3.0])

    def moments(y: Any, rng: Any, reach: Any) -> list[Any]:
        return [np.sum(np.clip(y[:, i], 0.0, 3.0) ** 2) + rng.laplace(scale=2 * reach(i) ** 2) for i in range(2)]

    def wrong(y: Any, rng: Any) -> Any:
        """Sensitivity of column ``i`` from row ``i`` of the bounds."""
        return moments(y, rng, lambda i: float(np.abs(bounds[i]).max()))

    def right(y: Any, rng: Any) -> Any:
        """Sensitivity of column ``i`` from its own ends."""
        return moments(y, rng, lambda i: float(max(abs(bounds[0][i]), abs(bounds[1][i]))))

    return wrong, right


@case(
    "smartnoise-sdk 110",
    PureDP(1.0),
    (np.full(3, 50.0), np.array([50.0, 50.0, 50.0, 60.0])),
    line="rng.laplace(scale=20.0)",
)
def width_for_sum() -> Both:
    """A bounded sum of numbers of [40, 60] has noise for the width 20; a row that joins adds up to 60."""

    def wrong(x: Any, rng: Any) -> Any:
        """Noise for the width of the interval."""
        return np.sum(np.clip(x, 40, 60)) + rng.laplace(scale=20.0)

    def right(x: Any, rng: Any) -> Any:
        """Noise for its larger end."""
        return np.sum(np.clip(x, 40, 60)) + rng.laplace(scale=60.0)

    return wrong, right
