"""Cutting a noisy matrix to rank ``k`` costs at most ``2 |E|_2`` over the best, and only ``|W|_2`` if ``W >= 0``.

``|A - B_k|_2 <= |E|_2 + s_{k+1}(B)`` for ``B = A + E``, and Weyl moves ``s_{k+1}`` by at most ``|E|_2``. If noise and
``B`` are PSD, ``A - B_k`` is a difference of two PSD matrices, ``B - B_k`` and ``W``, so its norm is at most the larger
of the two norms, not their sum. With ``B`` indefinite a PSD ``W`` may cost as much as any other noise. At a tie every
choice of ``B_k`` obeys the bound.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Statement, Verdict
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import fields, hermitian, psd, spectra, unitaries


@st.composite
def _instances(draw: DrawFn) -> tuple[Any, ...]:
    """Spectrum and eigenvectors of a noisy matrix, the noise, ``k``, and whether both are PSD.

    Drawing the noisy matrix rather than ``A`` fixes its eigenvectors, so ties are allowed. ``A`` is PSD when the noise
    is small against the spectrum; it need not be.
    """
    d, field, positive = draw(st.sampled_from([3, 2, 4, 1])), draw(fields()), draw(st.booleans())
    u, spectrum = draw(unitaries(d, field)), draw(spectra(d, signed=not positive))
    noise = draw(psd(d, field) if positive else hermitian(d, field)) * draw(st.sampled_from([2.0**-8, 2.0**-20, 1.0]))
    return spectrum + draw(st.sampled_from([0.0, 16.0])), u, noise, draw(st.integers(1, d)), positive


lemma = Statement(
    labels=("JXZ-T9",),
    claim=r"\|A-(A+E)_k\|_2\le s_{k+1}(A)+2\|E\|_2;\qquad A,W\succeq0\Rightarrow"
    r"\|A-(A+W)_k\|_2\le\lambda_{k+1}(A)+\|W\|_2",
    verdict=Verdict.VERIFIED,
    cases=_instances(),
    uses=("JXZ-L4",),
    note="perturbation_low_rank.md#low-rank-approximation-of-a-noisy-matrix",
)


def bound(following: Any, noise: Any, positive: bool) -> Any:
    """Largest ``|A - B_k|_2`` for ``s_{k+1}(A) = following`` and noise of this norm; ``positive`` if both are PSD."""
    return following + noise * (1 if positive else 2)


@lemma.fast
def error(spectrum: Any, u: Any, noise: Any, k: int, positive: bool) -> AtMost:
    noisy = (u * spectrum) @ fast.adjoint(u)
    kept = np.argsort(-np.abs(spectrum), kind="stable")[:k]
    cut = (u[:, kept] * spectrum[kept]) @ fast.adjoint(u[:, kept])
    a = noisy - noise
    values = fast.eigenvalues(a).clip(0) if positive else fast.singular_values(a)
    stated = bound([*values, 0.0][k], fast.spectral_norm(noise), positive)
    return AtMost(fast.spectral_norm(a - cut), stated, scale=fast.frobenius_norm(noisy))


@lemma.oracle
def exact_error(spectrum: Any, u: Any, noise: Any, k: int, positive: bool) -> AtMost:
    u, noise = oracle.exact(u), oracle.exact(noise)
    order = sorted(range(u.cols), key=lambda i: -abs(spectrum[i]))
    terms = [mp.mpf(spectrum[i]) * oracle.outer(u[:, i]) for i in order]
    noisy, lost = sum(terms, mp.zeros(u.rows)), sum(terms[k:], mp.zeros(u.rows))
    values = [max(value, 0) if positive else abs(value) for value in oracle.eigenvalues(noisy - noise)]
    size = max(map(abs, oracle.eigenvalues(noise)))
    stated = [*sorted(values, reverse=True), 0][k] + (size if positive else 2 * size)
    return AtMost(max(map(abs, oracle.eigenvalues(lost - noise))), stated, scale=oracle.frobenius_norm(noisy))


@lemma.tight
def wrong_choice_at_a_tie() -> list[Any]:
    """The noise ties both eigenvalues in modulus, and the wrong one is kept; last, PSD noise, indefinite ``A``."""
    swapped, tie = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([2.0, 2.0])
    return [
        (tie, swapped, np.diag([-1.0, 1.0]), 1, False),
        (tie, swapped, np.diag([0.0, 1.0]), 1, True),
        (np.array([2.0, -2.0]), np.eye(2), np.eye(2), 1, False),
    ]
