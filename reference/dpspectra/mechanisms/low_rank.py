"""Low-rank approximation of a positive semidefinite matrix: of a noisy one, or by the orbit mechanism."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.certified.entropy import Source
from dpspectra.certified.gram import exact_matrix
from dpspectra.ground import checks
from dpspectra.matrices.moments import Moments
from dpspectra.mechanisms.added_noise import noisy
from dpspectra.mechanisms.catalogue import get, named_noise
from dpspectra.mechanisms.choice import AUTO, ORBIT, Choice, for_matrices
from dpspectra.mechanisms.claims import CONFIDENCE, Claim, Guarantee
from dpspectra.mechanisms.covariance import SHRUNK
from dpspectra.mechanisms.randomness import Ideal, Rng, begun, claimed, randomness
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.spectrum import exactly
from dpspectra.postprocessing import best_rank, shrink
from dpspectra.relations import Relation

LOW_RANK = get("private_low_rank")
SPECTRUM_SHARE = 0.25
"""Share of epsilon that the orbit mechanism spends on eigenvalues, unless told otherwise."""
BEST = "best positive semidefinite approximation of rank k"


def private_low_rank(
    M: ArrayLike,
    k: int,
    epsilon: float,
    delta: float = 0.0,
    *,
    mechanism: str = "auto",
    relation: str = "replace",
    denoise: str | None = "shrink",
    split: float | None = None,
    lambda1: float | None = None,
    field: str | None = None,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[NDArray[np.inexact]]:
    """Release a PSD approximation of ``M`` of rank at most ``k``; ``(epsilon, delta)``-DP.

    ``M`` is PSD ``(d, d)``, the sum of ``x x*`` over people of norm at most 1, which is what the claim needs and cannot
    be checked here. ``mechanism`` is ``"symmetric_wishart_covariance"``, ``"laplace_covariance"`` or
    ``"gaussian_covariance"`` for the noise of these functions on a real ``M``, of which the value is the best PSD
    approximation of rank ``k``, after `postprocessing.shrink` unless ``denoise`` is None; or ``"orbit"``; or
    ``"auto"``, which chooses by public numbers: the least noise, but the orbit for a complex ``M`` and where ``split``,
    ``lambda1`` or ``field`` are given, which are its arguments.

    ``"orbit"`` is MWKTV-A2R, the repaired MWKTV-A2, ``epsilon``-DP. A share ``split`` of ``epsilon`` pays for the ``k``
    largest eigenvalues, released as by `private_spectrum`: a quarter by default, or the best share for a *public* guess
    ``lambda1`` of the largest one (see `bounds.best_split`). The rest pays for the eigenvectors, drawn by the orbit
    mechanism with the *released* spectrum, so the temperature depends on nothing private. ``field`` as in
    `private_orbit`, but ``"real"`` serves ``k = 1`` and ``d <= 2`` only.

    ``arithmetic`` and ``rng`` as in `private_orbit`: certified arithmetic adds noise to the matrix exactly as it is
    given, and rounds to multiples of ``details["step"]``; ``spectrum_step`` is the grid of the eigenvalues.

    ``details``: ``mechanism`` and the ``reason`` for it, and ``postprocessing``. Of noise: ``scale``, and without
    ``denoise`` a ``guarantee`` on ``|M - H|_F`` less its smallest value at rank ``k``, twice the bound on the norm of
    the noise. Of the orbit: the
    released ``eigenvalues``, ``epsilon_spectrum``, ``epsilon_vectors``, ``kappa``, ``field``, and ``guarantee`` on
    ``|M - H|_F^2`` less its smallest value at rank ``k``: MWKTV-T2.3R with the released spectrum for the true one.
    ``private``: ``method``, the sampler. Raises ``ValueError`` for bad input.

    >>> release = private_low_rank(np.diag([900.0, 50.0, 3.0]), 1, epsilon=1.0)
    >>> int(np.linalg.matrix_rank(release.value)), release.details["scale"]
    (1, 1.0)
    """
    m = checks.hermitian(M, "M")
    d = len(m)
    checks.integer(k, "k", 1, d)
    plan = LOW_RANK.planned(epsilon=epsilon, delta=delta, mechanism=mechanism, relation=relation)
    privacy, relation = (plan.epsilon, float(delta)), plan.relation
    asked = [name for name, value in {"split": split, "lambda1": lambda1, "field": field}.items() if value is not None]
    if mechanism not in (AUTO, ORBIT):
        if asked:
            raise ValueError(f"{asked[0]} must be None unless the mechanism is 'orbit', got {mechanism!r}")
        if np.iscomplexobj(m):
            raise ValueError(f"M must be real for noise, got complex numbers for {mechanism!r}")
    if denoise is not None:
        checks.choice(denoise, "denoise", ("shrink",))
    first = _share(d, k, epsilon, relation, split, lambda1) * privacy[0]
    if field is not None:  # checked before randomness is spent
        from dpspectra.sampling.orbit import law_field

        law_field(field, m)
    if field == "real" and k > 1 and d > 2:
        raise ValueError(f"field must be 'complex' or None for k > 1, got 'real' with k = {k}")
    source = randomness(rng, arithmetic)
    choice = Choice(mechanism, "asked for") if mechanism != AUTO else for_matrices(m, *privacy, asked)
    if choice.mechanism == ORBIT:
        from dpspectra.mechanisms.orbit_low_rank import from_orbit  # noise needs no sampler of an orbit

        return from_orbit(m, int(k), privacy[0], first, choice, relation, field, source)
    return _of_noisy_matrix(m, int(k), *privacy, choice, relation, denoise, source)


def _of_noisy_matrix(
    m: NDArray[Any],
    k: int,
    epsilon: float,
    delta: float,
    choice: Choice,
    relation: Relation,
    denoise: str | None,
    source: Source | Ideal,
) -> Release[NDArray[np.inexact]]:
    """The best approximation ``H`` of ``M + E``: ``|M + E - H|_F`` is at most that of the best one of ``M``."""
    checks.non_negative_spectrum(m, np.linalg.eigvalsh(m)[::-1], "M")
    noise, promise = named_noise(choice.mechanism, len(m), (epsilon, delta), Fraction(1), relation)
    moments = Moments(m, 1) if isinstance(source, Ideal) else exact_matrix(m)
    value, details = noisy(moments, noise.law, noise.scale, begun(source, depth=2))
    claim = exactly(Claim(relation, epsilon, **promise, **claimed(source, noise.labels, ())), source)
    details |= choice.details()
    if denoise == "shrink":
        better = shrink(value, noise.spectral(len(m), noise.scale))
        return Release(best_rank(better, k), claim, {**details, "postprocessing": f"{SHRUNK}; {BEST}"})
    bound = 2 * noise.frobenius(noise.scale).bound
    guarantee = Guarantee("Frobenius error beyond that of the best rank k", bound, CONFIDENCE)
    return Release(best_rank(value, k), claim, {**details, "postprocessing": BEST, "guarantee": guarantee})


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
