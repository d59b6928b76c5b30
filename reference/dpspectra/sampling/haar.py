"""Haar-distributed unitary and orthogonal matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks, memory

COMPLEX = 16
"""Bytes of a complex number."""


def haar(d: int, *, field: str = "complex", size: int | None = None, rng: checks.Rng = None) -> NDArray[Any]:
    """Draw uniform unitary or orthogonal matrices.

    Parameters
    ----------
    d
        Order, at least 1.
    field
        ``"complex"`` (unitary) or ``"real"`` (orthogonal).
    size
        Number of draws; None for one without a leading axis.
    rng
        A seed or a numpy Generator; None for fresh entropy.

    Returns
    -------
    array
        ``(d, d)``, or ``(size, d, d)``.

    Raises
    ------
    ValueError
        For ``d < 1``, another field, or a negative size.

    Notes
    -----
    QR of a Gaussian matrix, with the phases that make the diagonal of R positive. Without them the law is not uniform.

    Examples
    --------
    >>> u = haar(3, size=2)
    >>> u.shape, np.allclose(u @ u.conj().swapaxes(1, 2), np.eye(3))
    ((2, 3, 3), True)

    """
    checks.integer(d, "d", 1)
    checks.choice(field, "field", ("complex", "real"))
    count = 1 if size is None else checks.integer(size, "size", 0)
    memory.require(COMPLEX * d * d, "d", d)
    memory.require(COMPLEX * d * d * count, "size", size)
    g = gaussian((count, d, d), field, checks.generator(rng))
    q, r = np.linalg.qr(g)
    diagonal = np.diagonal(r, axis1=-2, axis2=-1)
    q = q * (diagonal / np.abs(diagonal))[:, None, :]
    return q[0] if size is None else q


def gaussian(shape: tuple[int, ...], field: str, rng: np.random.Generator) -> NDArray[Any]:
    """Return a standard Gaussian array: real entries of variance 1, or complex entries with ``E|z|^2 = 1``."""
    real = rng.standard_normal(shape)
    return real if field == "real" else (real + 1j * rng.standard_normal(shape)) * np.sqrt(0.5)
