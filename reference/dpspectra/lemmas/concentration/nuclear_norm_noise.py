"""AFTER-ON: the spectral norm of noise whose density falls with the nuclear norm is of the order of the dimension.

For ``S <= I`` the nuclear norm of ``S Z S`` is at most that of ``Z`` less ``<I - S^2, |Z|>``, and the map has the
Jacobian ``det(S)^(d + 1)``: so the Laplace transform of ``|Z|`` is at most that of a Wishart matrix of ``d + 1``
degrees of freedom. If ``|Z|`` has an eigenvalue above ``x``, then for a uniform unit vector ``u'|Z|u`` is above ``x
u_1^2``, whose transform is Kummer's function. The transform is infinite from ``Theta = I`` on.
"""

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp
from scipy.special import hyp1f1, i0e

from dpspectra.fast import linalg as fast
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.ledger import AtMost, Frequency, Outcome, Parts, Slack, Verdict, statement
from dpspectra.lemmas.concentration.draws import TRIALS
from dpspectra.lemmas.sampling.nuclear_norm import accepted
from dpspectra.strategies import deltas, dyadics, seeds, st

SHARE = 0.7
"""Exponent of the explicit radius, as a part of the rate."""
REACH = 400.0
"""Where integrals over exponentials stop, in units of their rate."""


class Case(NamedTuple):
    """One or two exponents, the rate, a level and an exponent for it, a dimension and a probability, a seed."""

    exponents: tuple[float, ...]
    rate: float
    level: float
    exponent: float
    order: int
    eta: float
    seed: int


def tail(level: Any, d: Any, exponent: Any) -> Any:
    """Probability that the norm exceeds a level, at rate 1, at most: for each exponent between 0 and 1."""
    return (1 - exponent) ** (-(d + 1) / 2) / hyp1f1(0.5, d / 2, exponent * level)


def _transform(exponents: tuple[float, ...]) -> float:
    """Mean of ``exp <Theta, |Z|>`` at rate 1, in the plane over eigenvalues whose axes are turned at random.

    The moduli ``u + v >= v`` have the density ``4/3 (u + v) exp(-u - 2 v)``, summed over signs.
    """
    if len(exponents) == 1:
        return 1 / (1 - exponents[0])
    rest, turn = 1 - sum(exponents) / 2, abs(exponents[0] - exponents[1]) / 2
    nodes, weights = gauss_legendre(60)
    ends = np.linspace(0, REACH / (rest - turn), 65)
    u = ends[:-1, None] + np.diff(ends)[:, None] * (nodes + 1) / 2
    inner = (u / (2 * rest) + 1 / (4 * rest**2)) * np.exp(-(rest - turn) * u) * i0e(turn * u)
    return float(4 / 3 * np.sum(weights * inner * np.diff(ends)[:, None] / 2))


@statement
class NuclearNormNoise:
    labels = ("AFTER-ON",)
    printed = (
        "Not at hand; read as its abstract tells: noise of this density, which is purely private, has errors of the "
        r"order $`d/(\varepsilon n)`$ in the spectral norm and $`d^{3/2}/(\varepsilon n)`$ in the Frobenius norm, and "
        r"projected on a nuclear norm ball $`O(\sqrt{d\operatorname{tr}A/n})`$."
    )
    given = r"f(Z)\propto e^{-\kappa\|Z\|_*}\text{ over real symmetric matrices},\ |Z|=(Z^2)^{1/2},\ \kappa>0"
    claim = {
        "Laplace transform": (
            r"0\preceq\Theta\prec I:\ \mathbb E\,e^{\kappa\operatorname{tr}\Theta|Z|}\le\det(I-\Theta)^{-(d+1)/2}"
        ),
        "tail of the spectral norm": (
            r"0<\theta<1:\ \Pr[\|Z\|_2>x]\le\frac{(1-\theta)^{-(d+1)/2}}{M(\frac12,\frac d2,\kappa\theta x)}"
        ),
        "explicit radius": (
            r"\kappa x=\tfrac52d+2+2\log\tfrac1\eta:\ "
            r"\frac{(1-0.7)^{-(d+1)/2}}{M(\frac12,\frac d2,0.7\kappa x)}\le\eta"
        ),
    }
    where = {
        "Z": "noise, a real symmetric matrix",
        "f": "density of the noise",
        r"\kappa": "rate; $`\\varepsilon`$ over the largest change of the data in nuclear norm",
        "|Z|": "modulus of the noise: its eigenvalues are those of the noise without signs",
        r"\Theta": "symmetric matrix",
        r"\theta": "exponent, a free number",
        "x": "level of the norm",
        "M": "Kummer's confluent hypergeometric function",
    }
    verdict = Verdict.VERIFIED
    uses = ("JXZ-T4-R1R",)
    note = "concentration.md#spectral-norm-of-nuclear-norm-noise"
    digits = 25
    examples = 30
    slack = {
        "tail of the spectral norm": Slack(0.2930883, "a random vector sees the largest eigenvalue only in part"),
        "explicit radius": Slack(0.1625709, "its constants are rounded, and Stirling's formula is not exact"),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        """Exponents in one or two dimensions, and any dimension for the radius."""
        exponents = tuple(draw(st.lists(dyadics(0, 0.875), min_size=1, max_size=2)))
        numbers = draw(dyadics(0.25, 4)), draw(dyadics(0.5, 16)), draw(dyadics(2**-4, 1 - 2**-4))
        return Case(exponents, *numbers, draw(st.integers(1, 60)), draw(deltas()), draw(seeds()))

    def fast(
        self, exponents: Any, rate: float, level: float, exponent: float, order: int, eta: float, seed: int
    ) -> Parts:
        """Noise of rate 1/2 is drawn by rejection."""
        d = len(exponents)
        limit = np.prod(1 - np.array(exponents)) ** (-(d + 1) / 2)
        yield AtMost(_transform(exponents), float(limit), part="Laplace transform")
        drawn = accepted(TRIALS, d, np.random.default_rng(seed)) / (2 * rate)
        above = int(np.sum(fast.spectral_norm(drawn) > level / rate))
        yield Frequency(above, len(drawn), min(1.0, tail(level, d, exponent)), part="tail of the spectral norm")
        radius = 2.5 * order + 2 - 2 * np.log(eta)
        yield AtMost(tail(radius, order, SHARE), eta, part="explicit radius")

    def oracle(
        self, exponents: Any, _rate: float, level: float, exponent: float, order: int, eta: float, _seed: int
    ) -> Parts:
        """In closed form, by hand, and from the series of Kummer's function."""
        d, theta = len(exponents), [mp.mpf(x) for x in exponents]
        level, exponent, eta = mp.mpf(level), mp.mpf(exponent), mp.mpf(eta)
        det = mp.fprod(1 - x for x in theta)
        limit = det ** (-mp.mpf(d + 1) / 2)
        share = (2 + det / (1 - mp.fsum(theta) / 2) ** 2) / 3 if d == 2 else mp.mpf(1)
        yield AtMost(share * limit, limit, part="Laplace transform")
        above = mp.exp(-level) if d == 1 else _above(level)
        yield AtMost(above, min(1, _tail(level, d, exponent)), scale=1, part="tail of the spectral norm")
        radius = mp.mpf(5) / 2 * order + 2 - 2 * mp.log(eta)
        yield AtMost(_tail(radius, order, mp.mpf(7) / 10), eta, part="explicit radius")

    def tight(self) -> list[Any]:
        """Equal exponents in the plane, and one number, of which a vector sees all."""
        return [
            Case((0.5, 0.5), 2.0, 3.0, 0.5, 2, 0.25, 0),
            Case((0.5,), 2.0, 1.25, 0.125, 6, 0.5, 0),
            Case((0.25, 0.75), 0.5, 6.0, 0.75, 20, 0.125, 0),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """One number of rate 1/2 where 1 is said."""
        level = mp.mpf(8)
        found = AtMost(mp.exp(-level / 2), _tail(level, 1, mp.mpf(7) / 8), part="tail of the spectral norm")
        return {"noise of this rate": found}


def _tail(level: Any, d: int, exponent: Any) -> Any:
    return (1 - exponent) ** (-mp.mpf(d + 1) / 2) / mp.hyp1f1(mp.mpf(1) / 2, mp.mpf(d) / 2, exponent * level)


def _above(level: Any) -> Any:
    """Probability that the larger modulus in the plane, of density ``4/3 s exp(-s) (1 - exp(-s))``, exceeds a level."""
    return (4 * (level + 1) * mp.exp(-level) - (2 * level + 1) * mp.exp(-2 * level)) / 3
