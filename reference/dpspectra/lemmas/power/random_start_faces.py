"""Cases and faces of HP-L2.5P and HP-L2.5: the statements and their formulas stand in `random_start`."""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import power
from dpspectra.ledger import AtMost, Frequency, Outcome, Parts, Real
from dpspectra.lemmas.power import random_start
from dpspectra.lemmas.power.random_start import log_factor, radius, tail
from dpspectra.oracle import power as exact
from dpspectra.strategies import dyadics, seeds, st

TRIALS = 4000
"""Number of random starts drawn for a frequency."""
SHAPES = [(2, 1, 1), (3, 1, 1), (3, 1, 2), (8, 1, 1), (8, 1, 3), (6, 1, 6), (4, 2, 2), (6, 2, 2), (6, 2, 3), (7, 2, 4)]
SHAPES += [(3, 2, 2), (4, 2, 3)]
"""Triples of dimension ``d``, target rank ``k`` and width ``p``."""
LARGE = 2.75
"""Smallest ``tau`` tried for the printed form: above ``e``, from where ``(sqrt e / tau)^m <= tau^(-m / 2)``."""


# A case: shape and ``R`` for the exact law; ``(k, p - k, d - p)`` (``larger``) and ``tau`` for the closed form.
explicit = random_start.explicit.checked_on(
    lambda: st.tuples(
        st.sampled_from(SHAPES),
        dyadics(2.0**-4, 12, 4),
        st.tuples(st.integers(1, 400), st.integers(0, 2000), st.integers(1, 4000)),
        dyadics(1, 64, 2),
        seeds(),
    )
)


printed_form = random_start.printed_form.checked_on(
    lambda: st.tuples(st.sampled_from(SHAPES), dyadics(LARGE, 64, 2), seeds())
)


def tail_in_mpmath(tangent: Any, k: int, p: int, d: int) -> Any:
    """`tail` in mpmath: Selberg's integral in ``n - 1`` variables over that in ``n = min(k, d - p)`` variables."""
    if p == d:
        return mp.mpf(0)
    if d < p + k:  # the complements have the same angles
        k, p = d - p, d - k
    half, m = mp.mpf(1) / 2, p - k + 1
    b = half * (d - p - k + 1)

    def selberg(n: int, a: Any) -> Any:
        return mp.fprod(
            mp.gamma(a + half * j)
            * mp.gamma(b + half * j)
            * mp.gamma(1 + half * (j + 1))
            / (mp.gamma(a + b + half * (n + j - 1)) * mp.gamma(1 + half))
            for j in range(n)
        )

    density = k * selberg(k - 1, half * m + 1) / selberg(k, half * m)  # of the smallest, times x^(m / 2 - 1) at most
    square = mp.mpf(tangent) ** 2 + (0 if d == p + k else 1)
    return min(mp.mpf(1), density * 2 / m * square ** (-half * m))


def tangents(shape: tuple[int, int, int], trials: int, seed: int) -> Any:
    """``tan theta_k`` of the first ``k`` axes to spans of ``trials`` Gaussian matrices."""
    d, k, p = shape
    x = np.linalg.qr(np.random.default_rng(seed).standard_normal((trials, d, p)))[0]
    cosines = np.minimum(np.linalg.svd(x[:, :k], compute_uv=False)[:, -1], 1)
    return np.sqrt((1 - cosines) * (1 + cosines)) / cosines


@explicit.fast
def start(shape: tuple[int, int, int], tangent: float, larger: tuple[int, int, int], tau: float, seed: int) -> Parts:
    d, k, p = shape
    above = int(np.sum(tangents(shape, TRIALS, seed) > tangent))
    rank, wider, rest = larger
    width, dimension = rank + wider, rank + wider + rest
    m, constant = wider + 1, power.start_constant(rank, width)
    level = log_factor(rank, width, dimension) / m - np.log(radius(tau, rank, width, dimension))
    yield Frequency(above, TRIALS, float(tail(tangent, k, p, d)), part="tail of the tangent")
    yield AtMost(np.exp(level), constant / tau, part="closed form of the tail")
    yield AtMost(constant, float(np.exp(0.5)), part="constant of the tail")


@explicit.oracle
def exact_start(
    shape: tuple[int, int, int], tangent: float, larger: tuple[int, int, int], tau: float, _seed: int
) -> Parts:
    """Compute the law of the angle by quadrature, and compare the ``m``-th roots of the closed forms."""
    d, k, p = shape
    rank, wider, rest = larger
    width, dimension, m, half = rank + wider, rank + wider + rest, wider + 1, mp.mpf(1) / 2
    rising = mp.rf(half * rank, half * m) * mp.rf(half * rest, half * m) * 2**m / mp.factorial(m)
    constant = exact.start_constant(rank, width)
    yield AtMost(
        exact.start_tail(tangent, k, p, d), tail_in_mpmath(tangent, k, p, d), scale=1, part="tail of the tangent"
    )
    yield AtMost(
        mp.root(rising, m) * (mp.sqrt(width) - mp.sqrt(rank - 1)) / (tau * mp.sqrt(dimension)),
        constant / tau,
        part="closed form of the tail",
    )
    yield AtMost(constant, mp.exp(half), part="constant of the tail")


@explicit.tight
def one_direction() -> list[Any]:
    """Target rank 1 and a start of codimension 2, or the complements of such planes: the bound is the exact law.

    Target rank 1 in high dimension attains the closed form in the limit; with a large width ``K(1, p)`` tends to
    ``sqrt e``.
    """
    exact_shapes = [(3, 1, 1), (8, 1, 6), (4, 2, 3)]
    return [(shape, 1.5, (1, 99_999, 1), 4.0, 0) for shape in exact_shapes] + [((3, 1, 1), 4.0, (1, 0, 2**30), 4.0, 0)]


@explicit.beyond
def start_of_random_signs() -> dict[str, Outcome]:
    """A column of random signs is orthogonal to ``e_1 - e_2`` with probability one half, in every dimension."""
    return {
        "the plane is uniform": AtMost(mp.mpf(1) / 2, tail_in_mpmath(mp.mpf(100), 1, 1, 4), part="tail of the tangent")
    }


@printed_form.fast
def printed_start(shape: tuple[int, int, int], tau: float, seed: int) -> Frequency:
    d, k, p = shape
    above = int(np.sum(tangents(shape, TRIALS, seed) > radius(tau, k, p, d)))
    return Frequency(above, TRIALS, float(tau ** (-(p - k + 1) / 2)), part="tail of the tangent")


@printed_form.oracle
def exact_printed_start(shape: tuple[int, int, int], tau: Real, _seed: int) -> AtMost:
    d, k, p = shape
    tangent = tau * mp.sqrt(d) / (mp.sqrt(p) - mp.sqrt(k - 1))
    limit = tau ** (-mp.mpf(p - k + 1) / 2)
    return AtMost(exact.start_tail(tangent, k, p, d), limit, scale=1, part="tail of the tangent")


# A line in many dimensions.
printed_form.tight(lambda: [((100, 1, 1), LARGE, 0)])
