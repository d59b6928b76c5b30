"""Ready pairs are neighbours, of what the given data hold and nothing else."""

import math
from collections import Counter
from typing import Any

import pytest

from dpspectra.audit import histogram_pairs, number_pairs, table_pairs, text_pairs


def rows_apart(first, second):
    """Rows of either list that the other does not have."""
    one, other = Counter(map(repr, first)), Counter(map(repr, second))
    return (one - other).total(), (other - one).total()


def test_numbers_lie_between_the_ends():
    pairs = number_pairs(-1.0, 3.0)
    assert pairs["smallest to largest"] == (-1.0, 3.0)
    assert all(-1 <= first < second <= 3 for first, second in pairs.values())
    assert len(set(pairs.values())) == 3
    assert number_pairs(-1.7e308, 1.7e308)["smallest to middle"] == (-1.7e308, 0.0)


@pytest.mark.parametrize("cells", [1, 2, 5])
def test_histograms_differ_in_one_row(cells):
    for first, second in histogram_pairs(cells, "add_remove").values():
        assert first.shape == second.shape == (cells,)
        assert sorted(second - first) == [0.0] * (cells - 1) + [1.0]
    if cells == 1:
        with pytest.raises(ValueError, match="cells must be at least 2, got 1"):
            histogram_pairs(cells, "replace")
        return
    for first, second in histogram_pairs(cells, "replace").values():
        assert sorted(second - first) == [-1.0] + [0.0] * (cells - 2) + [1.0]


TEXTS = ["the cat sat on the mat", "the dog sat", "the fox", "", "a cat sat"]


@pytest.mark.parametrize(("relation", "apart", "count"), [("replace", (1, 1), 4), ("add_remove", (0, 1), 2)])
def test_texts_differ_in_one_and_hold_only_known_words(relation, apart, count):
    pairs = text_pairs(TEXTS, relation)
    assert len(pairs) == count
    for first, second in pairs.values():
        assert rows_apart(first, second) == apart
        assert {word for text in second for word in text.split()} <= {word for text in TEXTS for word in text.split()}
        assert max(map(len, second)) <= max(map(len, TEXTS))


def test_a_text_that_would_become_longer_than_all_others_is_no_pair():
    pairs = text_pairs(["a b", "b a"], "replace")
    assert "the rarest word is added" not in pairs
    assert "a word is removed" in pairs


TABLE: dict[str, list[Any]] = {
    "age": [40, 30, 50, 40],
    "city": ["Ulm", "Bonn", "Ulm", "Bonn"],
    "income": [1.5, None, 2.0, math.nan],
}


@pytest.mark.parametrize(("relation", "lengths"), [("replace", (5, 5)), ("add_remove", (4, 5))])
def test_tables_differ_in_one_row_of_known_cells(relation, lengths):
    pairs = table_pairs(TABLE, relation)
    assert len(pairs) >= 3
    for first, second in pairs.values():
        tables = [list(zip(*table.values(), strict=True)) for table in (first, second)]
        assert tuple(map(len, tables)) == lengths
        assert rows_apart(*tables) == ((1, 1) if relation == "replace" else (0, 1))
        for name, column in second.items():
            assert set(map(repr, column)) <= set(map(repr, TABLE[name]))


def test_rows_of_a_table_are_those_of_extreme_middle_rare_and_missing_cells():
    added = {
        name: [column[-1] for column in pair[1].values()] for name, pair in table_pairs(TABLE, "add_remove").items()
    }
    assert added == {
        "a row of largest cells is added": [50, "Ulm", 2.0],
        "a row of smallest cells is added": [30, "Bonn", 1.5],
        "a row of middle cells is added": [40, "Ulm", 2.0],
        "a row of missing cells is added": [30, "Bonn", None],
    }
    assert table_pairs({"a": [3, 3]}, "replace") == {}
