import itertools
import math

import numpy as np
import pytest

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.given_draws import MOST_ALONE, MOST_LISTED, affine, chosen, ordered, shape_of, whole_numbers
from dpspectra.symbolic.laws import LAPLACE
from dpspectra.symbolic.observed_constraints import points
from dpspectra.symbolic.one_run import run
from dpspectra.symbolic.path_walks import walked
from dpspectra.symbolic.replaced_sources import followed_sources
from dpspectra.symbolic.tape import FORCED, PLAIN, REPLAY, NotFollowed, OtherQuestions, Tape
from tests.support.noise_runs import real, recorded, runner


def test_shapes_of_draws():
    assert shape_of(None) == shape_of(None, 1.0) == ()
    assert shape_of(3) == (3,)
    assert shape_of((2, 3), np.zeros(3)) == (2, 3)
    assert shape_of(None, np.zeros((2, 1)), np.zeros(3)) == (2, 3)


def test_place_and_scale():
    found = recorded(lambda data, rng: affine(LAPLACE, np.array([1.0, 2.0]), np.array([3.0, 4.0])))
    assert found.rows.mu.tolist() == [1, 2]
    assert found.rows.coefficient.tolist() == [[3, 4]]


def test_plain_draws_of_another_number_end_the_run():
    def mechanism(data, rng):
        return rng.normal(size=data)

    found = recorded(mechanism, 2)
    with followed_sources(), pytest.raises(NotFollowed, match="another number"):
        run(mechanism, 3, Tape(real(1), mode=PLAIN, past=found.tape))


def probabilities(mechanism):
    return [(e.log_probability(e.outcome), e.options) for e in recorded(mechanism).hidden]


def test_probabilities_of_points():
    def mechanism(data, rng):
        whole_numbers(3, 4, None, "n")
        whole_numbers(0, [2, 3], None, "n")
        whole_numbers(0, 5, (2, 2), "n")
        whole_numbers(0, np.zeros(0, dtype=int), None, "n")
        chosen(4, None, 3, False, "c")
        chosen(2, [0.25, 0.75], 2, True, "c")
        ordered(3, "o")

    found = probabilities(mechanism)
    assert [p for p, _ in found[:5]] == pytest.approx([-math.log(n) for n in (4, 6, 625, 1, 24)])
    assert found[5][0] in [pytest.approx(math.log(p)) for p in (1 / 16, 3 / 16, 9 / 16)]
    assert found[6][0] == pytest.approx(-math.log(6))
    assert [n for _, n in found] == [4, 6, None, 1, 24, None, None]  # together at most 512


def test_outcomes_are_listed_up_to_a_number():
    def options(*counts):
        return [n for _, n in probabilities(lambda data, rng: [whole_numbers(0, n, None, "n") for n in counts])]

    assert options(MOST_LISTED, MOST_LISTED, MOST_ALONE) == [MOST_LISTED, MOST_LISTED, MOST_ALONE]
    assert options(MOST_ALONE, MOST_LISTED + 1) == [MOST_ALONE, None]  # one of many outcomes is enough
    assert options(MOST_ALONE + 1, MOST_LISTED + 1) == [None, MOST_LISTED + 1]
    found = probabilities(lambda data, rng: (ordered(3, "o"), whole_numbers(0, MOST_LISTED + 1, None, "n")))
    assert [n for _, n in found] == [6, None]  # six orders of those would be more


MANY = 600


def answered(odds, leaks=False):
    """Randomised response of many answers; one of the others may be the truth in disguise."""

    def mechanism(x, rng):
        if rng.random() < odds / (odds + MANY - 1):
            return x
        other = int(rng.integers(MANY - 1))
        return x if leaks and other == 77 else other + (other >= x)

    return mechanism


@pytest.mark.parametrize(
    ("mechanism", "verdict"),
    [(answered(2.7), "explained"), (answered(2.8), "refuted"), (answered(2.7, True), "refuted")],
)
def test_randomised_response_of_many_answers(mechanism, verdict):
    found = decide(runner(mechanism, (3, 4)))
    assert found.verdict == verdict
    if verdict == "explained":
        assert found.sides[0].loss == pytest.approx(math.log(2.7), abs=1e-9)


LISTED = {
    "numbers below several": (
        lambda: whole_numbers(0, [2, 3], None, "n"),
        {(a, b): 1 / 6 for a in (0, 1) for b in range(3)},
    ),
    "numbers from 5 on": (lambda: whole_numbers(5, 2, 2, "n"), {(a, b): 1 / 4 for a in (5, 6) for b in (5, 6)}),
    "choices with weights": (
        lambda: chosen(2, [0.25, 0.75], 2, True, "c"),
        {(a, b): (0.25, 0.75)[a] * (0.25, 0.75)[b] for a in (0, 1) for b in (0, 1)},
    ),
    "a choice that is never made": (lambda: chosen(2, [0.0, 1.0], 2, True, "c"), {(1, 1): 1.0}),
    "choices without replacement": (
        lambda: chosen(4, None, 2, False, "c"),
        dict.fromkeys(itertools.permutations(range(4), 2), 1 / 12),
    ),
    "a table": (lambda: chosen(2, None, (1, 2), True, "c").ravel(), {(a, b): 1 / 4 for a in (0, 1) for b in (0, 1)}),
    "a permutation": (lambda: ordered(3, "o"), dict.fromkeys(itertools.permutations(range(3)), 1 / 6)),
}


@pytest.mark.parametrize("name", LISTED)
def test_several_draws_have_a_list_of_outcomes(name):
    draw, wanted = LISTED[name]
    assert isinstance(wanted, dict)
    outcomes = []

    def mechanism(data, rng):
        outcomes.append(tuple(map(int, draw())))

    walk = walked(lambda c: recorded(mechanism, mode=FORCED, chooser=c.choose))
    assert not walk.rest
    assert dict(zip(outcomes, walk.chances, strict=True)) == pytest.approx(wanted)
    recorded(mechanism)
    assert outcomes[-1] in wanted


def test_many_draws_have_none():
    def mechanism(data, rng):
        whole_numbers(0, 1, 10, "n")
        chosen(2, None, 10, True, "c")
        ordered(10, "o")
        chosen(3, None, 2, False, "c", in_random_order=False)

    assert [n for _, n in probabilities(mechanism)] == [None] * 4


def test_a_list_is_no_answer_to_a_draw_without_one():
    """Two choices of 22 have 484 outcomes, of 23 they have 529: the number of an outcome means nothing there."""
    record = recorded(lambda data, rng: chosen(22, None, 2, True, "c"))
    with pytest.raises(OtherQuestions):
        recorded(lambda data, rng: chosen(23, None, 2, True, "c"), mode=REPLAY, past=record.tape)


def test_a_list_is_cut_off_where_the_other_data_set_has_fewer():
    record = recorded(lambda data, rng: ordered(4, "o"), mode=FORCED, chooser=lambda tape, event, j: 23)
    replay = recorded(lambda data, rng: chosen(3, None, 2, False, "c"), mode=REPLAY, past=record.tape)
    assert points(replay.tape) == -math.inf


def element_at(x, rng):
    return int(rng.permutation(4)[int(x)])


def element_and_first(x, rng):
    found = rng.permutation(4)
    return int(found[int(x)]), int(found[0])


def first_of_all(x, rng):
    return int(rng.permutation([0, 1, int(x)])[0])


def all_in_order(x, rng):
    return sorted(rng.permutation([0, 1, int(x)]).tolist())


def shuffled(x, rng):
    values = [0, 0, int(x)]
    rng.shuffle(values)
    return values[:2]


def weights_of_data(x, rng):
    return rng.choice(3, 2, p=[0.5, 0.25, 0.25] if x else [0.25, 0.25, 0.5]).tolist()


def sum_of_a_sample(x, rng):
    return int(sum(rng.choice([0, 1, 1, 1 - int(x)], 2, replace=False)))


def sample_of_more(x, rng):
    return sorted(rng.choice(4 + int(x), 2, replace=False).tolist())


def ends_of_data(x, rng):
    return int(rng.integers(0, [2, 3 + int(x)]).sum())


def number_of_draws(x, rng):
    return int(rng.integers(0, 2, 2 + int(x)).sum())


LOSSES = {
    element_at: 0.0,
    element_and_first: math.inf,
    first_of_all: math.log(2),
    all_in_order: math.inf,
    shuffled: math.inf,
    weights_of_data: math.log(4),
    sum_of_a_sample: math.inf,
    sample_of_more: math.inf,
    ends_of_data: math.inf,
    number_of_draws: math.inf,
}
"""Programs, each with its loss on the pair (0, 1), counted by hand."""


@pytest.mark.parametrize("mechanism", LOSSES)
def test_losses_are_those_of_the_lists(mechanism):
    exact = LOSSES[mechanism]
    if exact < math.inf:
        assert decide(runner(mechanism, (0.0, 1.0), exact + 1e-6)).verdict == "explained"
    if exact:
        assert decide(runner(mechanism, (0.0, 1.0), min(exact * 0.99, 9.0))).verdict == "refuted"


def test_weights_without_replacement_have_no_law():
    with pytest.raises(NotFollowed, match="without replacement"):
        recorded(lambda data, rng: rng.choice(3, 2, replace=False, p=[0.5, 0.25, 0.25]))


def test_whole_numbers_are_alike():
    """Among 6,000 numbers below 6, a count off by 130 has probability below 1e-4 for each; the seed is fixed."""
    counts = np.zeros(6)

    def mechanism(data, rng):
        for _ in range(6000):
            counts[whole_numbers(0, 6, None, "n")] += 1

    recorded(mechanism)
    assert np.max(np.abs(counts - 1000)) < 130


def test_wide_numbers_are_alike():
    """The mean of 300 numbers below 3 * 2**70 is off by 5 standard deviations with probability 1e-6."""
    found = []

    def mechanism(data, rng):
        found.extend(whole_numbers(0, 3 * 2**70, None, "n") for _ in range(300))

    recorded(mechanism)
    scaled = [x / (3 * 2**70) for x in found]
    assert 0 <= min(scaled) < max(scaled) < 1
    assert abs(np.mean(scaled) - 0.5) < 5 * math.sqrt(1 / 12 / 300)
    assert len({x % 1000 for x in found}) > 150
    assert len({x % 2**32 for x in found}) == 300
