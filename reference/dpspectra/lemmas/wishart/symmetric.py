"""The difference of two Wishart matrices is private noise: ``A + W - W'`` is exactly ``epsilon``-private.

``W`` and ``W'`` are ``W_d(d + 1, c I)``, ``c = Delta / 2 epsilon``, where ``Delta`` bounds the nuclear norm of the
change of ``A``: for ``A = X'X / n`` that is ``2 / n``, or ``1 / n`` if ``d = 1`` or if rows only become zero or appear.
The log-density of the noise changes by at most ``|P - N|_* / 2c`` when its argument moves by ``P - N``, for positive
semidefinite ``P`` and ``N``: shifting the integral of the convolution by ``N`` costs ``exp(-tr(P + N) / 2c)`` and
enlarges its domain. This noise has full support, unlike that of the one-sided mechanism. No smaller ``c`` is enough:
far out along ``t (P - N)`` the change of the log-density tends to the bound. Fewer than ``d + 1`` degrees of freedom
may not be enough, more always are.
"""

from typing import Any

from dpspectra.ledger import Relation, Statement, Verdict

lemma = Statement(
    labels=("JXZ-T4-R1",),
    claim=r"g\text{ density of }W-W',\ W,W'\sim W_d(d+1,cI):\quad\sup_M\Big|\log\frac{g(M+\Delta)}{g(M)}\Big|"
    r"=\frac{\|\Delta\|_*}{2c}\le\varepsilon\ \text{ for }c=\tfrac1{n\varepsilon}",
    verdict=Verdict.NEW,
    relation=(Relation.REPLACE, Relation.ZERO_OUT),
    uses=("JXZ-D2",),
    note="wishart.md#symmetric-wishart-mechanism",
    digits=30,  # two quadratures a case
    examples=25,
)


def sensitivity(d: int, relation: str = "replace") -> float:
    """Largest nuclear norm of ``v v' - w w'`` for rows of the unit ball; ``"zero_out"``: ``v`` or ``w`` is zero."""
    return 2.0 if d > 1 and relation == "replace" else 1.0


def scale(n: Any, d: int, epsilon: Any, relation: str = "replace") -> Any:
    """Smallest scale ``c`` of two Wishart matrices that makes ``X'X / n + W - W'`` ``epsilon``-private."""
    return sensitivity(d, relation) / (2 * n * epsilon)
