"""Noise ``W`` moves the top-``k`` projector of ``A`` by at most ``2 sqrt(k) |W|_2 / gap`` if ``gap > 2 |W|_2``.

Reflecting ``A`` in the noisy space doubles the angles and keeps the spectrum, so ``sin 2 theta <= spread(W) / gap``;
along ``t W`` no angle can pass 45 degrees while the gap stays open. Without the condition the constant is
``2 sqrt(2 k)``, which says no more than that ``2 k`` sines are at most 1. For ``W >= 0``, whose spread is at most
``|W|_2``, the condition is not needed.
"""

import itertools
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Parts, Verdict, statement
from dpspectra.lemmas.perturbation.davis_kahan import UNCLEAR, exact_distances
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import fields, hermitian, psd, spectra, st, unitaries

CONDITION = (0.5, 1.0, 2.0**-10)
"""Upper bounds on the quotient of spread and gap for which the gap condition holds."""


@st.composite
def _noisy(draw: st.DrawFn, quotients: tuple[float, ...]) -> tuple[Any, Any, int]:
    """A matrix with a gap after place ``k``; noise of spread less than one of ``quotients`` times the gap; ``k``."""
    d, field = draw(st.sampled_from([3, 4, 2])), draw(fields())
    k = draw(st.integers(1, d - 1))
    spectrum, u = draw(spectra(d)), draw(unitaries(d, field))
    spectrum[:k] += draw(st.sampled_from([4.0, 0.25, 16.0]))
    noise = draw(st.sampled_from([hermitian, psd]).flatmap(lambda kind: kind(d, field)))
    quotient = draw(st.sampled_from(quotients)) * (spectrum[k - 1] - spectrum[k])
    octave = np.floor(np.log2(quotient / (1 + np.ptp(fast.eigenvalues(noise)))))
    return (u * spectrum) @ u.conj().T, noise * 2.0**octave, k


def instances(quotients: tuple[float, ...]) -> st.SearchStrategy[Any]:
    """Matrix, noise and ``k`` for which float64 can determine the projector of the noisy matrix."""

    def clear(case: tuple[Any, Any, int]) -> bool:
        a, noise, k = case
        values = fast.eigenvalues(a + noise)
        return bool(values[k - 1] - values[k] > UNCLEAR * fast.frobenius_norm(a))

    return _noisy(quotients).filter(clear)


class Move(NamedTuple):
    """Distances of the projectors, the gap, spread and spectrum of the noise, and the size of the matrix."""

    frobenius: Any
    spectral: Any
    gap: Any
    spread: Any
    noise: Any
    size: Any


def moved(a: Any, noise: Any, k: int) -> Move:
    """How far the noise moves the top-``k`` projector."""
    values, size = fast.eigenvalues(a), fast.frobenius_norm(a)
    move = fast.top_projector(a, k) - fast.top_projector(a + noise, k)
    gap, noisy = values[k - 1] - values[k], fast.eigenvalues(noise)
    return Move(fast.frobenius_norm(move), fast.spectral_norm(move), gap, noisy[0] - noisy[-1], noisy, size)


def exactly_moved(a: Any, noise: Any, k: int) -> Move:
    """`moved` in mpmath, by the sines of angles."""
    a, noise = oracle.exact(a), oracle.exact(noise)
    values, spectrum = oracle.eigenvalues(a), oracle.eigenvalues(noise)
    spectral, frobenius = exact_distances(a, a + noise, k)
    spread = max(x - y for x, y in itertools.product(spectrum, repeat=2))
    return Move(frobenius, spectral, values[k - 1] - values[k], spread, spectrum, oracle.frobenius_norm(a))


@statement
class TopSubspaceUnconditional:
    labels = ("JXZ-T6-a",)
    given = r"g=\lambda_k(A)-\lambda_{k+1}(A),\ m=\min(k,d-k)"
    claim = {
        "Frobenius distance": r"g\,\|P-\hat P\|_F\le\sqrt{2m}\,(\lambda_1(W)-\lambda_d(W))",
    }
    where = {
        "W": "noise, a Hermitian matrix",
        "P": "projector on the span of eigenvectors for the $`k`$ largest eigenvalues of $`A`$",
        r"\hat P": "the same for $`A+W`$",
        "m": "the smaller of $`k`$ and $`d-k`$",
        "g": "gap of $`A`$ at place $`k`$",
    }
    verdict = Verdict.NEW
    uses = ("JXZ-L3",)
    note = "perturbation.md#top-subspace-without-a-gap-condition"
    without_beyond = "It holds for every matrix and all noise: without a gap after place k the left side is 0."

    def cases(self) -> Any:
        return instances((1.0, 4.0, 0.5, 2.0**-10))

    def fast(self, a: Any, noise: Any, k: int) -> AtMost:
        move = moved(a, noise, k)
        limit = np.sqrt(2.0 * min(k, len(a) - k)) * move.spread
        return AtMost(move.frobenius * move.gap, limit, scale=move.size, part="Frobenius distance")

    def oracle(self, a: Any, noise: Any, k: int) -> AtMost:
        move = exactly_moved(a, noise, k)
        limit = mp.sqrt(2 * min(k, len(a) - k)) * move.spread
        return AtMost(move.frobenius * move.gap, limit, scale=move.size, part="Frobenius distance")

    def tight(self) -> list[Any]:
        """Two eigenvalues whose order the noise has just reversed, above or below a distant one; and two pairs."""
        signs, above, below = np.array([1.0, -1.0]), np.array([1.0, -1.0, 0.0]), np.array([0.0, 1.0, -1.0])
        reversing = -(0.5 + 0.375 * 2.0**-20)
        return [
            (np.diag(signs / 2), np.diag(reversing * signs), 1),
            (np.diag(above / 2 - [0, 0, 4]), np.diag(reversing * above), 1),
            (np.diag(below / 2 + [4, 0, 0]), np.diag(reversing * below), 2),
            (np.diag(np.repeat(signs, 2) / 2), np.diag(reversing * np.repeat(signs, 2)), 2),
        ]


def just_beyond() -> tuple[Any, Any]:
    """Noise whose spread just exceeds the gap, twice its norm: it exchanges the two axes."""
    crossed = mp.mpf(1) / 2 + mp.mpf(2) ** -10
    return mp.diag([1, 0]), mp.diag([-crossed, crossed])


@statement
class TopSubspaceConditional:
    labels = ("JXZ-T6-b",)
    given = r"s=\lambda_1(W)-\lambda_d(W)<g=\lambda_k(A)-\lambda_{k+1}(A),\ m=\min(k,d-k)"
    claim = {
        "spectral distance": r"\|P-\hat P\|_2\le\sin\big(\tfrac12\arcsin\tfrac sg\big)",
        "Frobenius distance": r"\big(g\,\|P-\hat P\|_F\big)^2\le m\,s^2",
    }
    where = {
        "g": "gap of $`A`$ at place $`k`$",
        "W": "noise, a Hermitian matrix",
        "P": "projector on the span of eigenvectors for the $`k`$ largest eigenvalues of $`A`$",
        r"\hat P": "the same for $`A+W`$",
        "m": "the smaller of $`k`$ and $`d-k`$",
        "s": "spread of the noise: its largest eigenvalue less its smallest",
    }
    verdict = Verdict.NEW
    uses = ("MWKTV-E13",)
    note = "perturbation.md#top-subspace-with-a-gap-condition"

    def cases(self) -> Any:
        return instances(CONDITION)

    def fast(self, a: Any, noise: Any, k: int) -> Parts:
        move = moved(a, noise, k)
        sine, square = np.sin(np.arcsin(move.spread / move.gap) / 2), min(k, len(a) - k) * move.spread**2
        yield AtMost(move.spectral, sine, scale=move.size / move.gap, part="spectral distance")
        yield AtMost((move.frobenius * move.gap) ** 2, square, scale=move.size**2, part="Frobenius distance")

    def oracle(self, a: Any, noise: Any, k: int) -> Parts:
        move = exactly_moved(a, noise, k)
        sine, square = mp.sin(mp.asin(move.spread / move.gap) / 2), min(k, len(a) - k) * move.spread**2
        yield AtMost(move.spectral, sine, scale=move.size / move.gap, part="spectral distance")
        yield AtMost((move.frobenius * move.gap) ** 2, square, scale=move.size**2, part="Frobenius distance")

    def tight(self) -> list[Any]:
        """Noise off-diagonal to the noisy space, at ``sin 2 theta = 3/5`` and at almost 45 degrees.

        A distant eigenvalue lies below the others, or above them; the last instance has none. At almost 45 degrees
        spread over gap is ``(n - 1) / (n + 1)``; the Frobenius bound is attained as ``n`` grows.
        """
        n, root = 2.0**42, 2.0**21
        almost = (n - 1) / (n + 1) ** 2 / 2 * np.array([[1 - n, 2 * root], [2 * root, n - 1]])
        return [
            (np.diag([50.0, 0.0, -50.0]), np.pad(np.array([[-9.0, 12.0], [12.0, 9.0]]), (0, 1)), 1),
            (np.diag([4.0, 0.5, -0.5]), np.pad(almost, (1, 0)), 2),
            (np.diag([0.5, -0.5, -4.0]), np.pad(almost, (0, 1)), 1),
            (np.diag([0.5, 0.5, -0.5, -0.5]), np.kron(almost, np.eye(2)), 2),
        ]

    def beyond(self) -> dict[str, AtMost]:
        move = exactly_moved(*just_beyond(), 1)
        return {"spread below the gap": AtMost(move.frobenius * move.gap, move.spread)}
