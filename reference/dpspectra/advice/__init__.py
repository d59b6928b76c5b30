"""Advice by public numbers: which mechanism to use, what it guarantees, and what error to expect of it."""

from __future__ import annotations

from dataclasses import replace

from numpy.typing import ArrayLike

from dpspectra.advice.case import Advice, Case, Guess
from dpspectra.advice.ways import GOALS, LOST_SHARE, WAYS, power
from dpspectra.ground import checks
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.mechanisms.choice import AUTO, NONE, ORBIT, PAIRS, center_of
from dpspectra.relations import Relation, among

__all__ = ["GOALS", "Advice", "advise"]

LARGEST_DIMENSION, LARGEST_SUBSPACE = 100_000, 10**8
"""Largest dimensions; beyond them expected errors would take hours, or memory that few have."""
MOST_ROWS = 2**50
"""Largest number of rows; nobody has more."""


def advise(
    goal: str,
    *,
    d: int | None = None,
    k: int | None = None,
    n: int | None = None,
    loss: float | None = None,
    epsilon: float,
    delta: float = 0.0,
    norm_bound: float = 1.0,
    bounds: ColumnBounds | None = None,
    center: str = "auto",
    relation: str = "replace",
    spectrum: ArrayLike | None = None,
    typical_norm: float | None = None,
) -> tuple[Advice, ...]:
    """Return ways to a goal by expected error, the smallest first: a function of public numbers only.

    Where the first takes a minute or 4 GB, its ``reason`` says so, and what a quick one takes and errs.

    Parameters
    ----------
    goal
        ``"pca"`` (``k`` leading directions of ``n`` rows of ``d`` numbers), ``"covariance"`` (their second moments),
        ``"low_rank"`` (an approximation of rank ``k``), ``"spectrum"`` (the ``k`` largest eigenvalues), or
        ``"subspace"`` (``k`` leading directions where ``d`` may be large: by the power method on ``X'X /
        norm_bound^2``, and for ``d`` up to 20,000 as for ``"pca"``).
    d, k
        Number of columns, which ``bounds`` tell, too, and rank of the value.
    n
        Number of rows.
    loss
        In the place of ``n``: the answer is for the smallest number of rows at which the first way is expected to have
        an error of at most this.
    epsilon, delta
        Privacy loss in nats, and the probability that approximate privacy allows. With a ``delta``, pure mechanisms are
        listed beside the others.
    norm_bound
        Public bound on the Euclidean norm of a row. Pairs need none.
    bounds
        The `ColumnBounds` that map rows to norm 1.
    center
        What directions are about, as in `private_pca`, for the goal ``"pca"``: ``"auto"``, ``"pairs"`` or ``"none"``.
        About a mean with noise they hang on how far rows are from it, which pairs need not know. In a pipeline the
        numbers are those of the step: a scaler before it changes the eigenvalues, and not the noise of pairs.
    relation
        Name of the neighbour relation.
    spectrum
        A *public* guess of the eigenvalues of ``X'X / n``, descending, or with pairs of the covariance. Without one,
        errors are those for ``k`` equal eigenvalues with a share ``0.6 + 0.4 k / d`` of the trace and ``d - k`` equal
        ones with the rest, ``bracket`` holds those for eigenvalues like ``1/j`` too, and the orbit mechanism comes
        last.
    typical_norm
        A *public* guess of the root mean squared norm of rows, where there is no ``spectrum``: the trace is its square.
        Without a guess the trace is the largest possible one, which promises too much where few rows are at the bound.
        Of rows mapped by ``bounds`` it is how far a number usually is from the middle of its range, over half of the
        range: a third by default, as where the ends are three standard deviations away. With pairs it does not matter.

    Returns
    -------
    tuple of Advice
        Errors are of second moments over ``n``, with pairs of differences of length 1: the share of ``lambda_1 + .. +
        lambda_k`` that directions lose, the Frobenius error of a covariance, the root of the squared Frobenius error
        beyond that of the best rank ``k``, the largest error of an eigenvalue.

    Raises
    ------
    ValueError
        For an unknown goal, a goal without the ``k`` it needs, both or neither of ``n`` and ``loss``, or a number out
        of its range.

    Notes
    -----
    Expected errors are formulas of free probability (see `fast.noisy_spectra`). They are asymptotic, and promise
    nothing.

    Examples
    --------
    >>> best, *others = advise("pca", d=20, k=2, n=10_000, epsilon=1.0)
    >>> best.mechanism, best.arguments["mechanism"], best.expected_error < 0.01
    ('private_pca', 'symmetric_wishart_covariance', True)

    """
    checks.choice(goal, "goal", GOALS)
    if bounds is not None:
        columns = len(checks.instance(bounds, "bounds", ColumnBounds).lower)
        if d not in (None, columns):
            raise ValueError(f"d must be left out or be that of bounds, {columns}, got {checks.shown(d)}")
        d = columns
    d = checks.integer(d, "d", 1, LARGEST_SUBSPACE if goal == "subspace" else LARGEST_DIMENSION)
    checks.choice(center, "center", (AUTO, NONE, PAIRS) if goal == "pca" else (AUTO, NONE))
    if (n is None) == (loss is None):
        raise ValueError(f"one of n and loss must be given, got n = {checks.shown(n)} and loss = {checks.shown(loss)}")
    if k is None and goal != "covariance":
        raise ValueError(f"k must be given for {goal}, got None")
    rank = checks.integer(1 if k is None else k, "k", 1, d)
    case = Case(
        d,
        rank,
        1 if n is None else checks.integer(n, "n", 1),
        checks.epsilon(epsilon),
        checks.probability(delta, "delta", zero=True),
        checks.positive(norm_bound, "norm_bound"),
        among(relation, (Relation.REPLACE, Relation.ADD_REMOVE)),
        center_of(center, relation=relation) if goal == "pca" else NONE,
        bounds,
    )
    if case.center == PAIRS and case.relation != Relation.REPLACE:
        raise ValueError(f"relation must be replace for center='pairs', got {case.relation}")
    if bounds is not None and case.norm_bound > 1:
        raise ValueError(f"norm_bound must be at most 1 with bounds, as rows then are, got {case.norm_bound:g}")
    guess = Guess.of(case, spectrum, typical_norm)
    if loss is None:
        return _ways(goal, case, guess, spectrum is not None)
    return _fewest(goal, case, guess, spectrum is not None, checks.positive(loss, "loss"))


def _ways(goal: str, case: Case, guess: Guess, known: bool) -> tuple[Advice, ...]:
    """Return the ways, in the order of their errors."""
    found = [replace(way, rows=case.n, guess=guess.text) for way in WAYS[goal](case, list(guess.spectra))]
    risky = not known  # without a guess the orbit comes last: it may be behind by far, and ahead by little
    found.sort(key=lambda x: (risky and x.arguments.get("mechanism") == ORBIT, x.expected_error))
    if not found[0].cost.is_high:
        return tuple(found)
    told = _weighed(found, [power(case, list(guess.spectra))] if goal == "pca" else [], case.center == PAIRS)
    return replace(found[0], reason=told), *found[1:]


def _weighed(ways: list[Advice], about_zero: list[Advice], paired: bool) -> str:
    """Return the reason of a first way that takes long or much memory: it says so, and what a quick one takes and errs.

    The order stays that of errors: what a second is worth only the reader knows.
    """
    first = ways[0]
    quick = min([*ways, *about_zero], key=lambda way: (way.seconds, way.memory, way.expected_error))
    told = f"{first.reason}; it takes {first.cost}, roughly"
    if 2 * quick.seconds > first.seconds:
        return told
    told += f", and {quick.arguments.get('mechanism', quick.mechanism)} {quick.cost}"
    if quick in about_zero:
        told += ", by goal subspace, about zero"
    return told if paired and quick in about_zero else f"{told}, with an expected error of {quick.expected_error:.2g}"


def _fewest(goal: str, case: Case, guess: Guess, known: bool, loss: float) -> tuple[Advice, ...]:
    """Return the ways for the smallest number of rows at which the first one has an error of at most ``loss``.

    It is sought by the first guess alone, which errors and their order are for.
    """
    first = replace(guess, spectra=guess.spectra[:1])
    if _ways(goal, replace(case, n=1), first, known)[0].error.startswith(LOST_SHARE):
        if loss >= 1:
            raise ValueError(f"loss must be below 1, as it is a share of the variance, got {loss:g}")
        if case.k == case.d:
            raise ValueError(f"k must be below d with a loss, got {case.k} of {case.d}: all directions lose nothing")

    def error(n: int) -> float:
        return _ways(goal, replace(case, n=n), first, known)[0].expected_error

    low, high = 0, 1
    while error(high) > loss:
        low, high = high, 2 * high
        if high > MOST_ROWS:
            raise ValueError(f"loss must be reached by 2**50 rows, got {loss:g}: allow more, or give more epsilon")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if error(middle) <= loss else (middle, high)
    return _ways(goal, replace(case, n=high), guess, known)
