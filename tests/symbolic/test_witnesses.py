import itertools
import math

import numpy as np
import pytest

from dpspectra.audit.from_inside import inside
from dpspectra.audit.subjects.museum import cases
from dpspectra.symbolic.one_run import NOISE
from dpspectra.symbolic.witnesses import in_words, of_points
from tests.support.noise_runs import recorded, replayed

KEEP = 0.9


def flips(x, rng):
    return [bool(b) ^ bool(rng.random() > KEEP) for b in x]


def by_hand(x):
    """Probability of each output of `flips`, one by one."""
    return {
        out: math.prod(KEEP if a == b else 1 - KEEP for a, b in zip(x, out, strict=True))
        for out in itertools.product((0, 1), repeat=len(x))
    }


def line_of(mechanism, after):
    return f"test_witnesses.py:{mechanism.__code__.co_firstlineno + after} "


def test_the_output_that_loses_most_has_its_two_probabilities():
    pair = (1, 0, 1), (0, 0, 0)
    first, second = map(by_hand, pair)
    result = inside(flips, pair, 1.0)
    assert result.refuted
    out = tuple(word.endswith("True") for word in result.witness.output.split(", "))
    p, q = first[out], second[out]
    assert [math.exp(x) for x in result.witness.logs] == pytest.approx([p, q])
    assert not result.witness.density
    losses = [abs(math.log(first[o] / second[o])) for o in first]
    assert result.loss == pytest.approx(abs(math.log(p / q)))
    assert result.loss == pytest.approx(max(losses))


def test_of_outputs_that_lose_as_much_the_likeliest_is_told():
    result = inside(lambda x, rng: str(round(x + rng.laplace(scale=0.5))), (0, 1), 1.0)
    assert result.loss == pytest.approx(2.0)
    mass = 0.5 * (1 - math.exp(-1.0)) + 0.5 * (1 - math.exp(-1.0))
    assert max(math.exp(x) for x in result.witness.logs) == pytest.approx(mass, rel=1e-9)
    assert result.witness.output in ("output = '0'", "output = '1'")


def two_lines(bits, rng):
    wide = bool(bits[0] + rng.laplace(scale=2.0) > 0.5)
    narrow = bool(bits[1] + rng.laplace(scale=0.25) > 0.5)
    return wide, narrow


def test_each_line_of_the_path_tells_what_it_moves_and_loses():
    result = inside(two_lines, ((0, 0), (1, 1)), 1.0)
    assert result.refuted
    wide, narrow = (next(c for c in result.calls if line_of(two_lines, n) in c.place) for n in (1, 2))
    for call, scale in ((wide, 2.0), (narrow, 0.25)):
        beyond = 0.5 * math.exp(-0.5 / scale)
        assert call.loss == pytest.approx(math.log((1 - beyond) / beyond))
        assert (call.law, call.move, call.scale, call.between) == ("laplace", 1.0, scale, False)
    assert wide.loss + narrow.loss == pytest.approx(result.loss)
    assert "scale 0.25, hides 0.25 at the claim, loses" in str(result)


def test_a_choice_is_a_draw_with_its_line_and_loss():
    def chosen(p, rng):
        return int(rng.choice(2, p=p))

    result = inside(chosen, (np.array([0.5, 0.5]), np.array([0.1, 0.9])), 1.0)
    (call,) = result.calls
    assert (call.law, call.loss) == ("choice", pytest.approx(math.log(5)))
    assert line_of(chosen, 1) in call.place
    assert "choice, loses 1.60944" in str(result)
    assert "scale" not in str(result)


def test_a_decision_between_draws_names_all_of_their_lines():
    def above(x, rng):
        level = rng.laplace(scale=1.0)
        noise = rng.laplace(scale=0.5)
        return bool(x + noise > level)

    result = inside(above, (0.0, 3.0), 1.0)
    assert result.refuted
    assert {c.place.split(" ")[0] for c in result.calls} == {line_of(above, n).strip() for n in (1, 2)}
    first, second = sorted(result.calls, key=lambda c: -c.scale)
    assert (first.scale, second.scale) == (1.0, 0.5)
    assert (first.alone, second.alone) == (True, False)
    assert "what it loses alone is not known" in str(result)


def test_draws_of_a_path_that_the_other_data_set_does_not_take():
    def groups(x, rng):
        return {v: x.count(v) + rng.laplace() for v in sorted(set(x))}

    result = inside(groups, (["a", "b"], ["a", "a"]), 1.0)
    assert result.refuted
    assert -math.inf in result.witness.logs
    assert result.witness.density
    (call,) = result.calls
    assert not call.alone
    assert line_of(groups, 1) in call.place


def test_a_path_that_only_one_data_set_takes_tells_no_infinite_loss_of_an_output_that_both_give():
    def signed(x, rng):
        return 4 * x + (rng.exponential(scale=1.0) if rng.random() < 0.5 else -rng.exponential(scale=1.0))

    result = inside(signed, (0.0, 1.0), 1.0)
    assert result.refuted
    assert result.witness.density
    assert all(math.isfinite(x) for x in result.witness.logs)
    assert math.isfinite(result.loss)
    assert all(math.isfinite(call.loss) or not call.alone for call in result.calls)
    assert line_of(signed, 1) in result.calls[0].place


@pytest.mark.parametrize(("share", "taken"), [(0.75, 2), (0.25, 4)])
def test_the_likeliest_path_is_told(share, taken):
    def either(x, rng):
        if rng.random() < share:  # noqa: SIM108 - on two lines
            noise = rng.laplace(scale=0.25)
        else:
            noise = rng.logistic(scale=0.25)
        return bool(x + noise > 0.5)

    result = inside(either, (0, 1), 1.0)
    (call,) = result.calls
    assert line_of(either, taken) in call.place


def test_the_probabilities_stand_in_the_order_of_the_pair():
    for pair, expected in (((0, 1), (-math.inf, math.log(0.5))), ((1, 0), (math.log(0.5), -math.inf))):
        result = inside(lambda x, rng: bool(rng.random() < 0.5) and bool(x), pair, 1.0)
        assert result.witness.output == "output = True"
        assert result.witness.logs == pytest.approx(expected)


SLOW = ("sparse vector without limit", "neither sent nor zeroed")
CHOICES = [c for c in cases().values() if c.file == "choices.py" and c.name not in SLOW]


@pytest.mark.parametrize("case", CHOICES, ids=lambda case: case.name)
def test_refuted_choices_name_a_line_of_the_mechanism(case):
    result = inside(case.wrong, case.pair, case.claim)
    if result.refuted:
        assert all(f"{case.file}:" in call.place for call in result.calls)
        assert result.calls


def test_nothing_is_told_of_a_sound_claim_and_of_one_that_is_taken_back():
    assert inside(flips, ((1,), (0,)), math.log(9)).witness is None
    seen = []

    def remembers(x, rng):
        seen.append(x)
        return bool(rng.random() < (0.9 if x else 0.1))

    result = inside(remembers, (0, 1), 1.0)
    assert (result.verdict, result.witness) == ("undecided", None)


def test_an_output_in_words():
    leaves = {"output": ("list", 2), "output[0]": NOISE, "output[1]": ("str", "x" * 60)}
    assert in_words(leaves, np.array([0.25])) == f"output[0] = 0.25, output[1] = '{'x' * 39}..."
    assert in_words({"output": ("dict", 0)}, np.zeros(0)) == "output: dict, with nothing in it"
    many = {f"output[{k}]": ("int", k) for k in range(10)}
    assert in_words(many, np.zeros(0)).endswith("output[7] = 7, and 2 more")
    assert in_words({"output": ("<U3", np.str_("bus").tobytes())}, np.zeros(0)) == "output = 'bus'"


def test_points_with_the_same_probability_lose_nothing():
    def twice(p, rng):
        return int(rng.choice(2, p=[0.5, 0.5])), int(rng.choice(2, p=p))

    first, second = replayed(twice, ([0.25, 0.75], [0.75, 0.25]))
    (term,) = of_points(first.tape, second.tape)
    assert abs(term.loss(np.zeros(0)).value) == term.bound == pytest.approx(math.log(3))
    assert of_points(first.tape, first.tape) == []
    assert first.tape.events[0].law == "choice"
    assert recorded(lambda x, rng: rng.choice(3)).tape.events[0].law
