"""The law with density proportional to ``exp(kappa <M, H>)`` on the orbit ``{U diag(eigenvalues) U*}``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.fast.linalg import adjoint, eigenvectors
from dpspectra.ground import checks, memory
from dpspectra.sampling.frame_law import FrameLaw, frame_law
from dpspectra.sampling.haar import haar
from dpspectra.sampling.methods import METHODS, choose
from dpspectra.sampling.rejection import Rejection

CHUNK = 2**20
"""Numbers in a chunk of matrices, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class OrbitPlan:
    """How a law on an orbit is sampled."""

    method: str
    """A name in `dpspectra.sampling.methods.METHODS`, or ``constant``, or ``haar``."""
    field: str
    values: NDArray[Any]
    """Eigenvalues of ``M``, descending."""
    vectors: NDArray[Any]
    """Its eigenvectors."""
    spectrum: NDArray[Any]
    kappa: float

    def draw(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        """Matrices of shape ``(size, d, d)``."""
        d = len(self.values)
        out = np.empty((size, d, d), dtype=self.vectors.dtype)
        done = 0
        for matrices in self.chunks(size, max(1, CHUNK // d**2), rng):
            out[done : done + len(matrices)] = matrices
            done += len(matrices)
        return out

    def chunks(self, size: int, chunk: int, rng: np.random.Generator) -> Iterator[NDArray[Any]]:
        """Yield the matrices of `draw` in arrays of at most ``chunk``."""
        for start in range(0, size, chunk):
            yield self._matrices(min(chunk, size - start), rng)

    def _matrices(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        d, method = len(self.values), METHODS.get(self.method)
        if self.method == "constant":
            return np.tile(np.diag(self.spectrum).astype(self.vectors.dtype), (size, 1, 1))
        if (framed := self._framed()) is not None:
            law, sampler = framed
            return law.matrices(self._rotated(law, sampler, size, rng))
        if method is not None and method.matrices is not None:
            own = method.matrices(self.values, self.spectrum, self.kappa, size, rng)
            h = self.vectors @ own @ adjoint(self.vectors)
        else:
            u = haar(d, field=self.field, size=size, rng=rng)
            h = (u * self.spectrum) @ adjoint(u)
        return (h + adjoint(h)) / 2

    def _framed(self) -> tuple[FrameLaw, Rejection] | None:
        """Return the law of frames and its sampler, for a method that draws frames."""
        method, law = METHODS.get(self.method), frame_law(self.values, self.spectrum, self.kappa)
        if method is None or method.frames is None or law is None:
            return None
        return law, method.frames(law, self.field)

    def _rotated(self, law: FrameLaw, sampler: Rejection, size: int, rng: np.random.Generator) -> NDArray[Any]:
        return self.vectors @ law.in_order(sampler.sample(size, rng))

    def frames(self, size: int, rng: np.random.Generator) -> NDArray[Any] | None:
        """Frames ``(size, d, k)`` of the eigenspace of the larger value, where the method draws them.

        Each is uniform among the frames of its span: how a method lays a frame into the span depends on the
        eigenvectors of ``M``, and would tell more about them than the span does.
        """
        framed = self._framed()
        if framed is None or framed[0].reverse:
            return None
        law, sampler = framed
        return self._rotated(law, sampler, size, rng) @ haar(law.k, field=self.field, size=size, rng=rng)


def plan(
    M: ArrayLike, eigenvalues: ArrayLike, kappa: float, field: str | None = None, method: str = "auto"
) -> OrbitPlan:
    """Check the arguments of `orbit` and settle the method."""
    return plan_in_eigenbasis(*eigenvectors(checks.hermitian(M, "M")), eigenvalues, kappa, field, method)


def plan_in_eigenbasis(
    values: NDArray[Any],
    vectors: NDArray[Any],
    eigenvalues: ArrayLike,
    kappa: float,
    field: str | None = None,
    method: str = "auto",
) -> OrbitPlan:
    """`plan` for an ``M`` given by its descending eigenvalues ``(d,)`` and its eigenvectors ``(d, d)`` as columns."""
    spectrum = checks.spectrum(eigenvalues, len(values))
    checks.non_negative(kappa, "kappa")
    checks.choice(method, "method", ("auto", *METHODS))
    field = law_field(field, vectors)
    with np.errstate(over="ignore", invalid="ignore"):
        tilt = kappa * (spectrum[0] - spectrum[-1]) * (values[0] - values[-1])
    if not np.isfinite(tilt):
        raise ValueError(f"kappa times the spreads of M and of the eigenvalues must be finite, got kappa = {kappa:g}")
    method = choose(values, spectrum, kappa, field, method)
    return OrbitPlan(method, field, values, vectors.astype(complex) if field == "complex" else vectors, spectrum, kappa)


def law_field(field: str | None, M: NDArray[Any]) -> str:
    """Return the field of the law: as told, by default that of ``M`` (or of its eigenvectors), which must be in it."""
    own = "complex" if np.iscomplexobj(M) else "real"
    if field is None:
        return own
    if checks.choice(field, "field", ("real", "complex")) == "real" and own == "complex":
        raise ValueError("field must be 'complex' for a complex M, got 'real'")
    return field


def orbit(
    M: ArrayLike,
    eigenvalues: ArrayLike,
    kappa: float,
    *,
    size: int | None = None,
    field: str | None = None,
    method: str = "auto",
    rng: checks.Rng = None,
) -> NDArray[Any]:
    """Draw Hermitian matrices of the given spectrum, density proportional to ``exp(kappa <M, H>)`` under the Haar law.

    Parameters
    ----------
    M
        Hermitian ``(d, d)``.
    eigenvalues
        Descending, of length ``d`` (ties by exact equality).
    kappa
        Inverse temperature, at least 0.
    size
        Number of draws; None for one without a leading axis. Where memory does not hold them, `orbit_chunks` returns
        the same draws in parts.
    field
        ``"real"`` (orthogonal orbit, real ``M`` only) or ``"complex"`` (unitary orbit); by default that of ``M``.
    method
        One of the methods in the Notes, or ``"auto"``, which settles on one that is fast for this law: by the
        acceptance in a pilot run with a stream of its own.
    rng
        A seed or a numpy Generator; None for fresh entropy.

    Returns
    -------
    array
        ``(d, d)``, or ``(size, d, d)``.

    Raises
    ------
    ValueError
        For bad arguments, and where no exact method is practical: in the real field only, where ``field="complex"`` is
        the way out.

    Notes
    -----
    All methods are exact up to rounding.

    ========================  ===============================================================================
    ``bingham``               all eigenvalues but one agree; both fields
    ``ball_chart``            two values, complex, concentrated
    ``macg``                  matrix angular central Gaussian: two values, both fields, not concentrated
    ``two_part``              two values, real; not practical everywhere for more than one of each
    ``vertex``                any eigenvalues, complex, concentrated
    ``gelfand_tsetlin``       all eigenvalues but three, or five far apart, agree, complex, not concentrated much
    ``cftp``                  any eigenvalues, complex; time grows like ``d^4``
    ========================  ===============================================================================

    Examples
    --------
    >>> h = orbit(np.diag([2.0, 1.0, 0.0]), [3.0, 2.0, 0.0], kappa=1.0, field="complex")
    >>> np.allclose(np.linalg.eigvalsh(h), [0, 2, 3])
    True

    """
    chosen = plan(M, eigenvalues, kappa, field, method)
    count = 1 if size is None else checks.integer(size, "size", 0)
    memory.require(chosen.vectors.itemsize * len(chosen.values) ** 2 * count, "size", size)
    drawn = chosen.draw(count, checks.generator(rng))
    return drawn[0] if size is None else drawn


def orbit_chunks(
    M: ArrayLike,
    eigenvalues: ArrayLike,
    kappa: float,
    *,
    size: int,
    chunk: int | None = None,
    field: str | None = None,
    method: str = "auto",
    rng: checks.Rng = None,
) -> Iterator[NDArray[Any]]:
    """Draw as `orbit` does, in arrays of at most ``chunk`` matrices, for more of them than memory holds.

    Parameters
    ----------
    M, eigenvalues, kappa, field, method, rng
        As in `orbit`.
    size
        Number of draws.
    chunk
        Largest number of matrices in an array; by default as many as suit the memory.

    Returns
    -------
    iterator of arrays
        Each ``(at most chunk, d, d)``; together the draws of `orbit`.

    Raises
    ------
    ValueError
        As `orbit`.

    """
    chosen = plan(M, eigenvalues, kappa, field, method)
    checks.integer(size, "size", 0)
    most = max(1, CHUNK // len(chosen.values) ** 2) if chunk is None else checks.integer(chunk, "chunk", 1)
    return chosen.chunks(size, most, checks.generator(rng))
