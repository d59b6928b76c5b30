"""Principal components of rows that have no known centre: about a private mean, or of differences of rows."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.certified.entropy import Source
from dpspectra.certified.integer_rows import exponent
from dpspectra.ground import checks
from dpspectra.matrices import centring
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.reading_rule import Reading
from dpspectra.mechanisms import plain_words
from dpspectra.mechanisms.added_noise import WHOLE, AddedNoise
from dpspectra.mechanisms.choice import AUTO, MEAN, ORBIT, PAIRS, Choice, chosen_noise
from dpspectra.mechanisms.claims import Claim
from dpspectra.mechanisms.covariance import SUMS, moments_in
from dpspectra.mechanisms.directions import of_noisy_moments
from dpspectra.mechanisms.mean import Sum, VectorNoise, mean_noise
from dpspectra.mechanisms.paired_rows import paired
from dpspectra.mechanisms.private_data import DASK, ITERATOR, foreseen, opened, outside
from dpspectra.mechanisms.randomness import Ideal, begun, promised
from dpspectra.mechanisms.release import Release

if TYPE_CHECKING:
    from dpspectra.certified.exact_moments import Moments

FOR_THE_MEAN = Fraction(1, 4)
"""Share of the loss: of epsilon, or of the square of ``mu``. From a fifth to two fifths serve about equally well."""
UNITS = "A the mean of u u'"
"""Matrix of which the guarantee speaks."""
PLAIN = {"relation": "replace", "field": None, "spectrum": None}


def plain(center: str, mechanism: str, **given: Any) -> None:
    """Raise ``ValueError`` for arguments that do not go with a center."""
    for name, value in given.items():
        if value != PLAIN[name]:
            raise ValueError(f"{name} must be {PLAIN[name]!r} for center={center!r}, got {checks.shown(value)}")
    if mechanism == ORBIT:
        raise ValueError(f"mechanism must be a noisy covariance or {AUTO!r} for center={center!r}, got {ORBIT!r}")


def about_center(
    X: Data | Moments,
    k: int,
    plan: Claim,
    delta: float,
    mechanism: str,
    center: str,
    reading: Reading,
    source: Source | Ideal,
) -> Release[NDArray[np.float64]]:
    """Directions of rows about a private mean, or of differences; called by the function that a user calls.

    The mean and the directions share the loss: for every mean the rows about it are neighbours if those given are, so
    that epsilons add up, and squares of ``mu``.
    """
    privacy, computed = (plan.epsilon, delta), plain_words.directions(X, k, center, reading)

    def chosen_for(d: int) -> tuple[Choice, AddedNoise, dict[str, Any], VectorNoise | None]:
        """Return the mechanism, its noise for the directions, what it promises of delta, and the noise of the mean."""
        checks.integer(k, "k", 1, d)
        square, share = (WHOLE, 1 - FOR_THE_MEAN) if center == MEAN else (Fraction(2), WHOLE)
        choice, noise, promise = chosen_noise(mechanism, d, privacy, square, "replace", share)
        if center != MEAN:
            return choice, noise, promise, None
        law = mean_noise((plan.epsilon, promise["delta"]), reading.reach, FOR_THE_MEAN)  # pure with pure noise
        return choice, noise, promise, law

    choose = foreseen(X, chosen_for)
    if center == PAIRS:
        pairs = paired(X, reading, source, choose)
        choice, noise, promise, _ = choose(pairs.moments.width)
        claim = pairs.claimed(promised(plan, source, ("DPS-PAIRS", *noise.labels), SUMS, **promise))
        given = computed | choice.details()
        return of_noisy_moments(pairs.moments, k, noise, pairs.draw, claim, UNITS, given, 1.0, center)
    if not isinstance(source, Ideal):
        exponent(reading.norm_bound)
    kind = outside(X).kind
    far = kind == DASK
    rows = opened(X)
    if kind == ITERATOR:
        rows = centring.in_memory(centring.held(rows, reading))
    elif not far:
        rows = centring.in_memory(reading.whole(rows))
    choice, noise, promise, law = choose(int(rows.shape[1]))
    assert law is not None
    total = Sum.of(rows, reading if far else Reading(reading.norm_bound), source)
    draw = begun(source, depth=2)
    mean, details = total.noisy_mean(law, draw)
    known = {"mean": mean, **{f"mean_{name}": number for name, number in details.items()}}
    length = known["mean_error"] = law.length(len(mean)) * details["scale"]
    units: Any = centring.about_by_blocks(rows, mean, length, reading) if far else centring.about(rows, mean, length)
    labels = ("DPS-COMPOSE", *law.labels, "DPS-UNITROWS")
    claim = promised(plan, source, tuple(dict.fromkeys((*labels, *noise.labels))), SUMS, **promise)
    moments = moments_in(source, units, Reading())
    known = {**computed, **choice.details(), **known}
    return of_noisy_moments(moments, k, noise, draw, claim, UNITS, known, 1.0, center)
