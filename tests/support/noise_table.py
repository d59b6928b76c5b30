"""What every mechanism must release for given numbers or words: data, and noise of the scale that the claim needs.

A `Row` is a call and what it must give. Scales follow from the claim by `dpspectra.oracle` or by the definition, never
from ``details``, of which steps of grids are read, and choices that are free of data. What comes after the noise is
done as the package does it.
"""

import functools
import hashlib
import inspect
import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp
from mpmath.libmp import to_rational

import dpspectra as dps
from dpspectra.certified import gram
from dpspectra.certified.orbit import Orbit, step_exponent
from dpspectra.fast import chi_square_profile as fast_chi_square
from dpspectra.fast import noisy_sketch_profile as fast_sketch
from dpspectra.fast.linalg import eigenvectors, orbit_projection
from dpspectra.fast.pruning import prune
from dpspectra.matrices import centring
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.mechanisms import choice, covariance, power_plan, row_counting
from dpspectra.mechanisms.catalogue import MECHANISMS, NOISES
from dpspectra.oracle import chi_square_profile, noise_scales, noisy_sketch_profile, wishart_row_exchange
from dpspectra.postprocessing import best_rank
from dpspectra.sampling.orbit import plan
from tests.support.standard_noise import fractions, symmetric, triangle

EPSILON, DELTA, BOUND, CHANGE = 0.6, 1e-3, 0.7, 3.0
WHOLE = Fraction(1)
DIGITS = 20
"""Digits after the point of blocks, and of entries that are no integers."""


@dataclass(frozen=True, eq=False)
class Row:
    """A call of a mechanism, and its value from standard noise and the details."""

    name: str
    data: Any
    options: Mapping[str, Any]
    value: Callable[[Any, Mapping[str, Any]], Any]
    certified: tuple[bool, ...] = (False, True)
    at_the_edge: Mapping[bool, int] = field(default_factory=dict)
    """Seeds, by arithmetic, with which a proposal is just accepted or just not: where nothing else shows a temperature.

    They have to be found again, by trying, when a sampler changes.
    """

    def seed(self, certified):
        found = hashlib.sha256(f"{self.title} {certified}".encode()).digest()
        return self.at_the_edge.get(certified, int.from_bytes(found[:6], "big"))

    @property
    def title(self):
        def shown(value):
            if isinstance(value, dps.Matrix):
                return f"{value} {value.dtype}"
            return f"{value.shape} {value.dtype}" if isinstance(value, np.ndarray) else str(value)

        said = (f"{key} {shown(value)}" for key, value in self.options.items() if key != "epsilon")
        return ", ".join([self.name, shown(self.data), *said])

    def call(self, rng):
        return MECHANISMS[self.name].function()(self.data, **self.options, rng=rng)


# ---------------------------------------------------------------- what claims need


def rational(x):
    return Fraction(*map(int, to_rational(x._mpf_))) if isinstance(x, mp.mpf) else Fraction(x)


def precisely(function):
    """A function of the oracle with digits to spare, as a rational number, remembered."""

    @functools.cache
    def found(*arguments):
        with mp.workdps(20):
            return rational(mp.mpf(function(*map(exactly, arguments))))

    return found


def exactly(x):
    return mp.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x


@precisely
def mu_of(epsilon, delta):
    return 1 / noise_scales.gaussian(epsilon, delta)


laplace_scale = precisely(noise_scales.laplace)
root = precisely(mp.sqrt)


@functools.cache
def hides(degrees, shift, alone):
    """Whether one-sided Wishart noise, of so many degrees beyond ``d - 1``, hides a row of this squared norm.

    In units of the scale, when the row becomes zero, or was; or, if it is not ``alone``, when it gives way to another:
    by two steps, of which the first may have any share of epsilon, or by the three profiles of the documentation.
    """
    with mp.workdps(15):
        one = [
            profile(EPSILON, degrees, shift)
            for profile in (chi_square_profile.excess_below, chi_square_profile.excess_above)
        ]
        if alone:
            return bool(max(one) <= DELTA)
        share = fast_chi_square.best_share(EPSILON, degrees, shift)
        two = chi_square_profile.exchange(EPSILON, degrees, shift, shift, share)
        return bool(two <= DELTA or sum(one) + wishart_row_exchange.profile(EPSILON, degrees, shift, shift) <= DELTA)


@precisely
def sketch_scale(epsilon, delta, width, mu, longer):
    """Noise for a change of norm 1 of which a random block shows the image, and a measurement of this ``mu``."""

    def excess(exponent):
        return mp.log(noisy_sketch_profile.profile(epsilon, mp.exp(exponent), width, mu, longer) / delta)

    start = mp.log(fast_sketch.noise_for(float(epsilon), float(delta), width, float(mu)))
    return mp.exp(mp.findroot(excess, (start, start + 1e-6), solver="secant", tol=1e-13, verify=False))


def of_covariance(name, d, epsilon, delta, relation="replace"):
    """The law of a covariance's noise and its scale on the sum, for rows of norm 1."""
    if name == "laplace_covariance":
        return "laplace", laplace_scale(epsilon, d)
    if name == "gaussian_covariance":
        return "shaped", 1 / mu_of(epsilon, delta)
    if name == "knorm_covariance":
        return "knorm", 1 / Fraction(epsilon)
    if relation in ("zero_out", "add_remove"):
        return "difference", 1 / (2 * Fraction(epsilon))
    return "tilted", 1 / Fraction(epsilon)


def drawn(source, law, d):
    """Noise of a covariance on and above the diagonal."""
    return getattr(source, law)(d * (d + 1) // 2 if law in ("laplace", "normal") else d)


# ---------------------------------------------------------------- data


def rows_of(n, d):
    """Rows of multiples of 1/64, of norm below `BOUND`."""
    return np.random.default_rng(n * d).integers(-15, 16, (n, d)) / 64


@dataclass(frozen=True, eq=False)
class Summed:
    """Second moments of people of norm at most ``bound``: given by their rows, or as a `dps.Matrix`."""

    entries: np.ndarray
    """Rows, or the sum."""
    bound: float = 1.0
    of_rows: bool = False
    levels: tuple[float, ...] = ()
    """Exact eigenvalues of the sum, descending, where they are needed."""

    @property
    def data(self):
        return self.entries if self.of_rows else dps.Matrix(self.entries, self.bound)

    @property
    def options(self):
        return {"norm_bound": self.bound} if self.of_rows else {}

    @property
    def is_real(self):
        return not np.iscomplexobj(self.entries)

    def count(self, relation):
        """What the sum is divided by: the number of rows, where it is public."""
        return len(self.entries) if self.of_rows and relation == "replace" else 1

    def exact(self):
        """The sum on and above the diagonal."""
        return moments(self.entries) if self.of_rows else triangle(fractions(self.entries))

    def in_units(self, source):
        """The sum in units of its own, and a person's largest squared norm in them: rows are moved onto a grid."""
        if not source.certified:
            total = self.entries.T @ self.entries if self.of_rows else self.entries
            return total / self.bound**2, WHOLE
        square = Fraction(self.bound) ** 2
        if not self.of_rows:
            return self.entries, square
        found = gram.exact_moments(self.entries, self.bound)
        return found.total, Fraction(math.floor(square * 4**found.exponent))

    def longest(self, source):
        """A person's largest squared norm, of rows on the grid of certified arithmetic if they are moved there."""
        if not (source.certified and self.of_rows):
            return Fraction(self.bound) ** 2
        unit = Fraction(1, 4 ** gram.exact_moments(self.entries, self.bound).exponent)
        return self.in_units(source)[1] * unit


SIZES = ((1, 1), (3, 2), (2, 3))
PEOPLE = rows_of(9, 3)
SUM = 16 * PEOPLE.T @ PEOPLE + np.diag([9.0, 4.0, 1.0])
"""Second moments of many people of norm at most `BOUND`; its entries are dyadic."""
COMPLEX = SUM + 1j * np.array([[0, 1, 0], [-1, 0, 0.5], [0, -0.5, 0]])
LEVELS = 40.5, 13.25, 3.0
TURNED = np.diag([26.875, 26.875, 3.0]) + 13.625j * np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 0]])
"""A complex matrix of eigenvalues `LEVELS`."""
ON_AXES = np.repeat(np.eye(3) * [0.5, 0.625, 0.25], [160, 40, 48], axis=0)
"""Rows that are eigenvectors of their sum."""
LEVELLED = (
    Summed(np.diag(LEVELS[::-1]), 1.0, levels=LEVELS),
    Summed(TURNED, BOUND, levels=LEVELS),
    Summed(ON_AXES, BOUND, of_rows=True, levels=(40.0, 15.625, 3.0)),
)
SUMS = Summed(SUM), Summed(SUM, BOUND), Summed(PEOPLE, BOUND, of_rows=True)
SQUARE = np.array([[900, 20, 7, 0], [20, 500, -3, 1], [7, -3, 80, 2], [0, 1, 2, 30]])
"""A symmetric matrix of integers."""
WIDE = np.random.default_rng(5).integers(-40, 41, (5, 4))
TALL = np.random.default_rng(6).integers(-40, 41, (6, 5))
BASIS = np.linalg.qr(np.random.default_rng(7).standard_normal((6, 2)))[0]
QUARTERS = 0.25


# ---------------------------------------------------------------- noise on covariances


def moments(rows):
    """The exact sum of ``x x'``, on and above the diagonal."""
    x = fractions(rows)
    return triangle(x.T @ x)


def noisy_moments(source, exact, law, scale, n, details):
    d = math.isqrt(2 * len(exact))
    return symmetric(source.noisy(exact, drawn(source, law, d), scale, n, details.get("step")), d)


def covariances():
    for (n, d), record in itertools.product(SIZES, NOISES.values()):
        for relation, shape in itertools.product(record.relations, shapes(record)):
            yield covariance_row(rows_of(n, d), record, relation, shape)
    for (n, d), relation in itertools.product(SIZES, MECHANISMS["wishart_covariance"].relations):
        yield from one_sided(rows_of(n, d), relation)


def shapes(record):
    return covariance.SHAPES if "shape" in inspect.signature(record.function()).parameters else (None,)


def covariance_row(rows, record, relation, shape):
    n, d = rows.shape
    given = {"epsilon": EPSILON, "norm_bound": BOUND, "relation": str(relation)}
    given |= {"delta": DELTA} if record.needs else {}
    given |= {"shape": shape} if shape else {}
    law, scale = of_covariance(record.name, d, EPSILON, DELTA, relation)
    if shape == "triangle":
        law, scale = "normal", root(Fraction(min(d, 2))) * scale

    def value(source, details):
        return noisy_moments(source, moments(rows), law, scale * Fraction(BOUND) ** 2, n, details)

    return Row(record.name, rows, given, value)


def one_sided(rows, relation):
    n, d = rows.shape
    for degrees in (None, d + 9):
        given = {"epsilon": EPSILON, "delta": DELTA, "norm_bound": BOUND, "relation": str(relation)}

        def value(source, details, degrees=degrees):
            """The scale that comes with given degrees is a bisection's, and only shown to be enough."""
            m, square = details["degrees_of_freedom"], Fraction(BOUND) ** 2
            assert degrees in (None, m)
            scale = square if degrees is None else Fraction(details["scale"]) * n
            assert hides(m - d + 1, float(square / scale), d == 1 or relation == "zero_out")
            mean = source.on_grid(m * scale, details.get("step"))
            exact = moments(rows) - Fraction(mean) * triangle(np.eye(d, dtype=int))
            return symmetric(source.noisy(exact, source.wishart(d, m), scale, n, details.get("step")), d)

        yield Row("wishart_covariance", rows, given | ({"degrees_of_freedom": degrees} if degrees else {}), value)


def joint():
    """The mean and the second moments of rows with a constant entry of about half the bound."""
    rows = np.random.default_rng(9).integers(-15, 16, (9, 3)) / 64
    for name, (mechanism, delta) in itertools.product(("private_moments", "private_covariance"), covariances_chosen()):

        def value(source, details, name=name, mechanism=mechanism, delta=delta):
            entry = Fraction(details["constant"])
            assert 0 <= Fraction(BOUND) / 2 - entry < Fraction(1, 2**18)
            law, scale = of_covariance(chosen(mechanism, details), 4, EPSILON, delta)
            square = Fraction(BOUND) ** 2 + entry**2
            wider = np.column_stack([np.full(len(rows), float(entry)), rows])
            noisy = noisy_moments(source, moments(wider), law, scale * square, len(rows), details)
            mean, second = noisy[0, 1:] / float(entry), noisy[1:, 1:]
            return (mean, second) if name == "private_moments" else second - np.outer(mean, mean)

        given = {"epsilon": EPSILON, "delta": delta, "norm_bound": BOUND, "mechanism": mechanism}
        yield Row(name, rows, given, value)


def short_pairs():
    """Make covariances of nine rows by pairs: a row is in two differences, some of which are shortened."""
    rows = np.random.default_rng(9).integers(-15, 16, (9, 3)) / 64
    for (mechanism, delta), longest in itertools.product(covariances_chosen(), (None, 0.25)):

        def value(source, details, mechanism=mechanism, delta=delta, longest=longest):
            bound = BOUND if longest is None else longest
            units = centring.differences(rows, source.order(len(rows)), bound)
            law, scale = of_covariance(chosen(mechanism, details), 3, EPSILON, delta)
            total = moments_on_grid(source, units, bound)
            return noisy_moments(source, total, law, scale * 2 * Fraction(bound) ** 2, 2 * len(rows), details)

        given = {"epsilon": EPSILON, "delta": delta, "norm_bound": BOUND, "mechanism": mechanism, "center": "pairs"}
        yield Row("private_covariance", rows, given | {"difference_bound": longest}, value)


# ---------------------------------------------------------------- vectors


def mean_noise(epsilon, delta, share=WHOLE):
    """The law of a mean's noise and its scale on the sum, for rows of norm 1 and a share of the loss."""
    if delta:
        return "normal", 2 / (mu_of(epsilon, delta) * root(share))
    return "l2_gamma", 2 / (Fraction(epsilon) * share)


def means():
    for (n, d), delta in itertools.product(SIZES, (0.0, DELTA)):
        rows = rows_of(n, d)

        def value(source, details, rows=rows, delta=delta):
            law, scale = mean_noise(EPSILON, delta)
            n, d = rows.shape
            noise = getattr(source, law)(d)
            return source.noisy(fractions(rows).sum(axis=0), noise, scale * Fraction(BOUND), n, details.get("step"))

        yield Row("private_mean", rows, {"epsilon": EPSILON, "delta": delta, "norm_bound": BOUND}, value)


def scalers():
    """Sums of rows of norm 1 and of squares of entries move by ``sqrt 4.5`` together; squares alone by 2 in l1.

    Of as many rows as these no variance is raised, which would hide its noise.
    """
    for d, delta in itertools.product((1, 2, 3), (0.0, DELTA)):
        rows = rows_of(2000, d)

        def value(source, details, d=d, rows=rows, delta=delta):
            together = root(Fraction(9, 2)) / mu_of(EPSILON, DELTA)
            laws = [("normal", together)] * 2 if delta else [mean_noise(EPSILON, delta, Fraction(1, 2)),
                                                             ("laplace", 4 / Fraction(EPSILON))]  # fmt: skip
            sums = fractions(rows).sum(axis=0), (fractions(rows) ** 2).sum(axis=0)
            mean, squares = (
                source.noisy(total, getattr(source, law)(d), scale * Fraction(BOUND) ** power, 2000, details.get(step))
                for (law, scale), total, power, step in zip(laws, sums, (1, 2), ("step", "squares_step"), strict=True)
            )
            assert details["floored"] == 0
            return mean, squares - mean**2

        yield Row("private_scaler", rows, {"epsilon": EPSILON, "delta": delta, "norm_bound": BOUND}, value)


def norm_bounds():
    """Numbers of rows by their norms, between bounds of .1, .2 and .4 at most, of which there are eight."""
    rows = rows_of(40, 2)
    tried = 0.1 * 2.0 ** (np.arange(9) / 4)
    counts = np.histogram(np.linalg.norm(rows, axis=1), np.concatenate([[0.0], tried, [9.0]]))[0]
    for relation in MECHANISMS["private_norm_bound"].relations:

        def value(source, details, relation=relation):
            scale = (2 if relation == "replace" else 1) / Fraction(EPSILON)
            noisy = source.noisy(counts, source.laplace(10), scale, 1, details.get("step"))
            rows = 40.0 if relation == "replace" else max(float(np.sum(noisy)), 0.0)
            within = np.flatnonzero(np.cumsum(noisy[:-1]) >= 0.95 * rows)
            return np.array(float(tried[within[0]] if len(within) else 0.4)), noisy

        given = {"epsilon": EPSILON, "lower": 0.1, "upper": 0.4, "relation": str(relation)}
        yield Row("private_norm_bound", rows, given, value)


def score_counts():
    """Numbers of rows by their first two entries, in six cells by six; by two groups, and without them."""
    rows, groups = rows_of(40, 3), np.arange(40) % 3

    def seen(some):
        return np.histogram2d(some[:, 0], some[:, 1], 6, ((-0.5, 0.5), (-0.25, 0.75)))[0]

    apart = [seen(rows[groups == group]) for group in (2, 0)]
    options = {"groups": groups, "levels": (2, 0)}
    for relation in MECHANISMS["private_score_histogram"].relations:
        for counts, more in ((seen(rows), {}), (np.stack(apart), options)):

            def value(source, details, relation=relation, counts=counts):
                scale = (2 if relation == "replace" else 1) / Fraction(EPSILON)
                whole = counts.ravel().astype(int)
                noisy = source.noisy(whole, source.laplace(len(whole)), scale, 1, details.get("step"))
                return noisy.reshape(counts.shape)

            given = {"epsilon": EPSILON, "directions": np.eye(3, 2), "frame": (-0.5, 0.5, -0.25, 0.75), "bins": 6}
            yield Row("private_score_histogram", rows, {**given, **more, "relation": str(relation)}, value)


def noisy_eigenvalues(source, given, k, epsilon, relation, step):
    """The largest ones move by this much together where a person changes."""
    scale = (2 if relation == "replace" and k > 1 else 1) / Fraction(epsilon) * given.longest(source)
    noisy = source.noisy(fractions(given.levels[:k]), source.laplace(k), scale, given.count(relation), step)
    return np.sort(np.maximum(noisy, 0.0))[::-1]


def spectra():
    for relation, k, of in itertools.product(MECHANISMS["private_spectrum"].relations, (1, 3), LEVELLED):

        def value(source, details, relation=relation, k=k, of=of):
            return noisy_eigenvalues(source, of, k, EPSILON, relation, details.get("step"))

        given = {"k": k, "epsilon": EPSILON, "relation": str(relation)}
        yield Row("private_spectrum", of.data, given | of.options, value)


# ---------------------------------------------------------------- draws on orbits


def kappa_of(spectrum, epsilon, relation):
    """The inverse temperature: scores change by at most the spread when a row appears, twice that if it is replaced."""
    spread = Fraction(float(spectrum[0])) - Fraction(float(spectrum[-1]))
    return Fraction(epsilon) / spread / (2 if relation == "replace" else 1) if spread else Fraction(0)


def downward(x):
    found = float(x)
    return found if Fraction(found) <= x else math.nextafter(found, -math.inf)


def orbit_draw(source, m, spectrum, kappa, field):
    """A matrix of the law at this temperature, from the same numbers or words."""
    spectrum, kappa = np.asarray(spectrum, dtype=float), kappa / source.share()
    if not source.certified:
        return plan(m, spectrum, float(kappa), field).draw(1, source.rng)[0]
    values = sorted({*spectrum.tolist()})
    if len(values) == 1:
        return np.diag(spectrum).astype(complex if field == "complex" else float)
    low, size = (values[0], values[-1] - values[0]) if len(values) == 2 else (0.0, 1.0)
    levels = (spectrum - low) / size
    temperature = downward(kappa * Fraction(size))
    found, vectors = eigenvectors(m.astype(float) if m.dtype == object else m)
    law = Orbit(m, temperature, found * temperature, vectors, levels, field)
    return low * np.eye(len(m)) + size * law.draw(step_exponent(levels), source)


def released_draw(source, of, spectrum, epsilon, relation, law):
    """A matrix of the spectrum for second moments, made real if they are and nobody asked for a complex one."""
    m, unit = of.in_units(source)
    kappa = kappa_of(spectrum, epsilon, relation) / unit
    drawn = orbit_draw(source, m, spectrum, kappa, field_of(of.is_real, spectrum, law))
    real = of.is_real and law is None
    if source.certified or (real and np.iscomplexobj(drawn)):
        return orbit_projection(drawn.real if real else drawn, np.asarray(spectrum))
    return drawn


def is_line(spectrum):
    return bool(len(spectrum) < 3 or spectrum[0] == spectrum[-2] or spectrum[1] == spectrum[-1])


def field_of(is_real, spectrum, field):
    return field or ("real" if is_line(spectrum) and is_real else "complex")


ORBITS = (
    (Summed(SUM), (1.0, 0.0, 0.0), None),
    (Summed(SUM, BOUND), (2.5, 2.5, 0.5), None),
    (Summed(SUM, BOUND), (1.0, 0.0, 0.0), "complex"),
    (Summed(SUM), (3.0, 1.0, 0.0), None),
    (Summed(COMPLEX, BOUND), (2.0, 0.0, -1.0), None),
    (Summed(np.diag([60.0, 50.0, 3.0, 1.0])), (1.0, 1.0, 0.0, 0.0), None),
    (Summed(PEOPLE, BOUND, of_rows=True), (1.0, 0.0, 0.0), None),
    (Summed(ON_AXES, BOUND, of_rows=True), (3.0, 1.0, 0.0), None),
    (Summed(SUM / 16), (1.0, 0.5, 0.0), None),
)
EDGES = {"replace": 4744, "add_remove": 1182}
"""Seeds for certified draws with the last spectrum: its sampler moves the weights apart, and mends that at the end."""
COUNTED = {"replace": 78, "add_remove": 282}
"""Seeds for directions: proposals do not hang on the temperature."""


def orbits():
    for relation, (of, spectrum, law) in itertools.product(MECHANISMS["private_orbit"].relations, ORBITS):

        def value(source, _, relation=relation, of=of, s=spectrum, law=law):
            return released_draw(source, of, s, EPSILON, relation, law)

        given = {"eigenvalues": spectrum, "epsilon": EPSILON, "relation": str(relation), "field": law}
        edge = {True: EDGES[str(relation)]} if spectrum == ORBITS[-1][1] else {}
        yield Row("private_orbit", of.data, given | of.options, value, at_the_edge=edge)


# ---------------------------------------------------------------- directions and approximations


def covariances_chosen():
    """Names of noises, and the choice by public numbers, with the deltas that a call may have."""
    for name, delta in itertools.product((choice.AUTO, *NOISES), (0.0, DELTA)):
        if delta or name == choice.AUTO or not NOISES[name].needs:
            yield name, delta


def chosen(mechanism, details):
    assert mechanism in (choice.AUTO, details["mechanism"])
    return str(details["mechanism"])


def low_ranks():
    relations = MECHANISMS["private_low_rank"].relations
    for relation, (mechanism, delta), of in itertools.product(relations, covariances_chosen(), SUMS):

        def noisy(source, details, r=relation, mechanism=mechanism, delta=delta, of=of):
            law, scale = of_covariance(chosen(mechanism, details), 3, EPSILON, delta, r)
            scale *= Fraction(of.bound) ** 2
            return best_rank(noisy_moments(source, of.exact(), law, scale, of.count(r), details), 2)

        given = {"k": 2, "epsilon": EPSILON, "delta": delta, "relation": str(relation), "denoise": None}
        yield Row("private_low_rank", of.data, given | of.options | {"mechanism": mechanism}, noisy)
    options = [(of, k, split, delta)
               for of, k, split, delta in itertools.product(LEVELLED, (1, 2), (None, 0.5), (0.0, DELTA))
               if of is LEVELLED[0] or not (split or delta)]  # fmt: skip
    for relation, (of, k, split, delta) in itertools.product(relations, options):

        def of_orbit(source, details, relation=relation, of=of, k=k, split=split):
            first = Fraction((split or 0.25) * EPSILON)
            released = noisy_eigenvalues(source, of, k, first, relation, details.get("spectrum_step"))
            spectrum = np.concatenate([released, np.zeros(3 - k)])
            return released_draw(source, of, spectrum, Fraction(EPSILON) - first, relation, None)

        given = {"k": k, "epsilon": EPSILON, "delta": delta, "relation": str(relation), "split": split}
        yield Row("private_low_rank", of.data, given | of.options | {"mechanism": choice.ORBIT}, of_orbit)


def directions():
    relations = MECHANISMS["private_pca"].relations
    given = {"k": 2, "epsilon": EPSILON, "norm_bound": BOUND}
    for relation, (mechanism, delta) in itertools.product(relations, covariances_chosen()):

        def leading(source, details, r=relation, mechanism=mechanism, delta=delta):
            law, scale = of_covariance(chosen(mechanism, details), 3, EPSILON, delta, r)
            n = len(PEOPLE) if r == "replace" else 1  # else the sum is released
            noisy = noisy_moments(source, moments(PEOPLE), law, scale * Fraction(BOUND) ** 2, n, details)
            return eigenvectors(noisy)[1][:, :2]

        options = {"delta": delta, "relation": str(relation), "mechanism": mechanism}
        for center in (choice.NONE,) if relation == "replace" else (choice.NONE, choice.AUTO):
            yield Row("private_pca", PEOPLE, given | options | {"center": center}, leading)
    for relation, k, law, delta in itertools.product(relations, (1, 2), (None, "complex"), (0.0, DELTA)):
        options = {"k": k, "delta": delta, "relation": str(relation), "mechanism": choice.ORBIT, "field": law}
        value = functools.partial(from_orbit, k=k, relation=relation, law=law)
        for center in (choice.NONE, choice.AUTO):
            yield Row("private_pca", PEOPLE, given | options | {"center": center}, value)
    for center, (mechanism, delta) in itertools.product((choice.AUTO, "mean", "pairs"), covariances_chosen()):
        options = {"delta": delta, "center": center, "mechanism": mechanism, "norm_bound": BOUND}
        yield Row("private_pca", PEOPLE, given | options, CENTRED[center](mechanism, delta))


def from_orbit(source, _, k, relation, law):
    spectrum = np.repeat([1.0, 0.0], [k, 3 - k])
    m, unit = Summed(PEOPLE, BOUND, of_rows=True).in_units(source)
    kappa, law = kappa_of(spectrum, EPSILON, relation) / unit, field_of(True, spectrum, law)
    if not source.certified and law == "real":
        return plan(m, spectrum, float(kappa / source.share()), law).frames(1, source.rng)[0]
    return eigenvectors(orbit_draw(source, m, spectrum, kappa, law).real)[1][:, :k]


def shared_noise(mechanism, delta, share, square):
    """Noise on second moments for a share of the loss, and rows of this squared norm."""
    law, scale = of_covariance(mechanism, 3, EPSILON, delta)
    return law, scale * square / (root(share) if law == "shaped" else share)


def about_mean(mechanism, delta):
    def value(source, details):
        """A quarter of epsilon, or of the square of mu, is for the mean, and the rest for the rows about it."""
        name = chosen(mechanism, details)
        first, scale = mean_noise(EPSILON, DELTA if NOISES[name].needs else 0.0, Fraction(1, 4))
        total, step = fractions(PEOPLE).sum(axis=0), details.get("mean_step")
        mean = source.noisy(total, getattr(source, first)(3), scale * Fraction(BOUND), len(PEOPLE), step)
        law, scale = shared_noise(name, delta, Fraction(3, 4), 1)
        return leading_units(source, centring.about(PEOPLE, mean, details["mean_error"]), law, scale, details)

    return value


def of_pairs(mechanism, delta):
    def value(source, details):
        """A row is in two differences."""
        units = centring.differences(PEOPLE, source.order(len(PEOPLE)))
        law, scale = shared_noise(chosen(mechanism, details), delta, WHOLE, 2)
        return leading_units(source, units, law, scale, details)

    return value


def moments_on_grid(source, blocks, bound):
    """Second moments of rows within a bound, which certified arithmetic moves onto a grid."""
    rows = np.concatenate(list(blocks))
    if not source.certified:
        return triangle(fractions(rows.T @ rows))
    exact = gram.exact_moments(rows, bound)
    return triangle(exact.total.astype(object)) * Fraction(4) ** -exact.exponent


def leading_units(source, units, law, scale, details):
    """Directions of rows of norm 1."""
    total = moments_on_grid(source, units, 1.0)
    return eigenvectors(noisy_moments(source, total, law, scale, len(PEOPLE), details))[1][:, :2]


CENTRED = {"mean": about_mean, "pairs": of_pairs, choice.AUTO: of_pairs}


def counted():
    rows = np.array([[2.0, 0.0, 0.0]] * 6 + [[0.0, 1.0, 1.0]] * 2)
    for relation in MECHANISMS["row_counting_direction"].relations:

        def value(source, details, relation=relation):
            """The density relative to the uniform law is ``exp(kappa c)``; a row changes ``c`` by 1."""
            kappa = EPSILON / (2 if relation == "replace" else 1) / float(source.share())
            return row_counting.drawn(row_counting._lines(rows), kappa, details["radius"], 1, source.rng).T

        given = {"epsilon": EPSILON, "aligned": 6, "relation": str(relation)}
        yield Row("row_counting_direction", rows, given, value, (False,), {False: COUNTED[str(relation)]})


# ---------------------------------------------------------------- products with noise


def entrywise(sizes):
    """The two largest numbers: an entry and its mirror image move one row of a product each."""
    return sum(sorted(sizes)[-2:])


def squared_sensitivity(x, relation, l1, rule, largest, unit):
    """Square of how far ``A X`` moves at most, in Frobenius or l1 norm, when ``A`` becomes a neighbour.

    Where all entries may change, each is rounded to a multiple of ``unit``, and the errors differ by that.
    """
    d, p = x.shape
    if rule != "row" and relation in ("pair", "entry"):
        entry = {"max": float(np.max(np.abs(x))), "fixed": 1.0, "doubling": 2.0 ** math.ceil(math.log2(largest))}[rule]
        return (2 * p * Fraction(entry)) ** 2 if l1 else 2 * p * Fraction(entry) ** 2
    exact = fractions(x)
    if relation in ("pair", "entry"):
        return entrywise(np.abs(exact).sum(axis=1)) ** 2 if l1 else entrywise((exact**2).sum(axis=1))
    largest_sum = np.max(np.abs(exact.T @ exact).sum(axis=1))  # at least the squared spectral norm
    square = (exact**2).sum() if relation == "spectral" else largest_sum
    rounding = unit * d * (np.abs(exact).sum() if l1 else root(largest_sum))
    return (root(square * (d * p if l1 else 1)) + rounding) ** 2


def power_rows():
    relations, rules = MECHANISMS["private_power_method"].relations, power_plan.SCALES
    for relation, delta, low_rank, rule in itertools.product(relations, (0.0, DELTA), (False, True), rules):
        given = {"k": 1, "iterations": 2, "epsilon": 9.0, "delta": delta, "relation": str(relation), "scale": rule}
        given |= {"low_rank": low_rank} | ({"entry_bound": 1.0} if rule == "fixed" else {})
        for a in (WIDE,) if relation == "entry" else (SQUARE, SQUARE + QUARTERS):
            yield Row("private_power_method", a, given, functools.partial(powers, a=a, given=given))
    for delta in (0.0, DELTA):
        given = {"k": 1, "iterations": 1, "epsilon": 9.0, "delta": delta, "relation": "spectral"}
        yield Row("private_power_method", WIDE, given, functools.partial(powers, a=WIDE, given=given))


def powers(source, details, a, given):
    """The method itself, with width 2."""
    m = fractions(a)
    if len(m) != len(m.T):
        zero = [np.zeros((k, k), dtype=int) for k in m.shape]
        m = np.block([[zero[0], m], [m.T, zero[1]]])
    unit = Fraction(1, 2**DIGITS) if source.certified and a.dtype.kind == "f" else Fraction(0)
    rounds = given["iterations"] + given.get("low_rank", False)
    law = "normal" if given["delta"] else "laplace"
    source.begin()
    x = orthonormal(source.start((len(m), 2)))
    largest = np.max(np.abs(x))
    for number in range(1, rounds + 1):
        block = source.cut(x)
        size = squared_sensitivity(block, given["relation"], law == "laplace", given.get("scale", "row"), largest, unit)
        if law == "laplace":
            scale = root(size * rounds**2) / Fraction(given["epsilon"])
        else:
            scale = root(size * rounds) / mu_of(given["epsilon"], given["delta"])
        step = details["step"][number - 1] if "step" in details else None
        noise = source.round_of(law, number, block.shape)
        y = source.noisy(m @ fractions(block), noise, scale, 1, step)
        if number > given["iterations"]:
            return y, x
        x = orthonormal(y)
        largest = max(largest, np.max(np.abs(x)))
    return x


def change_of(source, a):
    """Largest change of a row, which grows where entries that are no integers are rounded."""
    if source.certified and a.dtype.kind == "f":
        return Fraction(CHANGE) + root(Fraction(a.shape[1])) / 2 ** (DIGITS - math.frexp(CHANGE)[1])
    return Fraction(CHANGE)


def sketched(source, a, width, mu, step):
    """A basis of ``A Omega + N``."""
    size = a.shape[1] * width
    omega, longer = source.test_matrix((a.shape[1], width)), Fraction(0)
    if source.certified:  # each entry is off by half a unit at most
        longer = root(Fraction(size)) / 2 ** (DIGITS + 1)
    scale = change_of(source, a) * sketch_scale(EPSILON, DELTA, width, mu, longer)
    exact = fractions(a) @ fractions(omega)
    return orthonormal(source.noisy(exact, source.normal(exact.shape), scale, 1, step))


def projected(source, a, basis, mu, step):
    """``A' U + N``: a row of ``A`` is multiplied by a row of ``U``."""
    u = fractions(source.cut(basis))
    exact = fractions(a).T @ u
    scale = change_of(source, a) * root(max((u**2).sum(axis=1))) / mu
    return source.noisy(exact, source.normal(exact.shape), scale, 1, step)


def measured():
    given = {"epsilon": EPSILON, "delta": DELTA, "row_change": CHANGE}
    for a in (TALL, TALL + QUARTERS):

        def found(source, details, a=a):
            return sketched(source, a, 3, Fraction(0), details.get("step"))

        def on_basis(source, details, a=a):
            return BASIS, projected(source, a, BASIS, mu_of(EPSILON, DELTA), details.get("step")).T

        def entries(source, details, a=a):
            scale = change_of(source, a) / mu_of(EPSILON, DELTA)
            noisy = source.noisy(fractions(a), source.normal(a.shape), scale, 1, details.get("step"))
            left, values, right = np.linalg.svd(noisy, full_matrices=False)
            return left[:, :2], values[:2, None] * right[:2]

        yield Row("private_range_finder", a, given | {"k": 1}, found)
        yield Row("private_projection", a, given | {"basis": BASIS}, on_basis)
        yield Row("randomized_response_low_rank", a, given | {"k": 2}, entries)
    for share, bound in itertools.product((None, 0.5), (None, 60.0)):

        def both(source, details, share=share, bound=bound):
            """``mu`` of the projection is public; with it, the range finder has to stay within epsilon and delta."""
            mu = details["projection_mu"] if share is None else share * mu_of(EPSILON, DELTA)
            q = sketched(source, TALL, 3, Fraction(mu), details.get("range_step"))
            kept = prune(q, TALL.shape[1], float(mu), bound and bound / CHANGE)
            return q, projected(source, TALL, kept, Fraction(mu), details.get("step")).T

        given = {"k": 1, "epsilon": EPSILON, "delta": DELTA, "row_change": CHANGE, "share": share, "row_bound": bound}
        yield Row("project_find_prune", TALL, given, both)


FAMILIES = (
    *(
        covariances,
        joint,
        short_pairs,
        means,
        scalers,
        norm_bounds,
        score_counts,
        spectra,
        orbits,
        low_ranks,
        directions,
        counted,
    ),
    power_rows,
    measured,
)
ROWS = tuple(itertools.chain.from_iterable(family() for family in FAMILIES))
