"""The number of samples that streaming needs: a block size with tolerable noise, times the number of rounds.

The noise of ``T`` samples must be below ``epsilon gap / 5``, and inside the target below what a random start tolerates;
``T`` is the smallest number for which the bounds on the noise are so small. Up to constants and logarithms, which the
paper leaves unnamed and which are explicit here, ``n = L T`` is the printed number. The samples must be independent. If
eigenvalues ``k`` and ``k + 1`` are equal, no number is enough.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
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
from dpspectra.strategies.lazy import st

CONSTANT = 100
"""Constant in front of the printed form of ``T`` and its logarithms."""
SLACK = 1e-12
"""Relative distance of the bound on a block's noise from the tolerated noise; it covers the rounding of both."""
GOOD = 2.0**-3
"""Smallest cosine of the start, and smallest gap relative to the largest eigenvalue, that are tried."""
SMALLEST_WEIGHT = 2.0**-4
"""Smallest probability of a value; every block then has full rank."""
SHAPES = [(2, 1, 1), (3, 1, 2), (4, 1, 3), (1, 1, 1), (3, 2, 2)]
"""Dimension ``d``, target rank ``k``, width ``p``."""


@st.composite
def _instances(draw: st.DrawFn) -> tuple[Any, ...]:
    """A law of full rank with a large direction or two, a start, the accuracy, a seed."""
    d, k, p = draw(st.sampled_from(SHAPES))
    values = draw(independent_columns(d, d)) * np.where(np.arange(d) < k, 4.0, 1.0)
    weights = draw(distributions(d).filter(lambda w: bool(np.min(w) >= SMALLEST_WEIGHT)))
    start, epsilon = draw(independent_columns(d, p)), draw(dyadics(2.0**-4, 0.4375, 4))
    return batch_noise.Law(values, weights, draw(unitaries(d)), k, p), start, epsilon, draw(seeds())


lemma = Statement(
    labels=("HP-T3.2",),
    claim=r"n=LT,\ T\le100\frac{Bp}{d\,\mathrm{gap}^2}\max\Big\{\frac1{\epsilon^2},\frac{\tau^2Bp}{D^2}\Big\}"
    r"\ln^4(3T^3)\ln(2dT^2),\ L=\Big\lceil\tfrac2\gamma\ln\tfrac{\tau\sqrt d}{\sqrt2\epsilon D}\Big\rceil,\ D=\sqrt p-"
    r"\sqrt{k-1}:\ \Pr[\tan\theta_k(U,X_L)>\epsilon]\le\big(\tfrac{4\sqrt2}\tau\big)^{p-k+1}+e^{-d/2}+\tfrac{3L}{T^2}",
    verdict=Verdict.VERIFIED,
    cases=_instances,
    uses=("HP-C1.1", "HP-L3.5", "HP-F2"),
    note="streaming.md#number-of-samples",
    digits=30,
    examples=60,
)


class Setting(NamedTuple):
    """The quantities on which the number of samples depends, besides the accuracy."""

    tau: float
    """Parameter of the start's quality; a smaller one is a better start."""
    last: float
    """Eigenvalue ``k``."""
    following: float
    """Eigenvalue ``k + 1``."""
    roundness: float
    k: int
    p: int
    d: int

    @property
    def gap(self) -> float:
        """Difference of eigenvalues ``k`` and ``k + 1``."""
        return self.last - self.following

    @property
    def ratio(self) -> float:
        """Quotient of eigenvalues ``k + 1`` and ``k``."""
        return self.following / self.last


def tolerances(setting: Setting, epsilon: float) -> tuple[float, float]:
    """Largest norms of a block's noise, and of its part in the target, that are tolerated."""
    return convergence.tolerances(setting.tau, epsilon, setting.gap, setting.k, setting.p, setting.d)


def block_size(setting: Setting, epsilon: float) -> int:
    """Smallest number ``T >= FEWEST`` of samples in a round for which the bounds on their noise are tolerated."""

    def enough(size: int) -> bool:
        noise = np.multiply(1 + SLACK, batch_noise.bound(float(size), setting.d, setting.p, setting.roundness))
        return bool(np.all(np.less_equal(noise, tolerances(setting, epsilon))))

    low, high = batch_noise.FEWEST - 1, batch_noise.FEWEST
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def rounds_for(setting: Setting, epsilon: float) -> int:
    """Number of rounds for an accuracy of ``epsilon``."""
    return convergence.iterations(setting.tau, epsilon, setting.ratio, setting.k, setting.p, setting.d)


def samples(setting: Setting, epsilon: float) -> int:
    """Number of samples for an accuracy of ``epsilon``."""
    return rounds_for(setting, epsilon) * block_size(setting, epsilon)


def failure(tau: Any, size: Any, rounds: Any, k: int, p: int, d: int) -> Any:
    """Bound on the probability that the accuracy is not reached with ``rounds`` blocks of ``size`` samples."""
    return convergence.failure(tau, k, p, d) + 3 * rounds / size**2


def closed_form(size: Any, setting: Setting, epsilon: Any) -> Any:
    """Number of samples in a block up to `CONSTANT`, with the logarithms of ``size``."""
    share, spread = setting.roundness * setting.p, np.sqrt(setting.p) - np.sqrt(setting.k - 1)
    main = share / (setting.d * setting.gap**2) * np.maximum(epsilon**-2, setting.tau**2 * share / spread**2)
    return main * np.log(3 * size**3) ** 4 * np.log(2 * setting.d * size**2)


def _problem(law: batch_noise.Law, basis: Any) -> tuple[Any, Any, Setting] | None:
    """The scaled values, the target, and the setting; ``None`` where the gap is small or the start bad."""
    k, p, d = law.k, law.p, len(law.frame)
    scaled, _ = batch_noise.scaled(law)
    spectrum, vectors = np.linalg.eigh(batch_noise.moment(scaled, law.weights))
    spectrum, u = spectrum[::-1], vectors[:, ::-1][:, :k]
    following = float(max(spectrum[k], 0.0)) if k < d else 0.0
    if spectrum[k - 1] - following < GOOD * spectrum[0]:
        return None
    cosine, sine = power.angle(u, orthonormal(basis))
    if cosine < GOOD:
        return None
    # the smallest tau for which this start is good; sqrt 2 as in the corollary for random starts
    tau = float(max(1.5, np.sqrt(2) * sine / cosine / random_start.radius(1.0, k, p, d)))
    return scaled, u, Setting(tau, float(spectrum[k - 1]), following, d / p, k, p, d)


@lemma.fast
def streamed(law: batch_noise.Law, basis: Any, epsilon: float, seed: int) -> tuple[Outcome, ...]:
    """A run whose blocks are drawn as counts; and the size of a block against the closed form."""
    problem = _problem(law, basis)
    if problem is None:
        return ()
    values, u, setting = problem
    size, rounds = block_size(setting, epsilon), rounds_for(setting, epsilon)
    x = orthonormal(basis)
    for counts in _counts(law, size, rounds, seed):
        x = orthonormal(batch_noise.moment(values, counts / size) @ x)
    limit = CONSTANT * closed_form(float(size), setting, epsilon)
    whole, inside = batch_noise.bound(float(size), setting.d, setting.p, setting.roundness)
    tolerated, tolerated_inside = tolerances(setting, epsilon)
    return (
        AtMost(power.tangent(u, x), epsilon, scale=1, part="tangent after the rounds"),
        AtMost(float(size), limit, part="samples in a block"),
        AtMost(whole, tolerated, part="noise of a block"),
        AtMost(inside, tolerated_inside, part="noise inside the target"),
        Equal(samples(setting, epsilon), rounds * size, part="number of samples"),
    )


def _counts(law: batch_noise.Law, size: int, rounds: int, seed: int) -> Any:
    """How often each value occurs in each block, which determines the second moments."""
    return np.random.default_rng(seed).multinomial(size, law.weights, size=rounds)


@lemma.oracle
def exactly_streamed(law: batch_noise.Law, basis: Any, epsilon: float, seed: int) -> tuple[Outcome, ...]:
    problem = _problem(law, basis)
    if problem is None:
        return ()
    _, _, setting = problem
    tau, last, following, roundness, k, p, d = setting
    size, rounds = block_size(setting, epsilon), rounds_for(setting, epsilon)
    values, _ = batch_noise.exactly_scaled(law)
    a = batch_noise.exact_moment(values, [mp.mpf(w) for w in law.weights])
    u = exact.columns(exact.eigenvectors(a)[1], range(k))
    x = exactly_orthonormal(exact.exact(basis))
    for counts in _counts(law, size, rounds, seed):
        block = batch_noise.exact_moment(values, [mp.mpf(int(c)) / size for c in counts])
        x = exactly_orthonormal(block * x)
    spread, share = mp.sqrt(p) - mp.sqrt(k - 1), mp.mpf(roundness) * p
    main = share / (d * mp.mpf(last - following) ** 2) * max(mp.mpf(epsilon) ** -2, (mp.mpf(tau) / spread) ** 2 * share)
    limit = CONSTANT * main * mp.log(3 * mp.mpf(size) ** 3) ** 4 * mp.log(2 * d * mp.mpf(size) ** 2)
    (whole, inside), gap = batch_noise.exact_bound(size, d, p, roundness), last - following
    radius = mp.mpf(tau) * mp.sqrt(d) / spread
    logarithm = mp.log(radius / mp.sqrt(2) / epsilon)
    steps = max(0, int(mp.ceil(2 / (1 - mp.mpf(following / last)) * logarithm)))
    return (
        AtMost(oracle.tangent(u, x), mp.mpf(epsilon), scale=1, part="tangent after the rounds"),
        AtMost(mp.mpf(size), limit, part="samples in a block"),
        AtMost(whole, epsilon * mp.mpf(gap) / 5, part="noise of a block"),
        AtMost(inside, gap / (5 * radius), part="noise inside the target"),
        Equal(mp.mpf(steps * size), mp.mpf(rounds * size), part="number of samples"),
    )
