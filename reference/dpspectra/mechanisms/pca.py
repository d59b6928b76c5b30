"""Principal components: of a noisy covariance, or by the exponential mechanism on projectors."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.ground import checks
from dpspectra.matrices.kinds import Data
from dpspectra.mechanisms import plain_words
from dpspectra.mechanisms.added_noise import AddedNoise
from dpspectra.mechanisms.catalogue import get
from dpspectra.mechanisms.centred_pca import about_center, plain
from dpspectra.mechanisms.choice import AUTO, NONE, ORBIT, Choice, center_of, for_directions, named_noise
from dpspectra.mechanisms.covariance import SUMS, moments_in
from dpspectra.mechanisms.directions import of_noisy_moments
from dpspectra.mechanisms.planning import reading_of
from dpspectra.mechanisms.private_data import foreseen
from dpspectra.mechanisms.randomness import Rng, begun, promised, randomness, where_possible
from dpspectra.mechanisms.release import Release

if TYPE_CHECKING:
    from dpspectra.certified.exact_moments import Moments
    from dpspectra.matrices.column_bounds import ColumnBounds

PCA = get("private_pca")


def private_pca(
    X: Data | Moments,
    k: int,
    epsilon: float,
    delta: float = 0.0,
    *,
    mechanism: str = "auto",
    center: str = "auto",
    norm_bound: float = 1.0,
    rows: str = "refuse",
    bad_rows: str = "refuse",
    bounds: ColumnBounds | None = None,
    relation: str = "replace",
    spectrum: ArrayLike | None = None,
    field: str | None = None,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[NDArray[np.float64]]:
    """Release the ``k`` leading principal directions of the rows about their mean; ``(epsilon, delta)``-DP.

    Parameters
    ----------
    X
        Real rows ``(n, d)`` as in `laplace_covariance`, one a person.
    k
        Number of directions, from 1 to ``d``.
    epsilon
        Privacy loss in nats, above 0.
    delta
        Probability that approximate privacy allows; 0 for pure privacy. Gaussian noise needs it.
    mechanism
        Name of a noisy covariance, whose leading eigenvectors are the value: ``"symmetric_wishart_covariance"``,
        ``"knorm_covariance"``, ``"laplace_covariance"``, all ``epsilon``-DP, or ``"gaussian_covariance"``; or
        ``"orbit"``; or ``"auto"``. See Notes.
    center
        ``"pairs"``, ``"mean"``, ``"none"``, or ``"auto"``: pairs, but none for the orbit, for a ``field`` or a
        ``spectrum``, and under ``"add_remove"``. ``"pairs"`` takes the differences of rows that follow each other in a
        random cyclic order, divided by their lengths. A row is in two of them, and the noise is for that (DPS-PAIRS).
        Chunks of an iterator and blocks of a dask array have an order each; the claim then assumes that the place of a
        row does not depend on what rows hold. ``"mean"`` reads rows twice, so that all chunks of an iterator are held
        in memory. It spends a quarter of ``epsilon``, or of ``mu**2``, on a `private_mean`, which is released in
        ``details``, and the rest on rows ``y`` about it, divided by the root of ``|y|^2 + mean_error^2``. ``"none"``
        takes directions about zero, or with ``bounds`` about their middle. `Moments` hold no rows to be paired and need
        it: directions about the mean are then ``components(private_covariance(X, ..), k)``.
    norm_bound, rows, bad_rows, bounds
        As in `laplace_covariance`. With pairs rows may be of any length: ``norm_bound`` counts for ``rows="clip"``
        only, which shortens rows first, and ``"refuse"`` refuses none.
    relation
        As in `laplace_covariance`. Under ``"add_remove"`` noise is added to the sum, as the number of rows is private.
    spectrum
        A *public* guess of the eigenvalues of ``X'X``, descending, which ``mechanism="auto"`` may use.
    field
        Of the orbit. ``"complex"`` always asks for the complex law. ``"real"`` always asks for the real one, in which
        case a ``ValueError`` may depend on the data, and the claim assumes that nobody learns of it.
    arithmetic
        As in `laplace_covariance`: the noisy matrix or ``H`` is the ideal one, correctly rounded to multiples of
        ``details["step"]``, and the value holds its leading eigenvectors. ``field="real"`` with ``k > 1`` means
        float64, and a claim for ideal real numbers.
    rng
        As in `laplace_covariance`.

    Returns
    -------
    Release
        Its value is ``(d, k)`` with orthonormal columns. Only their span is meaningful. ``details``: ``mechanism`` and
        the ``reason`` for it; ``postprocessing``; of noise, ``scale`` and the ``k`` leading ``eigenvalues`` of the
        noisy matrix, which cost nothing more; of the orbit, ``kappa`` and ``field`` of the law. Also of noise:
        ``noise_edge``, the largest eigenvalue of noise alone; ``visible_from``, the smallest eigenvalue that shows in
        it (both in high dimension); ``strength``, the last of ``eigenvalues`` over the edge; ``shown``, how many of
        them are above ``shown_from``, the edge times ``1 + 2 d**(-2/3)``; ``gaps`` to the nearest other eigenvalue, and
        ``gap_edge``, below which noise turns directions (the random order of pairs does so, too); ``displaced``, the
        size of what the noise of a mean adds, where it counts; ``largest_possible``, where there is such a value;
        ``trace`` of the noisy matrix; and ``explained_ratio``, the shares of eigenvalues in it. ``guarantee``: on the
        lost variance, see Notes. ``private``: ``method``, the sampler.

    Raises
    ------
    ValueError
        If rows are refused, ``k`` is out of range, or an option does not fit the mechanism.

    See Also
    --------
    advise : Say which mechanism is best, and how many rows it takes.
    components : Return leading directions of a covariance that was released before.

    Notes
    -----
    ``"auto"`` chooses by public numbers only, so the choice costs no privacy: the covariance with the least noise for
    this ``d``, ``epsilon`` and ``delta``. Neither seconds nor the machine count, so that a call makes the same
    claim everywhere; `advise` tells them before, and what does not fit in memory is refused first. It takes the
    orbit for ``k = d`` and where a ``field`` is given. It also takes the orbit for one direction and pure noise, if
    by ``spectrum`` the largest eigenvalue is between 1.1 and 2.5 times ``d norm_bound^2 / epsilon``.

    ``"orbit"`` is the exponential mechanism (MWKTV-L6.2X): a projector ``H`` of density proportional to ``exp(kappa
    <X'X, H> / norm_bound^2)``, ``kappa = epsilon / 2`` (``epsilon`` under ``"add_remove"``). For ``k = 1`` and ``k = d
    - 1`` that is the law on real projectors. In between no exact sampler of it serves all data, so ``H`` is complex and
    the value holds the ``k`` leading eigenvectors of its real part: post-processing, at no cost in privacy and little
    in accuracy.

    The guarantee on the value ``V`` bounds ``lambda_1 + .. + lambda_k - tr V'AV``. ``A`` is ``X'X/n`` under
    ``"replace"``, where ``n`` is public; ``X'X`` under ``"add_remove"``; and with a centre the mean of ``u u'`` over
    the differences, or the rows about the mean, ``u`` of unit length. For a noisy covariance it is ``sqrt(2 min(k, d -
    k))`` times the bound on the Frobenius norm of the noise. For the complex law it is twice MWKTV-T2.2, as the real
    part may cost as much as the draw. For the real law it is MWKTV-N1L for ``k = 1`` and ``k = d - 1``, else
    MWKTV-L6.5, under ``"replace"`` only.

    Examples
    --------
    >>> release = private_pca(np.eye(3), 2, epsilon=1.0)
    >>> release.value.shape, np.allclose(release.value.T @ release.value, np.eye(2)), release.details["mechanism"]
    ((3, 2), True, 'knorm_covariance')
    >>> "DPS-PAIRS" in release.claim.labels
    True

    """
    reading = reading_of(X, norm_bound, rows, bad_rows, bounds)
    center = center_of(center, mechanism, relation, field, spectrum)
    given = {"X": X, "k": k, "field": field, "spectrum": spectrum, "center": center, "mechanism": mechanism}
    plan = PCA.planned(epsilon=epsilon, delta=delta, relation=relation, **given, **asdict(reading))
    privacy, relation = (plan.epsilon, float(delta)), plan.relation
    if field is not None:
        checks.choice(field, "field", ("real", "complex"))
    if field is not None and mechanism not in (AUTO, ORBIT):
        raise ValueError(f"field must be None unless the mechanism is 'orbit', got {field!r} for {mechanism!r}")
    if center != NONE:
        guess = None if spectrum is None else "a guess"
        plain(center, mechanism, relation=str(relation), field=field, spectrum=guess)
        return about_center(X, k, plan, float(delta), mechanism, center, reading, randomness(rng, arithmetic))
    source = where_possible(
        k == 1 or field != "real", "field must be None or 'complex' for k > 1", repr(field), rng, arithmetic
    )

    def chosen_for(d: int) -> tuple[Choice, AddedNoise | None, dict[str, Any]]:
        """Return the mechanism, with its noise and what it promises of delta if it adds some."""
        checks.integer(k, "k", 1, d)
        if mechanism != AUTO:
            choice = Choice(mechanism, "asked for")
        elif field is not None:
            choice = Choice(ORBIT, "a field was asked for")
        else:
            choice = for_directions(d, k, *privacy, float(reading.square), spectrum)
        if choice.mechanism == ORBIT:
            return choice, None, {"delta": 0.0, "gdp_mu": None}
        return choice, *named_noise(choice.mechanism, d, privacy, reading.square, relation)

    choose = foreseen(X, chosen_for)
    moments = moments_in(source, X, reading, empty=not relation.counted)
    choice, noise, promise = choose(moments.width)
    plan = replace(plan, **promise)
    if noise is None:
        from dpspectra.mechanisms.orbit_directions import from_orbit  # noise needs no sampler of an orbit

        return from_orbit(moments, k, plan, choice, reading, field, source)
    if not relation.counted:  # the number of rows is private: the sum is released, not the mean
        moments = replace(moments, count=1)
    claim = promised(plan, source, noise.labels, SUMS)
    name = "A = X'X/n" if relation == "replace" else "A = X'X"
    largest = float(reading.square) if relation.counted else None
    known = {**plain_words.directions(X, k, NONE, reading), **choice.details()}
    return of_noisy_moments(moments, k, noise, begun(source), claim, name, known, largest)
