import math
import sys
import tempfile
import types

import numpy as np
import pytest

from dpspectra.audit import GDP, Renyi, inside
from dpspectra.audit.claim_arguments import claim_of
from dpspectra.audit.inside_words import in_python, lines, next_step, shown_witness
from dpspectra.symbolic.verdict import Witness


def looks(x, rng):
    return float(x + rng.laplace(scale=0.95)) ** 2


def test_an_undecided_report_names_line_call_and_next_step():
    result = inside(looks, (0.0, 1.0), 1.0)
    text = str(result)
    number = looks.__code__.co_firstlineno + 1
    assert f"at test_inside_words.py:{number} (looks)" in text
    assert f"    {number:>5}  return float(x + rng.laplace(scale=0.95)) ** 2" in text
    assert "next: audit its outputs by draws: dpspectra.audit.audit(mechanism, pair, 1), or --then-outside" in text
    assert result.to_dict()["named"][f"test_inside_words.py:{number}"].startswith("return float")
    assert "next: audit its outputs by draws: by hand" in "\n".join(lines(result, "by hand"))


@pytest.mark.parametrize(
    ("claim", "call"),
    [
        (claim_of(0.5, 0.0), "(mechanism, pair, 0.5)"),
        (claim_of(0.5, 0.01), "(mechanism, pair, 0.5, 0.01)"),
        (GDP(0.5), "(mechanism, pair, GDP(mu=0.5))"),
        (Renyi(2.0, 0.5), "(mechanism, pair, Renyi(alpha=2.0, epsilon=0.5))"),
    ],
)
def test_the_call_that_counts_outputs(claim, call):
    assert f"dpspectra.audit.audit{call}" in in_python(claim)


def test_the_library_that_nobody_follows_is_named():
    result = types.SimpleNamespace(
        verdict="undecided", reasons=("compiled code of torch is called at m.py:3 (f): its noise shows",)
    )
    assert next_step(result, "so") == "audit its outputs by draws, noise of torch included: so"
    result.verdict = "explained"
    assert next_step(result, "so") == ""


def test_a_library_that_draws_in_compiled_code_ends_in_its_name():
    numba = pytest.importorskip("numba")
    drawn = numba.njit(lambda p: 1.0 if np.random.random() < p else 0.0)  # noqa: NPY002
    drawn(0.5)
    result = inside(lambda x: drawn(x), (0.25, 0.75), 1.0)
    assert "numba" in sys.modules
    assert "noise of numba included" in result.next


def test_a_witness_in_words():
    said = shown_witness(Witness("output = 1", (math.log(0.25), -math.inf), False))
    assert said == "output = 1: its probability is 0.25 on the first data set, 0 on the second"
    assert "density" in shown_witness(Witness("output = 1", (0.0, 0.0), True))


def test_the_source_is_that_of_the_program_and_no_module_of_python():
    def named(x, rng):
        with tempfile.NamedTemporaryFile():
            return x + rng.laplace()

    result = inside(named, (0.0, 1.0), 1.0)
    assert result.verdict == "undecided"
    number = named.__code__.co_firstlineno + 1
    assert f"    {number:>5}  with tempfile.NamedTemporaryFile():" in str(result)


def sampled(x, rng):
    return x[rng.random(len(x)) < 0.5].sum() + rng.laplace()


def ordered(x, rng):
    return np.argsort(x + rng.gumbel(size=len(x)))[:2].tolist()


def seeded(x, rng):
    return (int(rng.integers(10_000)) + int(x[0])) % 7


@pytest.mark.parametrize(
    ("mechanism", "why", "step"),
    [
        (sampled, "30 decisions are made at once at ", "choose a pair of fewer rows, or "),
        (ordered, "the whole order of 30 numbers is asked for at ", "take the largest ones one by one, by argmax, or "),
        (seeded, "one of 10000 outcomes is drawn at ", "choose a smaller domain, or "),
    ],
)
def test_what_is_too_much_is_named_with_a_way_out(mechanism, why, step):
    number = mechanism.__code__.co_firstlineno + 1
    claim = 20.0 if mechanism is ordered else 1.0  # a loss of 4.5 is real, and fresh runs may find it
    result = inside(mechanism, (np.zeros(30), np.eye(30)[0]), claim, seconds=5.0)
    assert result.verdict in ("undecided", "exceeded")
    assert any(f"{why}test_inside_words.py:{number}" in reason for reason in result.reasons)
    assert result.next.startswith(step)


def test_a_few_rows_are_summed_over():
    """Half of the rows leave half of what the loss of 1 multiplies by."""
    result = inside(sampled, (np.zeros(4), np.eye(4)[0]), 1.0)
    assert result.verdict == "explained"
    assert result.bound == pytest.approx(math.log1p(math.expm1(1) / 2), abs=1e-6)
    assert not result.reasons
