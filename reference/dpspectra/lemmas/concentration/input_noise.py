"""How large the noise of input perturbation is in spectral norm, of order ``d sqrt(d log d)``, ``d`` or ``sqrt d``.

Laplace noise for ``(epsilon, 0)`` (JXZ-A1), one Wishart matrix (JXZ-A2), Gaussian noise for ``(epsilon, delta)``, and
the difference of two Wishart matrices for ``(epsilon, 0)`` (JXZ-T4-R1), each with probability ``1 - eta``. The
difference lies between ``-W'`` and ``W``, so its norm is at most the larger of theirs. Printed: orders of magnitude,
``d log d`` in place of ``d`` for the Wishart row, and that row under ``(epsilon, 0)``: the noise is that small, but the
mechanism is not private.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast import wishart
from dpspectra.ledger import AtMost, Frequency, Statement, Verdict, inequality
from dpspectra.ledger.outcomes import Outcome
from dpspectra.lemmas.concentration import laplace_matrix, wishart_norm
from dpspectra.lemmas.wishart.one_sided_claim import event
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import symmetric_noise, top_eigenvalue
from dpspectra.strategies import deltas, dyadics, psd, seeds

TRIALS = 4000

lemma = Statement(
    labels=("JXZ-Table1",),
    claim=r"\begin{gathered}\text{each w.p. }1-\eta:\ \|Z_{\rm Lap(b)}\|_2\le b\big(2\sqrt{d\ln\tfrac{2d}\eta}+"
    r"\ln\tfrac{2d}\eta\big),\ \|Z_{N(0,\sigma^2)}\|_2\le2\sigma\big(\sqrt d+\sqrt{\ln\tfrac2\eta}\big),\\"
    r"\|W\|_2\le c\,\tau(\eta),\ \|W-W'\|_2\le c'\tau(\tfrac\eta2),\quad\tau(\eta)=\big(\sqrt d+\sqrt{d+1}+"
    r"\sqrt{2\ln\tfrac1\eta}\big)^2;\\b=\tfrac{2d}{n\varepsilon},\ c=\tfrac3{2n\varepsilon},\ c'=\tfrac1{n\varepsilon}"
    r"\end{gathered}",
    verdict=Verdict.REPAIRED,
    cases=st.tuples(
        st.sampled_from(["laplace", "wishart", "gaussian", "difference"]),
        st.integers(1, 2),
        dyadics(2.0**-6, 1 - 2.0**-6) | deltas(),
        st.integers(1, 4).flatmap(lambda d: st.tuples(psd(d), psd(d))),
        seeds(),
    ),
    uses=("JXZ-A1", "JXZ-A1-U", "JXZ-A2", "JXZ-L1-R", "JXZ-T4-R1", "JXZ-T4-X"),
    note="concentration.md#noise-of-input-perturbation",
    digits=25,  # an integral or a Pfaffian of integrals a case
    examples=25,
)


def gaussian_radius(eta: Any, d: Any) -> Any:
    """Norm of symmetric noise, standard normal on and above the diagonal, exceeded with probability at most ``eta``."""
    return 2 * (np.sqrt(d) + np.sqrt(np.log(2 / eta)))


def difference_radius(eta: Any, d: Any) -> Any:
    """The same for ``W - W'``, both ``W_d(d + 1, I)``."""
    return wishart_norm.quantile(eta / 2, d)


RADII: dict[str, Callable[[Any, Any], Any]] = {
    "laplace": laplace_matrix.radius,
    "wishart": wishart_norm.quantile,
    "gaussian": gaussian_radius,
    "difference": difference_radius,
}


def _norms(row: str, d: int, rng: np.random.Generator) -> Any:
    """Drawn norms; for a difference the larger of the two norms."""
    if row in ("wishart", "difference"):
        drawn = fast.spectral_norm(wishart.draws(d + 1, np.eye(d), 2 * TRIALS, rng)).reshape(2, TRIALS)
        return drawn[0] if row == "wishart" else drawn.max(axis=0)
    shape = TRIALS, d * (d + 1) // 2
    upper = rng.laplace(size=shape) if row == "laplace" else rng.standard_normal(shape)
    return fast.spectral_norm(fast.mirror(upper, d))


@lemma.fast
def exceedance(row: str, d: int, eta: float, pair: Any, seed: int) -> tuple[Outcome, ...]:
    """How often the radius is exceeded; the difference of a given pair; the radius grows with ``d`` and ``1 / eta``."""
    above = np.sum(_norms(row, d, np.random.default_rng(seed)) > RADII[row](eta, d))
    one, other = pair
    return (
        Frequency(int(above), TRIALS, eta),
        AtMost(fast.spectral_norm(one - other), max(fast.spectral_norm(one), fast.spectral_norm(other))),
        AtMost(RADII[row](eta, d), RADII[row](eta / 2, d + 1)),
    )


@lemma.oracle
def exact_exceedance(row: str, d: int, eta: float, pair: Any, _: int) -> tuple[Outcome, ...]:
    eta, matrices = mp.mpf(eta), 2 if row == "difference" else 1

    def radius(eta: Any, d: int) -> Any:
        if row == "laplace":
            level = mp.log(2 * d / eta)
            return 2 * mp.sqrt(d * level) + level
        if row == "gaussian":
            return 2 * mp.sqrt(d) + mp.sqrt(4 * mp.log(2 / eta))
        return (mp.sqrt(d) + mp.sqrt(d + 1) + mp.sqrt(2 * mp.log(matrices / eta))) ** 2

    if row == "laplace":
        above = symmetric_noise.laplace_norm_tail(radius(eta, d), d)
    elif row == "gaussian":
        above = symmetric_noise.gaussian_norm_tail(radius(eta, d), d)
    else:
        above = 1 - top_eigenvalue.wishart_cdf(radius(eta, d), d + 1, d) ** matrices
    one, other = map(oracle.exact, pair)
    norms = [oracle.spectral_norm(x) for x in (one - other, one, other)]
    return AtMost(above, eta, scale=1), AtMost(norms[0], max(norms[1:])), AtMost(radius(eta, d), radius(eta / 2, d + 1))


@lemma.as_printed
def pure_privacy(n: int, epsilon: float) -> AtMost:
    """What the Wishart row promises beside its noise, for ``[0, 1/n)`` in one dimension: JXZ-T4."""
    return event(n, epsilon)


@lemma.counterexample
def two_rows() -> Any:
    return 2, 3.0


@lemma.certificate
def two_rows_certificate() -> dict[str, Any]:
    return inequality(
        "JXZ-Table1",
        "n = 2, epsilon = 3, d = 1: exponential noise of mean 1/2 is below 1/2 with probability 1 - exp(-1); added to"
        " the matrix 1/2 it never is",
        ["sub", "1", ["exp", "-1"]],
        ["mul", ["exp", "3"], "0"],
    )


@lemma.tight
def one_matrix() -> list[Any]:
    """Every row of the table, for which the other matrix of the pair is zero."""
    pair = np.diag([2.0, 1.0]), np.zeros((2, 2))
    return [(row, d, 0.9375, pair, 0) for row in RADII for d in (1, 2)]
