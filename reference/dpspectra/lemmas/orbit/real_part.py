"""For a real ``M`` the real matrix nearest to the real part of a complex point of an orbit has at most twice its gap.

Eigenvalues of ``H + conj(H)`` less those of ``H``, both descending, are majorised by those of ``conj(H)`` (Lidskii).
They are the eigenvalues of ``2 Re H - H'``, ``H'`` the nearest matrix of the same spectrum. So ``2 Re H - H'`` is in
the convex hull of the orbit and scores at most ``OPT``; and for a real ``M`` the score of ``Re H`` is that of ``H``.
Where ``Re H`` has a tie several matrices are nearest, and the bound holds for all of them; the worst one, which the
faces take, can have exactly twice the gap. For a complex ``M`` there is no such bound: the best ``H`` may have a real
part that is a multiple of the identity.
"""

from typing import Any

from dpspectra.ledger import Statement, Verdict

FACTOR = 2.0
"""Largest ratio of the gap of the nearest real matrix to that of the complex one."""


lemma = Statement(
    labels=("DPS-REALPART",),
    claim=r"\mathrm{OPT}-\langle M,H'\rangle\le2\,(\mathrm{OPT}-\langle M,H\rangle)\quad\text{for real symmetric }M,\ "
    r"H\in\mathcal O_\Lambda\text{ complex},\ H'\text{ real of spectrum }\Lambda\text{ nearest to }\mathrm{Re}\,H;\quad"
    r"2\lambda(\mathrm{Re}\,H)-\Lambda\prec\Lambda",
    verdict=Verdict.NEW,
    uses=("MWKTV-P2.1",),
    note="orbit.md#nearest-real-matrix",
)


def bound(gap: Any) -> Any:
    """Largest ``OPT - <M, H'>`` for ``OPT - <M, H> = gap``."""
    return FACTOR * gap
