"""Faults of the engine that other tests let pass, each seen here: what mutants and readers of the sources found."""

import dataclasses
import functools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st
from mpmath import mp

import dpspectra as dps
from dpspectra.audit import PureDP, audit, sample, structured_pairs
from dpspectra.audit.adapters import _above
from dpspectra.audit.betting import score
from dpspectra.audit.calling.command import _identity
from dpspectra.audit.fixed_sample_size import _judged
from dpspectra.audit.options import Options
from dpspectra.audit.reading.rounding import within
from dpspectra.fast import chi_square, exchange, shaped, wishart
from dpspectra.fast.binomial import at_least, at_most
from dpspectra.fast.gaussian import mu_for, profile
from dpspectra.ledger import AtMost, Equal, Frequency, Statement, Verdict, certificate, examine, inequality, papers
from dpspectra.ledger.judgement import Seen, challenge, judge, judge_tight, largest, outside, refute
from dpspectra.ledger.outcomes import FALSE_ALARM, disagreement
from dpspectra.ledger.registry import get
from dpspectra.ledger.runner import Part, Report, verify, weakest
from dpspectra.ledger.show import describe
from dpspectra.ledger.terminal import render
from dpspectra.lemmas.privacy import find_then_project
from dpspectra.mechanisms import Guarantee, range_finding
from dpspectra.mechanisms.power_plan import PowerPlan, multiplied
from dpspectra.mechanisms.wishart import calibrated
from dpspectra.relations import Relation
from dpspectra.sampling import ball_chart, bingham, haar, rejection
from dpspectra.sampling.methods import choose
from tests.support.entries import broken, statement
from tests.support.helpers import bet

# ---------------------------------------------------------------- outcomes


def test_rounding_is_relative_to_what_cancelled():
    """To the largest of both sides and of the scale, in every comparison."""
    assert AtMost(1e-6, 0.0, scale=1e6).decide(1e-9) is None
    assert AtMost(1e-6, 0.0, scale=1.0).decide(1e-9) is False
    assert AtMost(-1.0, -1.0 - 1e-10).decide(1e-9) is None
    assert AtMost(1e-10 - 5.0, -5.0).decide(1e-9) is None
    assert Equal(1e-6, 0.0, scale=1e6).decide(1e-9)
    assert not Equal(1e-6, 0.0, scale=1.0).decide(1e-9)
    assert AtMost(-3, 2, scale=1).size == Equal(-3, 2, scale=1).size == 3
    assert AtMost(-1, 2, scale=1).size == Equal(-1, 2, scale=1).size == 2
    assert AtMost(-1, 2, scale=4).size == Equal(-1, 2, scale=4).size == 4
    for kind in (AtMost, Equal):
        assert disagreement(kind(1e-4, 1.0), kind(2e-4, 1, scale=10**6), 1e-9) is None
        assert disagreement(kind(1e-4, 1.0, scale=1e6), kind(2e-4, 1), 1e-9) is None
        assert disagreement(kind(1e-4, 1.0, scale=-1e6), kind(2e-4, 1), 1e-9) is None
        assert disagreement(kind(1e-4, 1.0), kind(2e-4, 1), 1e-9)


def test_a_right_side_is_tightened_by_a_share_of_its_modulus():
    assert AtMost(0, 8).scaled(0.75).right == 6
    assert AtMost(0, -8).scaled(0.75).right == -10
    assert AtMost(-16, 0).scaled(0.75).right == -4, "where it is 0, by a share of the size"
    assert Equal(4, 8).scaled(0.75).right == 6
    assert Equal(-16, 8).scaled(0.75).right == 4
    assert Frequency(1, 10, 0.5).scaled(0.5) == Frequency(1, 10, 0.25)
    assert AtMost(1, 2, scale=3, part="a").scaled(0.5) == AtMost(1, 1, scale=3, part="a")


def test_infinities_that_agree_are_no_disagreement():
    infinite = float("inf")
    assert disagreement(AtMost(infinite, 1.0), AtMost(mp.inf, 1), 1e-9) is None
    assert disagreement(AtMost(infinite, 1.0), AtMost(mp.mpf(5), 1), 1e-9)


def test_frequencies_at_the_ends():
    """Sure and impossible events, bounds of 0 and 1, and the alarm at exactly its level."""
    assert Frequency(10, 10, 1.0).decide(0)
    assert not Frequency(1, 10, 0.0).decide(0)
    assert Frequency(10, 10, 0.5).compatible(1)
    assert not Frequency(9, 10, 0.5).compatible(1)
    assert not Frequency(1, 10, 0.5).compatible(0)
    assert Frequency(1, 1, FALSE_ALARM).decide(0)
    assert not Frequency(1, 1, FALSE_ALARM / 2).decide(0)
    assert Frequency(1, 1, 0.5).compatible(FALSE_ALARM / 2)
    assert not Frequency(1, 1, 0.5).compatible(0.45 * FALSE_ALARM)
    assert Frequency(3, 4, 0.0).closeness is None
    assert Frequency(3, 4, 0.5).closeness == 1.5


# ---------------------------------------------------------------- judgement


def test_the_largest_ratio_is_that_of_numbers_only():
    assert largest([None, 0.25, 0.5, None]) == 0.5
    assert largest([None]) is None
    assert largest([]) is None


def test_a_judgement_is_the_worst_of_its_outcomes():
    """One undecided outcome of a part makes the part undecided, and the largest of its ratios is kept."""
    outcomes = (AtMost(1 + 1e-12, 1.0, part="a"), AtMost(0.5, 1.0, part="a"), AtMost(0.25, 1.0, part="b"))
    for order in (outcomes, outcomes[::-1]):
        judgement = judge(statement(order, order), ())
        assert judgement.undecided
        assert judgement.parts["a"].undecided
        assert judgement.parts["a"].closest == pytest.approx(1.0)
        assert not judgement.parts["b"].undecided
        assert judgement.parts["b"].closest == 0.25
        assert judgement.closest == pytest.approx(1.0)
        assert not judgement.vacuous
    empty = judge(statement((), ()), ())
    assert empty.vacuous
    assert not empty.undecided
    assert empty.closest is None


def test_what_differs_by_exactly_the_rounding_agrees():
    assert disagreement(AtMost(0.5, 1.0), AtMost(0, 1), 0.5) is None
    assert disagreement(Frequency(0, 9, 0.5), AtMost(mp.mpf(0), mp.mpf(0.25)), 1.0) is None
    assert disagreement(Frequency(0, 9, 0.0), AtMost(mp.mpf(0), mp.mpf(0)), 1e-9) is None


@pytest.mark.parametrize(("off", "faulty"), [("5e-41", False), ("2e-40", True), ("9e-40", True)])
def test_the_oracle_may_be_off_by_ten_digits_fewer_than_it_has(off, faulty):
    """40 of 50 digits must be right: in cases, at tight instances, beyond hypotheses, in a certificate."""
    with mp.workdps(60):
        equal, above = Equal(mp.mpf(1), 1 + mp.mpf(off)), AtMost(1 + mp.mpf(off), mp.mpf(1))
        half = AtMost(mp.mpf("0.5") + mp.mpf(off), mp.mpf("0.25"))
    assert bool(judge(statement(Equal(1.0, 1.0), equal), ()).faults) == faulty
    judged = judge(statement(AtMost(1.0, 1.0), above), ())
    assert (bool(judged.faults), judged.undecided) == (faulty, not faulty)
    entry = Statement(("X",), "", Verdict.NEW, "p#a", faces={"beyond": lambda: {"a": above}})
    assert (outside(entry) == []) == faulty
    assert (refute(broken(half, "1/2", "1/4")) != []) == faulty


@pytest.mark.parametrize(("off", "seen"), [("5e-41", False), ("2e-40", True)])
def test_a_tight_instance_notices_what_its_digits_show(off, seen):
    with mp.workdps(60):
        value = AtMost(1 - mp.mpf(1 - 0.99) + mp.mpf(off), mp.mpf(1))
    entry = statement(AtMost(1.0, 1.0), value)
    assert judge(entry, ()).parts[""].noticed == ({"fast", "oracle"} if seen else {"fast"})


def test_a_part_is_noticed_where_the_challenge_would_contradict_it():
    for left, seen in (("0.995", {"fast", "oracle"}), ("0.985", set())):
        entry = statement(AtMost(float(left), 1.0), AtMost(mp.mpf(left), 1))
        assert judge(entry, ()).faults == []
        assert judge(entry, ()).parts[""].noticed == seen


def test_a_challenge_takes_the_best_tight_instance():
    """Equality at one of several is enough, for the ratio and for what both faces notice; in any order."""
    for tight in ([(0.5,), (1.0,)], [(1.0,), (0.5,)]):
        faces = {
            "fast": lambda x: (AtMost(x, 1.0, part="a"), AtMost(1.5 - x, 1.0, part="b")),
            "oracle": lambda x: (AtMost(mp.mpf(x), 1, part="a"), AtMost(mp.mpf(1.5 - x), 1, part="b")),
            "tight": functools.partial(list, tight),
        }
        entry = Statement(("X",), "", Verdict.NEW, "p#a", faces=faces)
        assert challenge(entry, judge_tight(entry)) == []


def test_a_certificate_for_large_numbers_may_be_off_by_their_rounding():
    """A third over a billion billions has fewer digits behind the point than the arithmetic has."""
    large = 10**40 + Fraction(1, 3)
    with mp.workdps(50):
        value = mp.mpf(large.numerator) / large.denominator
    assert refute(broken(AtMost(value, mp.mpf(1)), f"{large.numerator}/{large.denominator}")) == []


def test_a_certificate_whose_sides_overlap_proves_nothing():
    with mp.workdps(50):
        printed = AtMost(mp.mpf(2), mp.mpf(1))
    assert any("proves nothing" in fault for fault in refute(broken(printed, "1", "2")))


# ---------------------------------------------------------------- the runner


def test_a_part_counts_what_it_saw():
    part = Part("a")
    for undecided, closest in ((False, None), (True, 0.5), (False, 0.25)):
        part.add(Seen(undecided, closest))
    assert (part.evaluated, part.undecided, part.closest) == (3, 1, 0.5)
    negative = Part("b")
    negative.add(Seen(closest=0.0))
    assert negative.closest == 0.0


def test_a_run_adds_up_its_cases():
    """Vacuous and undecided cases are counted, and the closest of all is reported."""

    def face(x, rounding=0):
        return () if x == 2 else AtMost(x + rounding * (x == 1), 1, part="a")

    faces = {
        "fast": lambda x: face(x, 1e-12),
        "oracle": lambda x: face(mp.mpf(x)),
        "tight": lambda: [(0.5,), (2,), (1,), (0,)],
    }
    entry = Statement(("X",), "", Verdict.NEW, "p#a", cases=lambda: st.just((0.25,)), faces=faces, examples=1)
    report = examine(entry)
    assert report.faults == []
    assert (report.cases, report.vacuous, report.undecided) == (5, 1, 1)
    assert report.closest == pytest.approx(1.0)
    (part,) = report.parts
    assert (part.name, part.evaluated, part.vacuous, part.undecided) == ("a", 4, 1, 1)
    assert examine(entry, examples=7).cases >= 5
    assert report.seconds >= 0
    assert not report.certificate


def test_a_run_says_what_a_certificate_did():
    entry = broken(AtMost(mp.mpf(2), mp.mpf(1)))
    report = examine(entry)
    assert report.certificate == "accepted"
    assert report.ok
    rejected = examine(broken(AtMost(mp.mpf(2), mp.mpf(1)), "1", "2"))
    assert rejected.certificate == "rejected"
    assert not rejected.ok
    assert examine(Statement(("X",), "", Verdict.NEW, "p#a")).faults == ["no face fast", "no face oracle"]


def test_labels_of_one_entry_share_one_run():
    """Each is judged by the verdict expected of it; the seconds are counted once; reports come in the order asked."""
    shared = next(label for label in papers.labels() if label.entry != label.label)
    first = next(label for label in papers.labels() if label.label == shared.entry)
    told = []
    one, other = verify([shared, first], examples=1, announce=lambda report: told.append(report.label))
    assert told == [one.label, other.label] == [shared.label, first.label]
    assert one.cases == other.cases > 0
    assert one.seconds == 0.0 < other.seconds


def test_the_weakest_support_is_sought_all_the_way_down():
    for entry in map(get, ("MWKTV-T2.4R", "JXZ-T10")):
        found = weakest(entry.id)
        seen, stack = set(), [entry.id]
        while stack:
            below = get(stack.pop())
            if below.id not in seen:
                seen.add(below.id)
                stack += below.uses
        assert found[0] in seen
        assert found[1].strength == min(get(name).verdict.strength for name in seen)


@pytest.mark.parametrize("paper", [None, "MWKTV"])
def test_names_and_paper_both_restrict_what_is_selected(paper):
    every = papers.labels()
    chapter = every[0].chapter
    chosen = papers.select([chapter, "HP-C4.3"], paper)
    wanted = [e for e in every if (e.chapter == chapter or e.label == "HP-C4.3") and (not paper or e.paper == paper)]
    assert chosen == wanted != []
    assert papers.select([], paper) == [e for e in every if not paper or e.paper == paper]
    with pytest.raises(ValueError, match="expected a label or a chapter of the ledger, got 'nothing'"):
        papers.select(["nothing"])
    with pytest.raises(ValueError, match="paper must be one of"):
        papers.select([], "XYZ")


# ---------------------------------------------------------------- certificates


@pytest.mark.parametrize("power", [-40, -1, 0, 1, 3, 40])
def test_logarithms_of_powers_of_two_and_their_neighbours(power):
    """Where the reduced argument is at an end of its range."""
    for ratio in (Fraction(1), Fraction(4, 3), Fraction(2, 3), Fraction(133, 100), Fraction(67, 100)):
        x = ratio * Fraction(2) ** power
        box = certificate.enclose(["log", str(x)])
        with mp.workdps(200):
            exact = mp.log(mp.mpf(x.numerator) / x.denominator)
            assert mp.mpf(box.low.numerator) / box.low.denominator <= exact
            assert exact <= mp.mpf(box.high.numerator) / box.high.denominator


def test_an_inequality_between_equal_numbers_is_not_proved():
    assert not certificate.check(inequality("X", "why", "1/3", "1/3")).accepted
    assert certificate.check(inequality("X", "why", ["add", "1/3", "1/1000000"], "1/3")).accepted


# ---------------------------------------------------------------- mechanisms


@pytest.mark.parametrize("d", [1, 2, 5])
def test_guarantees_on_the_frobenius_error_are_those_of_the_exact_moments(d):
    """One-sided Chebyshev: entries above the diagonal count twice; Wishart noise from its moments at scale 1."""

    def bound(mean, variance):
        return math.sqrt(mean + math.sqrt(variance * 19))

    guarantee = Guarantee.of_square("q", 3.0, 5.0)
    assert guarantee == Guarantee("q", guarantee.bound, 0.95)
    assert guarantee.bound == pytest.approx(bound(3.0, 5.0))
    rows, weights = np.zeros((4, d)), 2.0 - np.eye(d)[np.triu_indices(d)]
    for release, fourth in (
        (dps.laplace_covariance(rows, 0.5, rng=1), 6.0),
        (dps.gaussian_covariance(rows, 0.5, 0.01, shape="triangle", rng=1), 3.0),
    ):
        scale = release.details["scale"]
        variance = 2 * scale**2 if fourth == 6.0 else scale**2
        spread = np.sum(weights**2) * (fourth - 1) * variance**2
        assert release.details["variance"] == pytest.approx(variance)
        assert release.details["guarantee"].bound == pytest.approx(bound(np.sum(weights) * variance, spread))
    one_sided = dps.wishart_covariance(rows, 0.5, 0.01, rng=1)
    for release, (mean, variance) in (
        (dps.symmetric_wishart_covariance(rows, 0.5, relation="zero_out", rng=1), wishart.difference_moments(d)),
        (dps.symmetric_wishart_covariance(rows, 0.5, rng=1), shaped.tilted_wishart_moments(d)),
        (dps.gaussian_covariance(rows, 0.5, 0.01, rng=1), shaped.gaussian_moments(d)),
        (one_sided, wishart.centred_moments(one_sided.details["degrees_of_freedom"], d)),
    ):
        scale = release.details["scale"]
        expected = bound(mean * scale**2, variance * scale**4)
        assert release.details["guarantee"].bound == pytest.approx(expected)


def test_symmetric_wishart_noise_is_the_difference_of_two_products():
    release = dps.symmetric_wishart_covariance(np.zeros((4, 3)), 0.5, relation="zero_out", rng=2)
    rng = np.random.default_rng(2)
    g, h = rng.standard_normal((3, 4)), rng.standard_normal((3, 4))
    assert np.allclose(release.value, release.details["scale"] * (g @ g.T - h @ h.T))


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("relation", ["replace", "zero_out"])
def test_a_replacement_costs_more_from_two_columns_on(d, relation):
    """One profile for one row or one column; three pairs of rows, or two steps, for a replacement."""
    alone = d == 1 or relation == "zero_out"
    least = chi_square.least_degrees(0.5, 0.01, chi_square.profile) if alone else exchange.least_degrees(0.5, 0.01)
    assert calibrated(d, 0.5, 0.01, None, relation) == (least + d - 1, 1.0)
    degrees = 30 - d + 1
    shift = (
        chi_square.largest_shift(0.5, 0.01, chi_square.profile, degrees)
        if alone
        else exchange.largest_shift(0.5, 0.01, degrees)
    )
    assert calibrated(d, 0.5, 0.01, 30, relation) == (30, shift)


@pytest.mark.parametrize(("m", "width"), [(8, 5), (60, 5)])
def test_the_default_share_minimises_the_error_at_leverages_a_little_above_the_average(m, width):
    """Two and a half times the average, 1 at most; by brute force."""
    whole, parts = mu_for(0.75, 1e-3), np.linspace(0.05, 0.99, 95)
    noises = np.array([find_then_project.noise_scale(width, 0.75, 1e-3, part * whole) for part in parts])
    costs = (m + 1) * noises**2 + width * 30 * min(1, 2.5 * width / m) / (parts * whole) ** 2
    assert range_finding._best_share(m, 30, width, whole, 0.75, 1e-3) == pytest.approx(
        parts[np.argmin(costs)], abs=0.01
    )


def test_a_trace_that_is_exactly_the_bound_is_accepted():
    m = np.diag([0.1, 0.2, 0.3])
    dps.private_orbit(m, [1.0, 0, 0], 1.0, trace=float(np.trace(m)), rng=1)
    with pytest.raises(ValueError, match="trace must bound"):
        dps.private_orbit(m, [1.0, 0, 0], 1.0, trace=float(np.trace(m)) * (1 - 1e-11), rng=1)


def test_a_complex_matrix_gives_a_complex_one_unasked():
    m = np.array([[2.0, 1j, 0], [-1j, 2.0, 0], [0, 0, 1.0]])
    for spectrum in ([1.0, 0, 0], [2.0, 1.0, 0]):
        release = dps.private_orbit(m, spectrum, 4.0, rng=1)
        assert np.iscomplexobj(release.value)
        assert release.details["postprocessing"] is None


def test_the_streams_of_a_power_method_have_keys_of_128_bits(monkeypatch):
    keys, generator = [], np.random.SFC64
    monkeypatch.setattr(np.random, "SFC64", lambda key: keys.append(key) or generator(key))
    for seed in range(8):
        dps.private_power_method(np.eye(4), 1, 1.0, iterations=2, rng=seed)
    assert len({tuple(key) for key in keys}) == len(keys) == 24
    assert all(max(int(key[word]) for key in keys) > 2**30 for word in range(4))


PLAN = {
    "epsilon": 0.75,
    "delta": 0.01,
    "mu": 0.5,
    "rounds": 3,
    "entry_bound": None,
    "dtype": "float64",
    "assumptions": (),
    "labels": (),
    "arithmetic": "ideal",
}
BLOCK = np.linalg.qr(np.random.default_rng(3).standard_normal((7, 2)))[0]


@pytest.mark.parametrize("mu", [None, 0.5])
@pytest.mark.parametrize("relation", [Relation.PAIR, Relation.SPECTRAL, Relation.RANK_ONE])
def test_noise_of_a_round_is_in_proportion_to_the_block(mu, relation):
    plan = PowerPlan(relation, relation, **PLAN | {"mu": mu}, scale="row")
    assert plan.noise(2 * BLOCK, 1.0) == pytest.approx(2 * plan.noise(BLOCK, 1.0))


@pytest.mark.parametrize("mu", [None, 0.5])
@pytest.mark.parametrize(("scale", "bound"), [("max", None), ("doubling", None), ("fixed", 0.875)])
def test_noise_by_the_largest_entry_is_that_of_a_block_of_such_entries(mu, scale, bound):
    """Two rows of ``p`` entries of that size change a pair: their l1 norms, or the root of the sum of squares."""
    plan = PowerPlan(Relation.PAIR, Relation.PAIR, **PLAN | {"mu": mu, "entry_bound": bound}, scale=scale)
    entry = {"max": float(np.max(np.abs(BLOCK))), "doubling": 2.0, "fixed": 0.875}[scale]
    expected = 2 * 2 * entry * 3 / 0.75 if mu is None else math.sqrt(2 * 2) * entry * math.sqrt(3) / 0.5
    assert plan.noise(BLOCK, 1.5) == pytest.approx(expected)
    assert plan.noise(BLOCK, 0.4) == pytest.approx(expected / 2 if scale == "doubling" else expected)


def test_what_the_first_rounds_of_a_power_method_have_spent():
    """Pure epsilon is spent by the share of the rounds; mu by its root, with delta on the same profile."""
    pure, normal = (PowerPlan(Relation.PAIR, Relation.PAIR, **PLAN | {"mu": mu}, scale="row") for mu in (None, 0.5))
    for done in (1, 2, 3):
        assert pure.claim(done).epsilon == pytest.approx(0.75 * done / 3)
        claim = normal.claim(done)
        assert claim.epsilon == 0.75
        assert claim.gdp_mu == pytest.approx(0.5 * math.sqrt(done / 3))
        assert claim.delta == (0.01 if done == 3 else pytest.approx(float(profile(0.75, claim.gdp_mu))))


@pytest.mark.parametrize("square", [False, True])
def test_relations_on_a_matrix_are_those_on_what_is_multiplied(square):
    allowed = {"pair": "pair", "spectral": "spectral", "rank_one": "rank_one"} if square else {}
    allowed = allowed or {"entry": "pair", "spectral": "spectral"}
    for relation in (Relation.ENTRY, Relation.PAIR, Relation.SPECTRAL, Relation.RANK_ONE):
        if relation in allowed:
            assert multiplied(relation, square) == allowed[relation]
        else:
            with pytest.raises(ValueError, match="for a square" if square else "for a rectangular"):
                multiplied(relation, square)


def test_blocks_of_the_wrong_shape_or_not_finite_are_told_apart():
    for start, message in ((np.eye(4)[:, :1], r"got shape \(4, 1\)"), (np.full((4, 2), np.nan), "not finite")):
        with pytest.raises(ValueError, match=message):
            dps.private_power_method(np.eye(4), 1, 1.0, iterations=1, start=start)


def test_a_learned_score_reads_the_statistics_that_differ_most_in_either_direction():
    rng = np.random.default_rng(0)
    tables = tuple({f"s{i}": rng.normal(size=score.SMALLEST) for i in range(score.COLUMNS + 20)} for _ in (0, 1))
    for name, shift in (("s1", 2.0), ("s2", -2.0)):
        tables[0][name] += shift
    assert {"s1", "s2"} <= set(score.learn(tables).names)


def test_one_dimension_is_admitted():
    assert abs(haar(1, rng=0)) == pytest.approx(np.ones((1, 1)))
    assert abs(bingham(np.zeros((1, 1)), rng=0)) == pytest.approx(np.ones(1))
    assert {len(pair.before) for pair in structured_pairs(1, "replace", 1.0)} == {1}
    rows = np.ones((3, 1))
    for release in (
        dps.private_pca(rows, 1, 1.0, rng=0),
        dps.laplace_covariance(rows, 1.0, rng=0),
        dps.private_spectrum(np.ones((1, 1)), 1, 1.0, rng=0),
        dps.private_power_method(np.ones((1, 1)), 1, 1.0, 0.1, iterations=1, rng=0),
    ):
        assert np.all(np.isfinite(np.asarray(release.value, dtype=complex)))


def test_the_rarest_output_that_would_have_shown():
    def same(x, *, size, rng):
        return rng.normal(size=size)

    few, many = (audit(same, (0, 1), 1.0, draws=draws, rng=0) for draws in (2, 1000))
    assert few.smallest_probability == 1.0
    assert many.smallest_probability == pytest.approx(math.log(1000) / 1000)


def test_the_risk_of_a_fixed_sample_is_shared_by_two_limits_a_bet_and_way():
    tried = bet((0, 80, 10, 10))
    options = Options(confidence=0.9, draws=200)
    for ways, bets in ((1, 1), (2, 3)):
        risk = 0.1 / (2 * ways * bets)
        loss = math.log(at_least(80, 100, risk) / at_most(10, 100, risk))
        assert _judged(PureDP(0.1), options, [tried] * bets, ways).bound == pytest.approx(loss, rel=1e-6)


def test_the_first_batch_of_proposals_expects_them_to_be_accepted():
    asked = []

    def propose(count):
        asked.append(count)
        return np.zeros((count, 1)), np.arange(count) % 2 == 0

    assert len(rejection.accepted(propose, 1000, 1)) == 1000
    assert asked[0] == 1050
    assert asked[1] == pytest.approx(1.05 * (1000 - 525) * 2, rel=0.02)
    assert len(asked) == 2
    assert rejection.accepted(propose, 0, 1).shape == (0, 1)


def test_only_a_constant_density_is_haar():
    """Three distinct values are no frame, for which the frames' own law is asked first."""
    spectrum = np.array([2.0, 1.0, 0.0])
    assert choose(np.ones(3), spectrum, 1.0, "complex") == "haar"
    assert choose(np.array([1.0, 0.5, 0.0]), spectrum, 1.0, "complex") != "haar"


def test_a_single_label_stands_with_no_other():
    assert "The same statement as" not in render(describe("MWKTV-E20"))
    assert "The same statement as HR-T2.6." in render(describe("HR-TA.1"))


def test_what_an_entry_is_checked_with_unless_it_says_otherwise():
    defaults = {field.name: field.default for field in dataclasses.fields(Statement)}
    assert (defaults["rounding"], defaults["digits"], defaults["examples"]) == (1e-9, 50, 100)
    empty = Report("DPS-X", "new", None)
    assert (empty.cases, empty.vacuous, empty.undecided, empty.closest, empty.seconds) == (0, 0, 0, None, 0.0)


@pytest.mark.parametrize("rates", [[3.0, 4.0], [0.5, 0.5], [2.0, 1.9], [0.01, 5.0, 0.3]])
def test_the_bound_on_a_columns_acceptance_is_the_smallest_that_markov_gives(rates):
    r, t = np.array(rates), np.linspace(0, len(rates), 200_001)
    values = t - np.sum(np.log1p(t[:, None] / r), axis=1)
    assert ball_chart._column_bound(r) == pytest.approx(np.min(values), abs=1e-8)


def test_directions_of_structured_pairs_are_what_they_are_called():
    for pair in structured_pairs(3, "replace", 2.0):
        assert not np.array_equal(pair.before, pair.after)
        if "oblique" in pair.name and "mirrored" in pair.name:
            changed, to = np.atleast_2d(pair.before), np.atleast_2d(pair.after)
            assert np.min(np.abs(changed @ to.T)) == pytest.approx(0.0, abs=1e-15)


def test_power_is_told_of_audits_that_have_ended():
    result = audit(lambda x, *, rng: x + rng.laplace(), (0.0, 1.0), 2.0, draws=256, rng=0)
    assert "power" in json.loads(result.to_json())
    assert "power" not in json.loads(dataclasses.replace(result, stopped="running").to_json())


def test_equal_data_sets_of_objects_are_known_to_be_equal():
    """By value: their bytes are addresses."""
    one, other = (np.array([text, None], dtype=object) for text in ("".join(["a", "b"]), "ab"))
    assert _identity(one) == _identity(other)
    assert _identity(np.eye(2)) == _identity(np.eye(2)) != _identity(np.ones((2, 2)))


def test_an_event_of_the_only_statistic_is_drawn(monkeypatch):
    result = audit(lambda x, *, rng: x + rng.laplace(), (0.0, 9.0), 1.0, rng=0)
    columns = [{result.event.statistic: np.array(values)} for values in ([0.0, 1.0, 2.0], [8.0, 9.0, 10.0])]
    monkeypatch.setattr(sample, "_tables", lambda *arguments: columns)
    found = sample.sampled(None, (0.0, 9.0), result)
    assert isinstance(found, sample.Sample)
    assert found.event == result.event


def test_a_point_on_the_chord_counts_as_above_and_a_number_at_the_limit_as_within():
    assert _above((0, 1.0), (1, 0.5), (2, 0.0))
    assert not _above((0, 1.0), (1, 0.4), (2, 0.0))
    assert within(np.array([-1.0, 1.0]), 1.0)
    assert not within(np.array([-1.5, 1.0]), 1.0)
