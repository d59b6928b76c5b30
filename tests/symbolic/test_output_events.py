"""Events of outputs that are chosen by runs and tested on others.

Seeds are fixed; an audit of a true claim refutes it with probability 0.001 at most.
"""

import math

import numpy as np
import pytest

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.output_events import separating
from tests.support.noise_runs import real, runner


def leaves(x):
    return {"output[0]": ("float", np.float64(x).tobytes()), "output[1]": ("str", "x")}


def drawn(shift, seed, count=2000):
    return [leaves(x) for x in shift + real(seed).laplace(size=count)]


def clearest(mine, theirs, factor):
    """By how many standard deviations each event exceeds, counted one by one."""
    n, few = len(mine), 2 / len(mine)
    for edge in mine:
        p, q = (sum(x >= edge for x in some) / n for some in (mine, theirs))
        yield (p - factor * (q + few)) / math.sqrt((p + factor**2 * q) / n + few**2), edge


@pytest.mark.parametrize("sign", [1, -1])
def test_the_clearest_event_is_chosen(sign):
    first, second = drawn(sign, 1, 100), drawn(0.0, 2, 100)
    text, event = separating(first, second, 0.5)
    mine, theirs = ([sign * float(np.frombuffer(r["output[0]"][1])[0]) for r in runs] for runs in (first, second))
    _, edge = max(clearest(mine, theirs, math.exp(0.5)))
    assert text == f"output[0] of at {'least' if sign > 0 else 'most'} {sign * edge:.6g}"
    assert event(first) == [x >= edge for x in mine]
    assert event([{"output": ("int", 3)}]) == [False]


def test_other_outputs_have_no_event():
    texts = [{"output": ("str", "a")}] * 3
    assert separating(texts, texts, 1.0) is None
    assert separating([leaves(math.inf)] * 3, [leaves(0.0)] * 3, 1.0) is None


def quotient(scale):
    return lambda x, rng: (x + rng.laplace(scale=scale)) / max(5 + rng.laplace(), 1)


@pytest.mark.parametrize(("scale", "verdict"), [(1.0, "explained"), (0.5, "refuted")])
def test_a_quotient_is_refuted_with_half_the_noise(scale, verdict):
    found = decide(runner(quotient(scale), (0.0, 1.0)))
    assert found.verdict == verdict
    if verdict == "refuted":
        assert "confirmed: output of at" in found.confirmed


def test_what_is_not_shown_is_not_refuted():
    """What was looked at loses 2, and the output nothing."""

    def mechanism(x, rng):
        assert str(x + rng.laplace(scale=0.5))
        return rng.laplace()

    found = decide(runner(mechanism, (0.0, 1.0)))
    assert found.verdict == "exceeded"
    assert len(found.confirmations) == 2
    assert not any(s.refuted for s in found.sides)


def test_claims_with_a_delta_are_left_to_bets():
    assert not decide(runner(quotient(0.5), (0.0, 1.0), 1.0, 1e-6)).confirmations
