"""Input sensitivity: the numbers that a right side depends on where no tight instance notices are named."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st

from dpspectra.ledger import AtMost, Equal, Slack, Statement, Verdict, input_sensitivity
from dpspectra.ledger.baseline import of
from dpspectra.ledger.judgement import judge


class Sizes(NamedTuple):
    """Two sizes."""

    k: int
    share: float


def statement(tight: list[Any], slack: Any = None) -> Any:
    """A bound ``|v|^2 k + share``, of which the right side may hold terms that the left side does not reach."""
    entry: Any = Statement(
        labels=("X-1",),
        claim="x",
        verdict=Verdict.VERIFIED,
        note="x.md#x",
        cases=lambda: st.tuples(
            st.builds(Sizes, st.integers(1, 9), st.floats(0.5, 1)),
            st.sampled_from([np.ones(2), np.array([1.0, 2.0])]),
        ),
        slack=slack or {},
    )

    def face(sizes: Any, v: Any) -> Any:
        return AtMost(float(v @ v) * sizes.k, float(v @ v) * sizes.k + sizes.share, part="a"), Equal(1, 1, part="b")

    entry.faces |= {"fast": face, "oracle": face, "tight": lambda: tight}
    return entry


CASES = [(Sizes(k, 0.5 + k / 16), np.array([1.0, k])) for k in range(1, 5)]


def found(tight: list[Any], slack: Any = None) -> set[tuple[str, str]]:
    entry = statement(tight, slack)
    return input_sensitivity.insensitive(entry, CASES, [(case, judge(entry, case)) for case in tight])


def test_a_term_too_small_to_be_seen_is_unnoticed():
    assert found([(Sizes(3, 2.0**-30), np.array([4.0, 4.0]))]) == {("a", "sizes.share")}


def test_no_number_is_missed_where_a_part_is_loose():
    loose = [(Sizes(3, 1.0), np.array([1.0, 1.0]))]
    assert found(loose) == {("a", "sizes.k"), ("a", "sizes.share"), ("a", "v")}
    assert found(loose, {"a": Slack(6 / 7, "for a test")}) == set()


def test_a_size_that_is_always_one_is_unnoticed():
    one = (Sizes(1, 2.0**-30), np.array([4.0, 4.0]))
    assert ("", "sizes.k") in found([one])
    assert ("", "sizes.k") not in found([one, (Sizes(2, 2.0**-30), np.array([4.0, 4.0]))])


def test_an_equality_is_noticed_where_it_is_drawn():
    """Only a bound can be loose: of equalities no number is missed, and no size."""
    entry = statement([])
    entry.faces["fast"] = entry.faces["oracle"] = lambda sizes, v: Equal(v @ v * sizes.k, v @ v * sizes.k, part="a")
    assert input_sensitivity.insensitive(entry, CASES, [(CASES[0], judge(entry, CASES[0]))]) == set()


@pytest.mark.parametrize("label", ["HR-L5.4R", "HR-L5.11", "JXZ-T10"])
def test_entries_that_were_mended_stay_so(label):
    assert not any(row.insensitive for row in of(label).rows.values())
