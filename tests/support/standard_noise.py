"""Noise of scale 1, of every law, from the numbers or the words that a release took; and what is released with it.

All of it follows the definitions, not the package: balls evaluate the ideal numbers of recorded words, by the layout
that `dpspectra.certified.kernels` documents, and floats turn what a generator of the same seed gives into noise. Laws
on symmetric matrices give the numbers on and above the diagonal, row by row.
"""

import math
from fractions import Fraction

import flint
import numpy as np
from flint import arb, fmpq, fmpz

import dpspectra as dps
from dpspectra.certified.entropy import Source

BEYOND = 128
"""Bits that are read beyond every word: no number of a table is so near to a half step that these leave it open."""
PRECISION = 320
"""Precision of balls."""
UPWARD = Fraction(1, 2**36)
"""Scales may be larger than what a claim needs by this, relatively, because they are rounded upward."""
SHORT = Fraction(999, 1000)
"""A share of noise that must be seen to be too little."""
PROPOSALS = 64
"""Proposals of K-norm noise that floats make at a time."""


class Recorded(dps.Entropy):
    """Entropy that remembers all words that it gave."""

    def __init__(self, key):
        super().__init__(key)
        self.given = []

    def words(self, count):
        self.given.append(super().words(count))
        return self.given[-1]


def triangle(m):
    return m[np.triu_indices(len(m))]


def symmetric(upper, d):
    m = np.zeros((d, d), dtype=upper.dtype)
    m[np.triu_indices(d)] = upper
    return np.where(np.tri(d, k=-1, dtype=bool), m.T, m)


def diagonal(d):
    """Places of the diagonal in a triangle."""
    return np.flatnonzero(np.equal(*np.triu_indices(d)))


def spread_less(z, d, root):
    """The best Gaussian noise from independent normal numbers: those of the diagonal have a covariance."""
    z = z.copy()
    g = z[diagonal(d)]
    z[diagonal(d)] = root(2) * (g - (1 - 1 / root(d + 1)) * (sum(g) / d))
    return z


def product(g):
    return g @ g.T


class Shortened:
    """Counts how often noise is scaled, be it by a temperature; one of these times it may be too little."""

    def __init__(self, short=None):
        self.times, self._short = 0, short

    def share(self):
        """The share of the noise that there is, this time."""
        self.times += 1
        return SHORT if self.times == self._short else Fraction(1)


class Floats(Shortened):
    """Ideal arithmetic: numbers of a generator with the seed of the release."""

    certified = False

    def __init__(self, seed, short=None):
        super().__init__(short)
        self.rng = np.random.default_rng(seed)
        self._key = None

    def is_at_the_end(self, rng):
        """Whether all that a release drew from its generator was asked for here, and nothing else."""
        return repr(rng.bit_generator.state) == repr(self.rng.bit_generator.state)

    # -- numbers

    def normal(self, size):
        return self.rng.standard_normal(size)

    def laplace(self, size):
        return self.rng.laplace(size=size)

    # -- laws

    def shaped(self, d):
        return spread_less(self.normal(d * (d + 1) // 2), d, math.sqrt)

    def traces(self, d, size):
        """The larger and the smaller trace: Gamma, and that times a power of a uniform number."""
        larger = self.rng.gamma(d * (d + 1), size=size)
        return larger, larger * self.rng.random(size) ** (2 / (d * (d + 1)))

    def tilted(self, d):
        larger, smaller = self.traces(d, 1)
        sign = self.rng.choice([-1.0, 1.0])
        one, other = (self.normal((d, d + 1)) for _ in range(2))
        return triangle(sign * (larger * product(one) / np.sum(one**2) - smaller * product(other) / np.sum(other**2)))

    def difference(self, d):
        one, other = (self.normal((d, d + 1)) for _ in range(2))
        return triangle(product(one) - product(other))

    def wishart(self, d, degrees):
        """By a triangular factor."""
        lower = np.tril(self.normal((d, d)), -1)
        return triangle(product(lower + np.diag(np.sqrt(self.rng.chisquare(degrees - np.arange(d))))))

    def knorm(self, d):
        while True:
            larger, smaller = self.traces(d, PROPOSALS)
            g = self.normal((2, PROPOSALS, d, d + 1))
            pairs = [(t * product(a) / np.sum(a**2), u * product(b) / np.sum(b**2))
                     for t, u, a, b in zip(larger, smaller, *g, strict=True)]  # fmt: skip
            signs = 1 - 2 * self.rng.integers(2, size=PROPOSALS)
            for sign, (one, other) in zip(signs, pairs, strict=True):
                if kept(one, other):
                    return triangle(sign * (one - other))

    def l2_gamma(self, d):
        g = self.normal(d)
        return self.rng.gamma(d) * g / np.linalg.norm(g)

    # -- rounds of the power method, each of a stream of its own

    def begin(self):
        self._key = self.rng.integers(2**32, size=4, dtype=np.uint32)

    def stream(self, number):
        return np.random.Generator(np.random.SFC64([*self._key, number]))

    def round_of(self, law, number, shape):
        """Laplace noise, or normal noise by polar coordinates: the first half has cosines, the second half sines."""
        rng, half = self.stream(number), math.prod(shape) // 2
        if law == "laplace":
            return rng.laplace(size=shape)
        u = rng.random(2 * half + math.prod(shape) % 2)
        length, angle = np.sqrt(-2 * np.log(1 - u[:half])), 2 * np.pi * (u[half : 2 * half] - 0.5)
        last = rng.standard_normal(math.prod(shape) % 2)
        return np.concatenate([length * np.cos(angle), length * np.sin(angle), last]).reshape(shape)

    def start(self, shape):
        return self.round_of("normal", 0, shape)

    def test_matrix(self, shape):
        return self.normal(shape)

    # -- data and release

    def order(self, n):
        """A random order of rows, by two numbers of its own."""
        return np.random.default_rng(self.rng.integers(0, 2**63, 2).tolist()).permutation(n)

    def cut(self, block):
        return block

    def on_grid(self, number, step):
        return float(number)

    def noisy(self, exact, z, scale, count=1, step=None):
        """Numbers over ``count``, with noise of this scale over ``count``."""
        return (fractions(exact) / count).astype(float) + float(scale * self.share()) / count * z


class Balls(Shortened, Source):
    """Certified arithmetic: ideal numbers of recorded words, which it also hands out again."""

    certified = True

    def __init__(self, given, short=None):
        super().__init__(short)
        self._given = iter(given)

    def words(self, count):
        found = next(self._given, ())
        assert len(found) == count, "other words were taken"
        return found

    def is_at_the_end(self, _):
        return next(self._given, None) is None

    # -- numbers

    @staticmethod
    def _uniform(words, i, length):
        known = int(words.values[i]) >> (64 - length) << BEYOND | words.beyond(i, BEYOND)
        return (arb(fmpz(known)) + arb(0.5, 0.5)) / arb(2) ** (length + BEYOND)

    def _exponential(self, words, i):
        return -self._uniform(words, i, 63).log()

    def laplace(self, size):
        """The last bit of a word is the sign."""
        words = self.words(size)
        return np.array([self._exponential(words, i) * (-1) ** int(words.values[i] & 1) for i in range(size)])

    def normal(self, size):
        """Pairs of words: a length, and an angle within an eighth of the circle, whose last bits say in which one."""
        count = math.prod(np.atleast_1d(size).tolist())
        words, found = self.words(count + count % 2), []
        for i in range(0, count, 2):
            length, last = (2 * self._exponential(words, i)).sqrt(), int(words.values[i + 1])
            sine, cosine = (self._uniform(words, i + 1, 61) * arb.pi() / 4).sin_cos()
            x, y = (cosine, sine) if last & 1 else (sine, cosine)
            found += [length * x * (-1) ** (last >> 1 & 1), length * y * (-1) ** (last >> 2 & 1)]
        return np.array(found[:count]).reshape(size)

    # -- laws

    def shaped(self, d):
        return spread_less(self.normal(d * (d + 1) // 2), d, lambda x: arb(x).sqrt())

    def traces(self, d):
        """A sum of exponential numbers, that times a power of a uniform one, and a sign."""
        n = d * (d + 1)
        words = self.words(n + 1)
        larger = sum((self._exponential(words, i) for i in range(n)), arb(0))
        smaller = larger * (-self._exponential(words, n) * 2 / n).exp()
        return larger, smaller, (-1) ** int(words.values[n] & 1)

    def _proposal(self, d):
        one, other = self.normal((2, d, d + 1))
        larger, smaller, sign = self.traces(d)
        return larger * product(one) / np.sum(one**2), smaller * product(other) / np.sum(other**2), sign

    def tilted(self, d):
        one, other, sign = self._proposal(d)
        return triangle(sign * (one - other))

    def difference(self, d):
        one, other = self.normal((2, d, d + 1))
        return triangle(product(one) - product(other))

    def wishart(self, d, degrees):
        return triangle(product(self.normal((d, degrees))))

    def knorm(self, d):
        while True:
            one, other, sign = self._proposal(d)
            if kept(one.astype(float), other.astype(float)):
                return triangle(sign * (one - other))

    def l2_gamma(self, d):
        g, words = self.normal(d), self.words(d)
        return sum((self._exponential(words, i) for i in range(d)), arb(0)) * g / np.sum(g**2).sqrt()

    # -- rounds of the power method

    def begin(self):
        pass

    def round_of(self, law, number, shape):
        return getattr(self, law)(math.prod(shape)).reshape(shape)

    def start(self, shape):
        return self.normal(shape).astype(float)

    def test_matrix(self, shape):
        """Rounded to multiples of ``2**-20``."""
        return rounded(0, self.normal(shape), ball(2**20)) * Fraction(1, 2**20)

    # -- data and release

    def order(self, n):
        return np.random.default_rng(self.words(2).values.tolist()).permutation(n)

    def cut(self, block):
        """Blocks are cut off toward zero after 20 binary digits."""
        return np.trunc(block * 2.0**20) / 2.0**20

    def on_grid(self, number, step):
        return Fraction(step) * round(Fraction(number) / Fraction(step))

    def noisy(self, exact, z, scale, count=1, step=None):
        """The nearest multiples of the step, over ``count``, each rounded once."""
        ratio = Fraction(scale) * self.share() / Fraction(step)
        wholes = rounded(fractions(exact) / Fraction(step), z, ball(ratio * (1 + UPWARD / 2), ratio * UPWARD))
        return np.array([float(k * Fraction(step) / count) for k in wholes.ravel()]).reshape(wholes.shape)


@np.vectorize(otypes=[object])
def fractions(x):
    """Arrays of rational numbers."""
    return Fraction(x) if isinstance(x, (int, Fraction)) else Fraction(float(x))


@np.vectorize(otypes=[object])
def rounded(x, z, scale):
    """The integer nearest to a number with noise."""
    return nearest(ball(x) + z * scale)


def ball(middle, width=0):
    """All numbers within half a width of a rational number."""
    middle, width = Fraction(middle), Fraction(width)
    return (
        arb(fmpq(middle.numerator, middle.denominator)) + arb(0, 1) * arb(fmpq(width.numerator, width.denominator)) / 2
    )


def nearest(x):
    """The integer ``floor(x + 1/2)`` of all numbers of a ball."""
    whole = (x + arb(0.5)).floor().unique_fmpz()
    assert whole is not None, "a number is too near to a half step: take another key"
    return int(whole)


def kept(one, other):
    """Whether what two matrices have in common, ``W - (W - W')_+``, is positive semidefinite."""
    values, vectors = np.linalg.eigh(one - other)
    return np.linalg.eigvalsh(one - vectors * np.maximum(values, 0) @ vectors.T)[0] >= 0


def precision():
    """Balls of `PRECISION`."""
    return flint.ctx.workprec(PRECISION)
