"""A function of noise loses no more than what it is computed from, if it is the same function on both data sets."""

import math

import numpy as np
import pytest

from dpspectra.audit import GDP, inside
from dpspectra.symbolic.functions_of_noise import ELEMENTWISE, FUNCTION, NAMES, OF_FINITE
from dpspectra.symbolic.one_run import NOISE
from dpspectra.symbolic.tape import OUTPUT, VALUE
from tests.support.noise_runs import recorded, replayed

PAIR = (np.diag([2.0, 1.0, 0.0]), np.diag([1.0, 1.0, 0.0]))


def symmetric(rng):
    noise = rng.normal(size=(3, 3))
    return np.triu(noise) + np.triu(noise, 1).T


def directions(M, rng):
    values, vectors = np.linalg.eigh(M + symmetric(rng))
    return values[::-1], vectors[:, -2:] @ vectors[:, -2:].T


def quotient(x, rng):
    return (x[0] + rng.laplace(scale=2)) / (x[1] + rng.laplace(scale=2))


def deviation(x, rng):
    return np.std(x + rng.laplace(scale=3, size=len(x)))


def two_decimals(x, rng):
    return np.round(x[0] + rng.laplace(), 2)


def powers(x, rng):
    noisy = x[:1] + rng.laplace(size=1)
    return {"square": np.power(noisy, 2), "product": noisy * noisy[::-1]}


def middle(x, rng):
    return np.median(np.sort(x + rng.laplace(scale=2, size=len(x))) * 3 + 1)


def mean_by_a_count_of_at_least_1(x, rng):
    return (x[0] + rng.laplace(scale=2)) / np.maximum(x[1] + rng.laplace(scale=2), 1)


def mean_by_a_count_of_python(x, rng):
    total, count = x[0] + rng.laplace(scale=2), x[1] + rng.laplace(scale=2)
    return total / max(count, 1.0)


def mean_by_a_whole_count(x, rng):
    return (x[0] + rng.laplace(scale=2)) / max(1, round(x[1] + rng.laplace(scale=2)))


def mean_if_there_is_anybody(x, rng):
    total, count = x[0] + rng.laplace(scale=2), x[1] + rng.laplace(scale=2)
    return total / count if count > 0.5 else 0.0


def mean_in_bounds(x, rng):
    return np.clip(mean_by_a_count_of_at_least_1(x, rng), 0.0, 1.0)


def shares(x, rng):
    noisy = np.maximum(np.asarray(x) + rng.laplace(scale=2, size=len(x)), 0.1)
    return noisy / noisy.sum()


NUMBERS = ([1.0, 4.0], [2.0, 3.0])
THREE = (np.array([0.0, 1.0, 1.0]), np.array([1.0, 2.0, 0.0]))
LOSSES = {
    "ratio of two counts": (quotient, NUMBERS, 1.0),
    "standard deviation": (deviation, THREE, 1.0),
    "two decimals": (two_decimals, NUMBERS, 1.0),
    "powers": (powers, NUMBERS, 1.0),
    "median": (middle, THREE, 1.5),
    "mean by a count of at least 1": (mean_by_a_count_of_at_least_1, NUMBERS, 1.0),
    "mean by a count of Python": (mean_by_a_count_of_python, NUMBERS, 1.0),
    "mean by a whole count": (mean_by_a_whole_count, NUMBERS, 1.0),
    "mean if there is anybody": (mean_if_there_is_anybody, NUMBERS, 1.0),
    "mean in bounds": (mean_in_bounds, NUMBERS, 1.0),
    "shares": (shares, NUMBERS, 1.0),
}


@pytest.mark.parametrize("name", LOSSES)
def test_the_loss_is_at_most_that_of_the_noisy_numbers(name):
    mechanism, pair, loss = LOSSES[name]
    found = inside(mechanism, pair, loss)
    assert (found.verdict, found.bound) == ("explained", pytest.approx(loss))


ORDERS = {
    "rising": (lambda v, w: w[:, np.argsort(v)[::-1][:2]], "explained"),
    "falling": (lambda v, w: w[:, np.argsort(-v)], "explained"),
    "turned around": (lambda v, w: v[np.argsort(v[::-1])], "explained"),
    "sorted again": (lambda v, w: np.sort(w[0])[np.sort(w[0]).argsort()], "explained"),
    "of entries": (lambda v, w: w[:, np.argsort(w[0])], "undecided"),
    "of multiples": (lambda v, w: w[:, np.argsort(v * np.array([1, 2, 3]))], "undecided"),
    "of shifted ones": (lambda v, w: w[:, np.argsort(v + np.array([1, 2, 0]))], "undecided"),
    "of some": (lambda v, w: w[:, np.argsort(v[[0, 2, 1]])], "undecided"),
    "of several": (lambda v, w: np.argsort(np.append(v[:2], np.sort(w[0])[2])), "undecided"),
}


@pytest.mark.parametrize("name", ORDERS)
def test_eigenvalues_are_in_order_and_other_numbers_are_looked_at(name):
    order, verdict = ORDERS[name]

    def mechanism(M, rng):
        return order(*np.linalg.eigh(M + symmetric(rng)))

    assert inside(mechanism, PAIR, GDP(1.0)).verdict == verdict


def test_eigenvectors_of_a_noisy_matrix_are_explained():
    found = inside(directions, PAIR, GDP(1.0))
    assert found.verdict == "explained"
    assert "loss of the noisy numbers" in str(found)
    assert "mu 1 (the output is a function of them)" in str(found)
    assert inside(directions, PAIR, GDP(0.99)).verdict != "explained"


@pytest.mark.parametrize("name", sorted(LOSSES.keys() - {"two decimals"}))
def test_what_it_is_computed_from_refutes_nothing(name):
    mechanism, pair, loss = LOSSES[name]
    assert inside(mechanism, pair, 0.9 * loss).verdict in ("undecided", "exceeded")


def other_function(x, rng):
    noisy = x[0] + rng.laplace()
    return np.sinh(noisy) if x[0] > 1.5 else np.sinh(noisy) + np.cosh(noisy)


def other_exponent(x, rng):
    return np.power(x[:1] + rng.laplace(size=1), x[1])


def moved(x, rng):
    return np.tanh(x[0] + rng.laplace()) + x[0]


def stretched(x, rng):
    return np.tanh(x[0] + rng.laplace()) * x[0]


def in_another_order(x, rng):
    a, b = rng.laplace(size=1), rng.laplace(size=1)
    return np.arctan2(a, b), np.arctan2(b, a) if x[0] > 1.5 else np.arctan2(a, b)


def deeper(x, rng):
    return np.tanh(np.sinh(x[0] + rng.laplace()) * x[0])


def data_in_its_eigenvectors(x, rng):
    _, vectors = np.linalg.eigh(np.diag(rng.laplace(size=2)) + np.ones((2, 2)))
    return np.asarray(x) @ vectors


def plain_entry(x, rng):
    numbers = np.array([x[0], 0.0])
    numbers[1] = numbers[1] + rng.laplace()
    return np.sort(numbers)


def count_of_at_least_the_true_one(x, rng):
    return (x[0] + rng.laplace(scale=2)) / max(x[1] + rng.laplace(scale=2), x[1])


def true_sum_of_a_few(x, rng):
    total, count = x[0] + rng.laplace(scale=2), x[1] + rng.laplace(scale=2)
    return total / count if count > 1 else x[0] / 8


def true_count_of_many(x, rng):
    total, count = x[0] + rng.laplace(scale=2), x[1] + rng.laplace(scale=2)
    return total / (count if count < 9 else x[1])


def other_function_of_a_few(x, rng):
    total, count = x[0] + rng.laplace(scale=2), x[1] + rng.laplace(scale=2)
    few = np.tanh(total) if x[1] > 3.5 else np.sinh(total)
    return total / count if count > 1 else few


def function_by_a_coin(x, rng):
    noisy = rng.laplace(size=1)
    return np.sinh(noisy) if rng.random() < (0.99 if x[0] > 1.5 else 0.01) else np.tanh(noisy)


def number_or_its_function_by_a_coin(x, rng):
    noisy = rng.laplace(size=1)
    return np.sinh(noisy) if rng.random() < (0.99 if x[0] > 1.5 else 0.01) else noisy


def leaks_where_it_is_nan(x, rng):
    root = np.sqrt(x[0] + rng.laplace())
    return x[0] if np.isnan(root) else 0.0


def leaks_at_a_bar(x, rng):
    return x[0] if np.tanh(x[0] + rng.laplace()) > 0.99 else 0.0


def leaks_where_it_ties(x, rng):
    rounded = np.round(np.array([x[0] + rng.laplace()]), 1)
    return x[0] if rounded[0] == 0.5 else 0.0


def leaks_by_an_exception(x, rng):
    noisy = x[0] + rng.laplace(scale=100)
    try:
        return noisy**0.5 + 2.0**noisy
    except (OverflowError, TypeError):
        return x[0]


def leaks_by_the_handler(x, rng):
    with np.errstate(all="raise"):
        try:
            return np.log(np.array([x[0] + rng.laplace()]))[0]
        except FloatingPointError:
            return x[0]


def leaks_by_the_domain_of_a_root(x, rng):
    try:
        return math.sqrt(5 * x[0] + rng.laplace())
    except ValueError:
        return x[0]


def leaks_by_the_domain_of_a_logarithm(x, rng):
    try:
        return math.log(5 * x[0] + rng.laplace(), 10)
    except ValueError:
        return x[0]


def leaks_by_its_shape(x, rng):
    noisy = x[0] + rng.laplace(size=3)
    return x[0] * len(np.unique(np.sign(noisy)))


def written_into(x, rng):
    out = np.zeros(2)
    out[:] = np.sinh(x[0] + rng.laplace(size=2))
    out[0] = x[0]
    return np.sort(out)


def reads_data_by_an_index(x, rng):
    order = np.argsort(np.sinh(x[0] + rng.laplace(size=2)))
    return np.asarray(x)[order]


WRONG = [
    other_function,
    other_exponent,
    moved,
    stretched,
    in_another_order,
    deeper,
    data_in_its_eigenvectors,
    plain_entry,
    count_of_at_least_the_true_one,
    true_sum_of_a_few,
    true_count_of_many,
    other_function_of_a_few,
    function_by_a_coin,
    number_or_its_function_by_a_coin,
    leaks_where_it_is_nan,
    leaks_at_a_bar,
    leaks_where_it_ties,
    leaks_by_an_exception,
    leaks_by_the_handler,
    leaks_by_the_domain_of_a_root,
    leaks_by_the_domain_of_a_logarithm,
    leaks_by_its_shape,
    written_into,
    reads_data_by_an_index,
]


@pytest.mark.parametrize("mechanism", WRONG)
def test_adversaries_are_not_explained(mechanism):
    """Data beside the noisy number: none of these is private at any epsilon, and 3 is more than the noise loses."""
    assert inside(mechanism, NUMBERS, 3.0, seconds=20).verdict != "explained"


def test_a_question_looks_at_what_it_is_computed_from():
    found = recorded(lambda x, rng: float(np.tanh(rng.laplace())) > 0)
    (event,) = [e for e in found.hidden if e.kind == VALUE]
    assert found.tape.blocks[0].law.name == "laplace"
    assert event.outcome == pytest.approx(found.tape.blocks[0].values)


LOOKS = {
    "whether it is a number": lambda y, rng: np.isnan(np.sqrt(y)),
    "whether it is finite": lambda y, rng: bool(np.all(np.isfinite(np.sinh(y)))),
    "equality": lambda y, rng: np.floor(np.tanh(y)) == 0,
    "order": lambda y, rng: np.tanh(y) >= 1,
    "the largest": lambda y, rng: np.argmax(np.tanh([y, 0.5])),
    "an index": lambda y, rng: [1, 2, 3][int(np.clip(np.floor(np.tanh(y)), 0, 2))],
    "a power of one number": lambda y, rng: y**0.5,
    "a power of 2": lambda y, rng: 2.0**y,
    "1 through what may be 0": lambda y, rng: 1.0 / float(np.clip(np.tanh(y), 0.0, 1.0)),
    "other noise beside it": lambda y, rng: np.tanh(y) + rng.laplace(),
    "eigenvalues of what may be no number": lambda y, rng: np.linalg.eigvalsh(np.sqrt(y) * np.ones((2, 2))),
    "a root of Python": lambda y, rng: math.sqrt(abs(float(y)) + 1) if y > 9 else math.sqrt(y + 9),
    "a logarithm of Python": lambda y, rng: math.log(y + 9, 2),
    "an inverse of a tangent": lambda y, rng: math.atanh(y / 99),
    "a kind of float": lambda y, rng: np.array([np.tanh(y)]).astype(np.float32),
    "text": lambda y, rng: f"{np.tanh(y):.2f}",
}


@pytest.mark.parametrize("name", LOOKS)
def test_the_roots_are_looked_at(name):
    """What an exception, a shape or a tie may tell is a question, which nobody answers without a look."""
    found = recorded(lambda x, rng: LOOKS[name](0.25 + rng.laplace(), rng))
    assert VALUE in {e.kind for e in found.hidden}
    assert found.roots == 0


def test_nothing_is_followed_where_the_program_asks_for_exceptions():
    def mechanism(x, rng):
        with np.errstate(divide="raise"):
            return np.log(np.sinh(rng.laplace(size=2)))

    assert VALUE in {e.kind for e in recorded(mechanism).hidden}


def test_the_roots_are_released_in_place_of_a_function():
    def mechanism(x, rng):
        noisy = x + rng.laplace(size=2)
        return np.sinh(noisy)[0], np.cosh(noisy)

    first, second = replayed(mechanism, (np.zeros(2), np.ones(2)))
    assert [e.place for e in first.tape.events] == [OUTPUT]
    assert (first.roots, len(first.rows)) == (2, 5)
    assert first.values[-2:] == pytest.approx(first.tape.blocks[0].values)
    assert first.values[0] == pytest.approx(np.sinh(first.values[-2]))
    assert list(first.leaves.values()).count(NOISE) == 3
    assert second.values == pytest.approx(first.values)
    assert first.tape.blocks[1].law is FUNCTION


@pytest.mark.parametrize("name", sorted(name for _, name in NAMES))
def test_the_functions_give_floats_of_a_shape_that_no_number_changes(name):
    """The list holds what may be in it: some arrays of numbers, of any sign and order, and equal ones."""
    function = getattr(np.linalg if ("numpy.linalg", name) in NAMES else np, name)
    more = {"clip": (-1.0, 1.0), "quantile": (0.5,), "percentile": (50.0,), "round": (2,), "around": (2,)}
    more |= dict.fromkeys(("dot", "inner", "outer", "kron"), (np.ones((3, 3)),)) | {"tensordot": (np.ones((3, 3)), 1)}
    arrays = [np.zeros((3, 3)), np.ones((3, 3)), -np.eye(3), 1e300 * np.ones((3, 3)), np.arange(9.0).reshape(3, 3)]
    if name not in OF_FINITE:
        arrays += [np.full((3, 3), np.nan), np.full((3, 3), np.inf), np.diag([np.inf, -np.inf, 0.0])]
    found = set()
    with np.errstate(all="ignore"):
        for numbers in arrays:
            result = function(numbers, *more.get(name, ()))
            parts = result if isinstance(result, tuple) else (result,)
            found.add(tuple((np.shape(p), np.asarray(p).dtype) for p in parts))
    assert len(found) == 1
    assert {dtype for parts in found for _, dtype in parts} == {np.dtype(float)}


@pytest.mark.parametrize("ufunc", sorted(ELEMENTWISE, key=str))
def test_the_elementwise_functions_give_floats(ufunc):
    numbers = np.array([[-1.5, 0.0], [np.nan, np.inf]])
    with np.errstate(all="ignore"):
        assert ufunc(*[numbers] * ufunc.nin).dtype == float
