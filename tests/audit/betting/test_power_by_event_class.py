"""What so many draws would have refuted, in words that hold the numbers of `power`."""

import dataclasses
import json
import math

import pytest

from dpspectra.audit import PureDP, Renyi
from dpspectra.audit.betting import power, power_by_event_class

ONE = PureDP(1.0)


def test_the_words_hold_the_numbers():
    assert power_by_event_class.loss(1000, ONE, 0.999).startswith(f"{power.refutable(1000, ONE):.4g} nats on half")
    assert f"{power.smallest_event(1000, ONE):.3g}" in power_by_event_class.event(1000, ONE, 0.999)
    assert "with delta" in power_by_event_class.loss(1000, Renyi(2.0, 0.5), 0.999)


def test_what_has_to_be_found_needs_more_draws():
    """The numbers of the table: 1.55 told, then more, the more candidates there are."""
    told, threshold, interval, place = (
        power_by_event_class.power_of(kind, 1000, ONE, 0.999, 1)
        for kind in ("prespecified", "threshold", "interval", "place")
    )
    assert told == power.refutable(1000, ONE) < threshold < interval == place
    assert power_by_event_class.power_of("place", 1000, ONE, 0.999, 10**5) > place
    assert interval < power_by_event_class.power_of("residue", 1000, ONE, 0.999, 5)
    assert math.isinf(power_by_event_class.power_of("residue", 1000, ONE, 0.999, 33))
    assert "remainder" not in power_by_event_class.found(1000, ONE, 0.999, 33)
    assert power_by_event_class.dilution(100, 0.001) == pytest.approx(2.28, abs=0.01)
    assert power_by_event_class.dilution(10, 0.001) == pytest.approx(1.81, abs=0.01)
    words = power_by_event_class.found(1000, ONE, 0.999, 1)
    assert f"{interval:.4g} nats by one to four intervals of one number" in words
    assert words.endswith("nothing is promised of other events")
    with pytest.raises(ValueError, match="class must be one of prespecified, threshold"):
        power_by_event_class.power_of("word", 1000, ONE, 0.999)


def test_a_required_power_names_its_class():
    assert power_by_event_class.required(None) == (None, "prespecified")
    assert power_by_event_class.required(1.8) == power_by_event_class.required("1.8") == (1.8, "prespecified")
    assert power_by_event_class.required("1.8@interval") == (1.8, "interval")
    for bad in ("", "much", "1.8@", "1.8@word", "@interval", "-1", "nan@prespecified", 0):
        with pytest.raises(ValueError, match="must"):
            power_by_event_class.required(bad)


def test_an_audit_that_refutes_less_by_its_class_is_undecided(sound):
    told, interval = sound.power, sound.power_of("interval")
    assert told < interval
    between = (told + interval) / 2
    assert dataclasses.replace(sound, required_power=between).verdict == "not refuted"
    weak = dataclasses.replace(sound, required_power=between, required_class="interval")
    assert weak.reason.endswith(f"{between:.6g} nats were to be refutable (by one to four intervals of one number)")
    assert json.loads(sound.to_json())["powers"]["interval"] == interval


def test_few_draws_refute_nothing_and_say_so():
    assert math.isinf(power.refutable(80, ONE))
    assert (
        power_by_event_class.loss(80, ONE, 0.999)
        == power_by_event_class.event(80, ONE, 0.999)
        == power_by_event_class.NOTHING
    )
    assert "fewer than" in next(iter(power_by_event_class.too_few(3, ONE, 0.999)))
    assert power_by_event_class.too_few(10_000, ONE, 0.999) == {}
