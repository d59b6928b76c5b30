"""Largest loss of a shift of heavy-tailed noise: the slope of its log-density, or more exactly its largest growth.

The log-ratio of a density and its shift is a difference of two values of its logarithm. That of Student is largest at a
root of a quadratic equation, where it is an inverse hyperbolic sine; that of a power of at most 1 of the distance, at
the place itself. Where slopes are bounded, so is the loss; without that (normal noise, a power above 1) it has no end.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Parts, Real, Verdict, statement
from dpspectra.strategies import dyadics, st
from dpspectra.symbolic.laws import loss_of

FAR = 2.0**20
"""Place so far out that a slope has reached its limit."""


@statement
class LargestLossOfAShift:
    labels = ("DPS-SHIFTLOSS",)
    claim = {
        "Student": r"f(z)=(1+z^2/a)^{-(a+1)/2}:\ \max_z\log\frac{f(z-m)}{f(z)}=(a+1)\sinh^{-1}"
        r"\frac{|m|}{2\sqrt a}",
        "power": r"f(z)=e^{-|z|^b},\ b\le1:\ \max_z\log\frac{f(z-m)}{f(z)}=|m|^b",
        "asymmetric": r"f(z)=e^{-kz},\ z\ge0;\ e^{z/k},\ z<0:\ \max_z\log\frac{f(z-m)}{f(z)}\le|m|\max(k,1/k)",
        "hypersecant": r"f(z)=1/\cosh z:\ \log\frac{f(z-m)}{f(z)}\le|m|",
        "logistic": r"f(z)=\cosh^{-2}\tfrac z2:\ \log\frac{f(z-m)}{f(z)}\le|m|",
    }
    where = {
        "f": "density of the noise, up to a constant",
        "z": "place, in scales of the noise",
        "m": "distance of the locations on both data sets, in scales of the noise",
        "a": "degrees of freedom",
        "b": "power of the distance, positive",
        "k": "asymmetry, positive",
    }
    verdict = Verdict.NEW
    note = "auditing.md#largest-loss-of-a-shift"
    examples = 60

    def cases(self) -> Any:
        shift = dyadics(-8, 8, 4).filter(bool)
        return st.tuples(dyadics(0.125, 16, 3), dyadics(0.125, 1, 3), dyadics(0.125, 4, 3), shift, dyadics(-16, 16, 4))

    def fast(self, a: float, b: float, k: float, m: float, z: float) -> Parts:
        """The bounds that the auditor uses, against log-densities at the worst place, or at any."""
        worst = (abs(m) + np.sqrt(m * m + 4 * a)) / 2

        def student(x: float) -> float:
            return float(-(a + 1) / 2 * np.log1p(x * x / a))

        yield Equal(loss_of("t", str(a))(m), student(worst - abs(m)) - student(worst), part="Student")
        yield Equal(loss_of("gennorm", str(b))(m), -float(np.log(np.exp(-(abs(m) ** b)))), part="power")

        def slopes(x: float) -> float:
            return float(np.where(x >= 0, -k * x, x / k))

        lost = max(slopes(x - m) - slopes(x) for x in (z, np.sign(m) * FAR))
        yield AtMost(lost, loss_of("laplace_asymmetric", str(k))(m), part="asymmetric")
        for name, power, half in (("hypersecant", 1, 1.0), ("logistic", 2, 0.5)):
            loss = power * float(np.logaddexp(z * half, -z * half) - np.logaddexp((z - m) * half, (m - z) * half))
            yield AtMost(loss, loss_of("hypsecant")(m), scale=1, part=name)

    def oracle(self, a: Real, b: Real, k: Real, m: Real, z: Real) -> Parts:
        """Log-densities on a fine grid beside the worst place, and at any."""
        size = abs(m)
        worst = (size + mp.sqrt(size**2 + 4 * a)) / 2

        def student(x: Any) -> Any:
            return -(a + 1) / 2 * mp.log(1 + x**2 / a)

        places = [z, -z, *(worst * (1 + mp.mpf(j) / 8) for j in range(-8, 9))]
        most = max(student(x - size) - student(x) for x in places)
        yield Equal((a + 1) * mp.asinh(size / (2 * mp.sqrt(a))), most, part="Student")

        def density(x: Any) -> Any:
            return mp.exp(-(abs(x) ** b))

        grown = max(mp.log(density(x - m) / density(x)) for x in (z, m / 2, m, 2 * m, mp.mpf(0)))
        yield Equal(size**b, grown, part="power")

        def slopes(x: Any) -> Any:
            return -k * x if x >= 0 else x / k

        lost = max(slopes(x - m) - slopes(x) for x in (z, mp.mpf(FAR), -mp.mpf(FAR)))
        yield AtMost(lost, size * max(k, 1 / k), part="asymmetric")
        yield AtMost(mp.log(mp.cosh(z) / mp.cosh(z - m)), size, scale=1, part="hypersecant")
        yield AtMost(2 * mp.log(mp.cosh(z / 2) / mp.cosh((z - m) / 2)), size, scale=1, part="logistic")

    def tight(self) -> list[Any]:
        """Places so far out that slopes are at their limits."""
        return [(1.0, 1.0, 2.0, 1.0, 16.0), (3.0, 0.5, 0.5, -1.0, -16.0), (0.5, 0.25, 1.0, 0.5, 64.0)]

    def beyond(self) -> dict[str, AtMost]:
        """A power of 2 has no largest growth; Student's slope passes its mean from the place to the worst one."""
        return {"a power of at most 1": AtMost(mp.mpf(16) ** 2 - mp.mpf(15) ** 2, mp.mpf(1))}
