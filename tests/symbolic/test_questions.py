"""Questions of code about numbers that hold noise: what is answered without a look, and which look is written down."""

import numpy as np
import pytest

from dpspectra.symbolic.laws import LAPLACE
from dpspectra.symbolic.noisy_numbers import Noisy, seen
from dpspectra.symbolic.questions import called_on_numbers, constant, fresh, largest, signs, within
from dpspectra.symbolic.tape import BITS, LARGEST, REPLAY, VALUE, NotFollowed, current
from tests.support.noise_runs import recorded

MU = np.array([[3.0, -1.0, 0.0], [2.0, 5.0, -4.0]])

KIND = type
"""The type itself, which a followed run does not lend another one for."""


def asked(question):
    """Answer to a question in a followed run, and kinds of the looks."""
    found = []
    run = recorded(lambda x, rng: found.append(question(rng)))
    assert "output.kind" not in run.leaves, run.leaves
    return found[0], [event.kind for event in run.tape.events]


def noisy(rng, at, scale=1.0):
    """Numbers of which some hold noise."""
    return MU + np.where(at, scale, 0.0) * rng.laplace(size=MU.shape)


SOME = np.array([[True, False, True], [False, False, True]])


@pytest.mark.parametrize("data", [7, 2.5, [1, 2], np.eye(2), np.array(True)])
def test_a_constant_is_data_without_noise(data):
    def question(rng):
        made = constant(data)
        return KIND(made), made.shape, seen(made), made is data

    (kind, shape, numbers, same), looks = asked(question)
    assert kind is Noisy
    assert shape == np.shape(data)
    assert np.array_equal(numbers, np.array(data, dtype=float))
    assert not same
    assert looks == []


def test_noise_can_be_written_into_a_constant_and_data_stay():
    data = np.zeros(3)

    def question(rng):
        made = constant(data)
        made[1] = rng.laplace()
        return np.array(seen(made))

    numbers, looks = asked(question)
    assert looks == [VALUE]
    assert [bool(n) for n in numbers] == [False, True, False]
    assert np.array_equal(data, np.zeros(3))


@pytest.mark.parametrize("shape", [(), (4,), (2, 2)])
def test_fresh_numbers_are_the_draws_in_their_order(shape):
    """Each is one draw as it is: number 3 of the tape is the first."""

    def question(rng):
        tape = current()
        tape.draw(LAPLACE, 3)
        first, values = tape.draw(LAPLACE, int(np.prod(shape)))
        made = fresh(tape, first, shape)
        return first, values, made.shape, np.array(seen(made))

    (first, values, found, numbers), looks = asked(question)
    assert (first, found, looks) == (3, shape, [VALUE])
    assert np.array_equal(numbers.ravel(), values)


# ---------------------------------------------------------------- signs


@pytest.mark.parametrize(("at", "looks"), [(SOME, [BITS]), (~SOME, [BITS]), (SOME | True, [BITS]), (SOME & False, [])])
def test_signs_of_what_holds_noise_are_one_look(at, looks):
    """Noise of scale 1e-9 changes no sign but that of 0."""
    (positive, holds), kinds = asked(lambda rng: signs(noisy(rng, at, 1e-9)))
    assert kinds == looks
    assert np.array_equal(holds, at)
    clear = MU != 0
    assert np.array_equal(positive[clear], MU[clear] > 0)
    assert positive[0, 2] in ((False, True) if at[0, 2] else (False,))


def test_signs_of_noise_vary_and_only_noise_is_asked_for():
    found = []

    def mechanism(x, rng):
        found.append(signs(np.concatenate([rng.laplace(size=40), np.zeros(3)]))[0])

    run = recorded(mechanism)
    assert 0 < found[0][:40].sum() < 40
    assert not found[0][40:].any()
    assert np.array_equal(found[0][:40], run.tape.omega() > 0)
    (event,) = run.tape.events
    assert len(event.rows) == 40


def test_signs_where_noise_cancels_are_no_look():
    def question(rng):
        z = rng.laplace(size=2)
        return signs(z - z + np.array([1.0, -1.0]))

    (positive, holds), looks = asked(question)
    assert positive.tolist() == [True, False]
    assert not holds.any()
    assert looks == []


# ---------------------------------------------------------------- the largest


@pytest.mark.parametrize(("at", "looks"), [(SOME, [LARGEST]), (SOME & False, [])])
def test_the_largest_is_a_look_if_anything_holds_noise(at, looks):
    """Noise of scale 1e-9 moves it nowhere; that of scale 100 does so sooner or later."""
    assert asked(lambda rng: largest(noisy(rng, at, 1e-9))) == (4, looks)


def test_the_largest_is_that_of_the_draws():
    found = []
    run = recorded(lambda x, rng: found.extend(largest(rng.laplace(size=20)) for _ in range(3)))
    assert found == np.argmax(run.tape.omega().reshape(3, 20), axis=1).tolist()
    assert any(found)


def test_a_replay_hears_the_answers_of_the_record():
    def mechanism(x, rng):
        answers.append((signs(x + rng.laplace(size=5))[0].tolist(), largest(x + rng.laplace(size=5))))

    answers: list[object] = []
    record = recorded(mechanism, np.zeros(5))
    recorded(mechanism, np.arange(5.0) * 100 - 200, mode=REPLAY, past=record.tape)
    assert answers[0] == answers[1]


# ---------------------------------------------------------------- functions of numbers that are looked at


def test_a_function_gets_plain_numbers_and_gives_them():
    (result, kinds), looks = asked(lambda rng: (np.nanmedian(z := noisy(rng, SOME)), KIND(z)))
    assert kinds is Noisy
    assert type(result) is np.float64
    assert looks == [VALUE]


def test_what_a_function_writes_is_written_back():
    """The second argument, and one by its name, as well."""

    def writes(first, second, *, third):
        second[0] = 7.0
        third[...] = 8.0
        return 1

    def question(rng):
        first, second, third = (np.ones(2) + 1e-9 * rng.laplace(size=2) for _ in range(3))
        result = called_on_numbers(writes, (first, second), {"third": third})
        return result, np.array([seen(first), seen(second), seen(third)])

    (result, numbers), _ = asked(question)
    assert result == 1
    assert np.round(numbers, 6).tolist() == [[1, 1], [7, 1], [8, 8]]


def test_what_was_looked_at_holds_no_noise_any_more():
    """From there on it is data, of the value that was seen."""

    def question(rng):
        numbers = rng.laplace(size=2)
        first = called_on_numbers(np.sum, (numbers,), {})
        return first == called_on_numbers(np.sum, (numbers,), {}), signs(numbers)[1].any()

    assert asked(question) == ((True, False), [VALUE])


VIEWS = {
    "itself": lambda a: a,
    "a part": lambda a: a[1:],
    "a shape": lambda a: a.reshape(1, -1),
    "among several": lambda a: (1, a[:1]),
    "in a list": lambda a: [a.copy(), a],
}


@pytest.mark.parametrize("kind", VIEWS)
def test_a_view_of_numbers_that_are_looked_at_ends_the_run(kind):
    """Who wrote into it would change numbers that hold noise."""
    with pytest.raises(NotFollowed, match=r"gives a view of noise that is looked at, at test_questions\.py:\d+"):
        asked(lambda rng: called_on_numbers(VIEWS[kind], (rng.laplace(size=3),), {}))


@pytest.mark.parametrize("function", [lambda a: a.copy(), lambda a: (a + 0, 1), lambda a: a.sum(), lambda a: None])
def test_a_copy_may_be_given(function):
    asked(lambda rng: called_on_numbers(function, (rng.laplace(size=3),), {}))


@pytest.mark.parametrize("name", ["put", "place", "putmask", "fill_diagonal", "copyto", "put_along_axis"])
def test_nothing_writes_to_a_single_number(name):
    """To several numbers it does."""

    def question(rng):
        single = rng.laplace(size=2)[0]
        return called_on_numbers(getattr(np, name), (single, 0, 5.0), {})

    with pytest.raises(NotFollowed, match=r"a single number is written to at test_questions\.py:\d+"):
        asked(question)


@pytest.mark.parametrize(
    ("write", "after"),
    [
        (lambda a: np.put(a, [1], 7.0), [1, 7]),
        (lambda a: np.place(a, np.array([True, False]), [7.0]), [7, 1]),
        (lambda a: np.putmask(a, np.array([False, True]), 7.0), [1, 7]),
        (lambda a: np.copyto(a, np.array([7.0, 8.0])), [7, 8]),
        (lambda a: np.put_along_axis(a, np.array([0]), 7.0, axis=0), [7, 1]),
    ],
)
def test_writers_write_to_several_numbers(write, after):
    def question(rng):
        numbers = np.ones(2) + 1e-9 * rng.laplace(size=2)
        write(numbers)
        return np.round(np.array(seen(numbers)), 6).tolist()

    assert asked(question)[0] == after


def test_warnings_of_numbers_are_left_out():
    """As a program that meets them twice would hear of them once."""

    def question(rng):
        with np.errstate(all="raise"):
            return called_on_numbers(np.divide, (rng.laplace(size=2), 0.0), {}).shape

    assert asked(question)[0] == (2,)


# ---------------------------------------------------------------- values in arguments


def test_values_are_found_in_lists_and_tuples():
    def question(rng):
        a, b, c = (rng.laplace(size=2) for _ in range(3))
        cases = [a, [a], (a, [b, (c,)]), [1, "a", None], {"a": a}, MU, "text", [[], ()]]
        return [[next(k for k, v in enumerate((a, b, c)) if v is x) for x in within(case)] for case in cases]

    assert asked(question) == ([[0], [0], [0, 1, 2], [], [], [], [], []], [])
