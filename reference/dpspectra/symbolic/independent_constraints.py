"""One part of a system: dense arrays of rows that share draws, and questions about them."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground.array_types import Floats
from dpspectra.symbolic.laws import Law
from dpspectra.symbolic.observed_constraints import System, Unsolved, roots
from dpspectra.symbolic.origins import of_number
from dpspectra.symbolic.rounded_laws import RoundedLaw

ZERO, SURE = 1e-11, 1e-6
"""Relative size below which a pivot counts as 0, and above which it counts as none."""
AGREES, DIFFERS = 1e-10, 1e-8
"""Residuals, in scales of the noise, below which an equation agrees with others, and above which it does not."""
TIE = 1e-8
"""Distance from a tie, in scales of the noise, within which an inequality is not decided."""
LARGEST_ERROR = 1e-7
"""Error of a log-likelihood, in nats, above which locations are too large for float64."""
FEW, EPS = 64, float(np.finfo(float).eps)
"""Roundings that may lie between two numbers that are the same."""
MOST = 400
"""Rows, or draws, of one part that are solved."""


@dataclass(frozen=True)
class Likelihood:
    """Log-density of the pivots (or log-probability of the inequalities) with its error; minus infinity is exact."""

    value: float
    error: float
    pivots: tuple[int, ...] = ()


@dataclass(frozen=True)
class Loss:
    """A log-ratio of likelihoods in nats, and a bound on its error."""

    value: float
    error: float = 0.0


@dataclass(frozen=True)
class Whole:
    """One number ``mu + factor w`` with a whole number ``w`` of a law."""

    law: Law
    mu: float
    factor: float


@dataclass(frozen=True)
class Term:
    """One independent part: its loss as a function of the values, and what it can show at most."""

    place: str
    law: str
    loss: Callable[[Floats], Loss]
    bound: float
    """Largest loss over all values; infinite if none is known."""
    mu: float
    """Distance of the locations in standard deviations if the noise is normal and of one shape; else infinite."""
    move: Floats
    scale: Floats
    stretch: float = 1.0
    """Largest factor by which the scales of the data sets differ, at least 1."""
    between: bool = False
    """Whether ``move`` is that of a difference of draws, which a decision compares."""
    places: tuple[str, ...] = ()
    """Lines of all its draws, if there are several."""
    equations: tuple[int, ...] = ()
    """Numbers of the values."""
    whole: tuple[Whole, Whole] | None = None
    """The only number on both data sets, if it is a whole one."""
    sharp: bool = True
    """Whether ``mu`` says exactly what can be told, and not at most."""


@dataclass
class Part:
    """Dense arrays of one part: equations ``mu + B z = y``, inequalities ``c + C z > 0``."""

    draws: NDArray[np.int64]
    laws: list[Law]
    mu: Floats
    B: Floats
    y: Floats
    c: Floats
    C: Floats
    origins: dict[int, Any]
    """How computed draws depend on their roots, by column."""
    together: tuple[tuple[Law, NDArray[np.int64]], ...] = ()
    """Laws of dependent draws, and the columns of each."""

    @property
    def scales(self) -> Floats:
        """Norms of the coefficients of each equation."""
        return np.linalg.norm(self.B, axis=1)


def part(whole: System, rows: Any) -> Part:
    """Dense arrays of some rows."""
    rows = np.asarray(rows)
    equations, others = rows[rows < whole.equations], rows[rows >= whole.equations]
    chosen = whole.B[rows]
    draws = np.unique(chosen.indices)
    extra = _with_roots(whole, draws)
    if max(len(rows), len(extra)) > MOST:
        raise Unsolved(f"a part of {len(rows)} numbers and {len(extra)} draws is too large")
    dense, together = chosen[:, extra].toarray(), []
    for block in {b.start: b for b in map(whole.block, map(int, extra)) if b.law.joint is not None}.values():
        columns = np.flatnonzero((extra >= block.start) & (extra < block.start + len(block.values)))
        if len(columns) < len(block.values):
            raise Unsolved(f"dependent numbers of {block.place} are used apart")
        together.append((block.law, columns))
    mine = rows < whole.equations
    column = {int(j): k for k, j in enumerate(extra)}
    origins: dict[int, Any] = {}
    for j in map(int, extra):
        older = [r for r in roots(whole.blocks, j)[1:] if r in column]
        if older:
            origins[column[j]] = _origin(whole, j, older), column[older[0]]
    return Part(
        extra,
        [whole.law(int(j)) for j in extra],
        whole.mu[equations],
        dense[mine],
        whole.y[equations],
        whole.mu[others],
        dense[~mine],
        origins,
        tuple(together),
    )


def _origin(whole: System, j: int, older: list[int]) -> Any:
    """Return how a computed draw depends on a root; a rounded one may be computed from what was computed from that."""
    law, computed = whole.law(j), whole.block(j).computed
    if computed.rising is not None and list(computed.roots) == older:
        return computed
    inner = whole.block(computed.roots[0]).computed if type(law) is RoundedLaw else None
    if inner is None or inner.rising is None or list(inner.roots) != older:
        raise Unsolved("noise is used beside a function of it")
    return of_number(computed, inner)


def _with_roots(whole: System, draws: NDArray[np.int64]) -> NDArray[np.int64]:
    """Draws with those roots of computed ones that the rows hold too, or that two computed ones share."""
    known = set(draws.tolist())
    count: dict[int, int] = {}
    for j in draws.tolist():
        for r in roots(whole.blocks, j)[1:]:
            count[r] = count.get(r, 0) + 1
    shared = [r for r, n in count.items() if n > 1 and r not in known]
    if shared:
        raise Unsolved("noise is used in two functions of it")
    return draws


def place_of(whole: System, it: Part) -> str:
    """Where the first draw of a part was made."""
    return whole.block(int(it.draws[0])).place if len(it.draws) else "nowhere"


def rounding(it: Part) -> float:
    """Error of the standardised equations by rounding of locations and of values, in scales."""
    if not len(it.mu):
        return 0.0
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(it.mu), np.abs(it.y))
        return float(np.max(4 * np.spacing(np.where(np.isfinite(size), size, 1.0)) / it.scales))


def by_rounding(mu: Floats, nu: Floats) -> Floats:
    """Return the difference of locations that rounding explains: numbers that share noise show all beyond it."""
    size = np.maximum(np.abs(mu), np.abs(nu))
    return np.asarray(FEW * np.spacing(np.where(np.isfinite(size), size, 1.0)))


def checked(value: float, error: float, pivots: tuple[int, ...]) -> Likelihood:
    """Return a likelihood, if its error is small enough."""
    if error > LARGEST_ERROR:
        raise Unsolved("locations are too large for float64")
    if isnan(value):
        raise Unsolved("a likelihood is not a number")
    return Likelihood(value, error, pivots)


def hold(c: Floats, C: Floats, z: Floats, slack: float) -> bool:
    """Whether inequalities hold at known draws; one that is close to a tie is not decided."""
    if not len(c):
        return True
    norms = np.linalg.norm(C, axis=1)
    norms = np.where(norms == 0, 1.0, norms)
    at = (c + C @ z) / norms
    size = (np.abs(c) + np.abs(C) @ np.abs(z)) / norms
    if np.any(np.abs(at) < TIE + 8 * slack + 4e-16 * size):
        raise Unsolved("a comparison is too close to a tie")
    return bool(np.all(at > 0))
