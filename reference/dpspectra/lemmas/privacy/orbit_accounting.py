"""The density ``exp(kappa <M, H>)`` on an orbit is ``2 kappa s``-DP under replacement, ``kappa s``-DP under add/remove.

Here ``s = lambda_1 - lambda_d`` is the spread of the public spectrum, not ``lambda_1``. Between ``M`` and ``M + D`` the
log-ratio at ``H`` is ``kappa <D, H> - log Z'/Z``, and both terms lie in the range of ``kappa <D, .>`` over the orbit,
whose length is ``kappa (a + b) s`` when ``D`` has the eigenvalues ``a >= 0 >= -b``. The norm bound on the rows is
needed for ``a + b <= 2``. The constants are suprema: they are approached as ``M`` grows, but not attained.
"""

from typing import Any

from dpspectra.ledger import Relation, Statement, Verdict

lemma = Statement(
    labels=("MWKTV-L6.2X",),
    claim=r"\sup_H\Big|\log\tfrac{p_{M'}(H)}{p_M(H)}\Big|\le\kappa(a+b)(\lambda_1-\lambda_d)\le"
    r"\begin{cases}2\kappa(\lambda_1-\lambda_d)&\text{replace}\\\kappa(\lambda_1-\lambda_d)&\text{add/remove}\end{cases}",
    verdict=Verdict.NEW,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE, Relation.MATRIX_REPLACE),
    uses=("MWKTV-L6.1", "MWKTV-T5.3", "MWKTV-HCIZ"),
    note="privacy_spectral.md#exact-accounting-on-the-orbit",
    examples=60,
)

CHANGES = {"replace": 2, "add_remove": 1}
"""Largest ``a + b``, the nuclear norm of ``M' - M``, for rows in the unit ball."""


def loss_bound(spectrum: Any, kappa: Any, relation: str) -> Any:
    """Smallest ``epsilon`` for which the mechanism is ``epsilon``-DP, at inverse temperature ``kappa``."""
    return CHANGES[relation] * kappa * (spectrum[0] - spectrum[-1])


def inverse_temperature(spectrum: Any, epsilon: Any, relation: str) -> Any:
    """Largest ``kappa`` that is ``epsilon``-DP on the orbit of a descending ``spectrum`` that is not constant."""
    return epsilon / loss_bound(spectrum, 1, relation)
