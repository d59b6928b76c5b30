"""If an ``epsilon``-private mechanism sees ``M`` only, on some matrix of the orbit it errs by ``rho`` half of the time.

The law of its output must be a function of ``M = X'X``, for a path changes rows that are in no data set on the way; a
mechanism that looks at the rows can do better (MWKTV-ROWEXP). Take two indices ``i < j`` of eigenvalues with gap ``g``;
``m = d - j + 1``, ``q = min(i, m)``, ``N = i m``, spread ``s``. A ball of the Grassmannian holds more than ``3^N``
projectors at pairwise distances above half its radius; their images are ``2 rho`` apart, within ``omega`` of
``Lambda``, and differ from it by matrices of rank at most ``2 q``. So short paths of neighbours lead to them, and
counting applies. That needs ``epsilon < N log 3 / 2q``; for larger ``epsilon`` a private net can be better. The
spectrum must be non-negative, since the matrices on the paths come from data; the output may be any matrix.
"""

from typing import Any

import numpy as np

from dpspectra.fast.packing import ball_constant
from dpspectra.fast.radii import places
from dpspectra.ledger import Relation, Slack, Statement, Verdict


def radius(i: Any, m: Any, epsilon: float) -> Any:
    """Distance ``omega`` on the orbit within which paths are short enough; 0 if ``epsilon`` is too large."""
    rank, steps = 2 * np.minimum(i, m), i * m * np.log(3.0) / epsilon
    return np.where(steps > rank, np.sqrt(np.maximum(steps - rank, (steps - 2) ** 2 / rank)), 0.0)


lemma = Statement(
    labels=("MWKTV-T2.4R",),
    claim=r"\mathcal A(X)\text{ depends on }M=X^*X\text{ only}\Rightarrow\exists M\in"
    r"\mathcal O_\Lambda:\Pr[\|M-\mathcal A(M)\|_F^2>\rho^2]\ge\tfrac12,\ \rho^2=\frac{g^2}{16}\max\{"
    r"\min(\tfrac{\omega^2}{s^2},2),c_{i,m}^2\min(\tfrac{\omega^2}{s^2},2q)\},\ \omega^2=\max\{b,"
    r"\tfrac{(b+2q-2)^2}{2q}\},\ b=\frac{N\log3}\varepsilon-2q>0;\ \ \rho^2\ge c_0\frac{d\,i\,(\lambda_i-"
    r"\lambda_{d-i+1})^2}{\max(\lambda_1^2\varepsilon,d)}\text{ if }\varepsilon\le\tfrac{\log3}4\lceil\tfrac d2\rceil,"
    r"\ c_0=\tfrac{\sqrt e\log3}{1024};"
    r"\quad\text{real: }\rho^2=\tfrac{g^2}{64}\min(\tfrac{\omega^2}{s^2},2)",
    verdict=Verdict.NEW,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    uses=("MWKTV-COUNT", "MWKTV-PATH", "MWKTV-M33", "MWKTV-L8.1X", "MWKTV-E34", "MWKTV-E35R"),
    note="lower_bounds.md#explicit-lower-bound",
    examples=50,
    slack={
        "error of a constant output": Slack(0.25, "half the radius of the ball, of which half the distance is certain"),
        "bound for every epsilon": Slack(0.92957, "3^N points are asked for, whatever number of them is best"),
        "simpler form": Slack(0.0789806, "half of the gap, the worst ball constant and half of epsilon's range"),
        "median of the orbit mechanism": Slack(0.0450842, "no mechanism of M is known that attains the bound"),
        "success of the exponential mechanism": Slack(0.156387, "the same, as a probability"),
        "number of points": Slack(0.682606, "a greedy packing has more points than a ratio of volumes promises"),
        "distance of the points": Slack(0.992608, "the nearest two of finitely many points are not at the separation"),
        "length of the paths": Slack(0.910239, "a length is an integer, the limit is not"),
    },
)


def pair_bound(spectrum: Any, i: Any, m: Any, epsilon: float, field: str = "complex") -> Any:
    """Squared error ``rho^2`` from the first ``i`` and the last ``m`` values of a descending spectrum.

    Numbers or arrays. It is 0 where the argument gives nothing.
    """
    spectrum = np.asarray(spectrum, dtype=float)
    spread, gap = spectrum[0] - spectrum[-1], np.maximum(spectrum[i - 1] - spectrum[-m], 0.0)
    square = (radius(i, m, epsilon) / (spread or 1.0)) ** 2
    if field == "real":
        return gap**2 / 64 * np.minimum(square, 2.0)
    far = ball_constant(i, m) ** 2 * np.minimum(square, 2.0 * np.minimum(i, m))
    return gap**2 / 16 * np.maximum(np.minimum(square, 2.0), far)


def bound(spectrum: Any, epsilon: float, field: str = "complex") -> float:
    """A squared Frobenius error that a mechanism exceeds with probability 1/2 or more on some matrix of the orbit.

    ``spectrum`` is descending and non-negative. The mechanism is ``epsilon``-DP if one row is replaced, added or
    removed, and sees the rows through ``M = X'X`` only; without this premise the bound is false.
    """
    return float(np.max(pair_bound(spectrum, *places(spectrum), epsilon, field), initial=0.0))
