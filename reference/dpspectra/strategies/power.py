"""Instances for the power method: symmetric matrices whose largest ``k`` eigenvalues in modulus stand apart."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpspectra.strategies import dyadics, rectangular, subspaces, unitaries
from dpspectra.strategies.lazy import st

SHAPES = [(2, 1, 1), (3, 1, 2), (4, 2, 2), (4, 1, 2), (5, 2, 3), (4, 2, 3), (3, 1, 3), (2, 2, 2), (1, 1, 1)]
"""Dimension ``d``, target rank ``k``, width ``p``."""

STEEP = 2.0**-8
"""Cosine below which a start counts as being at right angles to the target."""


@st.composite
def gapped(draw: st.DrawFn, d: int, k: int, largest_ratio: float = 1.0, least: float = 0.0) -> Any:
    """Signed eigenvalues of descending modulus, ``|v_k| = 1``, ``|v_{k+1}| <= largest_ratio``, no tie between them."""
    top = 1 + np.array(draw(st.lists(dyadics(0, 4, 3), min_size=k - 1, max_size=k - 1)), dtype=float)
    ratio = draw(dyadics(least, largest_ratio, 4).filter(lambda r: r < 1))
    rest = draw(st.lists(dyadics(least, 1, 2), min_size=d - k, max_size=d - k))
    tail = np.maximum(ratio * np.sort(np.array(rest, dtype=float))[::-1], least)
    tail[:1] = ratio
    signs = np.array(draw(st.lists(st.sampled_from([1.0, -1.0]), min_size=d, max_size=d)))
    return signs * np.concatenate([np.sort(top)[::-1], [1.0], tail])


@st.composite
def starts(draw: st.DrawFn, shapes: Any = SHAPES, largest_ratio: float = 1.0, least: float = 0.0) -> tuple[Any, ...]:
    """Eigenvectors (the first ``k`` columns are the target), eigenvalues, ``k``, an oblique basis of a start."""
    d, k, p = draw(st.sampled_from(shapes))
    frame = draw(unitaries(d))
    return frame, draw(gapped(d, k, largest_ratio, least)), k, draw(subspaces(frame, k, p))


class NoisyStart(NamedTuple):
    """A symmetric matrix, a start of the power method, and noise blocks still to be scaled."""

    frame: Any
    """Eigenvectors; the first ``k`` columns are the target."""
    values: Any
    """Eigenvalues of descending modulus."""
    k: int
    basis: Any
    """Oblique basis of the start."""
    blocks: Any


def doubled(start: NoisyStart) -> NoisyStart:
    """Direct sum of a start with itself: all sizes are twice as large, all angles and spectral norms the same."""
    frame, basis, *blocks = (np.kron(x, np.eye(2)) for x in (start.frame, start.basis, *start.blocks))
    return NoisyStart(frame, np.repeat(start.values, 2), 2 * start.k, basis, blocks)


@st.composite
def noisy_starts(
    draw: st.DrawFn, blocks: int, shapes: Any = SHAPES, largest_ratio: float = 1.0, least: float = 0.0
) -> NoisyStart:
    """Draw a start and a list of integer noise blocks, each still to be scaled."""
    frame, values, k, basis = draw(starts(shapes, largest_ratio, least))
    return NoisyStart(frame, values, k, basis, [draw(rectangular(*basis.shape)) for _ in range(blocks)])


def stable_starts(blocks: int, shapes: Any = SHAPES, largest_ratio: float = 1.0) -> st.SearchStrategy[NoisyStart]:
    """`noisy_starts` for many rounds of floats: no leading columns are at right angles to leading eigenvectors.

    There rounding errors would grow like powers of a ratio of eigenvalues, until they decide the basis, which the noise
    is added to. All columns together may be at right angles to the target, if there are as many.
    """
    return noisy_starts(blocks, shapes, largest_ratio, least=0.25).filter(_is_stable)


def _is_stable(start: NoisyStart) -> bool:
    frame, basis, sizes = start.frame, np.linalg.qr(start.basis)[0], np.abs(start.values)
    d, p = basis.shape
    drops = [j for j in range(1, min(p, d - 1) + 1) if sizes[j - 1] > sizes[j] and not j == start.k == p]
    return all(np.linalg.svd(frame[:, :j].T @ basis[:, :j], compute_uv=False)[-1] >= STEEP for j in drops)


def following(values: Any, k: int) -> float:
    """``|v_{k+1}|``, and 0 after the last one."""
    return float(abs(values[k])) if k < len(values) else 0.0


WIDE = [(5, 1, 2, 3), (4, 1, 2, 3), (6, 2, 4, 5), (5, 1, 2, 4)]
"""``d``, ``k``, ``q = 2 k``, and ``p > 2 k``."""
BLOCKS = 2
"""Noise blocks of an instance; they are used in turn."""


@st.composite
def _flat_spectra(draw: st.DrawFn, d: int, k: int, q: int) -> Any:
    """Signed, descending moduli; the gap after ``k`` may be 0, that after ``q`` is not."""
    top = 1 + np.sort(np.array(draw(st.lists(dyadics(0, 2, 2), min_size=k, max_size=k)), dtype=float))[::-1]
    top[-1] = 1.0
    middle = np.sort(np.array(draw(st.lists(dyadics(0.75, 1, 4), min_size=q - k, max_size=q - k)), dtype=float))[::-1]
    rest = draw(st.sampled_from([1.0, 0.5])) * 2.0 ** -np.arange(1, d - q + 1)
    signs = np.array(draw(st.lists(st.sampled_from([1.0, -1.0]), min_size=d, max_size=d)))
    return signs * np.concatenate([top, middle, rest])


class WideStart(NamedTuple):
    """A symmetric matrix, a start with more columns than wanted, and noise blocks still to be scaled."""

    frame: Any
    """Eigenvectors; the first ``k`` columns are the target."""
    values: Any
    """Eigenvalues of descending modulus."""
    k: int
    q: int
    """Index after which there is a gap, ``k <= q``."""
    basis: Any
    """Oblique basis of the start."""
    blocks: Any


@st.composite
def wide_starts(draw: st.DrawFn) -> WideStart:
    """Draw a start with more than ``2 k`` columns, and integer noise blocks."""
    d, k, q, p = draw(st.sampled_from(WIDE))
    frame = draw(unitaries(d))
    blocks = [draw(rectangular(d, p)) for _ in range(BLOCKS)]
    return WideStart(frame, draw(_flat_spectra(d, k, q)), k, q, draw(subspaces(frame, q, p)), blocks)
