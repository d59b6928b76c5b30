"""The law with density proportional to ``exp(kappa <M, H>)`` on the orbit ``{U diag(eigenvalues) U*}``."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.fast.linalg import eigenvectors
from dpspectra.ground import checks, memory
from dpspectra.sampling.frame_law import frame_law
from dpspectra.sampling.haar import haar
from dpspectra.sampling.identity_plus_low_rank import Decomposition, Draw
from dpspectra.sampling.methods import METHODS, choose

CHUNK = 2**20
"""Numbers in a chunk of matrices, unless told otherwise."""
KEPT = 2**4
"""Laws whose method and sampler are remembered, since both take up to a hundred times as long as a draw."""
TOGETHER = 2**22
"""Numbers in the matrices that are drawn together where all of them are kept."""


@dataclass(frozen=True)
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
        most = max(1, TOGETHER // d**2)
        for start in range(0, size, most):
            part = out[start : start + most]
            self._drawn(len(part), rng).write(part)
        return out

    def chunks(self, size: int, chunk: int, rng: np.random.Generator) -> Iterator[NDArray[Any]]:
        """Yield ``size`` matrices in arrays of at most ``chunk``; small chunks are parts of what is drawn together."""
        most = chunk * max(1, CHUNK // len(self.values) ** 2 // chunk)
        for start in range(0, size, most):
            drawn = self._drawn(min(most, size - start), rng).matrices()
            yield from (drawn[k : k + chunk] for k in range(0, len(drawn), chunk))

    def _drawn(self, size: int, rng: np.random.Generator) -> Decomposition:
        draw = _draw(self.values.tobytes(), self.spectrum.tobytes(), self.kappa, self.field, self.method)
        return draw(size, rng).in_basis(self.vectors)

    def frames(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        """Frames ``(size, d, k)`` of the eigenspace of the largest value, which ``k`` eigenvalues have.

        Each is uniform among the frames of its span: how a method lays a frame into the span depends on the
        eigenvectors of ``M``, and would tell more about them than the span does.
        """
        d, k, method = len(self.values), int(np.sum(self.spectrum == self.spectrum[0])), METHODS.get(self.method)
        out = np.empty((size, d, k), dtype=self.vectors.dtype)
        most = max(1, size if method is not None and method.frames is not None else CHUNK // d**2)
        for start in range(0, size, most):
            drawn = self._drawn(min(most, size - start), rng)
            leading = drawn.leading(k)
            if leading is None:
                leading = np.linalg.eigh(drawn.matrices())[1][..., d - k :]
            out[start : start + most] = leading @ haar(k, field=self.field, size=len(leading), rng=rng)
        return out


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
    method = _method(values.tobytes(), spectrum.tobytes(), kappa, field, method)
    return OrbitPlan(method, field, values, vectors.astype(complex) if field == "complex" else vectors, spectrum, kappa)


@functools.lru_cache(maxsize=KEPT)
def _method(values: bytes, spectrum: bytes, kappa: float, field: str, method: str) -> str:
    """`choose`, remembered for the bytes of both spectra."""
    return choose(np.frombuffer(values), np.frombuffer(spectrum), kappa, field, method)


@functools.lru_cache(maxsize=KEPT)
def _draw(values: bytes, spectrum: bytes, kappa: float, field: str, method: str) -> Draw:
    """Draw in the eigenbasis of ``M``, remembered likewise."""
    m, h = np.frombuffer(values), np.frombuffer(spectrum)
    d, dtype = len(h), complex if field == "complex" else float
    if method == "constant":
        return lambda size, rng: Decomposition(float(h[0]), np.zeros(0), np.empty((size, d, 0), dtype))
    if method == "haar":
        above = h[h > h[-1]] - h[-1]
        return lambda size, rng: Decomposition(
            float(h[-1]), above, haar(d, field=field, size=size, rng=rng)[..., : len(above)]
        )
    way, law = METHODS[method], frame_law(m, h, kappa)
    if way.matrices is not None:
        return way.matrices(m, h, kappa)
    assert way.frames is not None
    assert law is not None
    sampler = way.frames(law, field)
    return lambda size, rng: law.decomposition(sampler.sample(size, rng))


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
        Number of draws; None for one without a leading axis. A draw alone takes up to 60 times as long as one of
        many: a loop over `orbit_chunks` with ``chunk=1`` has single ones at the price of many, and one with larger
        chunks has more than memory holds.
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
    """Draw as `orbit` does, in arrays of at most ``chunk`` matrices: for loops, and for more than memory holds.

    Parameters
    ----------
    M, eigenvalues, kappa, field, method, rng
        As in `orbit`.
    size
        Number of draws.
    chunk
        Largest number of matrices in an array; by default as many as suit the memory. Up to that, it changes no draw.

    Returns
    -------
    iterator of arrays
        Each ``(at most chunk, d, d)``. Those that memory holds at once are the draws of `orbit` with the same ``rng``.

    Raises
    ------
    ValueError
        As `orbit`.

    """
    chosen = plan(M, eigenvalues, kappa, field, method)
    checks.integer(size, "size", 0)
    most = max(1, CHUNK // len(chosen.values) ** 2) if chunk is None else checks.integer(chunk, "chunk", 1)
    return chosen.chunks(size, most, checks.generator(rng))
