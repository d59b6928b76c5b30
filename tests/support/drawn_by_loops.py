"""Whole noise drawn by loops without end, as people write it, and twins that leak."""

import math
import random
import secrets
from fractions import Fraction

import numpy as np

SYSTEM = random.SystemRandom()


def heads(chance, below):
    return below(chance.denominator) < chance.numerator


def survives(gamma, below):
    """True with probability ``exp(-gamma)``."""
    while gamma > 1:
        if not survives(Fraction(1), below):
            return False
        gamma -= 1
    n = 1
    while heads(gamma / n, below):
        n += 1
    return n % 2 == 1


def survivals(gamma, below):
    count = 0
    while survives(gamma, below):
        count += 1
    return count


def size_of(scale, below):
    """A number ``k`` with probability in proportion to ``exp(-k / scale)``, for a fraction as scale."""
    top, bottom = scale.numerator, scale.denominator
    rest = below(top)
    while not survives(Fraction(rest, top), below):
        rest = below(top)
    return (survivals(Fraction(1), below) * top + rest) // bottom


def laplace(scale, below):
    while True:
        negative = heads(Fraction(1, 2), below)
        size = size_of(Fraction(scale), below)
        if size > 0 or not negative:
            return -size if negative else size


def gauss(variance, below):
    t = math.isqrt(math.floor(variance)) + 1
    while True:
        v = laplace(t, below)
        if survives((abs(v) - Fraction(variance) / t) ** 2 / (2 * Fraction(variance)), below):
            return v


def of_system(x):
    return x + laplace(1, SYSTEM.randrange)


def of_a_new_system(x):
    return x + laplace(1, random.SystemRandom().randrange)


def of_secrets(x):
    return x + laplace(1, secrets.randbelow)


def of_a_module(x):
    return x + laplace(1, random.randrange)


def of_a_generator(x, rng):
    return x + laplace(1, rng.integers)


def of_a_list(x):
    return [v + laplace(Fraction(3, 2), secrets.randbelow) for v in x]


def by_floats(x):
    """Uniform floats in place of fractions, a sign drawn first, and the number returned within the loop."""
    while True:
        sign, size = random.choice((-1, 1)), 0
        while decays(0.5):
            size += 1
        if sign == 1 or size != 0:
            return x + sign * size


def decays(gamma):
    k = 1
    while True:
        if random.random() > gamma / k:
            break
        k = k + 1
    return k % 2


class Gauss:
    """An object with a scale and a generator of its own, which draws until it accepts."""

    def __init__(self, scale):
        self._scale, self._draws = scale, random.SystemRandom()

    @property
    def step(self):
        return 1 / (1 + np.floor(self._scale))

    def noisy(self, x):
        variance = self._scale**2
        while True:
            size = 0
            while self.lives(self.step):
                size += 1
            negative = self._draws.random() < 0.5
            if negative and not size:
                continue
            v = int((1 - 2 * negative) * size)
            if self.lives((abs(v) - self.step * variance) ** 2 / 2 / variance):
                return x + v

    def lives(self, gamma):
        while gamma > 1:
            gamma -= 1
            if not self.lives(1):
                return 0
        k = 1
        while self._draws.random() <= gamma / k:
            k += 1
        return k % 2


# twins that leak


def scale_of_data(x):
    return x + laplace(1 + x, secrets.randbelow)


def accepted_by_data(x):
    while True:
        v = laplace(1, secrets.randbelow)
        if v >= 0 or heads(Fraction(1, 2 + 4 * x), secrets.randbelow):
            return x + v


def rounds_of_data(x):
    rounds = 1
    while not heads(Fraction(1, 2 + 3 * x), secrets.randbelow):
        rounds += 1
    return rounds


def late(gamma, below, x):
    """Tells its data after thirty rounds, with probability 1e-33."""
    n = 1
    while heads(gamma / n, below):
        n += 1
        if n > 30:
            return 7 if x else 2
    return n % 2


def told_late(x):
    return late(Fraction(1), secrets.randbelow, x)


def breaks_late(x):
    """Ends with an error after thirty rounds on one data set."""
    n = 1
    while heads(Fraction(1) / n, secrets.randbelow):
        n += 1
        1 // (30 + (n if x else -n))
    return n % 2


def begins_again(x):
    """Counts, and now and then begins at 0 or at the data."""
    k = 0
    while heads(Fraction(3, 4), secrets.randbelow):
        k += 1
        if heads(Fraction(1, 8), secrets.randbelow):
            k = 5 * x
    return k


SEEN = []


def remembers(x):
    v = counted(x)
    return v + len(SEEN)


def counted(x):
    k = 0
    while heads(Fraction(1, 2), secrets.randbelow):
        k += 1
        SEEN.append(x)
    return k


def half_of_the_noise(x):
    return 2 * x + laplace(1, secrets.randbelow)


LEAKS = [
    scale_of_data,
    accepted_by_data,
    rounds_of_data,
    told_late,
    breaks_late,
    begins_again,
    remembers,
    half_of_the_noise,
]
