"""If all rows have norm 1, the one-sided Wishart mechanism still has ``delta = (2/pi) int_0^(epsilon/3) t K1(t) dt``.

That is about ``2 epsilon / 3 pi``, at every level ``e >= 0``: with equal norms the two densities agree on the common
support, and only the mass outside contributes. For rows at angle ``theta`` the integral ends at
``epsilon sin(theta) / 3``; orthogonal rows are the worst case. In one dimension unit rows have equal squares, so
``delta = 0``. If norms may differ, ``delta`` is larger.
"""

from typing import Any

import numpy as np
from flint import arb
from mpmath import mp
from scipy.special import iti0k0, k0

from dpspectra.fast import wishart as fast
from dpspectra.ledger import AtMost, Equal, Matrix, Outcome, Parts, Real, Relation, Verdict, statement
from dpspectra.lemmas.wishart.one_sided import exact_scale, scale
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import wishart as exact
from dpspectra.oracle.quadrature import integral, working
from dpspectra.strategies import epsilons, st, unitaries


def profile(sine: Any, epsilon: Any) -> Any:
    """Smallest ``delta`` at every level for two unit rows with this sine; the scale is as printed for ``epsilon``."""
    h = np.maximum(sine * epsilon / 3, 1e-300)
    return 2 / np.pi * (iti0k0(h)[1] - h * k0(h))


def _integral(h: Any) -> Any:
    """``2 / pi`` times the integral of ``t K1(t)`` over ``[0, h]``.

    ``K1(t)`` is ``t`` times the integral of ``exp(-t cosh u) sinh^2 u`` over ``u > 0``; ``t`` is integrated first.
    """
    with working():
        length = arb(h)

        def over_t(u: Any) -> Any:
            s = u.cosh()
            reach = length * s
            return u.tanh() ** 2 / s * (2 - (-reach).exp() * (reach**2 + 2 * reach + 2))

        return mp.mpf(2 * integral(over_t, range(0, 2 * mp.dps + 44, 4)) / arb.pi())


@statement
class UnitNormProfile:
    labels = ("JXZ-T4-U",)
    given = r"W\sim W_d(d+1,cI),\ c=\tfrac3{2n\varepsilon},\ A-A'=\tfrac1n(vv^\top-ww^\top),\ \|v\|=\|w\|=1,\ e\ge0"
    claim = {
        "delta of unit rows": (
            r"\sup_S\big(\Pr[A+W\in S]-e^{e}\Pr[A'+W\in S]\big)=\tfrac2\pi\int_0^ht\,K_1(t)\,dt,\ "
            r"h=\tfrac\varepsilon3\sin\theta"
        ),
        "orthogonal rows are worst": (
            r"\sup_S\big(\Pr[A+W\in S]-e^{e}\Pr[A'+W\in S]\big)\le\tfrac2\pi\int_0^{\varepsilon/3}t\,K_1(t)\,dt"
        ),
    }
    where = {
        "e": "as a base Euler's number; in the exponent the privacy parameter that is asked for, in nats",
        r"\varepsilon": r"parameter of the noise, whose scale is $`\frac3{2n\varepsilon}`$",
        "K_1": "modified Bessel function of the second kind",
        "h": "a third of the parameter times the sine of the angle",
        "t": "variable of integration",
        r"\theta": "angle between the row before and the row after the change",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    uses = ("JXZ-T4-X", "JXZ-T4-b")
    note = "wishart.md#rows-of-norm-one"
    digits = 30
    examples = 9

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Two unit rows, ``epsilon`` of the mechanism and the level ``e`` of the profile."""
        d = draw(st.integers(1, 4))
        v, w = draw(unitaries(d))[:, 0], draw(unitaries(d))[:, -1]
        return v, w, draw(epsilons(2**-6, 32.0)), draw(st.sampled_from([0.0, 1e6]) | epsilons(2**-6, 4.0))

    def fast(self, v: Any, w: Any, epsilon: float, level: float) -> Parts:
        sine = np.sqrt(max(1 - (v @ w) ** 2, 0.0))
        delta = fast.pair_profile(v, w, scale(1, epsilon), level)
        yield Equal(delta, profile(sine, epsilon), scale=1.0, part="delta of unit rows")
        yield AtMost(delta, profile(1.0, epsilon), scale=1.0, part="orthogonal rows are worst")

    def oracle(self, v: Matrix, w: Matrix, epsilon: Real, level: Real) -> Parts:
        delta = exact.pair_profile(v, w, exact_scale(1, epsilon), level)
        sine = mp.sqrt(1 - oracle.inner(v, w) ** 2)
        yield Equal(delta, _integral(sine * epsilon / 3), scale=1, part="delta of unit rows")
        yield AtMost(delta, _integral(epsilon / 3), scale=1, part="orthogonal rows are worst")

    def tight(self) -> list[Any]:
        """Orthogonal rows, at the level 0 and at a large one."""
        return [(np.eye(3)[0], np.eye(3)[2], 3.0, level) for level in (0.0, 1e6)]

    def beyond(self) -> dict[str, Outcome]:
        """A unit row appears."""
        _, worst = self.oracle(np.zeros(2), np.array([1.0, 0.0]), 1.0, 0.0)
        return {"rows of norm exactly 1": worst}
