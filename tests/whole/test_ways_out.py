"""Every refusal says what is required, what was found or where, and what to do instead where there is something.

A requirement is one of `WAYS_OUT`, after which a message must name a way out, or one of `STATED`, which states the
values to give. A message with a new requirement fails until one of the tables has it.
"""

import functools
import inspect
import re

import numpy as np
import pytest

from tests.support.bad_calls import DOORS, GOOD, PUBLIC, VALID, calls

MESSAGE = re.compile(r"(.*?\bmust|expected|no statement) (.*?),? \b(got|but|the label)\b (.*)", re.DOTALL)
"""A message: its subject, the requirement, a word before what was found or where, and that with the way out."""
WAYS_OUT = {
    "be a dense array": r"toarray\(\)",
    "be Hermitian|be symmetric": r"take \((\w+) \+ \1\.(conj\(\)\.)?T\) / 2$",
    "be a function of the data set|be an object": "pass (a function|an instance)",
    "be descending": r"take numpy\.sort\(\w+\)\[::-1\]$",
    "be rows or a Matrix": r"say Matrix\(X\) if it is a sum, iter\(\[X\]\) if it holds rows",
    "have no masked values": "fill it or leave it out$",
    "have orthonormal columns": r"take numpy\.linalg\.qr\(\w\)\[0\]$",
    "have rows of norm at most .*": r"give the bounds of its columns .*, raise norm_bound or clip",
    "say which rows are allowed": '"ball": rows .* "one-hot": rows',
    "hold numbers": r"fill it or leave it out$|astype\(float\)|reads files$|^an array of (bool|datetime64|\[)",
    "take .* and nothing else|take the data set as its only other argument": "one that cannot: .",
    "a label or a chapter of the ledger": r"near it are [A-Z]|dpspectra paper with one of|^(?!')",
    "carries": r"near it are [A-Z]|dpspectra paper with one of",
}
"""Ways out by requirement; or for some, all the rest of the message that needs none."""
STATED = (
    "be (one of|of type|at least|below|between) .*|be so small that .*",
    "be (an? )?(real number|integer|string|rectangular array|array of numbers|iterable|numpy Generator|list) ?.*",
    "be (a )?(matrix|mapping|rational|real array|tuple of Marginal|non-empty numeric array|Moments) ?.*",
    r"be (True or False|float64 or float32|callable|finite|positive|non-negative|real|square|text|strings|names)\b.*",
    "be an [A-Za-z]+ or None|be [0-9]+ (bytes|names)|be '.*|be None where .*|be given.*|be left out .*",
    "have (shape|length|names|one width|the|rows of [0-9]+|[0-9]+ columns|as many columns|columns) ?.*",
    "hold (numbers in shape|numbers that|finite|real|rationals|neighbours|data sets|two|a|[0-9]+ rows) ?.*",
    "lie in .*|not be empty",
)
"""Requirements that state the values to give."""


@functools.cache
def refusals():
    """Messages of all refusals of the table: the function, the parameter, and what is said."""
    found = []
    for name in [*VALID, *DOORS]:
        known = inspect.signature(PUBLIC[name]).parameters
        for parameter, value in calls(name):
            seeded = {"rng": np.random.default_rng(0)} if "rng" in known and parameter != "rng" else {}
            with pytest.raises((ValueError, KeyError)) as caught:
                PUBLIC[name](**GOOD[name] | seeded | {parameter: value})
            found.append((name, parameter, str(caught.value.args[0])))
    return found


def parts(message):
    """The requirement of a message, and what follows it."""
    match = MESSAGE.fullmatch(message)
    return (match[2], match[4]) if match else ("", message)


@pytest.mark.parametrize("requirement", WAYS_OUT)
def test_a_way_out_is_named(requirement):
    rests = {
        message: rest
        for *_, message in refusals()
        for found, rest in [parts(message)]
        if re.fullmatch(requirement, found)
    }
    assert rests
    assert [message for message, rest in rests.items() if not re.search(WAYS_OUT[requirement], rest)] == []


def test_as_many_refusals_as_before_name_a_way_out():
    named = [
        message
        for *_, message in refusals()
        for found, rest in [parts(message)]
        if any(re.fullmatch(requirement, found) and re.search(way, rest) for requirement, way in WAYS_OUT.items())
    ]
    assert len(refusals()) >= 7000
    assert len(named) >= 650


def test_other_requirements_state_what_to_give():
    known = "|".join(f"(?:{each})" for each in (*WAYS_OUT, *STATED))
    assert {message for *_, message in refusals() if not re.fullmatch(known, parts(message)[0])} == set()


@pytest.mark.parametrize("requirement", STATED)
def test_every_kind_of_requirement_is_met_with(requirement):
    assert any(re.fullmatch(requirement, parts(message)[0]) for *_, message in refusals())


def test_rows_that_are_not_finite_may_be_zero_where_there_is_this_option():
    found = [
        (name, message)
        for name, parameter, message in refusals()
        if parameter == "X"
        and message.startswith("X must be finite")
        and "bad_rows" in inspect.signature(PUBLIC[name]).parameters
    ]
    assert len(found) >= 30
    assert {(name, message) for name, message in found if "bad_rows='zero' takes" not in message} == set()
