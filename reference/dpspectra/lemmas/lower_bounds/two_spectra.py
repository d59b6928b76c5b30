"""Matrices of two spectra, with an output of any kind: instances for what is said of outputs off the orbit."""

from typing import Any, NamedTuple

from mpmath import mp

from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, epsilons, fields, rectangular, spectra, st, unitaries


class Case(NamedTuple):
    """Two spectra with eigenvectors, an output that need not be Hermitian, its rank after truncation, ``epsilon``."""

    gamma: Any
    spectrum: Any
    u: Any
    v: Any
    output: Any
    k: int
    epsilon: float


@st.composite
def instances(draw: st.DrawFn, signed: bool = False) -> Case:
    """Any spectra and eigenvectors, and outputs of two sizes."""
    d, field = draw(dimensions(2)), draw(fields())
    u, v = (draw(unitaries(d, field)) for _ in range(2))
    output = draw(rectangular(d, d, field)) * draw(st.sampled_from([1.0, 0.125]))
    gamma, spectrum = (draw(spectra(d, signed)) for _ in range(2))
    return Case(gamma, spectrum, u, v, output, draw(st.integers(1, d - 1)), draw(epsilons(2.0**-6, 2.0)))


def point(spectrum: Any, u: Any) -> tuple[Any, list[Any]]:
    """A matrix from its eigenvalues and eigenvectors, and the eigenvalues, in mpmath."""
    values, frame = [mp.mpf(x) for x in spectrum], oracle.exact(u)
    return frame * mp.diag(values) * frame.H, values
