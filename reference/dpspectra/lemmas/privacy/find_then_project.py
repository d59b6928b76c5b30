"""Find a range, then project on it: half of epsilon and delta for each stage is private; the exact cost is smaller.

Given ``Omega`` the range finder is a Gaussian shift of length ``R / s`` (``R`` a chi variable) and the projection, with
noise scaled to the basis, one of length at most ``mu``. Together they are a shift of length ``hypot(R / s, mu)``,
attained when a row has leverage 1; the exact ``delta`` is the mean of the Gaussian profile over ``R``. Pruning costs no
privacy if it depends on both outputs and public numbers only; pruning that depends on ``A`` does.
"""

from dpspectra.fast import sketch
from dpspectra.ledger import Relation, Slack, Statement, Verdict

halves = Statement(
    labels=("HR-L6.1",),
    claim=r"\delta_{RF}(\varepsilon;s,k',\mu)\le\delta\text{ for }s=s^*(\tfrac\varepsilon2,\tfrac\delta2,k'),\;"
    r"\mu=\mu^*(\tfrac\varepsilon2,\tfrac\delta2)",
    verdict=Verdict.VERIFIED,
    relation=(Relation.ROW,),
    uses=("HR-L4.1R", "HR-L4.6R", "HR-T2.4", "HR-F2.3"),
    note="privacy_spectral.md#half-of-epsilon-for-each-stage",
    digits=20,  # a root of integrals
    examples=4,
    slack={
        "privacy of both stages": Slack(
            0.706974, "the losses of the two stages add as squares; 0.752 is the limit for small epsilon and delta"
        ),
        "smallest noise": Slack(
            0.610758, "given the projection, exact accounting leaves the range finder more than half of delta"
        ),
    },
)

exact = Statement(
    labels=("HR-L6.1R",),
    claim=r"\delta_{RF}(\varepsilon;s,k',\mu)=\mathbb E_{R\sim\chi_{k'}}\,\delta_G(\varepsilon,\sqrt{R^2/s^2+\mu^2})",
    verdict=Verdict.NEW,
    relation=(Relation.ROW,),
    uses=("HR-L4.1R", "HR-L4.6R", "HR-F2.3"),
    note="privacy_spectral.md#exact-cost-of-both-stages",
    digits=30,  # integrals
    examples=7,
)


def noise_scale(width: int, epsilon: float, delta: float, mu: float) -> float:
    """Smallest noise of the range finder with which both stages are ``(epsilon, delta)``-DP.

    The projection by itself is ``mu``-GDP.
    """
    return sketch.noise_for(epsilon, delta, width, mu)
