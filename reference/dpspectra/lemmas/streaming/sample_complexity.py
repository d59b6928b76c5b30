"""How many samples streaming needs: blocks so long that their noise is tolerated, times the number of rounds.

The noise of ``T`` samples must be below ``epsilon gap / 5``, and inside the target below what a random start allows;
``T`` is the least number for which the bound on that noise is so small. Up to constants and logarithms, which the paper
leaves unnamed and which are explicit here, ``n = L T`` is the printed number. The samples must be independent, and a
tie after ``k`` needs infinitely many.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from mpmath import mp

from dpspectra.fast import power
from dpspectra.ledger import AtMost, Equal, Statement, Verdict
from dpspectra.ledger.outcomes import Outcome
from dpspectra.lemmas.power import convergence, random_start
from dpspectra.lemmas.streaming import batch_noise
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import linalg as exact
from dpspectra.oracle import power as oracle
from dpspectra.oracle.alignment import orthonormal as exactly_orthonormal
from dpspectra.strategies import distributions, dyadics, independent_columns, seeds, unitaries

CONSTANT = 100
"""What multiplies the printed form of ``T``, besides its logarithms."""
SLACK = 1e-12
"""Relative distance that a block's bound keeps from what is tolerated; it covers the rounding of both."""
GOOD = 2.0**-3
"""Least cosine of the start, and least relative gap, that are tried."""
LEAST = 2.0**-4
"""Least probability of a value, so that every block has full rank."""
SHAPES = [(2, 1, 1), (3, 1, 2), (4, 1, 3), (1, 1, 1), (3, 2, 2)]


@st.composite
def _instances(draw: DrawFn) -> tuple[Any, ...]:
    """A law of full rank with a large direction or two, a start, the accuracy, a seed."""
    d, k, p = draw(st.sampled_from(SHAPES))
    values = draw(independent_columns(d, d)) * np.where(np.arange(d) < k, 4.0, 1.0)
    weights = draw(distributions(d).filter(lambda w: bool(np.min(w) >= LEAST)))
    start, epsilon = draw(independent_columns(d, p)), draw(dyadics(2.0**-4, 0.4375, 4))
    return (values, weights, draw(unitaries(d)), k, p), start, epsilon, draw(seeds())


lemma = Statement(
    labels=("HP-T3.2",),
    claim=r"n=LT,\ T\le100\frac{Bp}{d\,\mathrm{gap}^2}\max\Big\{\frac1{\epsilon^2},\frac{\tau^2Bp}{D^2}\Big\}"
    r"\ln^4(3T^3)\ln(2dT^2),\ L=\Big\lceil\tfrac2\gamma\ln\tfrac{\tau\sqrt d}{\sqrt2\epsilon D}\Big\rceil,\ D=\sqrt p-"
    r"\sqrt{k-1}:\ \Pr[\tan\theta_k(U,X_L)>\epsilon]\le\big(\tfrac{4\sqrt2}\tau\big)^{p-k+1}+e^{-d/2}+\tfrac{3L}{T^2}",
    verdict=Verdict.VERIFIED,
    cases=_instances(),
    uses=("HP-C1.1", "HP-L3.5", "HP-F2"),
    note="streaming.md#number-of-samples",
    digits=30,
    examples=60,
)


def block_size(tau: float, epsilon: float, gap: float, roundness: float, k: int, p: int, d: int) -> int:
    """Least number ``T >= FEWEST`` of samples in a round for which the bound on their noise is tolerated."""

    def enough(size: int) -> bool:
        found = np.multiply(1 + SLACK, batch_noise.bound(float(size), d, p, roundness))
        return bool(np.all(np.less_equal(found, convergence.tolerances(tau, epsilon, gap, k, p, d))))

    low, high = batch_noise.FEWEST - 1, batch_noise.FEWEST
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def samples(tau: float, epsilon: float, following: float, last: float, roundness: float, k: int, p: int, d: int) -> int:
    """Samples for an accuracy of ``epsilon``; ``last`` and ``following`` are the eigenvalues ``k`` and ``k + 1``."""
    rounds = convergence.iterations(tau, epsilon, following / last, k, p, d)
    return rounds * block_size(tau, epsilon, last - following, roundness, k, p, d)


def failure(tau: Any, size: Any, rounds: Any, k: int, p: int, d: int) -> Any:
    """Bound on the probability that the accuracy is not reached with blocks of so many samples."""
    return convergence.failure(tau, k, p, d) + 3 * rounds / size**2


def closed_form(size: Any, tau: Any, epsilon: Any, gap: Any, roundness: Any, k: int, p: int, d: int) -> Any:
    """The number in a block up to `CONSTANT`, with the logarithms of ``size``."""
    spread = np.sqrt(p) - np.sqrt(k - 1)
    main = roundness * p / (d * gap**2) * np.maximum(epsilon**-2, tau**2 * roundness * p / spread**2)
    return main * np.log(3 * size**3) ** 4 * np.log(2 * d * size**2)


def _plan(law: Any, basis: Any, epsilon: float) -> tuple[Any, ...] | None:
    """The scaled values, the target, sizes of the problem; ``None`` where the gap is small or the start bad."""
    values, weights, frame, k, p = law
    scaled, _ = batch_noise.scaled((values, weights, frame, k, p))
    a = batch_noise.moment(scaled, weights)
    spectrum, vectors = np.linalg.eigh(a)
    spectrum, u, d = spectrum[::-1], vectors[:, ::-1][:, :k], len(frame)
    following = float(max(spectrum[k], 0.0)) if k < d else 0.0
    if spectrum[k - 1] - following < GOOD * spectrum[0]:
        return None
    cosine, sine = power.angle(u, orthonormal(basis))
    if cosine < GOOD:
        return None
    # the least tau for which this start is good; sqrt 2 as in the corollary for random starts
    tau = float(max(1.5, np.sqrt(2) * sine / cosine / random_start.radius(1.0, k, p, d)))
    return scaled, u, k, p, d, float(spectrum[k - 1]), following, tau, d / p


@lemma.fast
def streamed(law: Any, basis: Any, epsilon: float, seed: int) -> tuple[Outcome, ...]:
    """A run whose blocks are drawn as counts; and the size of a block against the closed form."""
    plan = _plan(law, basis, epsilon)
    if plan is None:
        return ()
    values, u, k, p, d, last, following, tau, roundness = plan
    size = block_size(tau, epsilon, last - following, roundness, k, p, d)
    rounds = convergence.iterations(tau, epsilon, following / last, k, p, d)
    x = orthonormal(basis)
    for counts in _counts(law, size, rounds, seed):
        x = orthonormal(batch_noise.moment(values, counts / size) @ x)
    limit = CONSTANT * closed_form(float(size), tau, epsilon, last - following, roundness, k, p, d)
    found = batch_noise.bound(float(size), d, p, roundness)
    tolerated = convergence.tolerances(tau, epsilon, last - following, k, p, d)
    return (
        AtMost(power.tangent(u, x), epsilon, scale=1),
        AtMost(float(size), limit),
        AtMost(found[0], tolerated[0]),
        AtMost(found[1], tolerated[1]),
        Equal(samples(tau, epsilon, following, last, roundness, k, p, d), rounds * size),
    )


def _counts(law: Any, size: int, rounds: int, seed: int) -> Any:
    """How often each value occurs in each block: the stream, as far as second moments see it."""
    return np.random.default_rng(seed).multinomial(size, law[1], size=rounds)


@lemma.oracle
def exactly_streamed(law: Any, basis: Any, epsilon: float, seed: int) -> tuple[Outcome, ...]:
    plan = _plan(law, basis, epsilon)
    if plan is None:
        return ()
    _, _, k, p, d, last, following, tau, roundness = plan
    size = block_size(tau, epsilon, last - following, roundness, k, p, d)
    rounds = convergence.iterations(tau, epsilon, following / last, k, p, d)
    values, _ = batch_noise.exactly_scaled(law)
    a = batch_noise.exact_moment(values, [mp.mpf(w) for w in law[1]])
    u = exact.columns(exact.eigenvectors(a)[1], range(k))
    x = exactly_orthonormal(exact.exact(basis))
    for counts in _counts(law, size, rounds, seed):
        block = batch_noise.exact_moment(values, [mp.mpf(int(c)) / size for c in counts])
        x = exactly_orthonormal(block * x)
    spread, share = mp.sqrt(p) - mp.sqrt(k - 1), mp.mpf(roundness) * p
    main = share / (d * mp.mpf(last - following) ** 2) * max(mp.mpf(epsilon) ** -2, (mp.mpf(tau) / spread) ** 2 * share)
    limit = CONSTANT * main * mp.log(3 * mp.mpf(size) ** 3) ** 4 * mp.log(2 * d * mp.mpf(size) ** 2)
    found, gap, radius = (
        batch_noise.exact_bound(size, d, p, roundness),
        last - following,
        mp.mpf(tau) * mp.sqrt(d) / spread,
    )
    logarithm = mp.log(radius / mp.sqrt(2) / epsilon)
    steps = max(0, int(mp.ceil(2 / (1 - mp.mpf(following / last)) * logarithm)))
    return (
        AtMost(oracle.tangent(u, x), mp.mpf(epsilon), scale=1),
        AtMost(mp.mpf(size), limit),
        AtMost(found[0], epsilon * mp.mpf(gap) / 5),
        AtMost(found[1], gap / (5 * radius)),
        Equal(mp.mpf(steps * size), mp.mpf(rounds * size)),
    )
