"""Low-rank approximation of second moments: of a noisy matrix, or by the orbit mechanism."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpspectra.certified.entropy import Source
from dpspectra.fast.linalg import eigenvalues
from dpspectra.formulas.leading_part import moved, moved_in_norm
from dpspectra.ground import checks
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.summed_elsewhere import Matrix
from dpspectra.mechanisms import plain_words
from dpspectra.mechanisms.added_noise import AddedNoise, noisy
from dpspectra.mechanisms.catalogue import get
from dpspectra.mechanisms.choice import AUTO, ORBIT, Choice, for_matrices, named_noise
from dpspectra.mechanisms.claims import CONFIDENCE, Claim, Guarantee
from dpspectra.mechanisms.covariance import SHRUNK
from dpspectra.mechanisms.planning import reading_of
from dpspectra.mechanisms.private_data import foreseen, outside
from dpspectra.mechanisms.randomness import Ideal, Rng, begun, promised, randomness
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.second_moments import Summed, is_complex, require_scale, summed_in
from dpspectra.mechanisms.usefulness import of_eigenvalues, of_noise, with_rows
from dpspectra.postprocessing import best_rank, shrink
from dpspectra.relations import Relation, among

if TYPE_CHECKING:
    from dpspectra.certified.exact_moments import Moments
    from dpspectra.matrices.column_bounds import ColumnBounds

LOW_RANK = get("private_low_rank")
SPECTRUM_SHARE = 0.25
"""Share of epsilon that the orbit mechanism spends on eigenvalues, unless told otherwise."""
EXCESS = "Frobenius error beyond that of the best rank k"
DISTANCE = "spectral distance from the best rank k of A"
BEST = "best positive semidefinite approximation of rank k"


def private_low_rank(
    X: Data | Moments | Matrix,
    k: int,
    epsilon: float,
    delta: float = 0.0,
    *,
    norm_bound: float = 1.0,
    rows: str = "refuse",
    bad_rows: str = "refuse",
    bounds: ColumnBounds | None = None,
    mechanism: str = "auto",
    relation: str = "replace",
    denoise: str | None = "shrink",
    split: float | None = None,
    lambda1: float | None = None,
    field: str | None = None,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[NDArray[np.inexact]]:
    """Release a PSD approximation of second moments of rank at most ``k``; ``(epsilon, delta)``-DP.

    Parameters
    ----------
    X
        Rows of people, or a `Matrix`, as in `private_spectrum`. The approximated matrix ``A`` is ``X'X / n`` under
        ``relation="replace"``, ``X'X`` under ``"add_remove"``, or the matrix.
    k
        Largest rank of the value.
    epsilon
        Privacy loss in nats, above 0.
    delta
        Probability that approximate privacy allows; 0 for pure privacy.
    norm_bound, rows, bad_rows, bounds, relation
        As in `private_spectrum`.
    mechanism
        ``"symmetric_wishart_covariance"``, ``"laplace_covariance"`` or ``"gaussian_covariance"``: the noise of these
        functions on a real ``A``, then the best PSD approximation of rank ``k``. ``"orbit"``: see Notes. ``"auto"``
        chooses by public numbers: the least noise, but the orbit for a complex matrix, and where ``split``, ``lambda1``
        or ``field`` are given.
    denoise
        ``"shrink"`` applies `postprocessing.shrink` to the noisy matrix first; None does not.
    split
        For the orbit: the share of ``epsilon`` that pays for the eigenvalues, by default a quarter.
    lambda1
        For the orbit: a *public* guess of the largest eigenvalue of ``X'X``, or of the matrix, over ``norm_bound^2``.
        It gives the best share (`bounds.best_split`) in place of ``split``.
    field
        As in `private_orbit`, but ``"real"`` serves ``k = 1`` and ``d <= 2`` only.
    arithmetic, rng
        As in `private_orbit`. In certified arithmetic the value is rounded to multiples of ``details["step"]``;
        ``spectrum_step`` is the grid of the eigenvalues.

    Returns
    -------
    Release
        Its value is ``(d, d)``, PSD, of rank at most ``k``. ``details``: ``mechanism``, the ``reason`` for it, and
        ``postprocessing``. For noise: ``scale``, and without ``denoise`` a ``guarantee`` on ``|A - H|_F`` less its
        smallest value at rank ``k``, twice the bound on the norm of the noise or less by the released gap, and a
        ``spectral_guarantee`` on ``|A_k - H|_2`` for the best rank ``k`` ``A_k`` of ``A``. For the orbit: the released
        ``eigenvalues``, ``epsilon_spectrum``, ``epsilon_vectors``, ``kappa``, ``field``, and ``guarantee`` on ``|A -
        H|_F^2`` less its smallest value at rank ``k``: MWKTV-T2.3R with the released spectrum for the true one, unless
        the bound is beyond floats.
        ``private``: ``method``, the sampler.

    Raises
    ------
    ValueError
        As `private_spectrum`, for a ``mechanism`` that does not serve these data, and for contradicting options.

    Notes
    -----
    The orbit is MWKTV-A2R, the repaired MWKTV-A2, ``epsilon``-DP. One share of ``epsilon`` pays for the ``k`` largest
    eigenvalues, released as by `private_spectrum`. The rest pays for the eigenvectors, drawn by the orbit mechanism
    with the *released* spectrum, so the temperature depends on nothing private.

    Examples
    --------
    >>> from dpspectra import Matrix
    >>> release = private_low_rank(Matrix(np.diag([900.0, 50.0, 3.0])), 1, epsilon=1.0)
    >>> int(np.linalg.matrix_rank(release.value)), release.details["scale"]
    (1, 1.0)

    """
    reading = reading_of(X, norm_bound, rows, bad_rows, bounds)
    of_orbit = {"split": split, "lambda1": lambda1, "field": field}
    asked = {name: value for name, value in of_orbit.items() if value is not None}
    given = {"X": X, "k": k, "mechanism": mechanism, **asked}
    plan = LOW_RANK.planned(epsilon=epsilon, delta=delta, relation=relation, **given, **asdict(reading))
    neighbours, complex_data = among(relation, LOW_RANK.relations), is_complex(X)
    if mechanism not in (AUTO, ORBIT):
        if asked:
            raise ValueError(f"{next(iter(asked))} must be None unless the mechanism is 'orbit', got {mechanism!r}")
        if complex_data:
            raise ValueError(f"X must be real for noise, got complex numbers for {mechanism!r}")
    if denoise is not None:
        checks.choice(denoise, "denoise", ("shrink",))
    if field is not None and checks.choice(field, "field", ("real", "complex")) == "real" and complex_data:
        raise ValueError("field must be 'complex' for a complex X, got 'real'")
    source = randomness(rng, arithmetic)
    square = reading.square if (bound := outside(X).norm_bound) is None else Fraction(bound) ** 2

    def chosen_for(d: int) -> Chosen:
        """Return the mechanism for a dimension: with its noise, or with what the orbit spends on eigenvalues."""
        checks.integer(k, "k", 1, d)
        first = _share(d, k, plan.epsilon, neighbours, split, lambda1) * plan.epsilon
        if field == "real" and k > 1 and d > 2:
            raise ValueError(f"field must be 'complex' or None for k > 1, got 'real' with k = {k}")
        privacy = plan.epsilon, float(delta)
        choice = Choice(mechanism, "asked for")
        if mechanism == AUTO:
            choice = for_matrices(d, complex_data, *privacy, list(asked))
        if choice.mechanism == ORBIT:
            require_scale(source, X, reading, k, Fraction(first), neighbours)
            return Chosen(choice, first, None, {"delta": 0.0, "gdp_mu": None})
        return Chosen(choice, first, *named_noise(choice.mechanism, d, privacy, square, neighbours))

    choose = foreseen(X, chosen_for)
    sums = summed_in(source, X, reading, neighbours)
    chosen = choose(sums.moments.width)
    plan = replace(plan, **chosen.promise)
    if chosen.noise is None:
        from dpspectra.mechanisms.orbit_low_rank import from_orbit  # noise needs no sampler of an orbit

        found = from_orbit(sums, int(k), plan, chosen.choice, chosen.first, neighbours, complex_data, field, source)
    else:
        largest = float(reading.square) if plan.relation is Relation.REPLACE else math.inf
        found = _of_noisy_matrix(sums, int(k), plan, chosen.choice, chosen.noise, largest, denoise, source)
    computed = plain_words.moments(X, reading, plain_words.LOW_RANK.format(k=k))
    return replace(found, details={**found.details, **computed})


class Chosen(NamedTuple):
    """A mechanism, chosen by public numbers."""

    choice: Choice
    first: float
    """Epsilon that the orbit mechanism spends on eigenvalues, in nats."""
    noise: AddedNoise | None
    promise: dict[str, Any]
    """Fields of the claim about delta."""


def _of_noisy_matrix(
    sums: Summed,
    k: int,
    plan: Claim,
    choice: Choice,
    noise: AddedNoise,
    largest_trace: float,
    denoise: str | None,
    source: Source | Ideal,
) -> Release[NDArray[np.inexact]]:
    """Return the best approximation of ``A + E``, shrunk if asked for."""
    value, details = noisy(sums.moments, noise.law, noise.scale, begun(source, depth=2))
    claim = promised(plan, source, noise.labels, sums.exact)
    scale = details["scale"]
    spectrum = noise.spectral(len(value), scale)
    details |= choice.details() | of_noise(spectrum, len(value), largest_trace if largest_trace < math.inf else None)
    values = eigenvalues(value)
    details |= of_eigenvalues(values[:k], len(values), details["noise_edge"])
    details |= with_rows(claim, sums.count)
    if denoise == "shrink":
        better = shrink(value, spectrum, largest_trace)
        return Release(best_rank(better, k), claim, {**details, "postprocessing": f"{SHRUNK}; {BEST}"})
    found = {
        "guarantee": Guarantee(EXCESS, _excess(values, k, noise, scale), CONFIDENCE),
        "spectral_guarantee": Guarantee(DISTANCE, _distance(values, k, noise, scale), CONFIDENCE),
    }
    return Release(best_rank(value, k), claim, {**details, "postprocessing": BEST, **found})


def _excess(values: NDArray[Any], k: int, noise: AddedNoise, scale: float) -> float:
    """Bound the error of the best rank ``k`` of a noisy matrix, of these eigenvalues, beyond that of ``A``.

    Both bounds are of DPS-TOPPART: one without a gap, and where there is one the distance to the best rank ``k`` of
    ``A``.
    """
    twice, norm = noise.leading(2 * k, scale)
    if (gap := _gap(values, k, norm)) is None:
        return 2 * twice
    return min(2 * twice, moved(twice, min(twice, math.sqrt(k) * norm), norm, gap, _rest(values, k)))


def _distance(values: NDArray[Any], k: int, noise: AddedNoise, scale: float) -> float:
    """Bound the spectral distance of the best rank ``k`` of a noisy matrix, of these eigenvalues, from that of ``A``.

    It is by the released gap (AFTER-TVV, as DPS-TOPPART has it). Without one it is the norm of the longer of both.
    """
    _, norm = noise.leading(1, scale)
    longest = max(float(values[0]), 0.0) + norm
    if (gap := _gap(values, k, norm)) is None:
        return longest
    return min(longest, moved_in_norm(norm, gap, _rest(values, k)))


def _gap(values: NDArray[Any], k: int, norm: float) -> float | None:
    """Return the gap after eigenvalue ``k``, all before it kept, if it is above the norm of the noise."""
    if k == len(values) or (gap := float(values[k - 1] - values[k])) <= norm or values[k - 1] < 0:
        return None
    return gap


def _rest(values: NDArray[Any], k: int) -> float:
    """Return the largest modulus of the eigenvalues after ``k``."""
    return max(abs(float(values[k])), abs(float(values[-1])))


def _share(d: int, k: int, epsilon: float, relation: str, split: float | None, lambda1: float | None) -> float:
    """Share of epsilon for the eigenvalues: as told, or the best one for a guess, or `SPECTRUM_SHARE`."""
    if split is not None and lambda1 is not None:
        raise ValueError(f"lambda1 must be None where the split is given, got {lambda1!r}")
    if split is not None:
        return checks.probability(split, "split")
    if lambda1 is None:
        return SPECTRUM_SHARE
    from dpspectra.bounds import best_split

    return best_split(d, k, lambda1, epsilon, relation=relation)
