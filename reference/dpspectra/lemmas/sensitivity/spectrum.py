"""MWKTV-E20: the spectrum of ``M = X* X``, rows in the unit ball, has l1 sensitivity 2 (replace) or 1 (add, remove).

Replacing row ``x`` by ``y`` moves it by at most ``|x|^2 + |y|^2``: removing ``x x*`` lowers every eigenvalue and the
trace by ``|x|^2``, so that step costs exactly ``|x|^2``; likewise adding ``y y*``. `SENSITIVITY` sets the Laplace scale
of the noisy spectrum (``lemmas.privacy.spectrum_release``, `dpspectra.mechanisms`): too small a value breaks privacy.
"""

from dpspectra.ledger import Relation, Statement, Verdict

lemma = Statement(
    labels=("MWKTV-E20",),
    claim=r"\|\lambda(M)-\lambda(M')\|_1\le\|x\|^2+\|y\|^2\le2",
    verdict=Verdict.VERIFIED,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    uses=("MWKTV-L7.2",),
    note="sensitivity.md#spectrum-in-l1",
)

SENSITIVITY = {"replace": 2, "add_remove": 1}
"""l1 sensitivity of the spectrum (or of its top ``k >= 2`` values) for rows in the unit ball."""
