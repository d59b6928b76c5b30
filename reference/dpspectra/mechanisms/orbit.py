"""The exponential mechanism on a unitary orbit."""

from __future__ import annotations

from dataclasses import asdict, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.bounds import one_apart
from dpspectra.ground import checks
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.summed_elsewhere import Matrix
from dpspectra.mechanisms import catalogue
from dpspectra.mechanisms.claims import CONFIDENCE, Guarantee
from dpspectra.mechanisms.orbit_law import EXACT, SILENT_REFUSAL, arithmetic_for, law, law_of
from dpspectra.mechanisms.planning import reading_of
from dpspectra.mechanisms.private_data import foreseen
from dpspectra.mechanisms.randomness import Rng, begun, promised
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.second_moments import is_complex, summed_in
from dpspectra.mechanisms.usefulness import STATED
from dpspectra.relations import among
from dpspectra.sampling.methods import METHODS

if TYPE_CHECKING:
    from dpspectra.certified.exact_moments import Moments
    from dpspectra.matrices.column_bounds import ColumnBounds

ORBIT = catalogue.get("private_orbit")


def private_orbit(
    X: Data | Moments | Matrix,
    eigenvalues: ArrayLike,
    epsilon: float,
    *,
    norm_bound: float = 1.0,
    rows: str = "refuse",
    bad_rows: str = "refuse",
    bounds: ColumnBounds | None = None,
    relation: str = "replace",
    field: str | None = None,
    method: str = "auto",
    trace: float | None = None,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[NDArray[np.inexact]]:
    """Release a Hermitian matrix of a public spectrum, close to second moments; ``epsilon``-DP (MWKTV-A1, MWKTV-L6.2X).

    Let ``S`` be ``X'X``, or the matrix. The density is proportional to ``exp(kappa <S, H> / norm_bound^2)`` on the
    orbit, with ``kappa = epsilon / (2 spread)`` under ``"replace"`` and ``epsilon / spread`` under ``"add_remove"``,
    exactly the largest that is ``epsilon``-DP. ``spread`` is the largest minus the smallest eigenvalue.

    Parameters
    ----------
    X, norm_bound, rows, bad_rows, bounds, relation
        Rows of people, or a `Matrix`, as in `private_spectrum`.
    eigenvalues
        The public spectrum of the value, descending, of length ``d``.
    epsilon
        Privacy loss in nats, above 0.
    field
        None: see Notes. ``"complex"`` asks for the complex draw itself, ``"real"`` for the real law whatever the
        spectrum. A ``ValueError`` may then depend on the data, and the claim assumes that nobody learns of it.
    method
        A method of `dpspectra.sampling.orbit`, or ``"auto"``. If it is given, errors may depend on the data, as for
        ``field``.
    trace
        Public bound on the trace of ``S``, for the ``guarantee`` of the real law only. Nothing checks it: the guarantee
        holds if it is right. That of rows under ``"replace"`` is known without it.
    arithmetic
        ``"certified"`` is the default with fresh entropy or a `dpspectra.Entropy`. Rows are rounded to a grid and
        summed exactly; a matrix is taken exactly as it is. The draw is the ideal matrix, correctly rounded to multiples
        of ``details["step"]`` (of the projector, if the eigenvalues take two values), and the value is the nearest
        matrix to it of the given eigenvalues. The claim then holds for the program as it runs. ``"ideal"``, a
        ``method``, or ``field="real"`` where not all eigenvalues but one agree mean float64, and a claim for ideal real
        numbers.
    rng
        As in `laplace_covariance`.

    Returns
    -------
    Release
        Its value is ``(d, d)``, real or complex. ``details``: ``kappa``, ``field`` of the law, ``postprocessing``, and
        a ``guarantee`` on the gap ``OPT - <A, H>`` of the value. ``OPT`` is the largest score on the orbit, for ``A =
        X'X/n`` under ``"replace"``, else ``A = S``. For the complex law it is MWKTV-T2.2, and twice that if the nearest
        real matrix was taken. For the real law it is MWKTV-N1L where all eigenvalues but one agree; otherwise it needs
        a public bound on the trace of ``A`` (MWKTV-L6.5). ``private``: ``method``, the sampler.

    Raises
    ------
    ValueError
        For bad arguments or rows, before any randomness is spent.

    Notes
    -----
    A `Matrix` of a complex type gives a complex ``H``. Otherwise ``H`` is real: it has the real law where all
    eigenvalues but one agree. Else it is the `orbit_projection` of the real part of a draw of the complex law, as no
    exact real sampler serves all data. This choice depends on ``eigenvalues`` only. How long sampling takes may always
    depend on the data.

    Examples
    --------
    >>> from dpspectra import Matrix
    >>> release = private_orbit(Matrix(np.diag([900.0, 50.0, 3.0])), [1.0, 0.0, 0.0], epsilon=1.0)
    >>> np.allclose(np.linalg.eigvalsh(release.value), [0, 0, 1]), release.details["kappa"]
    (True, 0.5)

    """
    reading = reading_of(X, norm_bound, rows, bad_rows, bounds)
    given = {"X": X, "eigenvalues": eigenvalues, "trace": trace}
    plan = ORBIT.planned(epsilon=epsilon, relation=relation, **given, **asdict(reading))
    neighbours, complex_data = among(relation, ORBIT.relations), is_complex(X)
    checks.choice(method, "method", ("auto", *METHODS))
    if trace is not None:
        checks.non_negative(trace, "trace")
    spectra = foreseen(X, lambda d: checks.spectrum(eigenvalues, d))
    spectrum = checks.descending(eigenvalues, "eigenvalues")
    of = law_of(complex_data, spectrum, field)
    source = arithmetic_for(field, method, spectrum, rng, arithmetic)
    sums = summed_in(source, X, reading, neighbours)
    spectrum = spectra(sums.moments.width)
    chosen = law(sums.parts, spectrum, Fraction(plan.epsilon), neighbours, of, method, source, sums.unit)
    value, details = chosen.in_field(field is None and not complex_data, begun(source))
    details[STATED] = ("loss",)
    people = trace_bound(sums.person, sums.count, trace, known=plan.relation is neighbours and neighbours.counted)
    if people is not None:
        details["largest_possible"] = float(spectrum[0] - spectrum[-1]) * people * sums.person
    if chosen.field == "complex" or one_apart(spectrum) or people is not None:
        gap = chosen.gap(plan.epsilon, neighbours, 1 - CONFIDENCE, details["postprocessing"], trace=people)
        said = "" if trace is None or chosen.field == "complex" else f" if the trace is at most {trace:g}"
        details["guarantee"] = Guarantee(f"gap OPT - <A, H>{said}", gap * sums.person, CONFIDENCE)
    claim = promised(plan, source, ORBIT.labels, (*sums.exact, *EXACT))
    if method != "auto" or (chosen.field == "real" and not one_apart(spectrum)):
        claim = replace(claim, assumptions=(*claim.assumptions, SILENT_REFUSAL))
    return Release(value, claim, {"kappa": chosen.kappa, **details}, {"method": chosen.method})


def trace_bound(person: float, count: int, trace: float | None, known: bool) -> float | None:
    """Public bound on the trace of ``S`` in units of a person's squared norm: the number of rows, or one that is given.

    ``person`` is that squared norm over ``count``.
    """
    given = None if trace is None else trace / (person * count)
    if known:
        return float(count) if given is None else min(given, float(count))
    return given
