"""The ranking of labels."""

import math
from typing import Any

import numpy as np
import pytest

from dpspectra.audit.betting import choice_of_bets
from dpspectra.audit.betting.ranking import Ranking, listed

select: Any = choice_of_bets.select  # plans of any kind of event


def test_what_was_not_seen_is_one_label():
    """Labels that never repeat: on one side all of them, on the other half."""
    rng = np.random.default_rng(0)
    fresh = rng.integers(100, 2**60, 2000).astype(np.uint64)
    both = fresh[:1000], np.where(rng.random(1000) < 0.5, fresh[1000:], np.uint64(5))
    labels, places = listed(both)
    ranking = Ranking.of(labels, places)
    assert ranking.labels.tolist() == [5]
    assert ranking.ratios[0] < -5
    assert ranking.ratios[1] == pytest.approx(math.log(2), abs=0.1)
    assert [labels[place].tolist() for place in places] == [column.tolist() for column in both]
    assert ranking.of_place.tolist() == [ranking.ratios[int(label != 5)] for label in labels]
    sets = {plan.event.favoured: plan.event for plan in select(({"l": both[0]}, {"l": both[1]}), ((0.3, 0.0),), None)}
    assert (sets[1].members, sets[1].new) == ((5,), False)
    assert (sets[0].members, sets[0].known, sets[0].new) == ((), (5,), True)
    table = {"l": np.array([5, 6, 2**61], dtype=np.uint64)}
    assert [sets[side].hits(table).tolist() for side in (0, 1)] == [[False, True, True], [True, False, False]]
    assert Ranking.of(labels, (places[0][:0], places[1][:0])) is None
