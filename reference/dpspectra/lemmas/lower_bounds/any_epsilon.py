"""For every ``epsilon`` a private mechanism that sees ``M`` only errs by ``rho`` half of the time on some ``M``.

As in the explicit bound, but with the separation left free: points of the orbit within ``omega`` of ``Lambda`` are at
most ``L`` steps away, and as many of them as counting asks for, one more than ``e^(epsilon L)``, can be separated by
``2 rho``. No condition on ``epsilon`` is left, as ``L`` is at least ``2 q``. The best ``omega`` is where ``L`` is about
to grow; ``L`` takes the shorter of two paths, counted by squared lengths or with steps of equal length.
"""

from typing import Any

from dpspectra.fast import radii
from dpspectra.ledger import Relation, Slack, Statement, Verdict

lemma = Statement(
    labels=("MWKTV-T2.4S",),
    claim=r"\mathcal A(X)\text{ depends on }M=X^*X\text{ only},\ \varepsilon>0\Rightarrow\exists M\in\mathcal O_"
    r"\Lambda:\Pr[\|M-\mathcal A(M)\|_F^2>\rho^2]\ge\tfrac12,\ \rho^2=\max_{i<j,\,\omega}\tfrac{g^2}4K(1+e^{"
    r"\varepsilon L})^"
    r"{-1/N},\ K=\max\{\min(\tfrac{\omega^2}{s^2},2),c_{i,m}^2\min(\tfrac{\omega^2}{s^2},2q)\},\ L=\min\{\lceil"
    r"\omega^2\rceil-1+2q,\ 2\max(q,\lceil\sqrt{q/2}\,\omega\rceil)\};\quad\rho^2\ge c_0'e^{-2\varepsilon/\lceil d/2"
    r"\rceil}\frac{d\,i\,(\lambda_i-\lambda_{d-i+1})^2}{\max(\lambda_1^2\varepsilon,d)};\quad\text{real: }\rho^2=\tfrac"
    r"{g^2}4v(1-\tfrac v2)^{1/N},\ v=\min\{1,\min(\tfrac{\omega^2}{s^2},2)(1+e^{\varepsilon L})^{-2/N}\}",
    verdict=Verdict.NEW,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    uses=("MWKTV-COUNT", "MWKTV-PATH", "MWKTV-M33", "MWKTV-L8.1X", "MWKTV-E34", "MWKTV-E35R"),
    note="lower_bounds.md#a-bound-for-every-epsilon",
    examples=40,
    digits=30,
    slack={
        "error of a constant output": Slack(
            0.499512, "volumes give a second point at half the squared distance of the farthest one only"
        ),
        "simpler form": Slack(0.02873, "half of the gap, the worst ball constant and the worst N are taken at once"),
    },
)


def bound(spectrum: Any, epsilon: float, field: str = "complex") -> float:
    """A squared Frobenius error that a mechanism exceeds with probability 1/2 or more on some matrix of the orbit.

    ``spectrum`` is descending and non-negative. The mechanism is ``epsilon``-DP if one row is replaced, added or
    removed, and sees the rows through ``M = X'X`` only; without this premise the bound is false. Every ``epsilon`` is
    allowed.
    """
    return radii.best(spectrum, epsilon, field)[0]
