"""The row-counting mechanism: its law against exact measures, privacy on neighbours, and what (P) rules out for others.

Fixed seeds; a test fails a true law with probability 1e-6 at most.
"""

import inspect

import numpy as np
import pytest
from mpmath import mp
from scipy import stats

import dpspectra as dps
from dpspectra.lemmas.lower_bounds import row_counting as entry
from dpspectra.mechanisms.row_counting import _in_cap, _lines, cap_radius, drawn, log_cap, log_share
from tests.support.helpers import ALARM


def released(rows, size, **options):
    """Draws as the mechanism makes them, all at once; the first of them is what it releases."""
    release = dps.row_counting_direction(rows, rng=1, **options)
    temperature, radius = release.details["kappa"], release.details["radius"]
    assert np.array_equal(drawn(_lines(rows), temperature, radius, 1, np.random.default_rng(1)), release.value.T)
    return drawn(_lines(rows), temperature, radius, size, np.random.default_rng(1))


def sines(values, line):
    """Sines of the angles between unit vectors and a line."""
    return np.linalg.norm(values - np.outer(values @ line, line), axis=1)


def on_axes(*counts):
    return np.repeat(np.eye(len(counts)), counts, axis=0)


def law(counts, kappa, radius):
    """Exact probabilities of the caps around the axes, which must be disjoint, and of what is outside of all."""
    with mp.workdps(30):
        inside, outside = entry._measures(mp.mpf(radius), len(counts), "real")
        weights = [inside * mp.exp(mp.mpf(kappa) * n) for n in counts]
        weights.append(outside - (len(counts) - 1) * inside)
        return [weight / mp.fsum(weights) for weight in weights]


@pytest.mark.parametrize(
    ("counts", "epsilon", "aligned"), [((6, 2), 2.0, 7), ((3, 0, 5), 1.5, 9), ((0, 0, 2, 4), 3.0, 6)]
)
@pytest.mark.parametrize("relation", ["replace", "add_remove"])
def test_caps_have_their_exact_probabilities(counts, epsilon, aligned, relation):
    """On disjoint caps, and uniform within: the squared sine on a cap has the Beta law cut off at the radius."""
    options = {"epsilon": epsilon, "aligned": aligned, "relation": relation}
    details = dps.row_counting_direction(on_axes(*counts), rng=0, **options).details
    kappa, radius = details["kappa"], details["radius"]
    assert kappa == (epsilon / 2 if relation == "replace" else epsilon)
    assert radius < np.sin(np.pi / 4)
    values = released(on_axes(*counts), 10000, **options)
    assert np.allclose(np.linalg.norm(values, axis=1), 1)
    caps = np.array([sines(values, axis) <= radius for axis in np.eye(len(counts))])
    seen = [*np.sum(caps, axis=1), np.sum(~np.any(caps, axis=0))]
    expected = np.array([float(p) for p in law(counts, kappa, radius)])
    assert stats.chisquare(seen, expected * 10000).pvalue > ALARM
    most, a = int(np.argmax(counts)), (len(counts) - 1) / 2
    inside = sines(values, np.eye(len(counts))[most])[caps[most]] ** 2
    whole = stats.beta(a, 0.5).cdf(radius**2)
    assert stats.kstest(inside, lambda s: stats.beta(a, 0.5).cdf(s) / whole).pvalue > ALARM


def test_caps_that_overlap_have_their_exact_probabilities():
    """In the plane the density is constant on the arcs between the ends of the caps."""
    angles, counts = np.array([0.0, 0.1, 0.25, 1.2]), [3, 2, 4, 5]
    rows = np.repeat(np.column_stack([np.cos(angles), np.sin(angles)]), counts, axis=0)
    options = {"epsilon": 2.0, "aligned": 5}
    details = dps.row_counting_direction(rows, rng=0, **options).details
    half = np.arcsin(details["radius"])
    assert 0.125 < half < 0.6, "some caps overlap, not all"
    ends = np.sort(np.concatenate([(angles - half) % np.pi, (angles + half) % np.pi, [0, np.pi]]))
    middle = (ends[1:] + ends[:-1]) / 2
    apart = np.abs((middle[:, None] - angles + np.pi / 2) % np.pi - np.pi / 2)
    weights = np.diff(ends) * np.exp(details["kappa"] * (apart <= half) @ counts)
    values = released(rows, 10000, **options)
    seen = np.histogram(np.arctan2(values[:, 1], values[:, 0]) % np.pi, ends)[0]
    assert stats.chisquare(seen, weights / weights.sum() * 10000).pvalue > ALARM


@pytest.mark.parametrize(
    ("counts", "start", "end"),
    [((40, 0), 0, 1), ((3, 2, 0), 1, 0), ((5, 5, 5), 2, 1), ((7, 0), None, 0), ((0, 0, 0), None, 2)],
)
@pytest.mark.parametrize("epsilon", [0.125, 1.0, 4.0])
def test_the_loss_on_neighbours_is_at_most_epsilon(counts, start, end, epsilon):
    """Exactly, at the temperature and the radius in use; forty rows on an axis, one of them turned, attain it."""
    relation = "add_remove" if start is None else "replace"
    kappa, radius = (
        dps.row_counting_direction(
            on_axes(*counts) if sum(counts) else np.zeros((1, len(counts))),
            epsilon,
            aligned=40,
            relation=relation,
            rng=0,
        ).details[name]
        for name in ("kappa", "radius")
    )
    loss = entry._exact_loss(counts, start, end, mp.mpf(radius), mp.mpf(kappa), "real")
    assert loss <= epsilon
    if counts == (40, 0) and epsilon == 4.0:
        assert loss > (1 - 1e-6) * epsilon


def test_the_radius_is_the_smallest_that_catches_the_line_with_probability_95_percent():
    for d in (2, 3, 7, 40):
        for exponent in (1e-3, 1.0, 20.0, 300.0):
            share = np.exp(log_share(exponent))
            assert share == pytest.approx(entry.share_for(0.05, exponent))
            assert entry.success(share, exponent) == pytest.approx(0.95)
            radius = cap_radius(np.log(share), d)
            if radius > 1e-12:
                assert entry.cap(radius, d, "real") == pytest.approx(share, rel=1e-9)
                assert log_cap(radius, d) == pytest.approx(np.log(share), rel=1e-9)


@pytest.mark.parametrize(("d", "radius"), [(2, 0.99), (3, 0.97), (8, 0.9), (5, 0.01)])
def test_draws_in_a_cap_are_uniform(d, radius):
    """Wide caps too: the squared sine has the Beta law cut off at the radius."""
    rng, a, centre = np.random.default_rng(4), (d - 1) / 2, np.ones(d) / np.sqrt(d)
    values = _in_cap(np.tile(centre, (10000, 1)), rng.standard_normal((10000, d)), radius, rng)
    assert np.allclose(np.linalg.norm(values, axis=1), 1)
    law = stats.beta(a, 0.5)
    assert stats.kstest(sines(values, centre) ** 2, lambda s: law.cdf(s) / law.cdf(radius**2)).pvalue > ALARM
    assert np.linalg.norm(np.mean(values - np.outer(values @ centre, centre), axis=0)) < 6 * radius / 100


@pytest.mark.parametrize("d", [3, 30, 200])
def test_measures_below_the_smallest_float_keep_their_logarithm(d):
    for radius in (1e-12, 1e-3, 0.5):
        with mp.workdps(30):
            a = mp.mpf(d - 1) / 2
            exact = mp.log(mp.betainc(a, mp.mpf(1) / 2, 0, mp.mpf(radius) ** 2, regularized=True))
        assert log_cap(radius, d) == pytest.approx(float(exact), rel=1e-12)
    wide = cap_radius(-5000.0, d)
    assert wide == 1e-12 or log_cap(wide, d) == pytest.approx(-5000, rel=1e-3)
    assert wide == 1e-12 or log_cap(wide, d) >= -5000, "not smaller than asked for, so that the guarantee holds"


@pytest.mark.parametrize("d", [2, 5])
@pytest.mark.parametrize("relation", ["replace", "add_remove"])
def test_the_guarantee_holds_and_no_smaller_one_would(d, relation):
    line = np.arange(1.0, d + 1) / np.linalg.norm(np.arange(1.0, d + 1))
    rows = np.outer(np.concatenate([np.full(20, 1.0), np.full(20, -0.25), np.zeros(9)]), line)
    options = {"epsilon": 0.5, "aligned": 40, "relation": relation}
    guarantee = dps.row_counting_direction(rows, rng=0, **options).details["guarantee"]
    failures = int(np.sum(sines(released(rows, 2000, **options), line) > guarantee.bound))
    assert guarantee.probability == 0.95
    assert stats.binomtest(failures, 2000, 0.05).pvalue > ALARM


@pytest.mark.parametrize(("top", "epsilon"), [(400, 0.1), (2000, 0.02)])
def test_it_errs_less_than_any_mechanism_of_the_second_moments_can(top, epsilon):
    """The lower bound of MWKTV-T2.4S needs the premise that the rows are seen through X'X only: here it is broken.

    Both fields: the bound over the reals for the mechanism, which is real; over the complex numbers for the entry.
    """
    rows = np.outer(np.ones(top), [0.6, 0.8])
    release = dps.row_counting_direction(rows, epsilon, aligned=top, rng=2)
    for field in ("real", "complex"):
        impossible = dps.bounds.orbit_utility(2, 1, [float(top)], epsilon, field=field).impossible
        assert impossible > 0
        if field == "real":
            promised = top**2 * release.details["radius"] ** 2  # gap: half of the squared error
            assert promised < 1e-3 * impossible
            assert top**2 * sines(release.value.T, np.array([0.6, 0.8]))[0] ** 2 <= promised
        else:
            chance = entry.chance_of_error_above(2 * impossible, top, epsilon, np.sqrt(impossible / top**2))
            assert chance < 0.5


def test_what_counts():
    """Not the lengths, the signs or zeros; proportional rows are on one line, whatever their size."""
    rows = np.array([[3.0, 4.0], [-6e-200, -8e-200], [0.0, 0.0], [0.3e200, 0.4e200], [0.0, -2.0]])
    lines, counts = _lines(rows)
    assert np.allclose(np.sort(np.abs(lines), axis=0), [[0.0, 0.8], [0.6, 1.0]])
    assert sorted(counts) == [1, 3]
    first = [dps.row_counting_direction(x, 1.0, aligned=3, rng=3).value for x in (rows, -7 * rows)]
    assert np.array_equal(*first)
    nothing = released(np.zeros((4, 3)), 1000, epsilon=4.0, aligned=2)
    assert stats.kstest(nothing[:, 0], stats.uniform(-1, 2).cdf).pvalue > ALARM


def test_the_sign_says_nothing():
    first = released(on_axes(30, 0), 400, epsilon=2.0, aligned=30)[:, 0]
    assert stats.binomtest(int(np.sum(first > 0)), 400).pvalue > ALARM


def test_a_claim_has_its_label():
    first = dps.row_counting_direction(on_axes(2, 1), 1.0, aligned=3, rng=1)
    assert first.value.shape == (2, 1)
    assert first.claim.labels == ("MWKTV-ROWEXP",)
    assert inspect.signature(dps.row_counting_direction).parameters["rng"].kind.name == "KEYWORD_ONLY"
