"""The table of all ratios: how it times, fits and writes; no speed is asserted."""

import math

import numpy as np
import pytest

from bench import table


class Ticks:
    """Stands in for the module ``time``: each call of the processor's clock moves it on by the next of some steps."""

    def __init__(self, steps):
        self._steps, self.now = iter(steps), 0.0

    def process_time(self):
        self.now += next(self._steps)
        return self.now

    def monotonic(self):
        return self.now


def test_ratios_are_medians_of_turns(monkeypatch):
    """Ours takes 1, 2, ..., the rival 1; the steps between are of no call."""
    warm, turns = [9, 5, 9, 5], [step for k in range(1, 6) for step in (9, k, 9, 1)]
    monkeypatch.setattr(table, "time", Ticks([*warm, *turns]))
    found = table.compared(lambda: None, lambda: None, 0.0)
    assert found == table.Ratio(2.0, 3.0, 4.0, 1)


def test_costs_are_the_smallest_times(monkeypatch):
    monkeypatch.setattr(table, "time", Ticks([9, 5, 9, 4, 9, 3, 9, 7, 9, 6, 9, 8]))
    assert table.cost(lambda: None, 0.0) == 3


def test_a_pass_is_timed_beside_each_cost(monkeypatch):
    monkeypatch.setattr(table, "cost", lambda call, seconds: 7.0 if call() is None else 2.0)
    assert table.grown(GROWTH, 0.0) == table.Costs(GROWTH, [7.0, 7.0], [2.0, 2.0])


def test_exponents():
    sizes = (10, 20, 40, 80)
    slope, error = table.exponent(sizes, [3 * n**1.5 for n in sizes])
    assert slope == pytest.approx(1.5)
    assert error == pytest.approx(0.0, abs=1e-9)
    assert table.exponent((1, 2), (1, 4)) == (pytest.approx(2.0), math.inf)
    assert table.exponent((1, 2, 4), (1, 2, 8))[1] == pytest.approx(
        math.log(2) / math.sqrt(6) / math.log(2) / math.sqrt(2)
    )


PAIR = table.Pair("ours", "theirs", 2.0, lambda: (lambda: None, lambda: None))
GROWTH = table.Growth("release", "n", (10, 100), lambda n: (lambda: None, np.zeros(n)))
COSTS = table.Costs(GROWTH, [0.001, 0.01], [0.0005, 0.002])


def test_what_is_written_says_what_was_missed_and_stands_between_the_marks():
    found = table.table(
        [(PAIR, table.Ratio(1.5, 2.5, 3.5, 0.25)), (PAIR._replace(goal=3.0), table.Ratio(1, 2.5, 3, 1e-3))],
        [COSTS],
        "Of today.",
    )
    assert "| ours | theirs | 2.5 | 1.5 to 3.5 | 2 (missed) | 250 |" in found
    assert "| ours | theirs | 2.5 | 1 to 3 | 3 | 1 |" in found
    assert "| release | n | 10 100 | 1 10 | 1.00 ± inf | 5 |" in found
    text = f"before\n{table.MARKS[0]}\nold\n{table.MARKS[1]}\nafter\n"
    new = table.replaced(text, found)
    assert new.startswith("before\n")
    assert new.endswith("after\n")
    assert "old" not in new
    assert table.replaced(new, found) == new
    with pytest.raises(ValueError, match="must hold"):
        table.replaced("no marks", found)


def test_everything_has_a_name_of_its_own_and_can_be_made():
    names = [pair.name for pair in table.pairs()] + [f"{growth.name}, {growth.size}" for growth in table.growths()]
    assert len(names) == len(set(names)) > 15
    ours, theirs = next(pair for pair in table.pairs() if pair.name == "certified Wishart noise, d = 10").calls()
    assert ours().shape == theirs().shape == (10, 10)
    for growth in table.growths():
        call, array = growth.made(4 if growth.size != "k" else 1)
        call()
        assert array.dtype == np.float64


def test_the_command_prints_what_is_asked_for(capsys):
    assert table.main(["--seconds", "0", "--only", "Wishart noise, d = 10"]) == 0
    assert "| certified Wishart noise, d = 10 | ideal |" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        table.main(["--write", "--only", "Wishart"])


def test_the_readme_holds_a_table_of_all_ratios():
    text = (table.HERE / "README.md").read_text(encoding="utf-8")
    written = text.partition(table.MARKS[0])[2].partition(table.MARKS[1])[0]
    assert [pair.name for pair in table.pairs() if f"| {pair.name} |" not in written] == []
    assert [growth.name for growth in table.growths() if f"| {growth.name} |" not in written] == []


def test_the_picture_holds_every_cost(tmp_path):
    pytest.importorskip("matplotlib")
    table.picture([COSTS] * 4, tmp_path / "growth.svg")
    assert (tmp_path / "growth.svg").read_text(encoding="utf-8").count("<svg") == 1
