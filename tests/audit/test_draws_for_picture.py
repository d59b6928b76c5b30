"""Samples of what an audit saw: they show the witness, or what differs most."""

import dataclasses
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from dpspectra.audit import audit
from dpspectra.audit.betting.wealth import Evidence
from dpspectra.audit.draws_for_picture import Sample, sampled
from dpspectra.cli import run


def test_the_sample_shows_the_witness():
    """A distribution function of 4096 draws is off by more than 0.05 with probability below 3e-9 (DKW)."""

    def gaussian(x, *, size, rng):
        return rng.normal(x, 1.0, size)

    result = audit(gaussian, (0.0, 1.0), 0.5)
    assert result.violated
    seen: Any = sampled(gaussian, (0.0, 1.0), result)
    assert seen.statistic in result.witness
    assert seen.event == result.event
    assert f"{seen.event.threshold:.6g}" in result.witness
    assert [len(values) for values in seen.values] == [4096, 4096]
    plain = Sample("output", tuple(np.random.default_rng(i).normal(i, 1.0, 4096) for i in (0, 1)), None)
    for sample in (plain, Sample("flipped", plain.values[::-1], None)):
        alarms, misses = sample.errors()
        inside = (alarms > 0.01) & (alarms < 0.99)
        assert np.max(np.abs(misses[inside] - ndtr(-ndtri(alarms[inside]) - 1))) < 0.05 + 0.05
        assert {0.0, 1.0} <= set(alarms) & set(misses)


def test_without_a_bet_the_sample_shows_what_differs_most():
    def second_of_three(x, *, size, rng):
        return rng.normal(size=(size, 3)) + np.array([0.0, x, 0.0])

    result = audit(second_of_three, (0.0, 2.0), 20.0, draws=200)
    nothing = dataclasses.replace(result, witness="no event stood out", event=None, evidence=Evidence())
    seen: Any = sampled(second_of_three, (0.0, 2.0), nothing)
    assert (seen.statistic, seen.event) == ("entry 1", None)


def test_what_always_fails_can_be_drawn_too(workshop):
    def failing(x):
        raise KeyError("key")

    result = audit(failing, (0, 1), 1.0, draws=100)
    assert result.failures == 2 * result.draws
    assert sampled(failing, (0, 1), result) is None
    command = ["audit", "toy_mechanisms:gaussian", "--epsilon", "1", "--with", 'sigma="x"']
    assert run([*command, "--html", "r.html", "--junit", "r.xml", "--json", "r.json"]) == 3
    assert "every draw failed" in (workshop / "r.html").read_text(encoding="utf-8")
    assert '<error type="Undecided"' in (workshop / "r.xml").read_text(encoding="utf-8")
    assert run(["audit", "--check", "r.json"]) == 3


def test_an_event_of_the_only_statistic_is_drawn(monkeypatch):
    result = audit(lambda x, *, rng: x + rng.laplace(), (0.0, 9.0), 1.0, rng=0)
    columns = [{result.event.statistic: np.array(values)} for values in ([0.0, 1.0, 2.0], [8.0, 9.0, 10.0])]
    monkeypatch.setattr("dpspectra.audit.draws_for_picture._tables", lambda *arguments: columns)
    found = sampled(None, (0.0, 9.0), result)
    assert isinstance(found, Sample)
    assert found.event == result.event


def test_numbers_that_repeat_are_drawn_by_their_values():
    """Few values of one data set against a continuous law, which no half-line tells apart."""

    def noise(bits, *, size, rng):
        return -np.log((rng.integers(0, 2**bits, size) + 1) / 2.0**bits)

    result = audit(noise, (10, 53), 0.5, rng=1)
    assert result.violated
    assert result.event is not None
    assert result.event.statistic == "output"
    seen: Any = sampled(noise, (10, 53), result)
    values = {f"{-np.log((k + 1) / 2**10) + 0.0:.6g}" for k in range(2**10)}
    assert len([name for name in seen.names if name in values]) >= 10
