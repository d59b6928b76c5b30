"""With Laplace noise the low-rank matrix is purely private, at an error of order ``k d`` instead of ``k^(3/2) d``.

The error depends on the spectral norm of a Laplace block, which is smaller than its Frobenius norm by the root of the
rank; the scale may be a tenth of the printed one. The published corollary has ``O(log d / gamma)`` rounds, too few for
a large matrix: the noise has a fixed size, while the error of the subspace is a fraction of ``A``.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Parts, Relation, Verdict, statement
from dpspectra.lemmas.concentration import projected_laplace
from dpspectra.lemmas.power.private_low_rank import (
    AFTER,
    RELEASES,
    WITHIN,
    cases,
    constant,
    error_of,
    exact_error_of,
    longest_column,
)
from dpspectra.lemmas.power.private_runs import exact_run, fast_run, steady, worst_runs


def laplace_norms(level: Any, d: int, k: int, p: int, rounds: int, eta: Any) -> tuple[Any, Any]:
    """With probability at least ``1 - eta`` each: bounds on the spectral norms of all ``rounds`` Laplace blocks.

    The entries have scale ``level``. The second bound is for the parts of the blocks in ``k`` directions.
    """
    whole, inside = (projected_laplace.radius(eta, rows, p, rounds) for rows in (d, k))
    return level * whole, level * inside


def _exact_laplace_radii(eta: float) -> Any:
    def radii(d: int, k: int, p: int) -> tuple[Any, ...]:
        levels = [(max(rows, p), mp.log((rows + p) * RELEASES / mp.mpf(eta))) for rows in (d, k)]
        return tuple(2 * mp.sqrt(weight * level) + level for weight, level in levels)

    return radii


@statement
class PureLowRank:
    labels = ("HP-C4.7",)
    given = (
        r"B=(AX_L+G_{L+1})X_L^\top,\ \|G_l\|\le\nu_l=\nu=\lambda(2\sqrt{d\ell}+\ell),\ "
        r"\|U^\top G_l\|\le\lambda(2\sqrt{p\ell'}+\ell')\le\tfrac15\mathrm{gap}\cos\theta_0,\ 10\nu<\mathrm{gap},\ "
        r"\ell=\log\tfrac{(d+p)(L+1)}\eta,\ \ell'=\log\tfrac{(k+p)(L+1)}\eta,\ "
        r"\lambda=\tfrac{p(L+1)\sqrt d}\varepsilon"
    )
    claim = {
        "error after the rounds": AFTER,
        "loss of all products": r"\sum_{l=0}^L\|X_l\|_1\le p(L+1)\sqrt d",
        "error within the stationary angle": WITHIN,
    }
    printed = (
        r"Not at hand; read as: an $`(\varepsilon,0)`$-DP algorithm with an output of rank $`2k`$ and "
        r"$`\lVert A-B\rVert\le\sigma_{k+1}+\tilde "
        r"O\big(\frac{\sigma_1k^{3/2}d}{\sigma_k\gamma^2\varepsilon}\big)`$, under unit spectral norm changes."
    )
    where = {
        r"\lambda": "scale of the Laplace noise on every entry",
        r"\ell": "logarithm of the number of entries and rounds over the risk",
        r"\eta": "probability that noise exceeds its bound, at most, for each of the two bounds",
        r"\ell'": "the same for the part of the noise inside the range of $`U`$",
    }
    verdict = Verdict.PROOF_GAP
    relation = (Relation.SPECTRAL,)
    uses = ("HP-T2.4", "HP-L2.5P", "HP-L4.5", "HP-LA.3P", "HP-E3", "HP-C4.3", "HP-T1.3")
    note = "power.md#purely-private-low-rank-approximation"
    digits = 30
    examples = 30
    cases = staticmethod(cases)

    def fast(self, drawn: Any, eta: float) -> Parts:
        """The error after a run; and the ``l1`` shifts of all products by a change of the identity."""
        run = fast_run(drawn, lambda d, k, p: laplace_norms(1.0, d, k, p, RELEASES, eta), constant)
        if run is None:
            return
        d, p = drawn[0].basis.shape
        loss = float(sum(np.sum(np.abs(x)) for x in run.iterates))
        yield from error_of(run)
        yield AtMost(loss, float(p * RELEASES * np.sqrt(d)), part="loss of all products")

    def oracle(self, drawn: Any, eta: float) -> Parts:
        run = exact_run(drawn, _exact_laplace_radii(eta), longest_column)
        if run is None:
            return
        d, p = drawn[0].basis.shape
        loss = mp.fsum(abs(x) for iterate in run.iterates for x in iterate)
        yield from exact_error_of(run)
        yield AtMost(loss, p * RELEASES * mp.sqrt(d), part="loss of all products")

    def tight(self) -> list[Any]:
        """Worst noise, also with flat iterates of either sign, which have the largest loss."""
        whole, twice = (float(laplace_norms(1.0, 2 * k, k, k, RELEASES, 0.5)[0]) for k in (1, 2))
        runs = *worst_runs(whole), *worst_runs(twice, 2), steady(whole, 1.0, -np.pi / 4)
        return [(run, 0.5) for run in runs]

    def beyond(self) -> dict[str, AtMost]:
        """Flat iterates in two dimensions, one round and one product with the noise of one release."""
        return {"noise for one more round": AtMost(2 * mp.sqrt(2), mp.sqrt(2), part="loss of all products")}
