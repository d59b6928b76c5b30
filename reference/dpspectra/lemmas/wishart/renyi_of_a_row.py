"""AFTER-LEV: Renyi divergence of one row, in a Gaussian sketch and under Wishart noise, and what releases add up to.

A sketch ``G X`` has normal rows of covariance ``C = X'X + s^2 I``; a row ``v`` makes it ``C + v v'``, and only ``h = v'
C^-1 v`` matters. Under Wishart noise it is ``a + chi2`` against ``chi2`` (JXZ-T4-G): the integral of ``f(x - a)^alpha
f(x)^(1 - alpha)`` is Tricomi's function. In the other order it is infinite, as ``T < a`` is impossible with the row; so
there the event ``T <= b`` is left to delta. Divergences of independent releases add up. From ``(alpha - 1) h = 1`` on
the divergence of a sketch is infinite, and with a cut below ``a`` so is that of Wishart noise.
"""

from typing import Any, NamedTuple

import numpy as np
from flint import arb
from mpmath import mp
from scipy.special import gammaln, hyperu

from dpspectra.fast import chi_square_profile, renyi
from dpspectra.fast.linalg import outer
from dpspectra.formulas.wishart_renyi import with_row, without_row
from dpspectra.ledger import AtMost, Equal, Frequency, Parts, Relation, Slack, Verdict, statement
from dpspectra.lemmas.wishart.distribution import TRIALS
from dpspectra.oracle import chi_square_profile as oracle_chi_square
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import renyi as oracle_renyi
from dpspectra.oracle.quadrature import working
from dpspectra.strategies import dyadics, epsilons, psd, rectangular, seeds, st

LEAVES, ENTERS = "a row leaves a sketch", "a row enters a sketch"
"""Two parts."""


class Noise(NamedTuple):
    """Degrees of freedom beyond ``d - 1``, the squared length of the row, and where the statistic is cut."""

    nu: int
    a: float
    cut: float


def _losses(noise: Noise, rng: np.random.Generator) -> tuple[Any, Any]:
    """Log-ratios of the densities at draws with the row, and at draws without it."""
    with np.errstate(divide="ignore"):
        x = rng.chisquare(noise.nu, TRIALS)
        below = np.maximum(1 - noise.a / x, 0.0)
        return (
            noise.a / 2 - (noise.nu / 2 - 1) * np.log1p(noise.a / x),
            np.where(below > 0, -noise.a / 2 - (noise.nu / 2 - 1) * np.log(below), np.inf),
        )


def _exact_without_row(alpha: Any, noise: Noise) -> Any:
    nu, a, cut = map(mp.mpf, noise)

    def term(x: Any) -> Any:
        log = oracle_chi_square.log_density
        return mp.exp(alpha * log(x, nu) + (1 - alpha) * log(x - a, nu))

    mean = mp.quad(term, [cut, cut + nu, cut + 4 * nu, mp.inf])
    return mp.log(mean / oracle_chi_square.survival(cut, nu) ** alpha) / (alpha - 1)


def _two(first: Noise, second: Noise, epsilon: Any) -> tuple[Any, Any]:
    """Hockey-stick divergences of two releases, with the row first and without it first: the inner one is known."""
    (nu, a, _), (mu, b, _) = (map(mp.mpf, noise) for noise in (first, second))

    def density(x: Any) -> Any:
        return mp.exp(oracle_chi_square.log_density(x, nu))

    def inner_with(level: Any) -> Any:
        if 2 * level >= b:
            return mp.mpf(0)
        t = b / mp.expm1((b - 2 * level) / (mu - 2))
        return oracle_chi_square.survival(t, mu) - mp.exp(level) * oracle_chi_square.survival(t + b, mu)

    def inner_without(level: Any) -> Any:
        if 2 * level <= -b:
            return -mp.expm1(level)
        t = b / -mp.expm1(-(2 * level + b) / (mu - 2))
        return oracle_chi_square.cdf(t, mu) - mp.exp(level) * oracle_chi_square.cdf(t - b, mu)

    def gained(x: Any) -> Any:
        return density(x) * inner_with(epsilon - a / 2 + (nu / 2 - 1) * mp.log1p(a / x))

    def lost(x: Any) -> Any:
        return density(x) * inner_without(epsilon + a / 2 + (nu / 2 - 1) * mp.log1p(-a / x))

    ends = [nu, 4 * nu, 8 * nu + 60]
    return mp.quad(gained, [0, *ends]), oracle_chi_square.cdf(a, nu) + mp.quad(lost, [a, *(a + x for x in ends)])


@statement
class RenyiOfARow:
    labels = ("AFTER-LEV",)
    printed = (
        "Not at hand; read as its abstract tells: the Renyi divergence of a Gaussian sketch of data, less a row, from "
        "one with it, which adds up over releases."
    )
    given = (
        r"\alpha>1,\ h=v'C^{-1}v,\ p=(\alpha-1)(\tfrac\nu2-1),\ P_i=\mathcal L(a_i+\chi^2_{\nu_i}),\ "
        r"Q_i=\mathcal L(\chi^2_{\nu_i}),\ Q_i^b=\mathcal L(\chi^2_{\nu_i}\mid\chi^2_{\nu_i}>b_i),\ b_i>a_i,\ "
        r"\pi(r)=e^{(\alpha-1)(r-\varepsilon)}\frac{(1-1/\alpha)^{\alpha-1}}\alpha"
    )
    claim = {
        LEAVES: (r"D_\alpha(N(0,C)^m\|N(0,C+vv')^m)=\frac m2\,\frac{\alpha\log(1+h)-\log(1+\alpha h)}{\alpha-1}"),
        ENTERS: (
            r"(\alpha-1)h<1:\ D_\alpha(N(0,C+vv')^m\|N(0,C)^m)"
            r"=-\frac m2\Big(\log(1+h)+\frac{\log(1-(\alpha-1)h)}{\alpha-1}\Big)"
        ),
        "a row under Wishart noise": (
            r"D_\alpha(P\|Q)=\frac a2+\frac1{\alpha-1}\log\Big(\frac{\Gamma(p+\nu/2)}{\Gamma(\nu/2)}\,"
            r"U\big(p,1-\tfrac\nu2,\tfrac a2\big)\Big)"
        ),
        "releases with the row": (
            r"\sup_S\big(P_1P_2(S)-e^\varepsilon Q_1Q_2(S)\big)\le\pi\big(D_\alpha(P_1\|Q_1)+D_\alpha(P_2\|Q_2)\big)"
        ),
        "releases without the row": (
            r"\sup_S\big(Q_1Q_2(S)-e^\varepsilon P_1P_2(S)\big)\le1-\prod_i(1-F_{\nu_i}(b_i))"
            r"+\pi\big(D_\alpha(Q_1^b\|P_1)+D_\alpha(Q_2^b\|P_2)\big)"
        ),
    }
    where = {
        r"\alpha": "order of the divergence",
        r"D_\alpha": "Renyi divergence",
        "C": "covariance of the rows of the sketch, of the data and of noise",
        "v": "row that enters or leaves",
        "v'": "its transpose",
        "h": "leverage of the row, relative to the data without it",
        "m": "rows of the sketch",
        "N": "normal law",
        r"\nu, \nu_i": "degrees of freedom of the statistic of a release, as in JXZ-T4-G, above 2",
        "a, a_i": "squared length of the row in units of the scale of the noise",
        "b, b_i": "where the statistic is cut",
        r"\mathcal L": "law of",
        "P, P_i": "law of the statistic with the row",
        "Q, Q_i": "law of the statistic without the row",
        "Q_i^b": "that law beyond the cut",
        r"\chi^2_i": "chi-square law with this many degrees of freedom",
        "p": "exponent",
        "U": "Tricomi's confluent hypergeometric function",
        r"\pi(r)": "delta that a divergence implies",
        "r": "divergence",
        r"F_{\nu_i}": "chi-square distribution function",
    }
    verdict = Verdict.VERIFIED
    relation = (Relation.ZERO_OUT, Relation.ADD_REMOVE)
    uses = ("JXZ-T4-G", "DPS-CURVE")
    note = "wishart.md#rényi-divergence-of-a-row"
    without_beyond = "Where its hypotheses fail the divergences are infinite, and no delta is implied."
    digits = 15
    examples = 6
    slack = {
        "releases with the row": Slack(0.9451451, "one order of a divergence does not know the law of the loss"),
        "releases without the row": Slack(
            0.7813223, "one order knows little of the loss, and the mass below the cut is lost whole"
        ),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Order, covariance, row, rows of the sketch; two noises with cuts beyond the row; epsilon; a seed."""
        d, alpha = draw(st.integers(1, 3)), draw(st.sampled_from([2.0, 1.5, 4.0]))
        covariance = draw(psd(d)) / 16 + np.eye(d)
        noises = tuple(
            Noise(nu, a, a * draw(st.sampled_from([2.0, 1.5, 4.0])))
            for nu, a in draw(st.tuples(*[st.tuples(st.sampled_from([6, 4, 3, 17]), dyadics(2**-4, 2))] * 2))
        )
        row = draw(rectangular(1, d))[0] / 32
        return alpha, covariance, row, draw(st.integers(1, 9)), noises, draw(epsilons(2**-4, 4.0)), draw(seeds())

    def fast(self, alpha: float, covariance: Any, row: Any, m: int, noises: Any, epsilon: float, seed: int) -> Parts:
        """Sketches by determinants; drawn losses, of which the hockey-stick exceeds the level and an exponential."""
        h, other = float(row @ np.linalg.solve(covariance, row)), covariance + outer(row)
        for part, c, before, after in ((LEAVES, alpha, covariance, other), (ENTERS, 1 - alpha, other, covariance)):
            if c * h > -1:
                stated = (c * np.log1p(h) - np.log1p(c * h)) / (2 * (alpha - 1))
                logs = [np.linalg.slogdet(x)[1] for x in (before, after, alpha * after + (1 - alpha) * before)]
                found = ((1 - alpha) * logs[0] + alpha * logs[1] - logs[2]) / (2 * (alpha - 1))
                yield Equal(m * found, m * stated, scale=m, part=part)
        nu, a, _ = noises[0]
        power = (alpha - 1) * (nu / 2 - 1)
        inner = gammaln(power + nu / 2) - gammaln(nu / 2) + np.log(hyperu(power, 1 - nu / 2, a / 2))
        yield Equal(with_row(alpha, nu, a), a / 2 + inner / (alpha - 1), scale=1, part="a row under Wishart noise")
        rng = np.random.default_rng(seed)
        drawn, beyond = [_losses(noise, rng) for noise in noises], rng.exponential(size=TRIALS)
        gained, lost = (int(np.sum(x + y > epsilon + beyond)) for x, y in zip(*drawn, strict=True))
        bound = renyi.profile(epsilon, alpha, sum(with_row(alpha, x.nu, x.a) for x in noises))
        yield Frequency(gained, TRIALS, float(bound), part="releases with the row")
        kept = np.prod([-np.expm1(chi_square_profile.log_cdf(x.cut, x.nu)) for x in noises])
        bound = 1 - kept + renyi.profile(epsilon, alpha, sum(without_row(alpha, *x) for x in noises))
        yield Frequency(lost, TRIALS, min(1.0, float(bound)), part="releases without the row")

    def oracle(self, alpha: float, covariance: Any, row: Any, m: int, noises: Any, epsilon: float, _seed: int) -> Parts:
        """From the definition, by integrals over densities."""
        alpha, epsilon = mp.mpf(alpha), mp.mpf(epsilon)
        h = oracle.quadratic(mp.inverse(oracle.exact(covariance)), oracle.exact(row))
        for part, c, before, after in ((LEAVES, alpha, 1, 1 + h), (ENTERS, 1 - alpha, 1 + h, 1)):
            if c * h > -1:
                stated = (c * mp.log1p(h) - mp.log1p(c * h)) / (2 * (alpha - 1))
                yield Equal(m * _normal(alpha, before, after), m * stated, scale=m, part=part)
        found, closed = zip(*(_exact_with_row(alpha, x) for x in noises), strict=True)
        yield Equal(found[0], closed[0], scale=1, part="a row under Wishart noise")
        gained, lost = _two(noises[0], noises[1], epsilon)
        bound = oracle_renyi.profile(epsilon, alpha, mp.fsum(closed))
        yield AtMost(gained, bound, scale=1, part="releases with the row")
        kept = mp.fprod(oracle_chi_square.survival(mp.mpf(x.cut), mp.mpf(x.nu)) for x in noises)
        divergence = mp.fsum(_exact_without_row(alpha, x) for x in noises)
        bound = min(1, 1 - kept + oracle_renyi.profile(epsilon, alpha, divergence))
        yield AtMost(lost, bound, scale=1, part="releases without the row")

    def tight(self) -> list[Any]:
        """Rows that are long beside the noise, so that most of the loss is at its largest.

        That of the last instance is so long that a sketch with it has no divergence from one without it.
        """
        with_it, without = (Noise(3, 2.0, 2.5),) * 2, (Noise(4, 3.0, 3.25),) * 2
        covariance, row = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([0.5, 0.25])
        return [
            (1.5, covariance, row, 3, with_it, 0.0625, 0),
            (2.0, covariance, row / 2, 2, without, 1.0, 0),
            (2.0, covariance, row, 4, (Noise(6, 0.5, 0.75), Noise(17, 1.5, 3.0)), 0.125, 0),
            (2.0, covariance, 4 * row, 4, (Noise(6, 0.5, 0.75), Noise(17, 1.5, 3.0)), 0.125, 0),
        ]


def _normal(alpha: Any, before: Any, after: Any) -> Any:
    """Divergence of centred normal laws with these variances."""

    def term(x: Any) -> Any:
        return mp.exp(-x * x / 2 * (alpha / before + (1 - alpha) / after))

    size = mp.sqrt(before**alpha * after ** (1 - alpha) * 2 * mp.pi)
    return mp.log(mp.quad(term, [-mp.inf, 0, mp.inf]) / size) / (alpha - 1)


def _exact_with_row(alpha: Any, noise: Noise) -> tuple[Any, Any]:
    """Divergence of ``a + chi2`` from ``chi2``, from the definition and in closed form."""
    nu, a, _ = map(mp.mpf, noise)

    def term(x: Any) -> Any:
        log = oracle_chi_square.log_density
        return mp.exp(alpha * log(x, nu) + (1 - alpha) * log(x + a, nu)) if x > 0 else mp.mpf(0)

    mean = mp.quad(term, [0, nu / 2, nu, 2 * nu, 4 * nu + 40, mp.inf])
    power = (alpha - 1) * (nu / 2 - 1)
    with working():
        tricomi = arb(a / 2).hypgeom_u(arb(power), arb(1 - nu / 2))
        closed = mp.mpf((tricomi * arb(power + nu / 2).gamma() / arb(nu / 2).gamma()).log())
    return mp.log(mean) / (alpha - 1), a / 2 + closed / (alpha - 1)
