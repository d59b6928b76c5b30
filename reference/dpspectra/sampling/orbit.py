"""The law with density proportional to ``exp(kappa <M, H>)`` on the orbit ``{U diag(eigenvalues) U*}``.

Built so far: spectra in which at least ``d - 1`` values agree (so every spectrum for ``d <= 2``), where the orbit is a
projective space and ``H`` is determined by one unit vector.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.fast import checks
from dpspectra.fast.linalg import eigenvectors, outer
from dpspectra.sampling import angular_gaussian, simplex

METHODS = ("auto", "bingham", "simplex")


@dataclass(frozen=True, slots=True)
class Plan:
    """How a law on an orbit is sampled: ``H = base I + step v v*`` with ``v`` drawn by ``method``."""

    method: str
    """``constant`` (the orbit is a point), ``bingham`` or ``simplex``."""
    field: str
    base: float
    step: float
    exponents: NDArray[Any]
    """Of ``v`` in the basis ``vectors``, least first."""
    vectors: NDArray[Any]

    def draw(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        """Matrices of shape ``(size, d, d)``."""
        identity = self.base * np.eye(len(self.vectors), dtype=self.vectors.dtype)
        return identity + self.step * outer(self.unit_vectors(size, rng))

    def unit_vectors(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        """The unit vectors ``v``, shape ``(size, d)``."""
        if self.method == "constant":
            return np.broadcast_to(self.vectors[:, 0], (size, len(self.vectors)))
        if self.method == "simplex":
            return simplex.coordinates(self.exponents, size, rng) @ self.vectors.T
        return angular_gaussian.coordinates(self.exponents, self.field, size, rng) @ self.vectors.T


def plan(M: ArrayLike, eigenvalues: ArrayLike, kappa: float, field: str | None = None, method: str = "auto") -> Plan:
    """Check the arguments of `orbit` and choose a method; all methods sample the same law."""
    m = checks.hermitian(M, "M")
    spectrum = checks.spectrum(eigenvalues, len(m))
    checks.non_negative(kappa, "kappa")
    checks.choice(method, "method", METHODS)
    field = checks.choice(field or ("complex" if np.iscomplexobj(m) else "real"), "field", ("real", "complex"))
    if field == "real" and np.iscomplexobj(m):
        raise ValueError("field must be 'complex' for a complex M, got 'real'")
    if method == "simplex" and field == "real":
        raise ValueError("method must be 'bingham' or 'auto' in the real field, got 'simplex'")
    base, step = _base_and_step(spectrum)
    values, vectors = eigenvectors(m * (-1.0 if step < 0 else 1.0))
    exponents = kappa * abs(step) * (values[0] - values)
    if step == 0:
        method = "constant"
    elif method == "auto":
        method = "simplex" if field == "complex" and _concentrated(exponents) else "bingham"
    return Plan(method, field, base, step, exponents, vectors.astype(complex) if field == "complex" else vectors)


def _base_and_step(spectrum: NDArray[np.float64]) -> tuple[float, float]:
    """Write the spectrum as ``base`` everywhere plus ``step`` in one place."""
    if spectrum[0] == spectrum[-1]:
        return float(spectrum[0]), 0.0
    if spectrum[1] == spectrum[-1]:
        return float(spectrum[-1]), float(spectrum[0] - spectrum[-1])
    if spectrum[0] == spectrum[-2]:
        return float(spectrum[0]), float(spectrum[-1] - spectrum[0])
    raise ValueError(f"eigenvalues must agree in all places but one for an exact sampler, got {spectrum.tolist()}")


def _concentrated(exponents: NDArray[Any]) -> bool:
    """Whether the exponentials, cut off nowhere, have a sum of mean at most 1/2, so that the simplex accepts half."""
    rates = exponents[1:]
    return bool(np.all(rates > 0) and np.sum(1 / rates) <= 0.5)


def orbit(
    M: ArrayLike,
    eigenvalues: ArrayLike,
    kappa: float,
    *,
    size: int | None = None,
    field: str | None = None,
    method: str = "auto",
    rng: Any = None,
) -> NDArray[Any]:
    """Hermitian matrices of the given spectrum, density proportional to ``exp(kappa <M, H>)`` under the Haar law.

    ``M`` is ``(d, d)`` Hermitian, ``eigenvalues`` descending of length ``d``, ``kappa >= 0`` the inverse temperature.
    ``field`` is ``"real"`` (orthogonal orbit, real ``M`` only) or ``"complex"`` (unitary orbit); by default that of
    ``M``. Returns ``(d, d)``, or ``(size, d, d)``. Raises ``ValueError`` for bad input and for spectra no exact sampler
    is built for.
    """
    chosen = plan(M, eigenvalues, kappa, field, method)
    drawn = chosen.draw(1 if size is None else checks.integer(size, "size", 0), checks.generator(rng))
    return drawn[0] if size is None else drawn
