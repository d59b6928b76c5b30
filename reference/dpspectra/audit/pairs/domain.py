"""Which rows a data set may have. A pair of neighbours refutes a claim only if all its rows are among them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpspectra.audit.calling.arguments import checked_function
from dpspectra.audit.calling.caller import Caller, copies
from dpspectra.ground import checks
from dpspectra.ground.array_types import Floats

DOMAINS = {
    "ball": "rows of Euclidean norm at most norm_bound",
    "box": "rows of numbers from 0 to 1",
    "cube": "rows of numbers from -1 to 1",
    "signs": "rows of the numbers -1 and 1",
    "one-hot": "rows of one 1 and zeros",
}
"""Descriptions of the rows of each domain."""
TOLERANCE = 1e-12
"""Relative excess of a norm that rounding may cause."""
CHANGES = {
    "ball": "e1 e2, oblique mirrored, dense e1, dense flip, e1 -e1, e1 zero, dense zero",
    "box": "e1 zero, ones zero, e1 e2, half rest, ones e1",
    "cube": "ones -ones, e1 -e1, ones flipped, e1 e2, ones zero",
    "signs": "ones -ones, ones turned, ones flipped",
    "one-hot": "e1 e2",
}
"""Rows that replace each other, by name."""
LEAVING = {
    "ball": "e1, dense, e2, flip, oblique, mirrored",
    "box": "e1, ones, e2, half",
    "cube": "ones, -ones, e1, flipped",
    "signs": "ones, -ones, flipped",
    "one-hot": "e1, e2",
}
"""Rows that are removed or become zero, by name."""
WORDS = {"-e1": "its opposite", "-ones": "their opposite"}


@dataclass(frozen=True, slots=True)
class Domain:
    """The rows that data sets of a dimension may have."""

    name: str
    dimension: int
    norm_bound: float = 1.0
    """Largest norm of a row in a ball."""

    @classmethod
    def checked(cls, name: Any, dimension: int, norm_bound: Any) -> Domain:
        """Read the arguments; ``ValueError`` for others."""
        if name is None:
            known = "; ".join(f'"{domain}": {what}' for domain, what in DOMAINS.items())
            raise ValueError(
                f"domain must say which rows are allowed, got None: pairs of others prove nothing ({known})"
            )
        checks.choice(name, "domain", DOMAINS)
        checks.positive(norm_bound, "norm_bound")
        if name != "ball" and norm_bound != 1:
            raise ValueError(f"norm_bound must come with the domain ball, got {norm_bound} with {name}")
        return cls(name, dimension, float(norm_bound))

    def __contains__(self, row: Floats) -> bool:
        if self.name == "ball":
            return bool(np.linalg.norm(row) <= self.norm_bound * (1 + TOLERANCE))
        if self.name in ("box", "cube"):
            return bool(np.all((row >= -(self.name == "cube")) & (row <= 1)))
        if self.name == "signs":
            return bool(np.all(np.abs(row) == 1))
        return bool(np.all((row == 0) | (row == 1)) and row.sum() == 1)

    @property
    def rows(self) -> dict[str, Floats]:
        """Rows that pairs are made of, by name; zero is among them although it need not be allowed."""
        d, axes = self.dimension, np.eye(self.dimension)
        ones, first = np.ones(d), np.arange(d) < (d + 1) // 2
        named = {"zero": 0 * ones, "e1": axes[0], "-e1": -axes[0], "ones": ones, "-ones": -ones}
        if d > 1:
            named |= {"e2": axes[1], "half": 1.0 * first, "rest": 1.0 * ~first}
            named |= {"flipped": np.where(first, 1.0, -1.0), "turned": ones - 2 * axes[0]}
        if self.name == "ball":
            named["dense"] = ones / math.sqrt(d)
            if d > 1:
                named["flip"] = named["flipped"] / math.sqrt(d)
                named["oblique"], named["mirrored"] = ((axes[0] + sign * axes[1]) / math.sqrt(2) for sign in (1, -1))
        return {name: self.norm_bound * row for name, row in named.items()}

    @property
    def bases(self) -> dict[str, list[Floats]]:
        """Rows that both data sets of a pair hold, each several times, by name."""
        rows, d = self.rows, self.dimension
        if self.name == "signs":
            return {"no other rows": [], "ones": [rows["ones"]]} | (
                {"both": [rows["ones"], rows["flipped"]]} if d > 1 else {}
            )
        axes = {"no other rows": [], "gap": [0], "tie": [0, 1], "low": [1], "third": [2], "isotropic": list(range(d))}
        some = {name: places for name, places in axes.items() if max(places, default=0) < d}
        return {
            name: [self.norm_bound * np.eye(d)[k] for k in places]
            for name, places in some.items()
            if name != "isotropic" or d > 1
        }

    def changes(self, relation: str) -> list[tuple[str, Floats, Floats | None]]:
        """List the changes of one row under a relation, with the row before and after, by name."""
        rows = self.rows
        if relation != "replace":
            end, word = (None, "removed") if relation == "add_remove" else (rows["zero"], "to zero")
            return [(f"{name} {word}", rows[name], end) for name in LEAVING[self.name].split(", ") if name in rows]
        ends = [tuple(each.split()) for each in CHANGES[self.name].split(", ")]
        return [(f"{a} to {WORDS.get(b, b)}", rows[a], rows[b]) for a, b in ends if {a, b} <= rows.keys()]

    def moved(self, row: Floats, stride: float, rng: np.random.Generator) -> Floats:
        """Return a row of the domain near another one."""
        if self.name == "signs":
            return np.where(np.arange(len(row)) == rng.integers(len(row)), -row, row)
        if self.name == "one-hot":
            return np.eye(len(row))[rng.integers(len(row))]
        moved = row + rng.normal(scale=stride * self.norm_bound / math.sqrt(len(row)), size=len(row))
        if self.name == "ball":
            return moved * min(1.0, self.norm_bound / float(np.linalg.norm(moved)))
        return np.clip(moved, -1.0 if self.name == "cube" else 0.0, 1.0)


def refusal(mechanism: Callable[..., Any], pair: tuple[Any, Any]) -> str:
    """Describe the error that the mechanism raises on one of two data sets; empty if it takes both."""
    caller = Caller(checked_function(mechanism, "mechanism"))
    for data in pair:
        caller.one_by_one(copies(data), np.random.default_rng(0))()
    return caller.problem
