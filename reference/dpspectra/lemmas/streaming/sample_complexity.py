"""The number of samples that streaming needs: a block size with tolerable noise, times the number of rounds.

The noise of ``T`` samples must be below ``epsilon gap / 5``, and inside the target below what a random start tolerates;
``T`` is the smallest number for which the bounds on the noise are so small, the root of a quadratic up to logarithms.
Up to constants and logarithms, which the paper leaves unnamed and which are explicit here, ``n = L T`` is the printed
number. The samples must be independent. If eigenvalues ``k`` and ``k + 1`` are equal, no number is enough.
"""

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import power
from dpspectra.fast.roots import first_integer
from dpspectra.formulas import power_convergence
from dpspectra.ledger import AtMost, Matrix, Parts, Real, Slack, Verdict, statement
from dpspectra.lemmas.power import many_steps
from dpspectra.lemmas.streaming import batch_noise
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import linalg as exact
from dpspectra.oracle import power as oracle
from dpspectra.oracle.alignment import orthonormal as exactly_orthonormal
from dpspectra.oracle.roots import bisect, bracket
from dpspectra.strategies import distributions, dyadics, independent_columns, seeds, st, unitaries

FEWEST = 64
"""Smallest size of a block; from there on the bounds on its noise fall with the size."""


SLACK = 1e-12
"""Relative distance of the bound on a block's noise from the tolerated noise; it covers the rounding of both."""


WHOLE = 1e-6
"""Distance above a whole number at which a bisection may end that finds it from above."""


GOOD = 2.0**-3
"""Smallest cosine of the start, and smallest gap relative to the largest eigenvalue, that are tried."""


SMALLEST_WEIGHT = 2.0**-4
"""Smallest probability of a value; every block then has full rank."""


SHAPES = [(2, 1, 1), (3, 1, 2), (4, 1, 3), (1, 1, 1), (3, 2, 2)]
"""Dimension ``d``, target rank ``k``, width ``p``."""


class Setting(NamedTuple):
    """The quantities on which the number of samples depends, besides the accuracy."""

    radius: float
    """Parameter ``R`` of the start's quality: the inverse of its cosine, or more."""
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
    return power_convergence.tolerances(setting.radius, epsilon, setting.gap)


def excess(size: int, setting: Setting, epsilon: float) -> float:
    """Larger quotient of the bounds on the noise of a block of this size to what is tolerated."""
    noise = batch_noise.bound(float(size), setting.d, setting.k, setting.p, setting.roundness)
    return float(np.max(np.divide(noise, tolerances(setting, epsilon))))


def block_size(setting: Setting, epsilon: float) -> int:
    """Smallest number ``T >= FEWEST`` of samples in a round for which the bounds on their noise are tolerated."""
    return first_integer(lambda size: excess(size, setting, epsilon) * (1 + SLACK) > 1, FEWEST - 1)


def rounds_for(setting: Setting, epsilon: float) -> int:
    """Number of rounds for an accuracy of ``epsilon``."""
    return power_convergence.iterations(setting.radius, epsilon, setting.ratio)


def samples(setting: Setting, epsilon: float) -> int:
    """Number of samples for an accuracy of ``epsilon``."""
    return rounds_for(setting, epsilon) * block_size(setting, epsilon)


def closed_form(size: float, setting: Setting, epsilon: float) -> float:
    """Number that, for ``size`` at or above it, suffices: explicit up to the logarithms of ``size``."""
    share, w, t = setting.roundness * setting.p / setting.d, 3 * np.log(size), np.log(3 * size**3)
    cut, needed = (w**2 + 2 * w + 2) / size**3, []
    noises = ((np.sqrt(share), setting.d), (share, setting.k))
    for (scale, rows), tolerated in zip(noises, tolerances(setting, epsilon), strict=True):
        quotient, level = scale / (tolerated - cut), np.log((rows + setting.p) * size**2)
        needed.append((2 * batch_noise.KURTOSIS * quotient**2 + 4 * t**2 * quotient / 3) * level)
    return float(max(needed))


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
    radius = float(np.hypot(1, sine / cosine))
    return scaled, u, Setting(radius, float(spectrum[k - 1]), following, d / p, k, p, d)


def _allowed(size: int, setting: Setting, epsilon: float) -> float:
    """Explicit upper bound on the number of samples, up to the logarithms of ``size``."""
    tangent = max(epsilon, power_convergence.start_tangent(setting.radius))
    rounds = 1 + 4 / 3 * np.log(tangent / epsilon) / (1 - setting.ratio)
    return float(rounds * (1 + closed_form(float(size - 1), setting, epsilon)))


def _counts(law: batch_noise.Law, size: int, rounds: int, seed: int) -> Any:
    """Numbers of times that each value occurs in each block, which determine the second moments."""
    return np.random.default_rng(seed).multinomial(size, law.weights, size=rounds)


@statement
class SampleComplexity:
    labels = ("HP-T3.2",)
    given = (
        r"n=LT,\ L=\Big\lceil\tfrac{F(\sqrt{R^2-1})}\gamma\Big\rceil,\ s=\tfrac{Bp}d,\ "
        r"q(T)=\max\Big(\tfrac{5\beta_T(\sqrt s,d)}{\epsilon\operatorname{gap}},"
        r"\tfrac{5R\,\beta_T(s,k)}{\operatorname{gap}}\Big),\ "
        r"T\ge64\text{ the smallest with }(1+10^{-12})q(T)\le1,\quad "
        r"N=\max\Big(\tfrac{2\kappa s\,\ell(d)}{w^2}+\tfrac{4t^2\sqrt s\,\ell(d)}{3w},\ "
        r"\tfrac{2\kappa s^2\ell(k)}{v^2}+\tfrac{4t^2s\,\ell(k)}{3v}\Big),\ "
        r"w=\tfrac{\epsilon\operatorname{gap}}5-c,\ v=\tfrac{\operatorname{gap}}{5R}-c,\quad "
        r"\Pr[\tan\theta_k(U,X_L)>\epsilon]\le QR_*^{-m}+\tfrac{3L}{T^2}"
    )
    claim = {
        "tangent after the rounds": r"\tan\theta_k(U,X_L)\le\epsilon",
        "samples in a block": r"T\le1+N",
        "noise of a block": r"q(T)\le1",
        "noise of a smaller block": r"1\le q(T-1)",
        "number of samples": r"n\le\Big(1+\tfrac4{3\gamma}\log\tfrac{\max(\sqrt{R^2-1},\epsilon)}\epsilon\Big)(1+N)",
    }
    printed = (
        "Not at hand; read as: "
        r"$`n=\tilde\Omega\big(\frac{B^2\sigma_kk\log^2d}{\epsilon^2(\sigma_k-\sigma_{k+1})^3d}\big)`$ "
        "samples of a $`(B,p)`$-round distribution are enough for "
        r"$`\lVert(I-X_LX_L^\top)U\rVert\le\epsilon`$ with probability $`\frac9{10}`$, if $`p=k+\Omega(k)`$; "
        r"for all $`p\ge k`$ with further factors."
    )
    where = {
        "F": r"number of rounds, in units of $`1/\gamma`$, from this tangent down to $`\epsilon`$ (HP-T2.4)",
        "R": r"tangent of the angle of the start is $`\sqrt{R^2-1}`$",
        "R_*": "the number that stands for $`R`$ in the probability of HP-L2.5P",
        r"\beta_i": (r"\beta_T", r"bound $`\beta`$ of HP-L3.5 on the noise of $`T`$ samples"),
        "q(": ("q(T)", "bounds on the noise of a block against what is tolerated"),
        "N": "number of samples of a block, up to logarithms in closed form",
        r"\kappa": "constant of HP-L3.5, $`1+64/e`$",
        "s": "squared length that projections of a sample have, in units of the sample's",
        r"\ell(": (r"\ell(j)", r"logarithm $`\ell`$ of HP-L3.5 for this dimension and $`T-1`$ samples"),
        "w": "noise that is allowed, less the part $`c`$",
        "t": r"logarithm $`t`$ of HP-L3.5 for $`T-1`$ samples",
        "v": "noise inside the range of $`U`$ that is allowed, less the part $`c`$",
        "c": r"last term of the bound of HP-L3.5 for $`T-1`$ samples, very small",
        "Q": "factor of HP-L2.5P for a random start",
        "m": "$`p-k+1`$, one more than the number of columns to spare",
    }
    verdict = Verdict.VERIFIED
    uses = ("HP-C1.1", "HP-L3.5", "HP-F2")
    note = "streaming.md#number-of-samples"
    without_beyond = (
        "Its hypotheses are a law of bounded samples and enough of them. With fewer its proof fails, as "
        "a part says; whether the method fails is not known."
    )
    digits = 30
    examples = 15
    slack = {
        "tangent after the rounds": Slack(
            0.542377, "the drawn noise leaves the axes fixed, F allows for the worst noise"
        ),
        "number of samples": Slack(0.9244, "rounds are whole, and 4/3 is the rate at the end of the flow only"),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """A law of full rank with a large direction or two, a start, the accuracy, a seed."""
        d, k, p = draw(st.sampled_from(SHAPES))
        values = draw(independent_columns(d, d)) * np.where(np.arange(d) < k, 4.0, 1.0)
        weights = draw(distributions(d).filter(lambda w: bool(np.min(w) >= SMALLEST_WEIGHT)))
        start, epsilon = draw(independent_columns(d, p)), draw(dyadics(2.0**-4, 0.4375, 4))
        return batch_noise.Law(values, weights, draw(unitaries(d)), k, p), start, epsilon, draw(seeds())

    def fast(self, law: batch_noise.Law, basis: Any, epsilon: float, seed: int) -> Parts:
        """A run whose blocks are drawn as counts; and the size of a block against the closed form."""
        problem = _problem(law, basis)
        if problem is None:
            return
        values, u, setting = problem
        size, rounds = block_size(setting, epsilon), rounds_for(setting, epsilon)
        x = orthonormal(basis)
        for counts in _counts(law, size, rounds, seed):
            x = orthonormal(batch_noise.moment(values, counts / size) @ x)
        yield AtMost(power.tangent(u, x), epsilon, scale=1, part="tangent after the rounds")
        yield AtMost(float(size), 1 + closed_form(float(size - 1), setting, epsilon), part="samples in a block")
        yield AtMost(excess(size, setting, epsilon), 1.0, part="noise of a block")
        yield AtMost(1.0, excess(size - 1, setting, epsilon), part="noise of a smaller block")
        yield AtMost(float(samples(setting, epsilon)), _allowed(size, setting, epsilon), part="number of samples")

    def oracle(self, law: batch_noise.Law, basis: Matrix, epsilon: Real, seed: int) -> Parts:
        """The setting from the exact second moment; the size of a block from the bounds of Bernstein's inequality."""
        k, p, d, masses = law.k, law.p, len(law.frame), [mp.mpf(w) for w in law.weights]
        values, _ = batch_noise.exactly_scaled(law)
        a = batch_noise.exact_moment(values, masses)
        spectrum, vectors = exact.eigenvectors(a)
        last, following = spectrum[k - 1], max(spectrum[k], mp.mpf(0)) if k < d else mp.mpf(0)
        u, x = exact.columns(vectors, range(k)), exactly_orthonormal(basis)
        gap, (cosine, sine) = last - following, oracle.angle(u, x)
        if gap < GOOD * spectrum[0] or cosine < GOOD:
            return
        tangent = sine / cosine
        tolerated = epsilon * gap / 5, gap / (5 * mp.sqrt(1 + tangent**2))

        def excess(size: Any) -> Any:
            bounds = batch_noise.exact_bound(size, d, k, p, mp.mpf(d) / p)
            return max(b / t for b, t in zip(bounds, tolerated, strict=True))

        ends = bracket(lambda size: excess(size) * (1 + SLACK) > 1, FEWEST)
        between = bisect(lambda size: excess(size) * (1 + SLACK) > 1, *ends) if ends[0] else ends
        size = int(mp.ceil(between[1] - WHOLE))
        rounds = int(mp.ceil(many_steps.exact_flow_time(tangent, epsilon) * last / gap))
        for counts in _counts(law, size, rounds, seed):
            x = exactly_orthonormal(batch_noise.exact_moment(values, [mp.mpf(int(c)) / size for c in counts]) * x)
        yield AtMost(oracle.tangent(u, x), epsilon, scale=1, part="tangent after the rounds")
        fewer = size - 1
        w, t, needed = 3 * mp.log(fewer), mp.log(3 * mp.mpf(fewer) ** 3), []
        for largest, rows in zip(tolerated, (d, k), strict=True):  # B = d / p, both norms are at most t
            size_over_noise = 1 / (largest - (w**2 + 2 * w + 2) / mp.mpf(fewer) ** 3)
            level = mp.log((rows + p) * mp.mpf(fewer) ** 2)
            needed.append(level * (2 * (1 + 64 / mp.e) * size_over_noise**2 + 4 * t**2 * size_over_noise / 3))
        allowed = 1 + max(needed)
        yield AtMost(mp.mpf(size), allowed, part="samples in a block")
        yield AtMost(excess(size), mp.mpf(1), part="noise of a block")
        yield AtMost(mp.mpf(1), excess(fewer), part="noise of a smaller block")
        most = (1 + 4 * mp.log(max(tangent, epsilon) / epsilon) * last / (3 * gap)) * allowed
        yield AtMost(mp.mpf(size * rounds), most, part="number of samples")

    def tight(self) -> list[Any]:
        """Two orthogonal values of the plane, of second moments 4 and 3, and a start half-way; two columns in space."""
        law = batch_noise.Law(np.diag([4.0, 2.0]), np.array([0.25, 0.75]), np.eye(2), 1, 1)
        space = batch_noise.Law(np.diag([4.0, 2.0, 1.0]), np.array([0.25, 0.5, 0.25]), np.eye(3), 1, 2)
        start = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
        return [(law, np.array([[1.0], [1.0]]), 0.4375, 0), (space, start, 0.25, 0)]
