"""DPS-OVERLAP: what free noise leaves of a direction: ``1 - g^2 R'(g)``, for each law of noise.

A law ``nu`` with the Cauchy transform ``G`` has the R-transform ``R``: ``z = R(g) + 1/g`` is the inverse of ``g =
G(z)`` outside its support. A matrix of rank one, ``theta u u'``, added to noise whose resolvent is ``G(z) I``, has the
resolvent ``G / (1 - theta G)`` along ``u``: a pole where ``G(x) = 1 / theta``, whose residue ``-1 / (theta^2 G'(x))``
is the squared overlap of its eigenvector with ``u``. Differentiating the inverse gives ``1 - g^2 R'(g)``, ``g = 1 /
theta``, which is 0 at the edge, where ``R(g) + 1/g`` is smallest. Below the threshold there is no pole, and the formula
is negative. That large noise has such a resolvent is asymptotic, and no part of this statement.
"""

import math
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Parts, Real, Verdict, statement
from dpspectra.strategies import dyadics, st

LAWS = ("semicircle", "difference", "one-sided", "K-norm")
"""Gaussian or Laplace noise, the difference of two Wishart matrices, one less its mean, and K-norm noise."""


def threshold(law: str, variance: float) -> float:
    """Smallest eigenvalue that is seen: the inverse of the critical point of ``R(g) + 1/g``."""
    if law == "difference":  # (1 - u)^2 = variance u (1 + u), u = g^2
        u = 2 / (variance + 2 + math.sqrt(variance**2 + 8 * variance))
        return 1 / math.sqrt(u)
    return {"semicircle": math.sqrt(variance), "one-sided": 1 + math.sqrt(variance), "K-norm": 2.0}[law]


def overlap(law: str, variance: float, theta: float) -> float:
    """The formula ``1 - g^2 R'(g)`` at ``g = 1 / theta``; it counts from the threshold on."""
    if law == "K-norm":
        y = math.pi / theta
        return y * y * math.cos(y) / math.sin(y) ** 2
    w = theta**-2
    if law == "difference":
        return 1 - variance * w * (1 + w) / (1 - w) ** 2
    return 1 - variance / (theta - 1) ** 2 if law == "one-sided" else 1 - variance * w


def _place(law: str, variance: float, theta: float) -> float:
    """Place of the eigenvalue of the sum: ``R(g) + 1/g`` at ``g = 1 / theta``."""
    if law == "K-norm":
        return math.pi / math.sin(math.pi / theta)
    if law == "difference":
        return theta + variance * theta / (theta**2 - 1)
    return theta + variance / (theta - 1 if law == "one-sided" else theta)


def _cauchy(law: str, variance: float, z: complex) -> complex:
    """Cauchy transform beyond the edge by its closed form, of the difference by Newton steps on the cubic."""
    if law == "K-norm":
        return complex(np.arcsin(math.pi / z) / math.pi)
    if law == "difference":
        g = complex(min(x.real for x in np.roots([-z.real, 1 - variance, z.real, -1]) if x.real > 0))
        for _ in range(3):
            value = -z * g**3 + (1 - variance) * g * g + z * g - 1
            g -= value / (-3 * z * g * g + 2 * (1 - variance) * g + z)
        return g
    if law == "semicircle":
        return complex(2 / (z + np.sqrt(z * z - 4 * variance)))
    return complex(2 / (z + 1 + np.sqrt((z - 1) ** 2 - 4 * variance)))


def _edge(law: str, variance: float) -> float:
    """End of the support: where the discriminant of the equation of ``G`` vanishes."""
    if law == "difference":
        b = 1 - variance
        return math.sqrt(max(np.roots([4, 18 * b + b * b - 27, 4 * b**3]).real))
    return {"semicircle": 2 * math.sqrt(variance), "one-sided": 1 + 2 * math.sqrt(variance), "K-norm": math.pi}[law]


def _r_transform(law: str, variance: Any, g: Any) -> Any:
    if law == "K-norm":
        return mp.pi / mp.sin(mp.pi * g) - 1 / g
    return variance * g / {"semicircle": mp.mpf(1), "difference": 1 - g * g, "one-sided": 1 - g}[law]


def _density(law: str, variance: Any, t: Any) -> Any:
    """Density of the spectrum of noise."""
    if law == "K-norm":
        return mp.acosh(mp.pi / abs(t)) / mp.pi**2
    if law == "semicircle":
        return mp.sqrt(4 * variance - t * t) / (2 * mp.pi * variance)
    if law == "one-sided":
        return mp.sqrt(4 * variance - (t - 1) ** 2) / (2 * mp.pi * (t + variance))
    return _difference_density(variance, t)


def _difference_density(variance: Any, t: Any) -> Any:
    """Density by Cardano's formula for the inverse ``h`` of the Cauchy transform: ``h^3 - t h^2 + (s - 1) h = -t``."""
    p, q = (variance - 1) - t**2 / 3, t + (variance - 1) * t / 3 - 2 * t**3 / 27
    root = mp.sqrt(max((q / 2) ** 2 + (p / 3) ** 3, mp.mpf(0)))
    first, second = (mp.sign(x) * mp.cbrt(abs(x)) for x in (root - q / 2, -root - q / 2))
    imaginary = mp.sqrt(3) / 2 * (first - second)
    return imaginary / ((t / 3 - (first + second) / 2) ** 2 + imaginary**2) / mp.pi


def _support(law: str, variance: Any) -> list[Any]:
    """Points between which the density is smooth; both extreme values of ``R(g) + 1/g``."""
    if law == "K-norm":
        return [-mp.pi, 0, mp.pi]
    if law == "difference":
        g = mp.findroot(lambda g: (1 - g * g) ** 2 - variance * g * g * (1 + g * g), [0, 1], solver="anderson")
        end = _r_transform(law, variance, g) + 1 / g
        return [-end, 0, end]
    middle = 1 if law == "one-sided" else 0
    return [middle - 2 * mp.sqrt(variance), middle, middle + 2 * mp.sqrt(variance)]


def _guess(law: str, variance: Any) -> Any:
    """Start of the search for the critical point, left of poles."""
    return {"K-norm": mp.mpf(1) / 2, "difference": mp.mpf(1) / 2}.get(law, mp.mpf(1) / (1 + mp.sqrt(variance)))


@statement
class Overlap:
    labels = ("DPS-OVERLAP",)
    given = (
        r"R(g)\text{ is }sg\text{ with }s=1,\ \frac{sg}{1-g^2},\ \frac{sg}{1-g}\text{ or }\frac\pi{\sin\pi g}-\frac1g"
    )
    claim = {
        "overlap": r"g=\tfrac1\theta,\ x=R(g)+\tfrac1g:\ \frac{-1}{\theta^2G'(x)}=1-g^2R'(g)",
        "edge": r"g^2R'(g)=1:\ R(g)+\tfrac1g=\max\operatorname{supp}(\nu)",
    }
    where = {
        r"\theta": "strength of the signal in units of the noise, above the threshold",
        r"\nu": "the noise's law of eigenvalues: semicircle, difference of Wishart laws, one of them, or K-norm noise",
        r"\mathrm{supp}": "support of a law",
        "s": "variance of the law",
        "G'": r"derivative of the Cauchy transform of $`\nu`$, the mean of $`1/(x-\lambda)`$",
        "x": "eigenvalue beyond the noise",
        "g": "inverse of the strength",
        "R": r"R-transform of $`\nu`$",
        "R'": "its derivative",
    }
    verdict = Verdict.NEW
    digits = 20
    note = "noise.md#what-noise-leaves-of-a-direction"
    examples = 24

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[str, float, float]:
        """A law of scale 1, its variance (two laws have none to choose), and an eigenvalue over the threshold.

        Differences in all dimensions (variance ``2 + 2/d``), one-sided laws with at least ``d`` degrees of freedom.
        """
        law = draw(st.sampled_from(LAWS))
        variance = {"difference": dyadics(2.0, 4.0), "one-sided": dyadics(1.0, 9.0)}.get(law, st.just(1.0))
        return law, draw(variance), draw(dyadics(1.125, 8.0))

    def fast(self, law: str, variance: float, ratio: float) -> Parts:
        """Closed forms; the derivative of the Cauchy transform by a step into the complex plane."""
        theta = ratio * threshold(law, variance)
        step = 1e-20 * theta
        slope = _cauchy(law, variance, complex(_place(law, variance, theta), step)).imag / step
        yield Equal(-1 / (theta**2 * slope), overlap(law, variance, theta), 1.0, part="overlap")
        yield Equal(_place(law, variance, threshold(law, variance)), _edge(law, variance), part="edge")

    def oracle(self, law: str, variance: Real, ratio: float) -> Parts:
        """The residue from the density of the spectrum; the critical point by a search."""
        ends = _support(law, variance)
        start = _guess(law, variance)
        seen = mp.findroot(lambda g: g * g * mp.diff(lambda x: _r_transform(law, variance, x), g) - 1, start)
        g = seen / ratio
        x = _r_transform(law, variance, g) + 1 / g
        square = mp.quad(lambda t: _density(law, variance, t) / (x - t) ** 2, ends)
        slope = mp.diff(lambda h: _r_transform(law, variance, h), g)
        yield Equal(g * g / square, 1 - g * g * slope, 1, part="overlap")
        yield Equal(_r_transform(law, variance, seen) + 1 / seen, ends[-1], part="edge")

    def tight(self) -> list[tuple[str, float, float]]:
        """Twice the threshold of each law; and close to it."""
        return [(law, 2.0 if law == "difference" else 1.0, ratio) for law in LAWS for ratio in (2.0, 1.125)]

    def beyond(self) -> dict[str, AtMost]:
        """Nine tenths of the threshold of K-norm noise: a squared overlap cannot be negative."""
        g = mp.mpf(5) / 9
        formula = 1 - g * g * mp.diff(lambda h: _r_transform("K-norm", mp.mpf(1), h), g)
        return {"above the threshold": AtMost(mp.mpf(0), formula)}
