"""Lenses: statistics of one output that past draws have chosen. They are data, and can be saved.

A lens is a function of one row of a matrix of a table (`dpspectra.audit.reading.number_places`), fixed before the row
was drawn: so bets on it are as sound as those on any other column (DPS-PREDICT).

Do not change lightly: records of users hold lenses in the form of `Lens.to_dict`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.reading.features import Table
from dpspectra.audit.reading.number_places import MEMBERS, PLACES
from dpspectra.ground import records

KINDS = ("place", "bins", "residue", "bit", "fraction", "product", "parity", "member")
"""A number; the bin of a number; its remainder; one of its bits; the fractional part of a multiple; a product of two
centred numbers; a sum mod 2; whether a member is there."""
SETS = ("bins", "residue", "bit")
"""Kinds whose values are labels."""
MISSING = 2**20
"""Label of what has no number."""
FEW = 32
"""Largest number of ends of intervals that numbers are compared with one by one."""
SHOWN = 3
"""Intervals, numbers or words that are named."""


@dataclass(frozen=True, slots=True)
class Lens:
    """A statistic of one row."""

    kind: str
    places: tuple[int, ...]
    """Columns of the matrix that it reads."""
    numbers: tuple[float, ...]
    """Edges of the bins; modulus; the power of two that the bit stands for; factor, and what is added; two centres."""
    name: str = field(compare=False)
    """Property of an output that it reads, in words."""
    among: int
    """Candidates among which it was chosen."""

    @property
    def base(self) -> str:
        """The matrix that it reads."""
        return MEMBERS if self.kind == "member" else PLACES

    @property
    def statistic(self) -> str:
        """Name of the column."""
        if self.kind == "bins" and len(self.numbers) > SHOWN:
            return f"{self.name} in {len(self.numbers) + 1} bins"
        if self.kind == "bins":
            return f"{self.name} cut at {', '.join(map(repr, self.numbers))}"
        if self.kind == "residue":
            return f"{self.name} mod {self.numbers[0]:g}"
        if self.kind == "bit":
            return f"bit {self._bit} of {self.name}"
        if self.kind == "fraction":
            plus = "".join(f" plus {phase:g}" for phase in self.numbers[1:])
            return f"fractional part of {self.numbers[0]:g} times {self.name}{plus}"
        if self.kind == "member":
            return f"presence of member {self.places[0]}"
        return f"number at {self.name}" if self.kind == "place" else self.name

    @property
    def codes(self) -> int:
        """Labels of its bins, residues or bits, from 0 on, without `MISSING`."""
        if self.kind == "bit":
            return 2
        return len(self.numbers) + 1 if self.kind == "bins" else int(self.numbers[0])

    @property
    def _bit(self) -> int:
        """Which bit it is, the last one being 0."""
        return int(self.numbers[0]).bit_length() - 1

    def inside(self, members: Sequence[int], known: Sequence[int], new: bool) -> NDArray[np.bool_]:
        """Which of its labels are in a set, the last one being `MISSING`; with ``new`` all that are not ``known``."""
        inside = np.full(self.codes + 1, new)
        for labels, there in ((known, False), (members, True)):
            inside[np.minimum(np.array(labels, dtype=int), self.codes)] = there
        return inside

    @property
    def luck(self) -> float:
        """Merit that the best of its candidates owes to luck, times the root of the number of draws."""
        return math.sqrt(2 * math.log(self.among))

    def __call__(self, table: Table) -> NDArray[Any]:
        """Return the column of ``n`` draws: labels (``uint64``) of bins, residues and bits, else real numbers."""
        x = table[self.base]
        if self.kind == "member":
            return x[:, self.places[0]].astype(float)
        column = x[:, self.places[0]].astype(float)
        if self.kind == "place":
            return column
        if self.kind == "bins":
            code = np.searchsorted(np.array(self.numbers), column, side="right")
            return np.where(np.isnan(column), MISSING, code).astype(np.uint64)
        if self.kind == "residue":
            return remainders(column, self.numbers[0])
        if self.kind == "bit":
            return bits(column, self._bit)
        if self.kind == "fraction":
            return fractions(column, *self.numbers)
        if self.kind == "product":
            with np.errstate(all="ignore"):
                other = x[:, self.places[1]]
                found = (column - self.numbers[0]) * (other - self.numbers[1])
            return np.where(np.isfinite(found), found, np.nan)
        return np.where(np.isfinite(x[:, list(self.places)]), x[:, list(self.places)], 0.0).sum(axis=1) % 2.0

    def hits(self, table: Table, inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """At which draws the label is `inside` a set: of few intervals by comparison with their ends, which is fast."""
        flips = np.flatnonzero(np.diff(inside[:-1].view(np.uint8)))
        if self.kind != "bins" or len(flips) > FEW:
            return np.asarray(inside[np.minimum(self(table), np.uint64(self.codes))])
        column = np.ascontiguousarray(table[self.base][:, self.places[0]])  # which is compared faster
        found = np.full(len(column), inside[0])
        for flip in flips.tolist():
            found ^= column >= self.numbers[flip]
        if inside[-1] != inside[0]:
            found[np.isnan(column)] = inside[-1]
        return found

    def words(self, members: Sequence[int], known: Sequence[int], new: bool) -> str:
        """Return a set of its labels, in words."""
        *inside, missing = self.inside(members, known, new)
        codes, others = ([code for code, there in enumerate(inside) if there == which] for which in (True, False))
        if self.kind == "residue" and 0 < len(others) <= SHOWN < len(codes):
            without = "" if missing else ", with a number"
            return f"{self.name} mod {self.numbers[0]:g} other than {' and '.join(map(str, others))}{without}"
        shown = self._intervals(codes) if self.kind == "bins" else list(map(str, codes))
        more = [f"{len(shown) - SHOWN} more"] if len(shown) > SHOWN else []
        texts = [*shown[:SHOWN], *more, *(["without a number"] if missing else [])]
        relation = f"{self.name} in" if self.kind == "bins" else f"{self.statistic} ="
        return f"{relation} {' or '.join(texts)}" if codes else f"{self.name} without a number"

    def _intervals(self, codes: Sequence[int]) -> list[str]:
        """Unions of neighbouring bins, by their ends."""
        runs: list[list[int]] = []
        for code in codes:
            if runs and runs[-1][1] == code - 1:
                runs[-1][1] = code
            else:
                runs.append([code, code])
        ends = [-math.inf, *self.numbers, math.inf]
        return [f"[{ends[first]:.6g}, {ends[last + 1]:.6g})" for first, last in runs]

    def merged(self, members: Sequence[int], known: Sequence[int], new: bool) -> tuple[Lens, tuple[int, ...]]:
        """Join the bins of a set where they touch, so that a number is found in few of them; return its labels, too."""
        *inside, missing = self.inside(members, known, new)
        flips = [code for code in range(1, len(inside)) if inside[code] != inside[code - 1]]
        members = [code for code, start in enumerate([0, *flips]) if inside[start]]
        edges = tuple(self.numbers[code - 1] for code in flips)
        return replace(self, numbers=edges), (*members, *([MISSING] if missing else []))

    def to_dict(self) -> dict[str, Any]:
        """JSON form, read by `lens_from`."""
        return {name: getattr(self, name) for name in ("kind", "places", "numbers", "name", "among")}


def remainders(x: NDArray[np.float64], modulus: float) -> NDArray[np.uint64]:
    """Remainders of whole numbers, `MISSING` for others."""
    whole = np.isfinite(x) & (np.floor(x) == x)
    return np.where(whole, np.mod(np.where(whole, x, 0.0), modulus), MISSING).astype(np.uint64)


def bits(x: NDArray[np.float64], bit: int) -> NDArray[np.uint64]:
    """Return a bit of whole numbers, in two's complement, `MISSING` for others."""
    missing = remainders(x, 2.0) == MISSING
    return np.where(missing, np.uint64(MISSING), remainders(np.floor(x / 2.0**bit), 2.0))


def fractions(x: NDArray[np.float64], scale: float, phase: float = 0.0) -> NDArray[np.float64]:
    """Fractional parts of the multiples of numbers, NaN where there is none."""
    with np.errstate(all="ignore"):
        scaled = x * scale + phase
        return np.where(np.isfinite(scaled), scaled - np.floor(scaled), np.nan)


def lens_from(data: Mapping[str, Any]) -> Lens:
    """Read `Lens.to_dict` back; raises for anything else."""
    return Lens(**LENS(data))


LENS = records.record(
    {
        "kind": records.among(*KINDS),
        "places": records.listed(records.whole(0)),
        "numbers": records.listed(records.extended),
        "name": records.text,
        "among": records.whole(0),
    }
)
"""Fields of a lens in a record."""
