"""Public terms of sums of rows, and the names of the parts that they are made of."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

from dpspectra.certified.gram import MOST_ROWS, ExactMoments
from dpspectra.certified.integer_rows import exponent
from dpspectra.ground import checks, memory, records
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.matrices.reading_rule import BAD_ROWS, ROWS, Reading

VERSION = 1
"""Version of the grid, of how rows are read, and of the bytes."""
MOST_PARTS = 4096
"""Parts whose names are kept; of more only the number is."""
PART_BYTES = 16
"""Bytes of the name of a part."""
ORDERS = (1, 2)
"""First moments alone, or second ones too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Public terms of `Moments`: how rows were read. Sums with other terms do not merge."""

    width: int
    """Numbers in a row."""
    columns: tuple[str, ...] | None
    """Names of the columns, in their order; ``None`` where there are none."""
    norm_bound: float
    """Bound on the norm of every row, once it is read."""
    rows: str
    """Treatment of longer rows: ``"refuse"``, ``"clip"`` or ``"unit"``."""
    bad_rows: str
    """Treatment of rows with an entry that is not a finite number: ``"refuse"`` or ``"zero"``."""
    bounds: ColumnBounds | None
    """Public bounds of columns by which rows were mapped first; ``None`` where they were not."""
    order: int
    """Whether first moments alone are held (1), or second ones too (2)."""
    exponent: int
    """Rows are integers in units of ``2**-exponent``."""
    per_person: int | None
    """Rows that each person counts as; ``None`` where each row is a person."""
    salt: str | None
    """Public text that decides which rows of a person count."""
    version: int

    @classmethod
    def of(
        cls, reading: Reading, width: int, columns: tuple[str, ...] | None, order: int, salt: str | None = None
    ) -> Terms:
        """Return the terms of rows that are read so; ``ValueError`` for columns too many or few."""
        if columns is not None and len(columns) != width:
            raise ValueError(f"columns must be {width} names, got {len(columns)}")
        if reading.bounds is not None:
            reading.bounds.require(width)
        return cls(
            width=width,
            columns=columns,
            norm_bound=reading.norm_bound,
            rows=reading.rows,
            bad_rows=reading.bad_rows,
            bounds=reading.bounds,
            order=order,
            exponent=exponent(reading.norm_bound),
            per_person=None if salt is None else reading.per_person,
            salt=salt,
            version=VERSION,
        )

    @property
    def reading(self) -> Reading:
        """How rows are read."""
        return Reading(self.norm_bound, self.rows, self.bad_rows, self.per_person or 1, self.bounds)

    @property
    def head(self) -> dict[str, Any]:
        """The terms as JSON holds them; floats are hexadecimal numbers."""
        told = {field.name: getattr(self, field.name) for field in fields(self)}
        table = None if self.bounds is None else [[x.hex() for x in row] for row in self.bounds.table.tolist()]
        return told | {"norm_bound": self.norm_bound.hex(), "bounds": table}

    @classmethod
    def of_head(cls, head: dict[str, Any]) -> Terms:
        """Read `head` back, once `HEAD` has checked it. Raises ``ValueError`` for terms that there cannot be."""
        table = head["bounds"]
        bounds = None if table is None else ColumnBounds(*map(list, table))
        terms = cls(**head | {"columns": column_names(head["columns"]), "bounds": bounds})
        if terms != cls.of(terms.reading, terms.width, terms.columns, terms.order, terms.salt):
            raise ValueError("the terms must be of this version")
        return terms

    def agreed(self, other: Terms) -> Terms:
        """Return the terms of both, with names of columns if one has them; ``ValueError`` names what is different."""
        columns = self.columns or other.columns
        one, two = (replace(terms, columns=terms.columns or columns) for terms in (self, other))
        for field in fields(Terms):
            values = getattr(one, field.name), getattr(two, field.name)
            if values[0] != values[1]:
                got = " and ".join(checks.shown(value) for value in values)
                raise ValueError(f"parts must agree in their terms, got other {field.name}: {got}")
        return one


class Parts:
    """Names of the parts that a sum is made of; of more than `MOST_PARTS` the number alone."""

    __slots__ = ("names", "number")

    def __init__(self, names: frozenset[bytes], number: int | None = None) -> None:
        self.number = len(names) if number is None else number
        """How many parts there are."""
        self.names = names if self.number <= MOST_PARTS else frozenset()

    @classmethod
    def of_head(cls, head: dict[str, Any]) -> Parts:
        """Read `head` back, once `HEAD` has checked it. Raises ``ValueError`` for parts that there cannot be."""
        names, number = head["names"], head["number"]
        if list(names) != sorted(set(names)) or len(names) != (number if number <= MOST_PARTS else 0):
            raise ValueError("parts must be named once each, in order, as far as there are few")
        return cls(frozenset(map(bytes.fromhex, names)), number)

    @property
    def head(self) -> dict[str, Any]:
        """The names and their number as JSON holds them."""
        return {"names": sorted(name.hex() for name in self.names), "number": self.number}

    @classmethod
    def one(cls, name: bytes | None) -> Parts:
        """Return a new part: with a random name, or a given one."""
        return cls(frozenset([secrets.token_bytes(PART_BYTES) if name is None else name]))

    def __add__(self, other: Parts) -> Parts:
        if self.names & other.names:
            raise ValueError("a part must be added once, got one that is in the sum already")
        return Parts(self.names | other.names, self.number + other.number)


def _of_hexadecimal(value: Any) -> float:
    """Return a number from its hexadecimal digits, which are written in one way only."""
    number = float.fromhex(records.text(value))
    if number.hex() != value:
        raise records.Misfit("a number must be as float.hex writes it, got something else")
    return number


NUMBERS = records.listed(_of_hexadecimal)
HEAD = records.record(
    {
        "width": records.whole(1, checks.LARGEST_INTEGER),
        "columns": records.optional(records.listed(records.text)),
        "norm_bound": _of_hexadecimal,
        "rows": records.among(*ROWS),
        "bad_rows": records.among(*BAD_ROWS),
        "bounds": records.optional(records.tupled(NUMBERS, NUMBERS, NUMBERS)),
        "order": records.among(*ORDERS),
        "exponent": records.whole(),
        "per_person": records.optional(records.whole(1)),
        "salt": records.optional(records.text),
        "version": records.among(VERSION),
        "count": records.whole(0, MOST_ROWS - 1),
        "parts": records.record(
            {
                "names": records.listed(records.hexadecimal(2 * PART_BYTES)),
                "number": records.whole(0, checks.LARGEST_INTEGER),
            }
        ),
    }
)
"""Fields of the head of the bytes of sums."""


def part_name(part: str | None) -> bytes | None:
    """Return the name of a part from what its caller calls it, if anything."""
    if part is None:
        return None
    told = checks.text(part, "part").encode()
    return hashlib.blake2b(told, digest_size=PART_BYTES, person=b"dpspectra part").digest()


def column_names(columns: Iterable[str] | None) -> tuple[str, ...] | None:
    """Names of columns, all different; ``ValueError`` for others."""
    if columns is None:
        return None
    names = () if isinstance(columns, str) or not isinstance(columns, Iterable) else tuple(columns)
    if not names or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ValueError(f"columns must be names, all different, got {checks.shown(columns)}")
    return names


def people_of(given: bool, per_person: int | None, salt: str) -> tuple[int, str | None]:
    """Rows that a person counts as, and the salt; 1 and ``None`` where each row is a person."""
    if not isinstance(salt, str):
        raise ValueError(f"salt must be text, got {checks.shown(salt)}")
    if given:
        if per_person is None:
            raise ValueError("per_person must be given with person, got None")
        return checks.integer(per_person, "per_person", 1), salt
    if per_person is not None or salt:
        raise ValueError("per_person and salt must be left out without person, got one of them")
    return 1, None


def zero(reading: Reading, width: int, order: int) -> ExactMoments:
    """Return the sums over no rows; ``ValueError`` for a bad width or order, and for what does not fit in memory."""
    d = checks.integer(width, "width", 1)
    memory.require(8 * d * (d + 1) if checks.integer(order, "order", *ORDERS) == 2 else 16 * d, "width", width)
    return ExactMoments.zero(d, exponent(reading.norm_bound), order)
