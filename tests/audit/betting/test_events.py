"""Events occur where they say, and survive being saved."""

import json

import numpy as np
import pytest

from dpspectra.audit.betting.bet import Bet, bet_from
from dpspectra.audit.betting.events import FAMILIES, HalfLine, LabelSet, Ratio, event_from, families
from dpspectra.audit.betting.lens import KINDS, Lens
from dpspectra.audit.betting.score import Score
from dpspectra.audit.betting.wealth import Evidence, evidence_from
from dpspectra.audit.reading.features import IMPOSSIBLE

HALF = HalfLine("output", 1, 0.5, True)
EVENTS = [
    HALF,
    HalfLine("output", 0, 0.5, False, Score(("a", "b"), (0.0, 1.0), (1.0, 2.0), (("b", 7),), (1.0, 2.0, 3.0))),
    LabelSet("whole output", 0, (3, 2**63 + 5), (3, 2**63 + 5, 9), True, ("three",)),
    Ratio("output", 1, 2.0, (0.0, 0.5), (-1.0, 0.5, 1.0, 0.0)),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_events_and_bets_survive_being_saved(event):
    assert event_from(json.loads(json.dumps(event.to_dict()))) == event
    tried = Bet.of(event, 2, 0.5, 3, {(4, 1, 0): 6, (0, 0, 0): 2, (1, 1, 1): 1})
    assert bet_from(json.loads(json.dumps(tried.to_dict()))) == tried
    evidence = Evidence(((tried,), ()), -0.1, (tried,))
    assert evidence_from(json.loads(json.dumps(evidence.to_dict()))) == evidence
    with pytest.raises(ValueError, match="must be one of its words"):
        event_from(event.to_dict() | {"kind": "?"})


def test_events_occur_where_they_say():
    table = {"output": np.array([0.4, 0.5, np.nan, 0.6]), "l": np.array([1, 2, 3, 1], dtype=np.uint64)}
    assert HalfLine("output", 0, 0.5, True).hits(table).tolist() == [False, True, False, True]
    assert HalfLine("output", 0, 0.5, False).hits(table).tolist() == [True, True, False, False]
    assert LabelSet("l", 0, (1,), (1, 2)).hits(table).tolist() == [True, False, False, True]
    assert LabelSet("l", 0, (1,), (1, 2), new=True).hits(table).tolist() == [True, False, True, True]
    bits = tuple(np.array([0.0, 0.5]).view(np.uint64).tolist())
    numbers = {"output": np.array([-0.0, 0.5, 0.6, np.nan])}
    assert LabelSet("output", 0, bits).hits(numbers).tolist() == [True, True, False, False]
    assert LabelSet("output", 0, (), bits, new=True).hits(numbers).tolist() == [False, False, True, True]
    assert str(HALF) == "output >= 0.5: too likely on the second data set"
    named_set = LabelSet("l", 0, tuple(range(9)), (), True, ("a", "b"))
    assert str(named_set) == "l: a or b or 7 more or any that was not met before: too likely on the first data set"
    assert "cannot occur on the first" in str(HalfLine(IMPOSSIBLE, 1, 0.5, True))


def test_rows_are_graded_by_the_step_that_they_are_on():
    """An edge belongs to the step above it; what is missing has a step of its own."""
    ratio = EVENTS[-1]
    assert isinstance(ratio, Ratio)
    table = {"output": np.array([-1.0, 0.0, 0.4, 0.5, np.inf, np.nan])}
    assert ratio.steps(table).tolist() == [0, 1, 1, 2, 2, 3]
    assert ratio.hits(table).tolist() == [False, True, True, True, True, True]
    won, lost = (ratio.grades(table, favoured=which) / ratio.unit for which in (True, False))
    assert won == pytest.approx(np.exp([-2, -0.5, -0.5, 0, 0, -1]), abs=1e-6)
    assert lost == pytest.approx(np.exp([-4, -1, -1, 0, 0, -2]), abs=1e-6)
    assert ratio.log_tops == pytest.approx((np.log(2) + 1, 2.0))
    assert str(ratio) == "likelihood ratio of order 2 along output, in 3 steps: too likely on the second data set"
    assert ratio.needs == {"output"}


def test_kinds_of_events_are_told():
    """Every kind of lens has a name; of those that were tried, the report says which were bet on."""
    assert set(KINDS) == FAMILIES.keys() - {"threshold", "labels", "score"}
    lens = Lens("product", (0, 1), (0.5, -0.5), "product of both", 4)
    seen = families([*EVENTS, HalfLine("product of both", 0, 0.5, True, None, lens)])
    assert seen["of which were bet on"] == ", ".join(
        [FAMILIES["threshold"], FAMILIES["labels"], FAMILIES["product"], FAMILIES["score"]]
    )
    assert "ratio" not in seen["events tried"]
    assert families(EVENTS, ratios=True)["of which were bet on"].endswith(", likelihood ratios")
    assert families([])["of which were bet on"] == "none"
