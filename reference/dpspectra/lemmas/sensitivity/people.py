"""DPS-PEOPLE: people with several rows, of whom each counts as exactly ``m`` rows, missing ones being zero.

Of each person the rows that count are chosen by a rule that looks at a public salt, the person's id and the number of
the person's own rows, in their order. If all rows of one person are replaced, be they more or fewer, the rows that
count of everybody else stay. So sums over rows of norm at most 1 move by those of ``m`` replaced rows: ``m`` times a
point of the convex hull of ``v v' - w w'``, of which the norm ``K`` (DPS-KNORM) is at most ``m`` and the Frobenius norm
at most ``m sqrt(2)``, and the sum of rows by at most ``2 m``; the number of people stays. Pure noise of ``m`` times the
scale hides this at the same epsilon, as each of ``m`` replacements costs an m-th of it, and so does normal noise, whose
``mu`` is proportional to the distance.

Without the premises: a rule on places among all rows lets one person push out another; a count of rows tells how many a
person has; a person in two parts keeps ``m`` rows in each.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Column, Equal, Outcome, Parts, Relation, Verdict, statement
from dpspectra.matrices.people import places
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, st, unit_rows

SALT = "a public salt"
ONE = 1
"""Id of the person who is replaced."""


def _replaced(data: list[Any], new: Any, where: list[int]) -> list[Any]:
    """The table without the rows of one person, and with new ones of the same at other places."""
    table = [(name, row) for name, row in data if name != ONE]
    for row, place in zip(new, where, strict=True):
        table.insert(place, (ONE, row))
    return table


def _inserted(data: list[Any], new: list[Column], where: list[int]) -> list[Any]:
    """The table of `_replaced`, built once more."""
    table = [pair for pair in data if pair[0] != ONE]
    for row, place in zip(new, where, strict=True):
        table[place:place] = [(ONE, row)]
    return table


def _counted(name: int, table: list[Any], most: int) -> list[Column]:
    """The rows of a person that count: those with the smallest digests of salt, place and id."""
    own = [row for other, row in table if other == name]
    told = {turn: f"{len(SALT)} {SALT} {turn} {name}".encode() for turn in range(len(own))}
    turns = sorted(told, key=lambda turn: hashlib.blake2b(told[turn], digest_size=16).digest())
    return [own[turn] for turn in turns[:most]]


@statement
class People:
    labels = ("DPS-PEOPLE",)
    given = (
        r"S=\sum_p\sum_{x\in R_p}xx^\top,\ s=\sum_p\sum_{x\in R_p}x,\ \#R_p\le m,\ \|x\|\le1,\ "
        r"R_p\text{ a function of salt, id and own rows; all rows of one person replaced}"
    )
    claim = {
        "number of people": r"n=n'",
        "rows of others that stay": r"\#\{i:o_i=o_i'\}=\max(\#o,\#o')",
        "norm of the change": r"K(S-S')\le m",
        "Frobenius norm of the change": r"\|S-S'\|_F\le m\sqrt2",
        "change of the sum of rows": r"\|s-s'\|\le2m",
    }
    where = {
        "S": "second moments of the chosen rows",
        "S'": "the same when all rows of one person are replaced",
        "s": "sum of the chosen rows",
        "s'": "the same when all rows of one person are replaced",
        "p": "person",
        "R_p": "rows of the person that are chosen",
        "m": "largest number of rows of a person",
        "x": "chosen row, of norm at most 1",
        "n": "number of people",
        "n'": "the same when all rows of one person are replaced",
        "o": "chosen rows of all other people, in their order",
        "o'": "the same when all rows of one person are replaced",
        "o_i": "one of these rows",
        "o_i'": "one of these rows",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    uses = ("DPS-KNORM",)
    exact = ("number of people", "rows of others that stay")
    note = "sensitivity.md#people-with-several-rows"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, list[int], Any, list[int], int]:
        """Rows with the ids of people, new rows of the first person with their places, and how many count."""
        n, new, d = draw(st.integers(1, 6)), draw(st.integers(1, 4)), draw(dimensions(1, 4))
        ids = [ONE, *draw(st.lists(st.integers(1, 3), min_size=n - 1, max_size=n - 1))]
        where = draw(st.lists(st.integers(0, 9), min_size=new, max_size=new))
        return draw(unit_rows(n, d)), ids, draw(unit_rows(new, d)), where, draw(st.integers(1, 3))

    def fast(self, rows: Any, ids: list[int], new: Any, where: list[int], most: int) -> Parts:
        """Both data sets through the program that chooses rows."""
        data = list(zip(ids, rows, strict=True))
        sums, numbers, others = [], [], []
        for table in (data, _replaced(data, new, where)):
            names, x = [name for name, _ in table], np.array([row for _, row in table])
            kept, people = places(names, most, SALT)
            x = np.where(kept[:, None], x, 0.0)
            sums.append((x.T @ x, x.sum(axis=0)))
            numbers.append(people)
            rest = [stays and name != ONE for name, stays in zip(names, kept, strict=True)]
            others.append(x[rest].tolist())
        change, move = (one - two for one, two in zip(*sums, strict=True))
        values = np.linalg.eigvalsh(change)
        yield Equal(numbers[0], numbers[1], part="number of people")
        common = sum(one == two for one, two in zip(*others, strict=False))
        yield Equal(common, max(map(len, others)), part="rows of others that stay")
        yield AtMost(fast.larger_sum(values), most, part="norm of the change")
        yield AtMost(float(np.linalg.norm(change)), most * 2**0.5, part="Frobenius norm of the change")
        yield AtMost(float(np.linalg.norm(move)), 2 * most, part="change of the sum of rows")

    def oracle(self, rows: list[Column], ids: list[int], new: list[Column], where: list[int], most: int) -> Parts:
        """Person by person: what is kept of each, and what it adds."""
        data = list(zip(ids, rows, strict=True))
        tables = data, _inserted(data, new, where)
        kept = [{name: _counted(name, table, most) for name in {name for name, _ in table}} for table in tables]
        width = rows[0].rows
        change, move = mp.zeros(width), mp.zeros(width, 1)
        for sign, people in zip((1, -1), kept, strict=True):
            for row in people[ONE]:
                change += sign * row * row.T
                move += sign * row
        others = [[row for name in sorted(people) if name != ONE for row in people[name]] for people in kept]
        values = oracle.eigenvalues(change)
        yield Equal(len(kept[0]), len(kept[1]), part="number of people")
        common = sum(one == two for one, two in zip(*others, strict=False))
        yield Equal(common, max(map(len, others)), part="rows of others that stay")
        yield AtMost(oracle.larger_sum(values), most, part="norm of the change")
        yield AtMost(mp.sqrt(mp.fsum(x * x for x in values)), most * mp.sqrt(2), part="Frobenius norm of the change")
        yield AtMost(mp.norm(move), 2 * most, part="change of the sum of rows")

    def tight(self) -> list[Any]:
        """All rows of a person turn by a right angle, or to their opposites; also one row that counts alone."""
        e, f = [1.0, 0.0], [0.0, 1.0]
        other, back = [0.0, -1.0], [-1.0, 0.0]
        return [
            (np.array([e, e, other]), [1, 1, 2], np.array([f, f]), [0, 2], 2),
            (np.array([e, e, e]), [1, 1, 1], np.array([back, back, back, back]), [0, 0, 0, 0], 3),
            (np.array([e]), [1], np.array([f]), [0], 1),
            (np.array([e, f]), [1, 2], np.array([back]), [1], 1),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """Rows of one number, one of each person: they are chosen or counted otherwise, or longer ones allowed."""
        before, after = [(ONE, 1), (2, 1)], [(2, 1), (ONE, 0), (ONE, 0)]
        first = [[row for name, row in table[:1] if name == 2] for table in (before, after)]  # the first row counts
        parts = [before[:1], before[:1]], [[(ONE, 0)], [(ONE, 0)]]  # the person is in both parts
        cut, whole = (sum(row**2 for part in two for _, row in part) for two in parts)
        return {
            "a rule on own rows": Equal(len(first[0]), len(first[1]), part="rows of others that stay"),
            "numbers are those of people": Equal(len(before), len(after), part="number of people"),
            "each person in one part": AtMost(cut - whole, 1, part="norm of the change"),
            "norms at most 1": AtMost(2**2, 1, part="norm of the change"),
        }
