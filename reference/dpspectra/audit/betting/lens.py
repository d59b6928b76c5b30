"""Lenses: statistics of one output that past draws have chosen. They are data, and can be saved.

A lens is a function of one row of a matrix of a table (`dpspectra.audit.reading.places`), fixed before the row was
drawn: so bets on it are as sound as those on any other column (DPS-PREDICT).

Do not change lightly: records of users hold lenses in the form of `Lens.to_dict`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.reading.features import Table
from dpspectra.audit.reading.labels import readable
from dpspectra.audit.reading.places import BUCKETS, MEMBERS, PLACES

KINDS = ("place", "bins", "residue", "fraction", "product", "parity", "member")
"""A number; the bin of a number; its remainder; its fractional part; a product of two centred numbers; a sum mod 2;
whether a member is there."""
SETS = ("bins", "residue")
"""Kinds whose values are labels."""
MISSING = 2**20
"""Label of what has no number."""
SHOWN = 3
"""Intervals, numbers or words that are named."""


@dataclass(frozen=True, slots=True)
class Lens:
    """A statistic of one row."""

    kind: str
    places: tuple[int, ...]
    """Columns of the matrix that it reads."""
    numbers: tuple[float, ...]
    """Edges of the bins; modulus; factor; the two centres."""
    name: str = field(compare=False)
    """What it reads, in words."""
    among: int
    """Candidates among which it was chosen."""

    @property
    def base(self) -> str:
        """The matrix that it reads."""
        return MEMBERS if self.kind == "member" else PLACES

    @property
    def statistic(self) -> str:
        """Name of the column."""
        if self.kind == "bins":
            return f"{self.name} in {len(self.numbers) + 1} bins"
        if self.kind == "residue":
            return f"{self.name} mod {self.numbers[0]:g}"
        if self.kind == "fraction":
            return f"fractional part of {self.numbers[0]:g} times {self.name}"
        if self.kind == "member":
            return f"presence of member {self.places[0]}"
        return f"number at {self.name}" if self.kind == "place" else self.name

    @property
    def luck(self) -> float:
        """Merit that the best of its candidates owes to luck, times the root of the number of draws."""
        return math.sqrt(2 * math.log(self.among))

    def __call__(self, table: Table) -> NDArray[Any]:
        """The column of ``n`` draws: labels (``uint64``) of bins and residues, real numbers of the others."""
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
            whole = np.isfinite(column) & (np.floor(column) == column)
            return np.where(whole, np.mod(np.where(whole, column, 0.0), self.numbers[0]), MISSING).astype(np.uint64)
        if self.kind == "fraction":
            with np.errstate(all="ignore"):
                scaled = column * self.numbers[0]
                return np.where(np.isfinite(scaled), scaled - np.floor(scaled), np.nan)
        if self.kind == "product":
            with np.errstate(all="ignore"):
                other = x[:, self.places[1]]
                found = (column - self.numbers[0]) * (other - self.numbers[1])
            return np.where(np.isfinite(found), found, np.nan)
        return np.where(np.isfinite(x[:, list(self.places)]), x[:, list(self.places)], 0.0).sum(axis=1) % 2.0

    def words(self, members: Sequence[int], known: Sequence[int], new: bool) -> str:
        """A set of its labels, in words."""
        inside = sorted(set(range(len(self.numbers) + 1)) - set(known) | set(members)) if new else sorted(members)
        shown = self._intervals(inside) if self.kind == "bins" else [f"{member}" for member in inside]
        missing = [] if MISSING not in members else ["without a number"]
        texts = [text for text in shown if text != str(MISSING)][:SHOWN]
        more = [f"{len(shown) - len(texts)} more"] if len(shown) > SHOWN else []
        relation = "in" if self.kind == "bins" else f"mod {self.numbers[0]:g} ="
        return f"{self.name} {relation} {' or '.join([*texts, *more, *missing])}"

    def _intervals(self, codes: Sequence[int]) -> list[str]:
        """Unions of neighbouring bins, by their ends."""
        runs: list[list[int]] = []
        for code in (code for code in codes if code != MISSING):
            if runs and runs[-1][1] == code - 1:
                runs[-1][1] = code
            else:
                runs.append([code, code])
        ends = [-math.inf, *self.numbers, math.inf]
        return [f"[{ends[first]:.6g}, {ends[last + 1]:.6g})" for first, last in runs]

    def to_dict(self) -> dict[str, Any]:
        """JSON form, read by `lens_from`."""
        return {name: getattr(self, name) for name in ("kind", "places", "numbers", "name", "among")}


def lens_from(data: Mapping[str, Any]) -> Lens:
    """Read `Lens.to_dict` back; raises for anything else."""
    if data["kind"] not in KINDS:
        raise ValueError(f"lens must be of a known kind, got {data['kind']!r}")
    places, numbers = tuple(map(int, data["places"])), tuple(map(float, data["numbers"]))
    return Lens(str(data["kind"]), places, numbers, str(data["name"]), int(data["among"]))


def words_of(bucket: int) -> str:
    """Members that were met last in a bucket, in words."""
    texts = [text for label, text in readable.items() if label % BUCKETS == bucket][-SHOWN:]
    return " or ".join(texts) or f"a member of bucket {bucket}"
