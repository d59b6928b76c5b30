"""Every public sampler, and the noise of every mechanism, with a reference for the law that it should follow.

Inputs are weak and concentrated: a rejection sampler that accepts too much is wrong only where it should often reject.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpspectra import sampling
from dpspectra.audit import references
from dpspectra.audit.references import Reference
from dpspectra.fast import linalg
from dpspectra.ground.array_types import Array
from dpspectra.matrices.summed_elsewhere import Matrix
from dpspectra.mechanisms.catalogue import MECHANISMS
from dpspectra.mechanisms.mechanism_record import MOMENTS, ROWS
from dpspectra.sampling.methods import serving
from dpspectra.sampling.orbit import plan


@dataclass(frozen=True, slots=True)
class Case:
    """A sampler of this package, the law it should follow, and an input."""

    name: str
    candidate: Callable[..., Any]
    reference: Reference
    x: Any
    call: functools.partial[Any] | None = None
    """The mechanism and its arguments, where the candidate is its noise."""


LEVELS = {"weak": 1.0, "concentrated": 8.0}
"""Inverse temperatures times the eigenvalue gap, by name."""
SPECTRA = ((1.0, 0.0, 0.0, 0.0), (1.0, 1.0, 0.0, 0.0), (2.0, 1.0, 0.0, 0.0))


def cases() -> tuple[Case, ...]:
    """All samplers and noise laws of this package, each on weak and on concentrated inputs."""
    return (*_uniform(), *_orbits(), *_noises())


def _uniform() -> list[Case]:
    cases = []
    for field in ("real", "complex"):
        uniform = functools.partial(sampling.haar, field=field)
        cases += [Case(f"haar, {field}, d = {d}", uniform, references.haar(field), d) for d in (2, 4)]
    turn = np.array([[0, 1j], [-1j, 0]])
    for name, level in LEVELS.items():
        for d in (3, 10):
            a = -level * np.diag([2.0, 1.0] + [0.0] * (d - 2))
            cases.append(Case(f"bingham, real, d = {d}, {name}", sampling.bingham, references.bingham(), a))
        cases.append(Case(f"bingham, complex, {name}", sampling.bingham, references.bingham(), level * turn))
    return cases


def _orbits() -> list[Case]:
    """Each method against the next one that serves; ``M`` is not diagonal, and its gaps are 1."""
    turn = linalg.polar_factor(np.arange(16.0).reshape(4, 4) % 7 + 3 * np.eye(4))
    m = (turn * [3.0, 2.0, 1.0, 0.0]) @ turn.T
    cases = []
    for spectrum in SPECTRA:
        for name, kappa in LEVELS.items():
            for field in ("real", "complex"):
                methods = [method for method in serving(field) if _serves(m, spectrum, kappa, field, method)]
                for method, other in zip(methods, methods[1:] + methods[:1], strict=True):
                    candidate = functools.partial(
                        sampling.orbit, eigenvalues=spectrum, kappa=kappa, field=field, method=method
                    )
                    title = f"orbit of {spectrum}, {field}, {method}, {name}"
                    cases.append(Case(title, candidate, references.orbit(spectrum, kappa, field, other), m))
    return cases


def _serves(m: Array, spectrum: Sequence[float], kappa: float, field: str, method: str) -> bool:
    try:
        plan(m, spectrum, kappa, field, method)
    except ValueError:
        return False
    return True


def _noises() -> list[Case]:
    """Every mechanism that has a law to follow, on rows, or on a matrix whose eigenvalues the noise hardly moves."""
    inputs = {ROWS: np.array([[0.6, 0.8, 0.0], [0.0, 0.0, 1.0]]), MOMENTS: np.diag([60.0, 58.0, 1.0])}
    cases = []
    for record in MECHANISMS.values():
        for ideal in record.ideals:
            law = getattr(references, ideal.reference)(*ideal.given)
            called = functools.partial(record.function(), **ideal.call)
            candidate = _of_matrices(called) if record.sums else called
            cases.append(Case(law.name, candidate, law, inputs[record.data], called))
    return cases


def _of_matrices(mechanism: Callable[..., Any]) -> Callable[..., Any]:
    """Return a mechanism of second moments, as a function of an array."""

    def candidate(m: Array, rng: np.random.Generator) -> Any:
        return mechanism(Matrix(m), rng=rng)

    return candidate
