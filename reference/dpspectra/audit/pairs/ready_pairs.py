"""Ready pairs of neighbouring data sets: numbers, histograms, texts and tables, by name.

A pair refutes only a claim that is about both of its data sets. So nothing is made up: numbers lie between the ends
that were given, words and cells of a row occur in the data that were given, and no text is longer than the longest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dpspectra.ground import checks, memory
from dpspectra.relations import Relation, among

Pairs = dict[str, tuple[Any, Any]]

RELATIONS = (Relation.REPLACE, Relation.ADD_REMOVE)
MANY = 100.0
"""Rows in each cell of a histogram that is not nearly empty."""


def number_pairs(low: float, high: float) -> Pairs:
    """Make pairs of numbers from an interval, any two of which are neighbours.

    Parameters
    ----------
    low, high
        Ends of the interval, finite.

    Returns
    -------
    dict
        Pairs of floats by name: the ends, and each end with the middle.

    Raises
    ------
    ValueError
        For ends that are not finite or not in order.

    Examples
    --------
    >>> number_pairs(0.0, 1.0)["smallest to largest"]
    (0.0, 1.0)

    """
    low, high = checks.finite_number(low, "low"), checks.finite_number(high, "high")
    if not low < high:
        raise ValueError(f"low must be below high, got {low:g} and {high:g}")
    middle = low / 2 + high / 2
    return {
        "smallest to largest": (low, high),
        "smallest to middle": (low, middle),
        "middle to largest": (middle, high),
    }


def histogram_pairs(cells: int, relation: str) -> Pairs:
    """Make pairs of histograms that differ in one row, where most cells are empty and where none is.

    Parameters
    ----------
    cells
        Number of cells; at least 2 where a row is replaced.
    relation
        ``"replace"`` (a row moves to another cell) or ``"add_remove"``.

    Returns
    -------
    dict
        Pairs of float64 arrays ``(cells,)`` of whole numbers, by name.

    Raises
    ------
    ValueError
        For too few cells, or another relation.

    Examples
    --------
    >>> first, second = histogram_pairs(3, "replace")["the only row moves"]
    >>> first.tolist(), second.tolist()
    ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0])

    """
    among(relation, RELATIONS)
    checks.integer(cells, "cells", 1 + (relation == Relation.REPLACE))
    memory.require(6 * 8 * cells, "cells", cells)
    one, last = np.eye(1, cells, 0)[0], np.eye(1, cells, cells - 1)[0]
    full = np.full(cells, MANY)
    if relation == Relation.REPLACE:
        return {"the only row moves": (one, last), "one row of many moves": (full + one, full + last)}
    return {
        "the first row is added": (0 * one, one),
        "a second row is added to a cell": (one, 2 * one),
        "one row is added to many": (full, full + one),
    }


def text_pairs(texts: Sequence[str], relation: str) -> Pairs:
    """Make pairs of lists of texts that differ in one text, from the words of those that are given.

    The claim must be about all texts of words that occur in them and no longer than the longest.

    Parameters
    ----------
    texts
        The texts of a data set, at least two different ones; words are separated by white space.
    relation
        ``"replace"`` or ``"add_remove"``: of one text.

    Returns
    -------
    dict
        Pairs of lists of texts, by name.

    Raises
    ------
    ValueError
        For other texts, or another relation.

    Examples
    --------
    >>> pairs = text_pairs(["a b b", "b b", "b"], "replace")
    >>> pairs["a word becomes the rarest"]
    (['a b b', 'b b', 'b'], ['a b b', 'b b', 'a'])

    """
    among(relation, RELATIONS)
    if isinstance(texts, str) or not isinstance(texts, Sequence) or not all(isinstance(one, str) for one in texts):
        raise ValueError("texts must be a list of texts, got another object")
    whole = list(texts)
    counts = Counter(word for text in whole for word in text.split())
    if len(set(whole)) < 2 or not counts:
        raise ValueError("texts must hold two different texts with words, got fewer")
    frequent, rare = (counts.most_common()[place][0] for place in (0, -1))
    if relation == Relation.ADD_REMOVE:
        others = [text for text in whole if rare not in text.split()]
        found = {"the last text is added": whole[:-1], "the text with the rarest word is added": others}
        return {name: (without, whole) for name, without in found.items() if len(without) == len(whole) - 1}
    at = min(range(len(whole)), key=lambda i: len(whole[i].split()) or len(whole))
    longest, short = max(whole, key=len), whole[at]
    first, *rest = short.split() or [""]
    changed = {
        "a text becomes the longest": longest,
        "a word becomes the rarest": " ".join([rare, *rest]),
        "a word becomes the most frequent": " ".join([frequent, *rest]),
        "the rarest word is added": f"{short} {rare}",
        "a word is removed": " ".join(rest),
    }
    return {
        name: (whole, [*whole[:at], text, *whole[at + 1 :]])
        for name, text in changed.items()
        if text != short and len(text) <= len(longest) and first
    }


def table_pairs(table: Mapping[str, Sequence[Any]], relation: str) -> Pairs:
    """Make pairs of tables that differ in one row, from the cells of the one that is given.

    The rows that change hold of each column the largest, the smallest, the middle or the rarest value, or a missing one
    (None or NaN) where there are some. The claim must be about all rows whose cells occur in their columns.

    Parameters
    ----------
    table
        Columns of the same length by name; the cells of a column can be put in order, or are text.
    relation
        ``"replace"`` or ``"add_remove"``: of one row.

    Returns
    -------
    dict
        Pairs of dictionaries of lists, by name. A mechanism that takes a data frame is wrapped:
        ``lambda table: mechanism(pandas.DataFrame(table))``.

    Raises
    ------
    ValueError
        For columns of different lengths or without cells, or another relation.

    Examples
    --------
    >>> pairs = table_pairs({"age": [30, 40, 50], "city": ["Ulm", "Ulm", "Bonn"]}, "add_remove")
    >>> pairs["a row of largest cells is added"][1]
    {'age': [30, 40, 50, 50], 'city': ['Ulm', 'Ulm', 'Bonn', 'Ulm']}

    """
    among(relation, RELATIONS)
    if not isinstance(table, Mapping) or not table or not all(isinstance(x, Sequence) for x in table.values()):
        raise ValueError("table must be a mapping from names to lists of cells, got another object")
    whole = {name: list(column) for name, column in table.items()}
    if len({len(column) for column in whole.values()}) != 1 or not next(iter(whole.values())):
        raise ValueError("table must have columns of one length, at least 1, got others")
    rows = {kind: {name: found for name, column in whole.items() for found in [_cell(column, kind)]} for kind in CELLS}
    ends = {kind: _with(whole, row) for kind, row in rows.items()}
    if relation == Relation.ADD_REMOVE:
        return _different({f"a row of {kind} cells is added": (whole, end) for kind, end in ends.items()})
    largest = ends["largest"]
    return _different({f"a row of largest cells becomes one of {kind}": (largest, ends[kind]) for kind in CELLS[1:]})


CELLS = ("largest", "smallest", "middle", "rarest", "missing")
"""Cells of a column of which rows are made."""


def _cell(column: list[Any], kind: str) -> Any:
    """Return a cell of a column: if none is missing, the smallest one stands for it."""
    missing = [cell for cell in column if cell is None or cell != cell]
    try:
        there = sorted(cell for cell in column if not (cell is None or cell != cell))
    except TypeError:
        raise ValueError("table must have columns whose cells can be put in order, got others") from None
    if kind == "missing" and missing:
        return missing[0]
    if not there:
        return column[0]
    if kind == "rarest":
        counts = Counter(there)
        return min(there, key=lambda cell: counts[cell])
    return there[{"largest": -1, "middle": len(there) // 2}.get(kind, 0)]


def _with(table: dict[str, list[Any]], row: Mapping[str, Any]) -> dict[str, list[Any]]:
    return {name: [*column, row[name]] for name, column in table.items()}


def _different(pairs: Pairs) -> Pairs:
    """Pairs of two data sets that differ, each once."""
    kept: Pairs = {}
    for name, pair in pairs.items():
        if repr(pair[0]) != repr(pair[1]) and not any(repr(pair) == repr(other) for other in kept.values()):
            kept[name] = pair
    return kept
