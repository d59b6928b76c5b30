"""Range finding and projection in certified arithmetic: grids, exact products, calibration; keys are fixed."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from mpmath import mp
from scipy import stats

import dpspectra as dps
from dpspectra.certified import ball_noise, calibrate, noise_on_grid, sketch
from dpspectra.fast.gaussian_profile import mu_for
from dpspectra.fast.noisy_sketch_profile import noise_for
from dpspectra.matrices import tall_blocks
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.mechanisms.noisy_products import CertifiedMeasurements
from dpspectra.oracle import noisy_sketch_profile as exact_sketch
from tests.support.helpers import ALARM, entropy

RNG = np.random.default_rng(0)
INTEGERS = RNG.integers(-5, 6, (12, 30))
REALS = RNG.standard_normal((12, 30))
BASIS = np.linalg.qr(RNG.standard_normal((12, 3)))[0]
PROMISE = (1.0, 1e-6)

MECHANISMS = {
    "range finder": lambda A, **o: dps.private_range_finder(A, 2, *PROMISE, **o),
    "projection": lambda A, **o: dps.private_projection(A, BASIS, *PROMISE, **o),
    "both stages": lambda A, **o: dps.project_find_prune(A, 2, *PROMISE, row_bound=60.0, **o),
    "every entry": lambda A, **o: dps.randomized_response_low_rank(A, 2, *PROMISE, **o),
}


@pytest.fixture
def seen(monkeypatch):
    """Noisy blocks with the noise they got, in the order in which they are released."""
    found, inner = [], CertifiedMeasurements.noisy

    def recorded(self, rows, digits, scale, draw):
        out = inner(self, rows, digits, scale, draw)
        found.append((out.copy(), scale))
        return out

    monkeypatch.setattr(CertifiedMeasurements, "noisy", recorded)
    return found


# ---------------------------------------------------------------- the grid


@pytest.mark.parametrize("A", [INTEGERS, REALS, 1e6 * REALS], ids=["integers", "reals", "large"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_every_number_before_postprocessing_is_an_integer_of_steps(name, A, seen):
    release: Any = MECHANISMS[name](A, rng=entropy())
    steps = [release.details[key] for key in ("range_step", "step") if key in release.details]
    assert len(steps) == len(seen) == 1 + (name == "both stages")
    for (block, scale), step in zip(seen, steps, strict=True):
        assert math.log2(step).is_integer()
        assert 2.0**-24 < step / scale <= 2.0**-23
        assert np.array_equal(block / step, np.rint(block / step))
        assert not np.signbit(block[block == 0]).any()
    if name in ("projection", "both stages"):
        assert (release.value.right == seen[-1][0].T).all()
    if name == "range finder":
        assert (release.value == orthonormal(seen[0][0])).all()


def test_low_bits_of_a_projection_say_nothing():
    """Ideal noise near 0 has more bits than noise near 1 had: 0.046 of the numbers show it, none here."""

    def low_bits(y):
        near = y[(np.abs(y) > 0) & (np.abs(y) < 0.25)]
        return int(np.sum(np.ldexp(near, 53) != np.rint(np.ldexp(near, 53))))

    zero, one, basis = np.zeros((3, 20_000)), np.zeros((3, 20_000)), np.eye(3)[:, :1]
    one[0] = 1.0
    counts = {
        way: [low_bits(dps.private_projection(a, basis, *PROMISE, rng=rng).value.right) for a in (zero, one)]
        for way, rng in (("ideal", 0), ("certified", entropy()))
    }
    assert counts["ideal"][0] > 500
    assert counts["ideal"][1] == 0
    assert counts["certified"] == [0, 0]


def test_parts_of_the_noise_are_put_together(monkeypatch):
    """Blocks of more than `PIECE` numbers, here less than three rows."""
    monkeypatch.setattr(tall_blocks, "PIECE", 8)
    zero = np.zeros((12, 30), dtype=int)
    one, other = (dps.private_projection(A, BASIS, *PROMISE, rng=entropy()) for A in (zero, INTEGERS))
    difference = other.value.right - one.value.right
    cut = np.trunc(BASIS * 2**20) / 2**20
    assert np.max(np.abs(difference - cut.T @ INTEGERS)) <= one.details["step"]
    assert len(np.unique(one.value.right)) == one.value.right.size


# ---------------------------------------------------------------- what a row can move


def test_a_changed_row_moves_a_projection_by_mu():
    """The row of the largest leverage by nearly all of ``mu``, no row by more; the noise is that of one key."""
    zero, shifts = np.zeros((12, 30), dtype=int), []
    one = dps.private_projection(zero, BASIS, *PROMISE, row_change=3.0, rng=entropy())
    for row in range(12):
        a = zero.copy()
        a[row, 7] = 3
        other = dps.private_projection(a, BASIS, *PROMISE, row_change=3.0, rng=entropy())
        shifts.append(np.linalg.norm(other.value.right - one.value.right) / one.details["noise"])
    assert max(shifts) == pytest.approx(one.claim.gdp_mu, rel=1e-4)
    assert max(shifts) <= one.claim.gdp_mu + 2.0**-20


def test_a_changed_row_moves_its_row_of_a_sketch_by_its_image(seen):
    """By the image under the test matrix, up to the rounding of both sketches; other rows stay as they are."""
    a = INTEGERS.copy()
    a[4] += np.arange(30)
    for data in (INTEGERS, a):
        dps.private_range_finder(data, 2, *PROMISE, rng=entropy())
    omega = sketch.test_matrix(30, 5, entropy()) / 2.0**sketch.GRID
    difference = seen[1][0] - seen[0][0]
    assert np.max(np.abs(difference[4] - np.arange(30) @ omega)) <= 2.0**-22 * seen[0][1]
    assert np.max(np.abs(np.delete(difference, 4, axis=0))) == 0


def test_test_matrices_are_ideal_numbers_rounded():
    for i, n in enumerate((1, 50, 5000)):
        source = entropy(i)
        sizes = [min(sketch.PART, 7 * n - first) for first in range(0, 7 * n, sketch.PART)]
        ideal = np.concatenate([noise_on_grid.Normals((size, 1), source).values.ravel() for size in sizes]).reshape(
            n, 7
        )
        omega = sketch.test_matrix(n, 7, entropy(i))
        assert np.max(np.abs(omega - np.ldexp(ideal, sketch.GRID))) <= 0.5 + 2.0**-20


# ---------------------------------------------------------------- calibration


PROMISES = [(1.0, 1e-6, 21, 0.0), (1.0, 1e-6, 5, 0.19), (0.1, 1e-12, 1, 0.0), (8.0, 0.3, 3, 1.0), (1e-3, 1e-3, 2, 1e-4)]


@pytest.mark.parametrize(("epsilon", "delta", "width", "mu"), PROMISES)
@pytest.mark.parametrize("n", [10**7])
def test_the_noise_of_a_sketch_is_certified_and_hardly_more_than_needed(epsilon, delta, width, mu, n):
    longer = sketch.lengthening(n, width)
    assert Fraction(n * width, 4**21) <= longer**2 <= Fraction(n * width, 4**21) * (1 + Fraction(1, 2**31)) ** 2
    candidate = noise_for(epsilon, delta, width, mu, float(longer))
    scale = sketch.noise_scale(epsilon, delta, width, mu, longer, candidate)
    with mp.workdps(30):
        more = mp.mpf(longer.numerator) / longer.denominator
        exact, less = (
            exact_sketch.profile(mp.mpf(epsilon), mp.mpf(s), width, mp.mpf(mu), more)
            for s in (scale, scale * (1 - 1e-9))
        )
        assert exact <= delta < less
    assert not sketch.delta_at_most(epsilon, delta, width, mu, longer, scale * (1 - 1e-9))
    raised = sketch.noise_scale(epsilon, delta, width, mu, longer, 0.99 * scale)
    assert scale * (1 - 1e-9) < raised < 1.02 * scale
    assert noise_for(epsilon, delta, width, mu) < scale


@pytest.mark.parametrize(("epsilon", "delta", "width", "mu"), PROMISES)
def test_the_integral_lies_between_sums_over_cells(epsilon, delta, width, mu):
    """Profiles at the ends of cells times their masses, in balls: another proof, with more noise."""
    longer = sketch.lengthening(1000, width)
    scale = sketch.noise_scale(epsilon, delta, width, mu, longer, noise_for(epsilon, delta, width, mu, float(longer)))
    with ball_noise.precision(128):
        ends = [Fraction(i, 40) for i in range(40 * 20)]
        masses = [
            (ball_noise.exact(r * r / 2)).gamma_lower(ball_noise.exact(Fraction(width, 2)), regularized=1) for r in ends
        ]
        shifts = [
            (ball_noise.exact((r + longer) / Fraction(scale)) ** 2 + ball_noise.exact(mu) ** 2).sqrt() for r in ends
        ]
        profiles = [calibrate.profile(ball_noise.exact(epsilon), shift) for shift in shifts]
        below = sum(((b - a) * p for a, b, p in zip(masses, masses[1:], profiles, strict=False)), arb(0))
        above = sum(((b - a) * p for a, b, p in zip(masses, masses[1:], profiles[1:], strict=False)), 1 - masses[-1])
        assert below < ball_noise.exact(delta) < above
        assert above < 4 * below


def test_noise_of_a_range_finder_counts_in_what_rounding_needs():
    for A, excess in ((INTEGERS, 0), (REALS, 1)):
        noises = [
            Fraction(dps.private_range_finder(A, 2, *PROMISE, row_change=c, rng=entropy()).details["noise"])
            for c in (1.0, 3.0)
        ]
        longer = sketch.lengthening(30, 5)
        s = Fraction(sketch.noise_scale(*PROMISE, 5, 0.0, longer, noise_for(*PROMISE, 5, 0.0, float(longer))))
        for noise_of, c, digits in zip(noises, (1, 3), (19, 18), strict=True):
            change = c + excess * Fraction(math.isqrt(30 << 100) + 1, 2 ** (50 + digits))
            assert change * s <= noise_of <= change * s * (1 + Fraction(1, 2**45))


@pytest.mark.parametrize("A", [INTEGERS, REALS], ids=["integers", "reals"])
def test_noise_of_a_projection_is_certified_in_rational_numbers(A):
    release = dps.private_projection(A, BASIS, *PROMISE, row_change=0.7, rng=entropy())
    s, mu = Fraction(release.details["noise"]), Fraction(release.claim.gdp_mu)
    cut = [[math.trunc(Fraction(u) * 2**20) for u in row] for row in BASIS.tolist()]
    longest = Fraction(max(sum(u * u for u in row) for row in cut), 4**20)
    change = Fraction(0.7) + (Fraction(math.isqrt(30 << 100), 2 ** (50 + 20)) if A is REALS else 0)
    assert (s * mu) ** 2 >= longest * change**2 >= ((s - s / 2**30) * mu) ** 2
    assert calibrate.profile_at_most(*PROMISE[:1], float(mu), PROMISE[1])
    every = dps.randomized_response_low_rank(A, 2, *PROMISE, row_change=0.7, rng=entropy())
    s, mu = Fraction(every.details["noise"]), Fraction(every.claim.gdp_mu)
    assert (s * mu) ** 2 >= change**2 >= ((s - s / 2**30) * mu) ** 2


def test_bases_are_cut_off_toward_zero():
    u = np.array([[0.6, -0.6], [-(2.0**-20), 1.0], [2.0**-20 - 2.0**-60, -1e-300]])
    assert sketch.cut(u).tolist() == [[629145, -629145], [-1, 2**20], [0, 0]]


def test_both_stages_are_certified_together():
    details = dps.project_find_prune(INTEGERS, 2, *PROMISE, share=0.7, row_change=2.0, rng=entropy()).details
    mu = details["projection_mu"]
    assert mu == pytest.approx(0.7 * mu_for(*PROMISE))
    assert sketch.delta_at_most(*PROMISE, 5, mu, sketch.lengthening(30, 5), details["range_noise"] / 2)
    exact = exact_sketch.noise_for(*PROMISE, 5, mu)
    assert exact < details["range_noise"] / 2 < exact * (1 + 1e-5)
    assert details["noise"] == pytest.approx(2 * math.sqrt(details["largest_leverage"]) / mu, rel=1e-5)


def test_a_basis_of_which_nothing_is_left_releases_nothing():
    release = dps.project_find_prune(INTEGERS, 2, *PROMISE, row_bound=1e-9, rng=entropy())
    assert release.details["pruned"] == 12
    assert release.details["noise"] == 0
    assert not release.value.right.any()


# ---------------------------------------------------------------- the law


def test_stages_share_no_noise(seen):
    """Correlations of 60 numbers pass 6 standard deviations with probability below 1e-8."""
    dps.project_find_prune(np.zeros((60, 60), dtype=int), 2, *PROMISE, rng=entropy())
    one, other = (block.ravel()[:60] / scale for block, scale in seen)
    assert abs(np.corrcoef(one, other)[0, 1]) < 6 / math.sqrt(60)
    assert len(np.intersect1d(np.abs(one), np.abs(other))) == 0
    sizes = [float(np.sum((block / scale) ** 2)) for block, scale in seen]
    for size, (block, _) in zip(sizes, seen, strict=True):
        assert ALARM < stats.chi2.cdf(size, block.size) < 1 - ALARM
