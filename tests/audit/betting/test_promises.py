"""What so many draws would have refuted, in words that hold the numbers of `power`."""

import math

from dpspectra.audit import PureDP, Renyi
from dpspectra.audit.betting import power, promises

ONE = PureDP(1.0)


def test_the_words_hold_the_numbers():
    assert promises.loss(1000, ONE, 0.999).startswith(f"{power.refutable(1000, ONE):.4g} nats on half")
    assert f"{power.smallest_event(1000, ONE):.3g}" in promises.event(1000, ONE, 0.999)
    assert "with delta" in promises.loss(1000, Renyi(2.0, 0.5), 0.999)


def test_few_draws_refute_nothing_and_say_so():
    assert math.isinf(power.refutable(80, ONE))
    assert promises.loss(80, ONE, 0.999) == promises.event(80, ONE, 0.999) == promises.NOTHING
    assert "fewer than" in next(iter(promises.too_few(3, ONE, 0.999)))
    assert promises.too_few(10_000, ONE, 0.999) == {}
