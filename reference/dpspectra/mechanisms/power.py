"""The noisy power method: with noise of the caller's, with private noise, and for low-rank approximation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dpspectra.certified.entropy import Source
from dpspectra.certified.products import ExactProduct, exact_product
from dpspectra.ground import checks
from dpspectra.ground.array_types import Array
from dpspectra.ground.progress import progress
from dpspectra.matrices.kinds import Matrix
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.matrices.products import Product, product
from dpspectra.matrices.tall_blocks import add_noise, key_of, largest_entry
from dpspectra.mechanisms import catalogue
from dpspectra.mechanisms.claims import CERTIFIED
from dpspectra.mechanisms.power_plan import SCALES, PowerPlan, PowerState, multiplied
from dpspectra.mechanisms.power_rounds import CertifiedRounds, IdealRounds, Rounds, arithmetic_for, basis, digits, steps
from dpspectra.mechanisms.power_start_or_resume import given, recognised, resumed, shaped, symmetric, width_of
from dpspectra.mechanisms.private_data import opened, outside
from dpspectra.mechanisms.randomness import Ideal, Rng, begun
from dpspectra.mechanisms.release import Private, Release
from dpspectra.mechanisms.usefulness import of_products, of_singular_values

POWER = catalogue.get("private_power_method")

Noise = Callable[[int, Array, Array], ArrayLike]


def noisy_power_method(
    A: Matrix,
    k: int,
    *,
    width: int | None = None,
    iterations: int,
    noise: Noise | None = None,
    start: ArrayLike | None = None,
    rng: checks.Rng = None,
) -> Array:
    """Run ``X <- GS(A X + G)`` for ``iterations`` rounds from a random subspace (HP-F1); not private by itself.

    Parameters
    ----------
    A
        Real symmetric matrix of order ``d``: an array, a scipy sparse matrix or ``LinearOperator``, or a dask array.
        Only products with it are used, one of them for a check of symmetry. A rectangular ``(m, n)`` ``A`` stands for
        ``[[0, A], [A', 0]]`` (HP-B), in which every singular value is doubled: ask for twice the rank.
    k
        Rank of the target.
    width
        Number of columns carried, ``k <= width <= d``; twice ``k`` by default.
    iterations
        Number of rounds.
    noise
        Function ``noise(round, X, AX)`` that returns ``G``, any ``(d, width)`` array, an adversary's if you like.
        Rounds are numbered from 1. None means none.
    start
        A ``(d, width)`` block of full rank; random by default.
    rng
        A seed or a numpy Generator; None for fresh entropy.

    Returns
    -------
    array
        Orthonormal ``(d, width)`` block.

    Raises
    ------
    ValueError
        If ``A`` is not symmetric, a block has another shape or rank, or a number is out of its range.

    Examples
    --------
    >>> basis = noisy_power_method(np.diag([4.0, 1.0, 0.0]), 1, iterations=40, width=1)
    >>> np.allclose(abs(basis[:, 0]), [1, 0, 0])
    True

    """
    matrix, p = _read(product(A, "A", np.float64), k, width, iterations, np.float64)
    assert isinstance(matrix, Product)
    generator, shape = checks.generator(rng), (matrix.shape[0], p)
    first, noise = given(start, shape, np.float64), checks.function(noise, "noise")
    x = orthonormal(add_noise(np.zeros(shape), 1.0, generator), overwrite=True) if first is None else first
    with progress(iterations, "power method") as bar:
        for number in range(1, iterations + 1):
            y = matrix.forward(x)
            if noise is not None:
                y = y + shaped(noise(number, x, y), y.shape, "noise")
            x = orthonormal(y)
            bar.advance(f"round {number}")
    return x


def private_power_method(
    A: Matrix,
    k: int,
    epsilon: float,
    delta: float = 0.0,
    *,
    relation: str = "pair",
    width: int | None = None,
    iterations: int,
    scale: str = "row",
    entry_bound: float | None = None,
    low_rank: bool = False,
    dtype: DTypeLike = np.float64,
    start: ArrayLike | None = None,
    resume: PowerState | None = None,
    checkpoint: Callable[[PowerState], None] | None = None,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[Any]:
    """Release a subspace near the top ``k`` eigenvectors of ``A``; ``(epsilon, delta)``-DP (HP-F3 with HP-K4.2P).

    All of ``k``, ``width`` and ``iterations`` must be public.

    Parameters
    ----------
    A, k, width, start
        As in `noisy_power_method`. A square ``A`` must be symmetric, as must its neighbours.
    epsilon
        Privacy loss in nats, above 0.
    delta
        Probability that approximate privacy allows. Above 0, noise is normal and calibrated exactly: round by round
        ``sqrt(L) Delta(X) / mu(epsilon, delta)``, where ``Delta`` is the Frobenius sensitivity of ``X -> A X``. At 0 it
        is Laplace noise of scale ``L Delta_1(X) / epsilon``. ``L`` is the number of rounds.
    relation
        ``"entry"``: one entry changes by at most 1. ``"pair"``: an entry and its mirror image, or one diagonal entry.
        ``"spectral"``: the change has spectral norm at most 1. ``"rank_one"``: it is ``+-vv'`` with ``|v| <= 1``. A
        rectangular ``A`` takes ``"entry"``, which changes a pair of entries of its dilation, and ``"spectral"``; a
        square one all but ``"entry"``.
    iterations
        Number of rounds (`sufficient_iterations`).
    scale
        Which ``Delta`` of entry and pair changes: ``"row"`` the exact one; ``"max"`` its bound from the largest entry
        of ``X`` (the printed choice); ``"fixed"`` that bound at the public ``entry_bound``; ``"doubling"`` that bound
        at the power of two above all entries so far (HP-T4.9P).
    entry_bound
        Public bound on entries of iterates, for ``scale="fixed"``.
    low_rank
        Whether one more product is released, and paid for.
    dtype
        float64 or float32, the type of products; noise scales are computed in float64.
    resume
        A `PowerState` to go on from, with the same matrix and arguments, or it is refused (in ideal arithmetic up to
        rounding).
    checkpoint
        Function that is called with a `PowerState` after each round.
    arithmetic
        ``"certified"`` is the default with fresh entropy or a `dpspectra.Entropy`. Entries are rounded to a grid of
        ``2**-20`` or finer (integers are taken as they are), iterates cut off after 20 binary digits, and products are
        exact, the same for an array, a sparse matrix and a dask array. A round releases the ideal noisy product,
        correctly rounded to multiples of its ``details["step"]``. The claim holds for the program as it runs. ``A``
        must be symmetric on that grid exactly. ``"ideal"`` means float64, and a claim for ideal real numbers; so do a
        ``LinearOperator`` and float32, where products would round.
    rng
        As in `laplace_covariance`.

    Returns
    -------
    Release
        Its value is an orthonormal ``(d, width)`` block ``X``; with ``low_rank`` the pair ``(Y, X)`` with ``Y`` near
        ``A X`` and ``Y X'`` near ``A``, where ``Y`` is on the last step's grid; `factors` makes factors of a
        rectangular ``A`` of it. ``details``: ``noise`` (standard deviation or scale in each round), ``mu``,
        ``largest_entry``, ``matrix_shape`` of a rectangular ``A``, and ``step`` (in each round) if the arithmetic is
        certified.

    Raises
    ------
    ValueError
        If ``A`` is not symmetric or not finite, arguments do not fit its shape, or a number is out of its range.
    LargeEntryError
        If an iterate exceeds ``entry_bound``.

    Notes
    -----
    The noise of a round is drawn from a stream of its own. A run resumed with the seed of the first one, or a new
    `Entropy` of its key, gives what that one would have given, and no noise is used in two rounds. The claim is that of
    one run. To finish twice from one state, with fresh entropy or different seeds, releases the remaining rounds twice
    and costs more: `PowerState.continued` says how much.

    Memory beyond ``A`` is two blocks, for a dask array or an operator three. In certified arithmetic it is about six,
    and a copy of ``A`` in float64 unless it is sparse with integers or a dask array.

    Examples
    --------
    >>> release = private_power_method(1e6 * np.diag([4.0, 1.0, 0.0]), 1, 1.0, 1e-6, iterations=4)
    >>> release.value.shape, str(release.claim.relation)
    ((3, 2), 'pair')

    """
    promised = POWER.planned(epsilon=epsilon, delta=delta, relation=relation, A=A, entry_bound=entry_bound)
    checks.choice(scale, "scale", SCALES)
    if (scale == "fixed") != (entry_bound is not None):
        raise ValueError(f"entry_bound must be given for scale 'fixed' and only then, got {checks.shown(entry_bound)}")
    if entry_bound is not None:
        checks.positive(entry_bound, "entry_bound")
    checks.real_type(dtype, "dtype")
    low_rank = checks.flag(low_rank, "low_rank")
    checks.function(checkpoint, "checkpoint")
    if resume is not None:
        checks.instance(resume, "resume", PowerState)
    checks.integer(iterations, "iterations", 1)
    source = arithmetic_for(A, dtype, rng, arithmetic)

    def planned(shape: tuple[int, int]) -> tuple[PowerPlan, Array | None, int]:
        """Return the run in public numbers, the block to start from if there is one, and the width."""
        square = shape[0] == shape[1]
        inner, d = multiplied(promised.relation, square), shape[0] if square else sum(shape)
        p = width_of(d, k, width)
        plan = PowerPlan(
            promised.relation,
            inner,
            promised.epsilon,
            promised.delta,
            promised.gdp_mu,
            rounds=iterations + low_rank,
            scale=scale,
            entry_bound=entry_bound,
            dtype=np.dtype(dtype).name,
            domain=promised.domain,
            public=promised.public,
            **basis(source, inner, start is not None, resume, promised),
        )
        if resume is None:
            return plan, given(start, (d, p), dtype), p
        return plan, resumed(resume, plan, (d, p), iterations, start, dtype), p

    shape = outside(A).shape
    foreseen = planned(shape) if shape is not None and 0 not in shape else None
    data, exact = opened(A), digits(shape, promised.relation)
    read = product(data, "A", dtype) if isinstance(source, Ideal) else exact_product(data, exact, "A")
    plan, first, p = foreseen if foreseen is not None and read.shape == shape else planned(read.shape)
    matrix = symmetric(read, dtype)
    d = matrix.shape[0]
    private = Private({}) if checkpoint is None and resume is None else recognised(matrix, resume, dtype)
    rounds = _rounds(matrix, plan, source, first, None if resume is None else resume.rounds)
    x = orthonormal(rounds.normal((d, p), dtype), overwrite=True) if first is None else first
    largest, spent = (largest_entry(x), []) if resume is None else (resume.largest_entry, list(resume.noise))
    laplace = plan.mu is None
    stated = {} if resume is None else of_singular_values(resume.singular_values, (d, p), resume.noise[-1], laplace)

    def release(number: int) -> Array:
        y, noise = rounds.release(number, x, largest)
        spent.append(noise)
        if checkpoint is not None or number == plan.rounds:
            stated.update(of_products(y, k, noise, laplace=laplace))
        return y

    with progress(iterations - len(spent), "private power method") as bar:
        for number in range(len(spent) + 1, iterations + 1):
            x = orthonormal(release(number), overwrite=True)
            largest = max(largest, largest_entry(x))
            if checkpoint is not None:
                checkpoint(PowerState(x, largest, tuple(spent), plan, private, stated["singular_values"]))
            bar.advance(f"round {number}")
    value = (release(plan.rounds), x) if low_rank else x
    details = {"noise": tuple(spent), "mu": plan.mu, "largest_entry": largest, **stated}
    details |= {"matrix_shape": read.shape} if read.shape != matrix.shape else {}
    if plan.arithmetic == CERTIFIED:
        details["step"] = steps(spent)
    return Release(value, plan.claim(plan.rounds), details)


def _read(
    matrix: Product | ExactProduct, k: int, width: int | None, iterations: int, dtype: DTypeLike
) -> tuple[Product | ExactProduct, int]:
    """Return the matrix, or its dilation, as a symmetric product, and the width."""
    checks.integer(iterations, "iterations", 1)
    d = matrix.shape[0] if matrix.shape[0] == matrix.shape[1] else sum(matrix.shape)
    p = width_of(d, k, width)
    return symmetric(matrix, dtype), p


def _rounds(
    matrix: Product | ExactProduct, plan: PowerPlan, source: Source | Ideal, first: Array | None, done: int | None
) -> Rounds:
    """Return the rounds from a block if one is given, and after those that are ``done`` if a run goes on."""
    if done is None:
        draw = begun(source, depth=2)
    else:  # with the seed or the key that it had before
        draw = checks.generator(source.rng) if isinstance(source, Ideal) else source
    if isinstance(draw, np.random.Generator):
        assert isinstance(matrix, Product)
        return IdealRounds(matrix, plan, key_of(draw))
    assert isinstance(matrix, ExactProduct)
    rounds = CertifiedRounds(matrix, plan, draw)
    if first is not None:
        rounds.skip(first, 1 + (done or 0))
    return rounds
