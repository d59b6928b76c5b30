"""With Laplace noise the low-rank matrix is purely private, at an error of order ``k d`` instead of ``k^(3/2) d``.

The error depends on the spectral norm of a Laplace block, which is smaller than its Frobenius norm by the root of the
rank; the scale may be a tenth of the printed one. The published corollary has ``O(log d / gamma)`` rounds, too few for
a large matrix: the noise has a fixed size, while the error of the subspace is a fraction of ``A``.
"""

from __future__ import annotations

from typing import Any

from mpmath import mp

from dpspectra.ledger import AtMost, Statement, Verdict, inequality
from dpspectra.lemmas.concentration import projected_laplace
from dpspectra.lemmas.power.private_low_rank import ERROR, RELEASES, cases, error_of, exact_error_of
from dpspectra.lemmas.power.private_runs import exact_run, fast_run
from dpspectra.relations import Relation

lemma = Statement(
    labels=("HP-C4.7",),
    claim=ERROR + r",\quad\|G_l\|\le\lambda(2\sqrt{d\ell}+\ell),\ \|U^\top G_l\|\le\lambda(2\sqrt{p\ell}+\ell),\ "
    r"\ell=\ln\tfrac{(d+p)(L+1)}\eta,\ \lambda=\tfrac{p(L+1)\sqrt d}\varepsilon",
    verdict=Verdict.REPAIRED,
    relation=(Relation.SPECTRAL,),
    cases=cases,
    uses=("HP-T2.4", "HP-L2.5P", "HP-L4.5", "HP-LA.3P", "HP-E3"),
    note="power.md#purely-private-low-rank-approximation",
    digits=30,
    examples=40,
)


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


@lemma.fast
def laplace_error(run: Any, eta: float) -> AtMost | tuple[()]:
    return error_of(fast_run(run, lambda d, k, p: laplace_norms(1.0, d, k, p, RELEASES, eta), lambda _: 1.0))


@lemma.oracle
def exact_laplace_error(run: Any, eta: float) -> AtMost | tuple[()]:
    return exact_error_of(exact_run(run, _exact_laplace_radii(eta), lambda _: mp.mpf(1)))


@lemma.as_printed
def excess_of_large_matrices(rounds: int) -> AtMost:
    """``(|A - B| - sigma_2) / sigma_1`` for ``A = c diag(1, 1/2, 1/2)``, ``p = 2``, as ``c`` grows, against 0.

    The excess is that of noiseless rounds. The complement of the start is a uniform unit vector, whose first entry is
    1/2 or more with probability 1/2; ``rounds`` rounds turn its square ``1/4`` to ``1 / (1 + 3 4^rounds)``.
    """
    square = 1 / (1 + 3 * mp.mpf(4) ** rounds)
    return AtMost(mp.sqrt(mp.mpf(1) / 4 + 3 * square / 4) - mp.mpf(1) / 2, mp.mpf(0), part="printed form")


@lemma.counterexample
def eighteen_rounds() -> Any:
    """The printed number with the constant 8: ``8 log(3) / gamma``, ``gamma = 1/2``."""
    return (18,)


@lemma.certificate
def eighteen_rounds_certificate() -> dict[str, Any]:
    return inequality(
        "HP-C4.7",
        "A = c diag(1, 1/2, 1/2), rank 2, 18 rounds: with probability one half (|A - B| - sigma_2) / c tends to this"
        " positive number as c grows, while the printed error, noise of a fixed size, divided by c tends to 0",
        ["sub", ["sqrt", ["add", "1/4", ["div", "3", ["mul", "4", f"{1 + 3 * 4**18}"]]]], "1/2"],
        "0",
    )
