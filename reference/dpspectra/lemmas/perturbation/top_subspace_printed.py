"""The printed theorem on the top ``k`` eigenvectors of a noisy matrix: ``|P - P'|_F <= 2 sqrt(k) |W|_2 / gap``.

It holds if ``gap > 2 |W|_2``, and for PSD noise with no condition (both by `top_subspace`). The published theorem
allows ``gap = 2 |W|_2``, where the noisy eigenvalues may be tied and a top eigenvector may be any vector.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Matrix, Statement, Verdict, inequality
from dpspectra.lemmas.perturbation.top_subspace import (
    CONDITION,
    UNCLEAR,
    exactly_moved,
    instances,
    just_beyond,
    moved,
    off_diagonal_noise,
)
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import st


def _cases() -> st.SearchStrategy[Any]:
    """Noise of norm below half the gap, or PSD up to rounding."""

    def allowed(case: tuple[Any, Any, int]) -> bool:
        a, noise, k = case
        values, noisy = fast.eigenvalues(a), fast.eigenvalues(noise)
        small = 2 * max(abs(noisy)) < (1 - UNCLEAR) * (values[k - 1] - values[k])
        return bool(small or noisy[-1] >= -(UNCLEAR**2) * noisy[0])

    return instances((*CONDITION, 4.0)).filter(allowed)


lemma = Statement(
    labels=("JXZ-T6",),
    claim=r"g=\lambda_k(A)-\lambda_{k+1}(A)>2\|W\|_2\ \text{or}\ W\succeq0\Rightarrow"
    r"\|P-\hat P\|_F\le\frac{2\sqrt k\,\|W\|_2}g",
    verdict=Verdict.REPAIRED,
    cases=_cases,
    uses=("JXZ-T6-a", "JXZ-T6-b"),
    note="perturbation.md#top-subspace",
)


@lemma.fast
def repaired_bound(a: Any, noise: Any, k: int) -> AtMost:
    move = moved(a, noise, k)
    square = 4 * k * max(abs(move.noise)) ** 2
    return AtMost((move.frobenius * move.gap) ** 2, square, scale=move.size**2, part="Frobenius distance")


@lemma.oracle
def exact_repaired_bound(a: Matrix, noise: Matrix, k: int) -> AtMost:
    move, square = exactly_moved(a, noise, k), 4 * k * oracle.spectral_norm(noise) ** 2
    return AtMost((move.frobenius * move.gap) ** 2, square, scale=move.size**2, part="Frobenius distance")


@lemma.beyond
def noise_of_both_signs() -> dict[str, AtMost]:
    a, noise = just_beyond()
    move = exactly_moved(a, noise, 1)
    limit = 2 * oracle.spectral_norm(noise)
    return {"gap above twice the norm, or PSD noise": AtMost(move.frobenius * move.gap, limit)}


lemma.tight(lambda: off_diagonal_noise()[1:])  # almost half a right angle


@lemma.as_printed
def with_equality_in_the_condition(a: Any, noise: Any, top: Any) -> AtMost:
    """``top`` is a unit eigenvector of the largest eigenvalue of ``a + noise``, which may be multiple."""
    a, noise, top = map(oracle.exact, (a, noise, top))
    values = oracle.eigenvalues(a)
    move = oracle.top_projector(a, 1) - oracle.outer(top)
    limit = 2 * oracle.spectral_norm(noise) / (values[0] - values[1])
    return AtMost(oracle.frobenius_norm(move), limit, part="printed form")


@lemma.counterexample
def tied_by_the_noise() -> Any:
    """The noisy matrix is half the identity, and the second axis is as good a top vector as the first."""
    return np.diag([1.0, 0.0]), np.diag([-0.5, 0.5]), np.array([0.0, 1.0])


lemma.certificate(
    lambda: inequality(
        "JXZ-T6",
        "A = diag(1, 0) and W = diag(-1/2, 1/2) have gap 1 = 2 |W|; A + W = I/2 has the second axis among its top"
        " vectors, whose projector is at distance sqrt(2), above 2 |W| / gap = 1",
        ["sqrt", "2"],
        ["div", ["mul", "2", "1/2"], ["sub", "1", "0"]],
    )
)
