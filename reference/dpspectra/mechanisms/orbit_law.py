"""The exponential mechanism on a unitary orbit in both arithmetics: its temperature, its field, and one draw."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.bounds import REAL_PART, one_apart, orbit_gap
from dpspectra.certified import calibrate
from dpspectra.certified.entropy import Source
from dpspectra.certified.orbit import Orbit, step_exponent
from dpspectra.fast.linalg import orbit_projection
from dpspectra.formulas.orbit_accounting import inverse_temperature
from dpspectra.ground import checks
from dpspectra.ground.array_types import Array
from dpspectra.mechanisms.randomness import Ideal, Rng, where_possible
from dpspectra.mechanisms.second_moments import Decomposed
from dpspectra.sampling.orbit import plan_in_eigenbasis

SILENT_REFUSAL = "nobody learns whether the sampler asked for refused the input, which depends on the data"
NEAREST = "nearest real matrix of the same spectrum to the real part"
EXACT = (
    "DPS-EIGENBASIS",
    "DPS-RESIDUAL",
    "DPS-CORRECTION",
    "DPS-ROOT",
    "DPS-TILTEDCHART",
    "DPS-MACG",
    "DPS-VERTEX",
    "DPS-GTMONO",
    "DPS-GTREC",
)
"""Statements behind a certified draw, by whichever sampler."""


def arithmetic_for(
    field: str | None, method: str, spectrum: NDArray[Any], rng: Rng, arithmetic: str | None
) -> Source | Ideal:
    """Choose as `randomness` does; ideal by default for a ``method`` and for real laws without a certified sampler."""
    return where_possible(
        method == "auto" and (field != "real" or one_apart(spectrum)),
        "field must be 'complex' or None unless all eigenvalues but one agree, and method 'auto',",
        f"{field!r} and {method!r}",
        rng,
        arithmetic,
    )


def law_of(is_complex: bool, spectrum: NDArray[Any], field: str | None) -> str:
    """Field of the law, unless told: a function of the spectrum and of the declared type, never of entries.

    Two laws may each be private while a choice between them by the data is not. A real sampler serves every ``M`` where
    at least all values but one agree.
    """
    if field is not None:
        if checks.choice(field, "field", ("real", "complex")) == "real" and is_complex:
            raise ValueError("field must be 'complex' for a complex M, got 'real'")
        return field
    return "complex" if is_complex or not one_apart(spectrum) else "real"


class ExponentialLaw(ABC):
    """The law with density proportional to ``exp(kappa <M, H>)`` on the orbit of a public spectrum."""

    spectrum: NDArray[np.float64]
    kappa: float
    field: str
    method: str
    """The sampler, which may depend on the data."""

    @abstractmethod
    def draw(self, draw: Source | np.random.Generator) -> tuple[Array, dict[str, Any]]:
        """One matrix, and the ``step`` of its grid if there is one."""

    def in_field(self, real: bool, draw: Source | np.random.Generator) -> tuple[Array, dict[str, Any]]:
        """Return a draw with its spectrum, made real if asked, and the details that say how."""
        value, step = self.draw(draw)
        made_real = real and np.iscomplexobj(value)
        if made_real or step:
            value = orbit_projection(value.real if real else value, self.spectrum)
        return value, {"field": self.field, "postprocessing": NEAREST if made_real else None, **step}

    def gap(self, epsilon: float, relation: str, beta: float, postprocessing: str | None, **known: Any) -> float:
        """Bound on the gap of the value with probability at least ``1 - beta``, given public bounds on ``M``."""
        cost = REAL_PART if postprocessing else 1.0
        return cost * orbit_gap(self.spectrum, epsilon, relation=relation, beta=beta, field=self.field, **known)


class IdealLaw(ExponentialLaw):
    """The law in float64."""

    def __init__(
        self, m: Decomposed, spectrum: NDArray[Any], epsilon: Fraction, relation: str, field: str, method: str
    ) -> None:
        self.spectrum, self.field = spectrum, field
        is_point = spectrum[0] == spectrum[-1]
        self.kappa = 0.0 if is_point else float(inverse_temperature(spectrum, float(epsilon), relation))
        self._plan = plan_in_eigenbasis(m.values, m.vectors, spectrum, self.kappa, field, method)
        self.method = self._plan.method

    def draw(self, draw: Source | np.random.Generator) -> tuple[Array, dict[str, Any]]:
        """One matrix."""
        assert isinstance(draw, np.random.Generator)
        return self._plan.draw(1, draw)[0], {}

    def frame(self, draw: Source | np.random.Generator) -> NDArray[Any] | None:
        """Return a frame of the eigenspace of the larger value, uniform in it; ``None`` in the complex field."""
        assert isinstance(draw, np.random.Generator)
        return self._plan.frames(1, draw)[0] if self.field == "real" else None


class CertifiedLaw(ExponentialLaw):
    """The law for the matrix exactly as it is; draws are correctly rounded to a public grid.

    ``unit`` is the largest squared norm of a person's row in units of the matrix. Where the spectrum has two values a
    projector is drawn, and scaled and moved afterwards.
    """

    def __init__(
        self, m: Decomposed, spectrum: NDArray[Any], epsilon: Fraction, relation: str, field: str, unit: Fraction
    ) -> None:
        self.spectrum, self.field, self.kappa, self.method = spectrum, field, 0.0, "constant"
        self._orbit: Orbit | None = None
        self._levels, (self._low, self._scale) = _levels(spectrum)
        if self._levels[0] == self._levels[-1]:
            return
        ends = Fraction(float(self._levels[0])), Fraction(float(self._levels[-1]))
        temperature = calibrate.at_most(inverse_temperature(ends, epsilon / unit, relation))
        self.kappa = temperature * float(unit) / self._scale
        self._orbit = Orbit(m.m, temperature, m.values * temperature, m.vectors, self._levels, field)
        self.method = self._orbit.method

    def draw(self, draw: Source | np.random.Generator) -> tuple[Array, dict[str, Any]]:
        """One matrix, and the ``step`` of the grid it was rounded to, a projector if the spectrum has two values."""
        exponent = step_exponent(self._levels)
        if self._orbit is None:
            return np.diag(self.spectrum).astype(complex if self.field == "complex" else float), {}
        assert isinstance(draw, Source)
        h = self._orbit.draw(exponent, draw)
        moved = self._low * np.eye(len(h)) + self._scale * h
        return moved, {"step": math.ldexp(1.0, exponent)}


def _levels(spectrum: NDArray[Any]) -> tuple[NDArray[np.float64], tuple[float, float]]:
    """Return a spectrum to draw for, and the shift and factor to apply afterwards.

    If two values occur, the spectrum is of ones and zeros.
    """
    top, bottom = float(spectrum[0]), float(spectrum[-1])
    if top > bottom and np.all((spectrum == top) | (spectrum == bottom)):
        return (spectrum == top).astype(float), (bottom, top - bottom)
    return spectrum, (0.0, 1.0)


def law(
    m: Decomposed,
    spectrum: NDArray[Any],
    epsilon: Fraction,
    relation: str,
    field: str,
    method: str,
    source: Source | Ideal,
    unit: Fraction = Fraction(1),
) -> ExponentialLaw:
    """Return the law that is ``epsilon``-DP for a matrix of people whose rows have squared norms of at most ``unit``.

    In ideal arithmetic the unit is 1. Raises ``ValueError`` where no sampler serves an ideal law, or not ``method``.
    """
    if isinstance(source, Ideal):
        return IdealLaw(m, spectrum, epsilon, relation, field, method)
    return CertifiedLaw(m, spectrum, epsilon, relation, field, unit)
