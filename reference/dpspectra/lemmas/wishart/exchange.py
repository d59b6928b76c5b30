"""The exact profile of Wishart noise when a row gives way to another, and a bound for every replacement.

The change ``v v' - w w'`` has two eigenvalues ``alpha >= 0 >= -beta``, each at most 1 in modulus for rows of the unit
ball. In their plane the noise is ``W_2(nu + 1, I)``, and the profile is a difference of two means of a chi-square
distribution function. As a function of one eigenvalue, given the rest of the matrix, a divergence falls and then rises;
so it is at most the sum of its values at 0 and 1, and the profile is at most the sum of three: a row becomes zero, was
zero, or gives way to an orthogonal row of norm 1. Larger rows may have larger profiles.
"""

import itertools
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import wishart_row_exchange as fast
from dpspectra.fast.linalg import outer
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.ledger import AtMost, Equal, Frequency, Matrix, Parts, Real, Relation, Slack, Verdict, statement
from dpspectra.lemmas.wishart.degrees_of_freedom import drawn_losses
from dpspectra.lemmas.wishart.distribution import TRIALS
from dpspectra.oracle import chi_square_profile as exact_chi_square
from dpspectra.oracle import linalg
from dpspectra.oracle import wishart_row_exchange as oracle
from dpspectra.strategies import ball_vectors, dyadics, seeds, st

SMALLEST = 1 / 64
"""Smallest eigenvalue of a change in modulus."""
EDGE = 1 / 4
"""Smallest ``2 epsilon - (alpha - beta)`` in a case: nearer to 0 the integrands of the check are too steep."""


class Case(NamedTuple):
    """The row before and after, ``nu``, ``epsilon`` and a seed."""

    v: Any
    w: Any
    nu: int
    epsilon: float
    seed: int


@st.composite
def _instances(draw: st.DrawFn) -> Case:
    """Two rows of the unit ball, the longer one first, neither almost a multiple of the other; an odd ``nu``."""
    d = draw(st.integers(2, 3))
    v, w = sorted(draw(st.tuples(ball_vectors(d), ball_vectors(d))), key=np.linalg.norm, reverse=True)
    epsilon = draw(dyadics(2.0**-4, 1.0))
    return Case(v, w, draw(st.sampled_from([7, 9, 11])), epsilon, draw(seeds()))


def _by_density(epsilon: float, nu: int, top: float, bottom: float) -> float:
    """Mean of what the other density leaves, over both diagonal entries and an angle between the columns."""
    nodes, weights = gauss_legendre(64)
    order, reach = (nu + 1) / 2, nu + 80.0
    unit, half = (nodes + 1) / 2, weights / 2
    factor = np.exp((top - bottom - 2 * epsilon) / (nu - 2))
    u, angle = (reach * unit)[:, None], (np.pi / 2 * unit)[None, :]
    y = u * np.cos(angle) ** 2
    ends = [0 * y, bottom * (u + top) / (y + top), bottom * (u + top) / ((1 - factor) * y + top)]
    total = 0.0
    for low, high in itertools.pairwise(ends):
        x = low[..., None] + (high - low)[..., None] * unit
        # determinants with the change, and without
        changed = (u + top)[..., None] * (x - bottom) - x * (u - y)[..., None]
        left = 1 - np.clip(changed / (factor * x * y[..., None]), 0, 1) ** ((nu - 2) / 2)
        inner = (x ** (order - 1) * np.exp(-x / 2) * left) @ half * (high - low)
        total += float(half @ (u ** (order - 1) * np.exp(-u / 2) * np.cos(angle) ** (nu - 1) * inner) @ half)
    angles = float(half @ np.cos(np.pi / 2 * unit) ** (nu - 1))
    return total * reach / angles / float(2**order * np.prod(np.arange(1, order))) ** 2


def _three_pairs(epsilon: Any, nu: int) -> Any:
    """Sum of the profiles when a row of norm 1 becomes zero, was zero, or gives way to an orthogonal one."""
    alone = exact_chi_square.excess_below(epsilon, nu, 1) + exact_chi_square.excess_above(epsilon, nu, 1)
    return oracle.profile(epsilon, nu, 1, 1) + alone


@statement
class Exchange:
    labels = ("JXZ-T4-E",)
    given = (
        r"W\sim W_d(m,cI),\ \alpha\ge0\ge-\beta\ \text{eigenvalues of }\tfrac1c(A-A'),\ "
        r"\kappa=e^{-(2\varepsilon-\alpha+\beta)/(\nu-2)}\le1"
    )
    claim = {
        "profile of an exchange": (
            r"\delta_{\alpha\beta}(\varepsilon)="
            r"\mathbb E\,F_{\nu+1}\Big(\frac{\beta(u+\alpha)}{(1-\kappa)y+\alpha}\Big)"
            r"-e^\varepsilon\,\mathbb E\,F_{\nu+1}\Big(\frac{\beta(u-\alpha)_+}{(\kappa^{-1}-1)y+\alpha}\Big)"
        ),
        "divergence of the matrices": (
            r"\sup_S\big(\Pr[A+W\in S]-e^{\varepsilon}\Pr[A'+W\in S]\big)\le\delta_{\alpha\beta}(\varepsilon)"
        ),
        "sum over three pairs": (
            r"\alpha,\beta\le1:\ \delta_{\alpha\beta}(\varepsilon)\le\delta_{01}(\varepsilon)"
            r"+\delta_{10}(\varepsilon)+\delta_{11}(\varepsilon)"
        ),
    }
    where = {
        r"\alpha": r"positive eigenvalue of $`vv^\top-ww^\top`$ for the replaced row, in units of the scale",
        r"\beta": r"modulus of the negative eigenvalue of $`vv^\top-ww^\top`$, in units of the scale",
        r"\delta_{\alpha\beta}": "profile: the smallest delta at epsilon for a row exchanged with these eigenvalues",
        r"\delta_{01}": "profile when a row is added",
        r"\delta_{10}": "profile when a row is removed",
        r"\delta_{11}": "profile when a row is exchanged for an orthogonal one of the same length",
        "u": r"random number of the chi-squared law with $`\nu+1`$ degrees of freedom",
        "y": r"random number $`u\cos^2\varphi`$, with a random angle of density proportional to $`\cos^{\nu-1}`$",
        r"\kappa": "factor at which the log-ratio equals epsilon",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    uses = ("JXZ-D2", "JXZ-T4-G")
    note = "wishart.md#one-row-for-another"
    rounding = 1e-7
    digits = 17
    examples = 2
    slack = {
        "sum over three pairs": Slack(
            0.514682, "at the pair with the largest profile the other two terms of the sum are positive"
        )
    }

    def cases(self) -> st.SearchStrategy[Case]:
        """Cases where no row is almost a multiple of the other and the loss on the common support starts low."""

        def apart(case: Case) -> bool:
            lowest = np.linalg.eigvalsh(outer(case.v) - outer(case.w))[0]
            return bool(-lowest > SMALLEST and 2 * case.epsilon > case.v @ case.v - case.w @ case.w + EDGE)

        return _instances().filter(apart)

    def fast(self, v: Any, w: Any, nu: int, epsilon: float, seed: int) -> Parts:
        values = np.linalg.eigvalsh(outer(v) - outer(w))
        top, bottom = max(float(values[-1]), 0.0), max(-float(values[0]), 0.0)
        delta = fast.profile(epsilon, nu, top, bottom)
        rng = np.random.default_rng(seed)
        # the divergence is the probability of a loss above epsilon + X, X exponential with mean 1
        large = int(np.sum(drawn_losses(v, w, nu, rng) > epsilon + rng.exponential(size=TRIALS)))
        yield Equal(delta, _by_density(epsilon, nu, top, bottom), scale=1.0, part="profile of an exchange")
        yield Frequency(large, TRIALS, delta, part="divergence of the matrices")
        yield AtMost(delta, fast.corners(epsilon, nu, 1.0), scale=1.0, part="sum over three pairs")

    def oracle(self, v: Matrix, w: Matrix, nu: int, epsilon: Real, _: int) -> Parts:
        values = linalg.eigenvalues(linalg.outer(v) - linalg.outer(w))
        change = values[0], -values[-1]
        delta, seen = oracle.profile(epsilon, nu, *change), oracle.profile_by_density(epsilon, nu, *change)
        yield Equal(delta, seen, scale=1, part="profile of an exchange")
        yield AtMost(seen, delta, scale=1, part="divergence of the matrices")
        yield AtMost(delta, _three_pairs(epsilon, nu), scale=1, part="sum over three pairs")

    def tight(self) -> list[Any]:
        """Orthogonal unit rows; rows of different length, at an angle."""
        first, second = np.eye(2)
        return [Case(first, second, 9, 0.5, 0), Case(first, np.array([0.25, 0.75]), 7, 0.5, 0)]

    def beyond(self) -> dict[str, AtMost]:
        """A row of squared norm 4 becomes zero."""
        longer = exact_chi_square.excess_below(mp.mpf(1) / 2, 9, 4)
        return {"rows of norm at most 1": AtMost(longer, _three_pairs(mp.mpf(1) / 2, 9))}
