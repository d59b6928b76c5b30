"""How much was seen: sights add up, and stay small."""

import pytest

from dpspectra.audit import audit
from dpspectra.audit.reading.outcomes import outcome
from dpspectra.audit.reading.share_read import KINDS, OTHERS, Sight, sight_from
from dpspectra.audit.reading.stacked_outputs import gathered, sight_of


def test_sights_add_up():
    a = Sight.of([["x", "x"], [], ["y"]], [["t"], [], []], 3)
    assert a == Sight(3, 2, {"x": 1, "y": 1}, by_text={"t": 1})
    both = a + Sight.of([["x"]], [()], 1)
    assert both == Sight(4, 3, {"x": 2, "y": 1}, by_text={"t": 1})
    assert both.kinds == "x, y"
    assert both.blind_share == 0.75
    assert sight_from(both.to_dict()) == both
    assert Sight().blind_share == 0.0


def test_kinds_beyond_some_are_counted_together():
    many = Sight.of([[str(i)] for i in range(KINDS + 9)], [], KINDS + 9)
    many += many
    assert len(many.unread) == KINDS + 1
    assert many.unread[OTHERS] == 18
    assert many.blind == 2 * (KINDS + 9)


def test_numbers_hide_nothing_and_objects_may():
    assert sight_of(gathered([1.0, 2.0])) == Sight(2)
    assert sight_of([outcome(object()), outcome(1)]).unread == {"object": 1}


def test_numbers_without_a_place_are_counted():
    assert Sight().unplaced_share == 0.0
    assert Sight(1, numbers=10, placed=9).unplaced_share == pytest.approx(0.1)
    many = audit(lambda x, rng: {int(key): 1.0 for key in rng.integers(0, 10**6, 5)}, (0, 1), 1.0, draws=300)
    assert many.verdict == "undecided"
    assert "of the numbers in outputs have no place" in many.reason
    assert Sight().surely_unplaced == 0.0
    lucky, lacking = (Sight(1000, numbers=1000, placed=placed) for placed in (985, 970))
    assert lucky.surely_unplaced < 0.01 < lacking.surely_unplaced


@pytest.mark.parametrize("output", [ArithmeticError("of 1 %", 17), list(range(500)), {"a": [1, 2], "b": "x 1 2 3"}, 1j])
def test_a_rare_output_that_the_first_draws_lack_is_no_reason_to_be_undecided(output):
    """One output in 100; a leak in it alone is beyond what 1,500 draws could show."""

    def mechanism(x, *, rng):
        if rng.random() >= 0.01:
            return float(rng.laplace(x))
        if isinstance(output, Exception):
            raise output
        return output

    found = [audit(mechanism, (0.0, 1.0), 1.0, draws=1500, seconds=600, rng=seed) for seed in range(3)]
    assert {result.verdict for result in found} == {"not refuted"}
