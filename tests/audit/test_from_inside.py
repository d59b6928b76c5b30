import json
import math
import re

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.audit import GDP, ZCDP, ApproxDP, Profile, Renyi
from dpspectra.audit.from_inside import inside
from dpspectra.audit.inside_words import PLACE
from dpspectra.fast.gaussian_profile import mu_for
from dpspectra.symbolic import analysis
from dpspectra.symbolic.verdict import SCALED
from tests.support.deceptive import PROGRAMS
from tests.support.fresh_mechanisms import FRESH


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_programs_made_to_deceive(program):
    result = inside(program.mechanism, program.pair, program.epsilon, program.delta, runs=8)
    assert result.verdict != ("refuted" if program.true else "explained")
    if result.verdict in ("undecided", "exceeded"):
        assert any(re.search(r"\w+\.py:\d+ \(", why) for why in result.reasons)


MIXTURES = {"amplified_by_sampling"}
"""Sound, and undecided: a mixture of paths whose loss has no bound by any single path."""


@pytest.mark.parametrize("case", FRESH, ids=lambda case: case.mechanism.__name__)
def test_fresh_mechanisms(case):
    result = inside(case.mechanism, case.pair, case.epsilon, case.delta)
    if case.mechanism.__name__ in MIXTURES:
        assert result.verdict in ("explained", "undecided")
    else:
        assert result.verdict == ("explained" if case.true else "refuted")


def shifted(x, rng):
    return x + rng.normal(scale=2.0, size=np.shape(x))


def curve(share):
    """A share of the exact curve of half a standard deviation, at two points."""
    return Profile(tuple((e, share * float(dps.profile.gaussian(e, 0.5, 1.0))) for e in (0.1, 1.0)))


CURVE, BELOW = curve(1.0), curve(0.99)
PAIR = np.zeros(4), np.full(4, 0.5)  # half a standard deviation


@pytest.mark.parametrize("claim", [GDP(0.5), Renyi(4.0, 0.5), ZCDP(0.125), CURVE])
def test_normal_noise_meets_claims_at_equality(claim):
    assert inside(shifted, PAIR, claim).verdict == "explained"


@pytest.mark.parametrize("claim", [GDP(0.49), Renyi(2.0, 0.249), Renyi(4.0, 0.499), ZCDP(0.1249), BELOW])
def test_normal_noise_is_refuted_just_below(claim):
    """And the line is told, though no curve of events shows so little against a bound on a divergence."""
    result = inside(shifted, PAIR, claim)
    assert result.verdict == "refuted"
    assert "return x + rng.normal(scale=2.0" in str(result)
    assert result.mu == pytest.approx(0.5, abs=1e-12)
    assert ("mu 0.5, rho 0.125" in str(result)) == isinstance(claim, ZCDP)


ODDS = math.exp(1.0) / (1 + math.exp(1.0))
BITS = np.array([[ODDS, 1 - ODDS], [1 - ODDS, ODDS]])


def of_order(alpha):
    """Divergence of a randomised response at a loss of 1."""
    return math.log(float(np.sum(BITS[0] ** alpha * BITS[1] ** (1 - alpha)))) / (alpha - 1)


RHO = max(of_order(alpha) / alpha for alpha in np.geomspace(1 + 1e-4, 50, 4000))
"""Smallest rho of it, which is below half of the squared loss."""
RESPONSES = [
    (ZCDP(1.004 * RHO), "explained"),
    (ZCDP(0.999 * RHO), "undecided"),
    (Renyi(3.0, 1.001 * of_order(3.0)), "explained"),
    (Renyi(3.0, 0.99 * of_order(3.0)), "refuted"),
]


@pytest.mark.parametrize(("claim", "verdict"), RESPONSES, ids=str)
def test_few_outputs_have_their_divergences(claim, verdict):
    def response(x, rng):
        return x if rng.random() < ODDS else 1 - x

    assert inside(response, (0, 1), claim).verdict == verdict


def test_the_report_names_the_line_what_moves_and_what_is_hidden():
    def twice(x, rng):
        wide = x + rng.laplace(scale=4.0)
        narrow = 2 * x + rng.laplace(scale=0.5)
        return wide, narrow

    result = inside(twice, (0.0, 1.0), 1.0)
    assert result.refuted
    assert result.calls[0].loss == pytest.approx(4.0)
    assert (result.calls[0].move, result.calls[0].scale) == (2.0, 0.5)
    assert "test_from_inside.py:" in result.calls[0].place
    text = str(result)
    assert text.startswith("1-DP is refuted on this pair")
    assert "moves by 2, scale 0.5, hides 0.5 at the claim, loses 4 of at most 4" in text
    hides = f"hides {2 * mu_for(1.0, 0.01):.6g} at the claim"
    assert hides in str(inside(shifted, PAIR, 1.0, 0.01))
    assert "hides 1 at the claim" in str(inside(shifted, PAIR, GDP(0.5)))
    assert "hides" not in str(inside(shifted, PAIR, 1.0))


def laplace(x, rng):
    return x + rng.laplace(scale=2.0)


@pytest.mark.parametrize("claim", [ZCDP(0.5), GDP(1.0), Renyi(2.0, 0.4), ApproxDP(1.0, 0.3)], ids=str)
def test_what_laplace_noise_hides_is_told_of_a_claim_of_epsilon_alone(claim):
    """A move of 2 is explained beside a claim of rho 0.5, so no smaller number may be said to be hidden."""
    assert "hides" not in str(inside(laplace, (0.0, 2.0), claim))
    assert "hides 2 at the claim" in str(inside(laplace, (0.0, 2.0), 1.0))


@pytest.mark.parametrize(("claim", "most"), [(ZCDP(0.5), 2.0), (GDP(1.0), 2.0), (Renyi(2.0, 0.25), 1.0)], ids=str)
def test_normal_noise_hides_what_just_meets_the_claim(claim, most):
    def within(x, rng):
        return x + rng.normal(scale=2.0)

    assert f"hides {most:g} at the claim" in str(inside(within, (0.0, 1.0), claim))
    assert inside(within, (0.0, most * (1 - 1e-9)), claim).verdict == "explained"
    assert inside(within, (0.0, most * (1 + 1e-6)), claim).verdict != "explained"


def test_a_delta_is_told_with_its_epsilon():
    told = str(inside(shifted, PAIR, ZCDP(0.5))).splitlines()[0]
    assert re.search(r"delta \S+ at epsilon \S+ ", told), told
    assert " at epsilon " not in str(inside(shifted, PAIR, 1.0, 0.01)).splitlines()[0]


def average(total, number):
    once = 1.0 * total
    return once / number


def divided(x, rng):
    return average(np.sum(x) + rng.laplace(scale=1.0), np.sum(x > 0))


def divided_in_place(x, rng):
    noisy = rng.normal(size=2) + np.sum(x)
    noisy /= np.sum(x > 0)
    return noisy


def of_python(x, rng):
    return (float(np.sum(x)) + rng.laplace()) * (1.0 / float(np.sum(x > 0)))


def by_a_matrix(x, rng):
    return (np.eye(2) / np.sum(x > 0)) @ (x + rng.laplace(size=2))


def drawn_with_a_scale(x, rng):
    return np.sum(x) + rng.laplace(scale=1.0 / np.sum(x > 0))


@pytest.mark.parametrize(
    ("mechanism", "line"),
    [
        (divided, "return once / number"),
        (divided_in_place, "noisy /= np.sum(x > 0)"),
        (of_python, "return (float(np.sum(x)) + rng.laplace()) * (1.0 / float(np.sum(x > 0)))"),
        (by_a_matrix, "return (np.eye(2) / np.sum(x > 0)) @ (x + rng.laplace(size=2))"),
        (drawn_with_a_scale, "return np.sum(x) + rng.laplace(scale=1.0 / np.sum(x > 0))"),
    ],
)
def test_the_line_is_named_by_which_the_scale_follows_the_data(mechanism, line):
    result = inside(mechanism, (np.array([0.5, 0.25]), np.array([0.5, 0.0])), 1.0)
    assert result.refuted
    assert result.calls[0].stretch == pytest.approx(2.0)
    (finding,) = (text for text in result.findings if text.startswith(SCALED))
    assert result.named[PLACE.findall(finding)[0]] == line
    assert "differ by a factor of 2\n" in str(result)


def test_lines_after_the_noise_are_shown_where_no_other_is_named(monkeypatch):
    monkeypatch.setattr(analysis, "scaled_at", lambda it: None)
    result = inside(divided_in_place, (np.array([0.5, 0.25]), np.array([0.5, 0.0])), 1.0)
    assert "differ by a factor of 2: the noise is drawn with a scale" in str(result)
    assert "noisy /= np.sum(x > 0)" in str(result)


def test_where_no_scale_differs_no_line_is_at_fault_for_one():
    """Nor where the data sets ask other questions, so that lines cannot be compared."""
    assert "differ by a factor" not in str(inside(shifted, PAIR, 1.0, 0.01))

    def other_lines(x, rng):
        noisy = 2.0 * rng.laplace()
        if x:
            return x + 3.0 * noisy
        return noisy * 3.1

    result = inside(other_lines, (0.0, 1.0), 0.01)
    assert result.refuted
    assert [text for text in result.findings if text.startswith(SCALED)] == []


def test_the_record_is_plain_json():
    result = inside(shifted, PAIR, 1.0)
    found = json.loads(json.dumps(result.to_dict()))
    assert found["verdict"] == result.verdict
    assert found["bound"] == "inf"


def test_the_audit_can_be_repeated():
    first, second = (inside(shifted, PAIR, 1.0, 0.01, rng=5) for _ in range(2))
    assert (first.verdict, first.loss) == (second.verdict, second.loss)


def test_discrete_noise_is_explained_by_its_masses():
    def counted(x, rng):
        return int(x) + rng.geometric(0.5)

    result = inside(counted, (3, 4), 1.0)
    assert result.refuted
    assert math.isinf(result.loss)


def test_unlike_exceptions_are_outputs():
    def fails(x):
        raise ValueError(str(x))

    assert inside(lambda x: fails("alike"), (0, 1), 1.0).verdict == "undecided"
    assert inside(fails, (0, 1), 1.0).verdict == "refuted"


def test_values_of_pandas_are_read_and_noise_in_them_is_followed():
    pd = pytest.importorskip("pandas")
    refuted = inside(lambda x, rng: (rng.laplace(), pd.Timestamp(int(x))), (0.0, 1.0), 1.0)
    assert refuted.verdict == "refuted"
    assert refuted.how.startswith("confirmed")
    for mechanism in (
        lambda x, rng: (rng.laplace(), pd.Timestamp(0), x + rng.laplace()),
        lambda x, rng: pd.Series([x + rng.laplace()]),
    ):
        assert inside(mechanism, (0.0, 1.0), 1.0).verdict == "explained"
        assert inside(mechanism, (0.0, 1.0), 0.9).verdict == "refuted"


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="must be callable"):
        inside(3, PAIR, 1.0)
    with pytest.raises(ValueError, match="pair"):
        inside(shifted, (1,), 1.0)
