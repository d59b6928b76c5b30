"""Certified noise: the kernels keep their bounds, and floating point decides as balls do on the same bits."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from scipy import stats

import dpspectra as dps
from dpspectra.certified import balls, calibrate, kernels, noise
from dpspectra.certified.entropy import Source, SystemEntropy, Words
from dpspectra.certified.grid import Steps, over, step_exponent
from dpspectra.fast.gaussian import mu_for

KEY = bytes(range(32))
ALL_OPEN = 1.0
"""A bound at which nothing is certain, so that balls decide everything."""


def entropy(i=0):
    return dps.Entropy(KEY[:31] + bytes([i]))


class Chosen(Source):
    """Words that are given, followed by nothing but zeros."""

    class _Words(Words):
        def __init__(self, values):
            self.values = np.array(values, dtype=np.uint64)

        def beyond(self, i, bits):
            return 0

    def __init__(self, values):
        self.values = values

    def words(self, count):
        return self._Words(list(itertools.islice(itertools.cycle(self.values), count)))


def near(k, width=2):
    return [k + j for j in range(-width, width + 1) if 2**48 <= k + j < 2**63]


EDGES = sorted({
    *(k for e in range(48, 64) for k in near(2**e)),
    *(k for e in range(48, 63) for k in near(int(2**e * math.sqrt(2)))),
    *(k for e in range(1, 48) for k in near(2**63 - 2**e)),
    *near(int(2**63 * math.exp(-(2.0**-15))), 40),
})  # fmt: skip
"""Upper 63 bits of words where the kernel of the logarithm changes its way, or cancels."""


def drawn(count, seed):
    return np.random.default_rng(seed).integers(2**48, 2**63, size=count, dtype=np.uint64).tolist()


def test_exponentials_keep_their_bound():
    ks = EDGES + drawn(3000, 0)
    values, is_open = kernels.exponentials(np.array([2 * k for k in ks], dtype=np.uint64))
    assert not is_open.any()
    with mp.workdps(50):
        errors = [
            max(abs(mp.mpf(v) + mp.log(mp.mpf(k + end) / 2**63)) for end in (0, 1))
            for v, k in zip(values.tolist(), ks, strict=True)
        ]
    assert max(errors) <= 0.66 * kernels.EXPONENTIAL_ERROR
    assert max(errors) > 0.4 * kernels.EXPONENTIAL_ERROR, "most of it is the width of the smallest words"
    assert max(values) <= kernels.LARGEST_EXPONENTIAL


def test_normals_keep_their_bound():
    least = int(2**63 * math.exp(-(2.0**-15))) >> 10
    radii = [(least - j << 10) + 512 for j in range(64)] + EDGES + drawn(1500, 1)  # halfway between floats, and others
    angles = np.random.default_rng(2).integers(0, 2**64, size=len(radii), dtype=np.uint64)
    angles[:64], angles[64:72] = 0, [7, 2**64 - 1, 2**64 - 8, 1, 2, 3, 4, 5]
    x, y, is_open = kernels.normal_pairs(np.array([2 * k for k in radii], dtype=np.uint64), angles)
    worst = mp.zero
    with mp.workdps(50):
        for i in np.flatnonzero(~is_open).tolist():
            word, last = int(angles[i]) >> 3, int(angles[i]) & 7
            for u, v in itertools.product((radii[i], radii[i] + 1), (word, word + 1)):
                r, t = mp.sqrt(-2 * mp.log(mp.mpf(u) / 2**63)), mp.mpf(v) / 2**61 * mp.pi / 4
                first, second = (mp.cos(t), mp.sin(t)) if last & 1 else (mp.sin(t), mp.cos(t))
                first, second = first * (-1) ** (last >> 1 & 1), second * (-1) ** (last >> 2)
                worst = max(worst, abs(mp.mpf(float(x[i])) - r * first), abs(mp.mpf(float(y[i])) - r * second))
    assert 0.2 * kernels.NORMAL_ERROR < worst <= 0.26 * kernels.NORMAL_ERROR
    assert max(np.abs(x[~is_open]).max(), np.abs(y[~is_open]).max()) <= kernels.LARGEST_NORMAL


@pytest.mark.parametrize("k", [0, 1, 2**20, 2**48 - 1])
def test_words_beyond_the_bound_are_open(k):
    assert kernels.exponentials(np.array([2 * k + 1], dtype=np.uint64))[1].all()
    assert kernels.normal_pairs(np.array([2 * k], dtype=np.uint64), np.zeros(1, dtype=np.uint64))[2].all()


def test_small_radii_are_open():
    words = np.array([2**64 - 1, 2 * int(2**63 * (1 - 2.0**-14))], dtype=np.uint64)
    assert kernels.normal_pairs(words, np.zeros(2, dtype=np.uint64))[2].tolist() == [True, False]
    assert not kernels.exponentials(words)[1].any()


# ---------------------------------------------------------------- floating point against balls

LAWS = {
    "laplace": lambda steps, ratio, source: noise.laplace(steps, ratio, source),
    "gaussian": lambda steps, ratio, source: noise.gaussian(steps, ratio, source),
    "difference of Wishart matrices": lambda s, r, source: noise.wishart(s, 4, 5, r, (1, -1), source),
    "Wishart matrix": lambda steps, ratio, source: noise.wishart(steps, 4, 7, ratio, (1,), source),
}


def some_steps(size, seed):
    """Exact numbers, some of them halfway between steps."""
    integers = np.random.default_rng(seed).integers(-(2**50), 2**50, size=size)
    integers[: size // 4] = integers[: size // 4] >> 20 << 20 | 1 << 19
    return Steps.of(integers, -20)


def in_balls(law, steps, ratio, source):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(noise, "SLACK", ALL_OPEN)
        return law(steps, ratio, source)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize(("ratio", "size"), [(2.0**23.5, 100_000), (2.0**40.5, 10_000)])
def test_floating_point_decides_as_balls_do(name, ratio, size):
    """At the default grid hardly any number is open, at the fine one every few."""
    rounds = 1 if size > 2000 and "Wishart" not in name else 20
    for i in range(rounds):
        steps = some_steps(10 if "Wishart" in name else size, i)
        fast, exact = LAWS[name](steps, ratio, entropy(i)), in_balls(LAWS[name], steps, ratio, entropy(i))
        assert fast.tolist() == exact.tolist()
        if rounds == 20 and "Wishart" not in name:
            break


@pytest.mark.parametrize("word", [2**63 - 2**10, 2**63 - 2**28, 2**63 - 2**43, 2**20, 5])
def test_stored_normals_of_open_words_are_refined(word):
    """A ball at the precision of float64 would be off by many times the bound that others rely on."""
    block = noise.Normals((2, 2), Chosen([2 * word, 2**63 + 2**40 + 5]))
    with balls.precision(600):
        true = [float(block.ball(0, j, 400) - balls.exact(float(block.values[0, j]))) for j in (0, 1)]
    assert max(map(abs, true)) <= kernels.NORMAL_ERROR / 3


FAULTS = {
    "rest of log 2": ("LOG2_LOW", 0.0),
    "a coefficient of the sine": ("SINE", tuple(c + 1e-9 * (j == 2) for j, c in enumerate(kernels.SINE))),
    "a coefficient of the cosine": ("COSINE", tuple(c + 1e-9 * (j == 3) for j, c in enumerate(kernels.COSINE))),
    "a coefficient of the logarithm": (
        "LOGARITHM",
        tuple(c + 1e-9 * (j == 1) for j, c in enumerate(kernels.LOGARITHM)),
    ),
    "bound of exponentials": ("EXPONENTIAL_ERROR", -noise.ROUNDING),
    "bound of normal numbers": ("NORMAL_ERROR", -noise.ROUNDING),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_the_kernels_show(fault, monkeypatch):
    law = LAWS["laplace" if "log" in fault or "exponential" in fault else "gaussian"]
    ratio, steps = 2.0 ** (45 if "bound" in fault else 41), some_steps(4_000, 0)  # not all is open
    exact = in_balls(law, steps, ratio, entropy())
    monkeypatch.setattr(kernels, *FAULTS[fault])
    assert law(steps, ratio, entropy()).tolist() != exact.tolist()


MOMENTS = {"laplace": [math.factorial(p) * (p % 2 == 0) for p in range(9)], "gaussian": [1, 0, 1, 0, 3, 0, 15, 0, 105]}


@pytest.mark.parametrize(("name", "law"), [("laplace", stats.laplace), ("gaussian", stats.norm)])
def test_the_law_is_the_ideal_one(name, law):
    """Kolmogorov-Smirnov and four moments, 2e5 numbers of one key; a true law fails with probability 1e-3 at most."""
    z = np.asarray(LAWS[name](Steps.of(np.zeros(200_000, dtype=np.int64), 0), 2.0**24, entropy(7)), dtype=float) / 2**24
    assert stats.kstest(z, law.cdf).pvalue > 5e-4
    for power in (1, 2, 3, 4):
        mean, square = MOMENTS[name][power], MOMENTS[name][2 * power]
        assert abs(np.mean(z**power) - mean) < 4.1 * math.sqrt((square - mean**2) / len(z))


def test_noise_of_one_call_is_independent():
    """Correlations of neighbouring numbers, of pairs and of their squares; 5 standard deviations."""
    for name in ("laplace", "gaussian"):
        z = np.asarray(LAWS[name](Steps.of(np.zeros(100_000, dtype=np.int64), 0), 2.0**24, entropy(3)), dtype=float)
        for x in (z, z**2, np.abs(z)):
            for lag in (1, 2):
                assert abs(np.corrcoef(x[:-lag], x[lag:])[0, 1]) < 5 / math.sqrt(len(z))


def test_products_are_within_their_bound():
    """All terms of one sign, each rounded in one direction."""
    for terms in (1, 7, 300):
        x, y = np.full(terms, 1 / 3), np.full(terms, 1 + 2.0**-52)
        error = abs(Fraction(float(x @ y)) - sum(Fraction(a) * Fraction(b) for a, b in zip(x, y, strict=True)))
        norms = (np.array([math.sqrt(terms) * a]) for a in (1 / 3, 1 + 2.0**-52))
        (bound,) = noise.product_error(terms, *norms)
        assert error <= bound
    assert noise.product_error(4, 3.0, 7.0) == noise.product_error(4, 21.0, 1.0) == 21 * 16 * 2.0**-53


@pytest.mark.parametrize("shape", [(1, 3), (3, 1), (3, 5), (2, 2)])
def test_normals_of_every_shape(shape):
    block = noise.Normals(shape, entropy())
    assert block.values.shape == shape
    with balls.precision(200):
        last = block.ball(shape[0] - 1, shape[1] - 1, 128) - balls.exact(float(block.values[-1, -1]))
    assert abs(float(last)) < kernels.NORMAL_ERROR


@pytest.mark.parametrize("length", [61, 63])
def test_a_word_stands_for_all_numbers_that_begin_with_it(length):
    words = Chosen([2**63 + 2**40 + 5]).words(1)
    with balls.precision(400):
        ball = balls.uniform(int(words.values[0]), length, words, 0, 64)
        unit = Fraction(1, 2 ** (length + 64))
        first = ((int(words.values[0]) >> (64 - length)) << 64) * unit
        assert all(ball.contains(balls.exact(end)) for end in (first, first + unit))
        assert not any(ball.contains(balls.exact(beyond)) for beyond in (first - unit / 50, first + unit * 51 / 50))


# ---------------------------------------------------------------- bits


@pytest.mark.parametrize("source", [entropy(), SystemEntropy()])
def test_what_follows_a_word_is_remembered(source):
    words = source.words(3)
    first = words.beyond(1, 70)
    more = words.beyond(1, 333)
    assert more >> (333 - 70) == first
    assert words.beyond(1, 5) == first >> 65
    assert words.beyond(1, 333) == more
    assert words.beyond(2, 333) != more
    assert len(words) == 3


@pytest.mark.parametrize(("byte", "expected"), [(b"\xff", -1), (b"\x00", 0)])
def test_what_follows_a_word_is_what_the_system_gives_and_nothing_else(byte, expected, monkeypatch):
    words = SystemEntropy().words(1)
    monkeypatch.setattr("os.urandom", lambda count: byte * count)
    for bits in (3, 12, 333):
        assert words.beyond(0, bits) == expected % 2**bits


def test_a_key_repeats_and_its_calls_differ():
    one, other = entropy(), entropy()
    first = one.words(4)
    assert first.values.tolist() == other.words(4).values.tolist()
    assert first.values.tolist() != one.words(4).values.tolist()
    assert first.values.tolist() != entropy(1).words(4).values.tolist()
    assert SystemEntropy().words(4).values.tolist() != SystemEntropy().words(4).values.tolist()


@pytest.mark.parametrize(("key", "found"), [(b"short", "5 bytes"), (b"", "0 bytes"), ("x" * 32, "str"), (7, "int")])
def test_other_keys_are_refused(key, found):
    with pytest.raises(ValueError, match=f"key must be 32 bytes, got {found}"):
        dps.Entropy(key)


# ---------------------------------------------------------------- grids


@given(st.lists(st.integers(-(2**70), 2**70), min_size=1, max_size=4), st.integers(-90, 90), st.integers(1, 2**60))
def test_steps_and_their_way_out_are_exact(integers, shift, count):
    small = all(abs(k) < 2**62 for k in integers)
    steps = Steps.of(np.array(integers, dtype=np.int64 if small else object), shift)
    total = steps.plus(np.full(len(integers), 3, dtype=np.int64))
    for i, k in enumerate(integers):
        true = k * Fraction(2) ** shift
        assert steps.whole[i] + steps.fraction(i) == true
        assert abs(Fraction(float(steps.fractions[i])) - steps.fraction(i)) <= Fraction(1, 2**54)
        assert int(total[i]) == math.floor(true) + 3
        assert over(total, -40, count)[i] == float(Fraction(int(total[i])) / (count * 2**40))
        assert over(total, 40, count)[i] == float(Fraction(int(total[i])) * 2**40 / count)


def test_a_count_that_float64_does_not_hold_is_divided_by_exactly():
    assert over(np.array([1]), 0, 2**53 + 1)[0] == float(Fraction(1, 2**53 + 1)) != 2.0**-53


def test_zero_has_no_sign():
    for integers in (np.zeros(3, dtype=np.int64), np.zeros(3, dtype=object)):
        assert not np.signbit(over(integers, -3, 7)).any()
    z = noise.laplace(Steps.of(np.zeros(2000, dtype=np.int64), 0), 0.5, entropy())
    assert (z == 0).sum() > 100
    assert not np.signbit(over(z, -3, 7)[z == 0]).any()


@pytest.mark.parametrize("scale", [1.0, 0.75, 3.0, 1e-200, 1e200])
def test_the_grid_is_finer_than_the_scale_by_so_many_bits(scale):
    step = Fraction(2) ** step_exponent(scale, 24)
    assert Fraction(scale) / 2**24 < step <= Fraction(scale) / 2**23


# ---------------------------------------------------------------- calibration


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(1.0, 1e-6), (0.1, 1e-6), (8.0, 1e-12), (50.0, 1e-300), (1e-6, 1e-12), (1e-3, 0.5)]
)
def test_mu_is_certified_and_nearly_the_largest(epsilon, delta):
    mu = calibrate.gaussian_mu(epsilon, delta, mu_for(epsilon, delta))

    def profile(m):
        e = mp.mpf(epsilon)
        return mp.ncdf(m / 2 - e / m) - mp.exp(e) * mp.ncdf(-m / 2 - e / m)

    with mp.workdps(400):
        assert profile(mp.mpf(mu)) <= mp.mpf(delta)
        assert profile(mp.mpf(mu) * (1 + mp.mpf(2) ** -28)) > mp.mpf(delta)


@pytest.mark.parametrize(("square", "divisor"), [(Fraction(2), 0.1), (Fraction(61, 2), 3.0), (Fraction(1, 3), 1e-30)])
def test_roots_are_rounded_up(square, divisor):
    s = Fraction(calibrate.at_least_root(square, divisor))
    assert (s * Fraction(divisor)) ** 2 >= square
    assert (s * (1 - Fraction(1, 2**50)) * Fraction(divisor)) ** 2 < square


@pytest.mark.parametrize("square", [Fraction(4) ** 251, Fraction(1, 4**251)])
def test_scales_that_are_out_of_range_are_refused(square):
    with pytest.raises(ValueError, match=r"the scale of the noise must lie between 2\*\*-250 and 2\*\*250"):
        calibrate.at_least_root(square, 1.0)


@pytest.mark.parametrize("estimate", [2.0**62, -(2.0**62)])
def test_an_estimate_that_int64_does_not_hold_for_certain_is_asked_for_in_balls(estimate):
    asked = []

    def value(place, bits):
        asked.append(bits)
        return balls.exact(int(estimate) + 1)

    found = noise.rounded([(np.array([estimate]), np.array([False]))], 2.0**-20, value)
    assert asked
    assert int(found[0]) == int(estimate) + 1
