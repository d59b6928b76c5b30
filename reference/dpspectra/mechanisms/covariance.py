"""Input perturbation: the second-moment matrix of the rows plus independent noise on its upper triangle."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from dpspectra.certified.entropy import Source
from dpspectra.certified.gram import Exact, ExactMoments, exact_moments
from dpspectra.certified.integer_rows import exponent
from dpspectra.ground import checks
from dpspectra.ground.array_types import Array
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.reading_rule import Reading
from dpspectra.mechanisms import catalogue
from dpspectra.mechanisms.added_noise import AddedNoise, Privacy, noisy
from dpspectra.mechanisms.claims import Claim, Guarantee
from dpspectra.mechanisms.planning import reading_of
from dpspectra.mechanisms.private_data import MOMENTS, foreseen, opened, outside
from dpspectra.mechanisms.randomness import Ideal, Rng, begun, promised, randomness
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import STATED, of_matrix, of_noise, with_rows

if TYPE_CHECKING:
    from dpspectra.certified.exact_moments import Moments
    from dpspectra.matrices.column_bounds import ColumnBounds
    from dpspectra.matrices.float_moments import FloatMoments

LAPLACE, GAUSSIAN = catalogue.get("laplace_covariance"), catalogue.get("gaussian_covariance")
NEAREST_PSD = "nearest positive semidefinite matrix of the largest possible trace or less"
SHRUNK = "eigenvalues shrunk by the spectrum of the noise, of the released trace"
DENOISE = ("psd", "shrink")
SHAPES = ("optimal", "triangle")

SUMS = ("DPS-QUANTISER", "DPS-EXACTSUM")
"""Statements behind exact sums."""


def laplace_covariance(
    X: Data | Moments,
    epsilon: float,
    *,
    norm_bound: float = 1.0,
    rows: str = "refuse",
    bad_rows: str = "refuse",
    bounds: ColumnBounds | None = None,
    relation: str = "replace",
    denoise: str | None = None,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[Array]:
    """Release ``X'X / n`` with Laplace noise; ``epsilon``-DP when one row is replaced.

    This is JXZ-A1 with the exact sensitivity. Entries on and above the diagonal get independent noise of density
    ``exp(-|x|/b) / 2b`` with ``b = S norm_bound^2 / (n epsilon)``. ``S`` is the l1 sensitivity of that triangle: about
    ``d / sqrt 2`` where the printed algorithm has ``2 d``.

    Parameters
    ----------
    X
        Real rows ``(n, d)``, one a person: an array, a scipy sparse matrix, a dask array (extra ``outofcore``), an
        iterator over chunks of rows, or `dpspectra.Moments`.
    epsilon
        Privacy loss in nats, above 0.
    norm_bound
        Public bound on the Euclidean norm of a row, in the units of ``X``.
    rows
        What is done with a row of norm above ``norm_bound``: ``"refuse"``, ``"clip"`` it to the bound, or make all rows
        of ``"unit"`` length. A refusal is an answer about the data, so the claim assumes that nobody learns of it. With
        ``rows="clip"`` and ``bad_rows="zero"`` nothing is refused, and neighbours may be any rows.
    bad_rows
        What is done with a row in which an entry is no finite number: ``"refuse"``, or take it for a row of ``"zero"``.
    bounds
        A `ColumnBounds`: maps rows of columns of any units to norm 1 first. Rows are then clipped, never refused. The
        value is of the mapped rows, and ``bounds.moments`` says what it is in the user's units.
    relation
        Name of the neighbour relation (`dpspectra.relations`): ``"replace"``, or another one that the catalogue lists.
    denoise
        None; ``"psd"`` for the nearest positive semidefinite matrix of trace at most ``norm_bound^2``, which is never
        farther from the truth, and has a smaller guarantee where noise is large (DPS-PSDTRACE), with normal noise also
        where the released trace is small (AFTER-DLY); or ``"shrink"`` for `postprocessing.shrink`, as a rule two to
        three times nearer, but without a guarantee. Both are post-processing.
    arithmetic
        ``"certified"`` or ``"ideal"``. Certified is the default with fresh entropy or a `dpspectra.Entropy`: rows are
        rounded to a grid of about ``norm_bound 2**-20`` and their sum is exact. The noisy sum is the ideal one,
        correctly rounded to a multiple of ``details["step"]`` and divided by ``n``. The claim then holds for the
        program as it runs. Ideal means float64, and a claim for ideal real numbers.
    rng
        None for fresh entropy, a `dpspectra.Entropy`, or a seed or numpy Generator, which mean ideal arithmetic.

    Returns
    -------
    Release
        Its value is symmetric ``(d, d)`` and not centred. ``details``: ``scale`` (``b``); ``variance`` of an entry;
        ``guarantee`` on the Frobenius error, up to the rounding of rows; ``postprocessing``; ``step``; ``noise_edge``,
        the largest eigenvalue of noise alone; ``visible_from``, the smallest eigenvalue that shows in it (both in high
        dimension); and ``largest_possible``, the largest value that any rows have.

    Raises
    ------
    ValueError
        If a row is longer than ``norm_bound`` or not finite and rows are refused; or for an argument out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> release = laplace_covariance(np.eye(3), epsilon=1.0)
    >>> release.value.shape, release.claim.epsilon, release.claim.delta, release.claim.arithmetic
    ((3, 3), 1.0, 0.0, 'certified')
    >>> laplace_covariance(2 * np.eye(3), epsilon=1.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: X must have rows of norm at most 1, but row 0 is longer: give the bounds of its columns ...

    """
    reading = reading_of(X, norm_bound, rows, bad_rows, bounds)
    plan = LAPLACE.planned(epsilon=epsilon, relation=relation, X=X, **asdict(reading))
    return released(X, plan, LAPLACE.law().sized, reading, denoise, rng, arithmetic)


def gaussian_covariance(
    X: Data | Moments,
    epsilon: float,
    delta: float,
    *,
    shape: str = "optimal",
    norm_bound: float = 1.0,
    rows: str = "refuse",
    bad_rows: str = "refuse",
    bounds: ColumnBounds | None = None,
    relation: str = "replace",
    denoise: str | None = None,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[Array]:
    """Release ``X'X / n`` with Gaussian noise; ``(epsilon, delta)``-DP when one row is replaced, calibrated exactly.

    Let ``c = norm_bound^2 / (n mu)``. ``mu`` is the largest number at which the exact Gaussian profile at ``epsilon``
    stays within ``delta`` (HR-T2.6R), so any ``epsilon > 0`` is allowed.

    Parameters
    ----------
    X, norm_bound, rows, bad_rows, bounds, relation, denoise, arithmetic, rng
        As in `laplace_covariance`.
    epsilon
        Privacy loss in nats, above 0.
    delta
        Probability that approximate privacy allows, between 0 and 1.
    shape
        ``"optimal"``: the normal noise of least mean square for this claim (DPS-SHAPE). Its law is invariant under
        rotations. The variance is ``c^2`` off the diagonal and ``2 c^2 d / (d + 1)`` on it, where entries have the
        covariance ``-2 c^2 / (d + 1)``. The trace has the variance ``2 c^2 d / (d + 1)`` only. ``"triangle"``:
        independent entries on and above the diagonal, of standard deviation ``sqrt 2 c`` (``c`` if ``d = 1``), which is
        about twice the mean square.

    Returns
    -------
    Release
        Its value is symmetric ``(d, d)``. ``details``: ``shape``; ``scale`` (``c``, or the standard deviation of the
        triangle); ``variance`` off the diagonal; and the others of `laplace_covariance`.

    Raises
    ------
    ValueError
        As `laplace_covariance`, and unless ``delta`` lies between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> release = gaussian_covariance(np.eye(3), epsilon=1.0, delta=1e-6)
    >>> bool(np.all(release.value == release.value.T)), round(release.details["scale"], 3)
    (True, 1.408)

    """
    from dpspectra.mechanisms.noises import gaussian  # a release with Laplace noise needs none of it

    reading = reading_of(X, norm_bound, rows, bad_rows, bounds)
    plan = GAUSSIAN.planned(epsilon=epsilon, delta=delta, relation=relation, X=X, **asdict(reading))
    checks.choice(shape, "shape", SHAPES)
    sized = functools.partial(gaussian.sized, shape=shape)
    return released(X, plan, sized, reading, denoise, rng, arithmetic, {"shape": shape})


def denoising(denoise: Any) -> None:
    """Raise ``ValueError`` unless it is a way to denoise."""
    if denoise is not None:
        checks.choice(denoise, "denoise", DENOISE)


def moments_in(
    source: Source | Ideal, X: Data | Moments, reading: Reading, *, empty: bool = False
) -> FloatMoments | Exact:
    """Open data, and return the sum of ``x x'`` over their rows, exact if the arithmetic is certified."""
    if not isinstance(source, Ideal):
        exponent(reading.norm_bound)
        return exact_in(X, reading, empty=empty)
    from dpspectra.matrices.float_moments import FloatMoments, second_moments

    if outside(X).kind == MOMENTS:
        exact = exact_in(X, reading, empty=empty)
        return FloatMoments(np.ldexp(exact.total.astype(float), -2 * exact.exponent), exact.count)
    return second_moments(opened(X), reading, empty=empty)


def exact_in(X: Any, reading: Reading, *, empty: bool = False, order: int = 2) -> ExactMoments:
    """Open data, and return the exact sums over their rows; those of `Moments` as they are.

    Raises ``ValueError`` for rows that are refused, and for no rows unless ``empty`` data are data like others.
    """
    if outside(X).kind != MOMENTS:
        return exact_moments(opened(X), reading, empty=empty, order=order)
    from dpspectra.certified.exact_moments import sums_of  # whoever has some has loaded it

    return sums_of(opened(X), empty)


def released(
    X: Data | Moments,
    plan: Claim,
    sized: Callable[[int, Privacy, Fraction, str], AddedNoise],
    reading: Reading,
    denoise: str | None,
    rng: Rng,
    arithmetic: str | None,
    known: Mapping[str, Any] | None = None,
) -> Release[Array]:
    """Release second moments with noise, and with what else is ``known``; called by the function that a user calls.

    ``sized`` gives the noise for a dimension, a loss, the squared norm of the longest row and a relation.
    """
    from dpspectra.mechanisms import plain_words  # who looks at the function alone needs no words

    denoising(denoise)
    source = randomness(rng, arithmetic)
    noise_for = foreseen(X, lambda d: sized(d, (plan.epsilon, plan.delta), reading.square, plan.relation))
    moments = moments_in(source, X, reading)
    noise = noise_for(moments.width)
    value, details = noisy(moments, noise.law, noise.scale, begun(source, depth=2))
    scale = details["scale"]
    details |= {name: factor * scale**2 for name, factor in noise.details.items()}
    claim = promised(plan, source, noise.labels, SUMS)
    details |= with_rows(claim, moments.count) | dict(known or {}) | plain_words.moments(X, reading)
    return denoised(value, noise, claim, denoise, reading.square, details)


def denoised(
    value: Array,
    noise: AddedNoise,
    claim: Claim,
    denoise: str | None,
    largest: Fraction,
    details: dict[str, Any],
    guarantee: Guarantee | None = None,
    displaced: float = 0.0,
) -> Release[Array]:
    """Release a noisy matrix with its guarantee, denoised if asked for, which is post-processing.

    ``largest`` is the largest trace of the part of one person, ``displaced`` as for `of_noise`; a given ``guarantee``
    is that of the value released.
    """
    if denoise is not None:
        from dpspectra.postprocessing import nearest_psd, shrink

    spectrum = noise.spectral(len(value), details["scale"])
    details = {**details, **of_noise(spectrum, len(value), float(largest), displaced)}
    details[STATED] = ("matrix",)
    if denoise is not None:
        details |= of_matrix(value, details["noise_edge"]) | {"negative": False}
    if denoise == "shrink":
        better = shrink(value, spectrum, float(largest))
        return Release(better, claim, {**details, "postprocessing": SHRUNK})
    if denoise == "psd":
        details = {**details, "postprocessing": NEAREST_PSD}
        if guarantee is None:
            value, guarantee = projected(value, noise, details["scale"], float(largest))
        else:
            value = nearest_psd(value, float(largest))
    guarantee = guarantee or noise.frobenius(details["scale"])
    return Release(value, claim, {"postprocessing": None, **details, "guarantee": guarantee})


def projected(value: Array, noise: AddedNoise, scale: float, largest: float) -> tuple[Array, Guarantee]:
    """Return the nearest positive semidefinite matrix of bounded trace, and a bound on its error (DPS-PSDTRACE).

    Where it is by the spectral norm, and the noise in the trace is known, the released trace is a bound, too
    (AFTER-DLY). Which bound serves depends on public numbers alone, so that each holds with its probability.
    """
    from dpspectra.postprocessing import nearest_psd

    found = noise.frobenius(scale)
    if noise.norm is None or math.sqrt(2 * largest * scale * noise.norm) >= found.bound:
        return nearest_psd(value, largest), found
    norm, trace = noise.norm, largest
    if noise.with_trace is not None:
        norm, below = noise.with_trace
        told = float(np.trace(value)) + scale * below
        trace = min(told, largest) if told > 0 else largest
    nearest = nearest_psd(value, trace)
    square = scale * norm * (min(float(np.trace(nearest)), trace) + trace)
    return nearest, replace(found, bound=math.sqrt(square))
