"""DPS-KERNELS: exponential and normal numbers in float64 are within ``2**-47`` and ``2**-45`` of the ideal ones.

A word of 63 bits ``k`` stands for all ``U`` in ``[k, k + 1] 2**-63``, so that ``-log U`` is uncertain by ``1/k``, at
most ``2**-48``; the other errors come to 9.9 units ``u = 2**-53``, 8 of them in the last sum. A normal number has the
error of the exponential over the radius, which is at least ``2**-7``; where it is small, ``U`` is near 1, and the
exponential is off by little more than half a unit. Both bounds leave room for a directed rounding mode. Words below
``2**48`` are open because of their width, exponentials below ``2**-15`` because of this division.
"""

import itertools
import math
from typing import Any

import numpy as np
from flint import arb
from mpmath import mp

from dpspectra.certified import ball_noise, kernels
from dpspectra.certified.entropy import Words
from dpspectra.ledger import AtMost, Outcome, Parts, Slack, Verdict, statement
from dpspectra.strategies import st

SMALLEST = 2**48
"""Smallest word that is not open."""


EDGE = int(2**63 * math.exp(-(2.0**-15))) >> 10 << 10
"""A float beside which exponentials pass ``2**-15``; words there are rounded to multiples of 1024."""


WORST = 281502730400194
"""The word with the largest error among 60,000 just above the smallest one."""


BITS = 128
"""Bits beyond a word at its ends, as the fast face makes them."""


class _End(Words):
    """Words followed by zeros or by ones: the ends of the intervals that they stand for."""

    def __init__(self, case: tuple[int, int], ones: tuple[int, ...]) -> None:
        self.values = np.array(case, dtype=np.uint64)
        self._ones = ones

    def beyond(self, i: int, bits: int) -> int:
        """Return as many zeros, or ones, as bits are asked for."""
        return self._ones[i] * (2**bits - 1)


def _horner(coefficients: list[Any], x: Any) -> Any:
    """A polynomial, lowest coefficient first, in the precision in use."""
    value = coefficients[-1]
    for c in coefficients[-2::-1]:
        value = value * x + c
    return value


def _computed(k: int, t: int) -> tuple[Any, Any, Any]:
    """The program's exponential and the moduli of its pair within an eighth of the circle, in numbers of 53 bits.

    Each operation rounds once, to nearest. Constants are rounded from their definitions.
    """
    high = mp.floor(mp.log(2) * 2**31) / 2**31
    low, eighth, root = mp.log(2) - high, mp.pi / 4, mp.sqrt(mp.mpf(1) / 2)
    with mp.workprec(53):
        m, e = mp.frexp(+mp.mpf(k))
        e -= 63
        if m < +root:
            m, e = 2 * m, e - 1
        s = (m - 1) / (m - 1 + 2)
        log = 2 * (_horner([mp.mpf(1) / (2 * j + 1) for j in range(12)], s * s) * s)
        a = -(e * high + (e * +low + log))
        if a <= 0:
            return a, a, a
        r, angle = mp.sqrt(2 * a), +mp.mpf(t) * +eighth / 2**61
        q = angle * angle
        sine = _horner([mp.mpf((-1) ** j) / mp.factorial(2 * j + 1) for j in range(9)], q) * angle
        cosine = _horner([mp.mpf((-1) ** j) / mp.factorial(2 * j) for j in range(9)], q)
        return a, r * sine, r * cosine


@statement
class KernelErrors:
    labels = ("DPS-KERNELS",)
    given = r"2^{48}\le k<2^{63},\ 2^{63}U\in[k,k+1]"
    claim = {
        "input": r"|\log U-\log(2^{-63}\operatorname{fl}(k))|\le1/k+2^{-53}\,\mathbf 1[k>2^{53}]",
        "exponential": r"|a+\log U|\le2^{-47}",
        "normal": r"a\ge2^{-15}:\ |z-Z|\le2^{-45}",
    }
    where = {
        "a": "the program's exponential number",
        "U": "uniform number whose first 63 bits are the word that is drawn",
        "z": "the program's normal number",
        "Z": "ideal normal number",
        "k": "word of 63 bits, as a whole number",
    }
    verdict = Verdict.NEW
    slack = {
        "exponential": Slack(0.62478, "9.9 roundings never come together, and a directed mode may double them"),
        "normal": Slack(0.25049, "room for a directed rounding mode, and for bounds that are powers of two"),
    }
    note = "arithmetic.md#kernels-of-the-noise"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[int, int]:
        """The words of a normal pair, of 64 bits; the first makes the exponential.

        Words of all sizes; those where the logarithm changes its way or cancels, and where pairs begin to be open.
        """
        near = st.integers(-2, 2)
        powers = st.builds(lambda e, j: (1 << e) + j, st.integers(48, 62), near)
        roots = st.builds(lambda e, j: math.isqrt(1 << 2 * e + 1) + j, st.integers(48, 62), near)
        ones = st.builds(lambda e, j: 2**63 - (1 << e) + j, st.integers(2, 47), near)
        edges = st.builds(lambda j, half: EDGE - 1024 * j + half, st.integers(3, 60), st.sampled_from([512, 511, 0]))
        k = max(draw(powers | roots | ones | edges | st.integers(SMALLEST, 2**63 - 1)), SMALLEST)
        angle = draw(st.sampled_from([0, 2**61 - 1, 2**60, 1]) | st.integers(0, 2**61 - 1))
        return 2 * k + draw(st.integers(0, 1)), 8 * angle + draw(st.integers(0, 7))

    def fast(self, radius: int, angle: int) -> Parts:
        """Numbers of the program, against balls at the ends of the words."""
        words = np.array([[radius], [angle]], dtype=np.uint64)
        (a,), _ = kernels.exponentials(words[0])
        k = radius >> 1
        x = int(float(np.uint64(k)))
        moved = max(abs(math.log1p((k + end - x) / x)) for end in (0, 1))
        with ball_noise.precision(2 * BITS):
            ideal = [ball_noise.exponential(_End((radius, angle), (end, 0)), 0, BITS) for end in (0, 1)]
            error = max(float(abs(arb(float(a)) - each).mid()) for each in ideal)
        yield AtMost(moved, 1 / k + (k > 2**53) * kernels.UNIT, part="input")
        yield AtMost(error, kernels.EXPONENTIAL_ERROR, part="exponential")
        first, second, is_open = kernels.normal_pairs(*words)
        if not any(is_open):
            pair = [float(z) for z in (*first, *second)]
            ends = [_End((radius, angle), ones) for ones in itertools.product((0, 1), repeat=2)]
            with ball_noise.precision(2 * BITS):
                errors = [abs(arb(z) - ball_noise.normal(end, i, BITS)) for end in ends for i, z in enumerate(pair)]
                yield AtMost(max(float(e.mid()) for e in errors), kernels.NORMAL_ERROR, part="normal")

    def oracle(self, radius: int, angle: int) -> Parts:
        """Logarithms, sines and cosines at both ends of the words, by definition."""
        k, t = radius // 2, angle // 8
        a, *pair = _computed(k, t)
        lengths = [-mp.log(mp.mpf(end) / 2**63) for end in (k, k + 1)]
        x, u = mp.fadd(k, 0, prec=53), mp.mpf(2) ** -53
        moved, error = max(abs(mp.log(end / x)) for end in (k, k + 1)), max(abs(a - each) for each in lengths)
        yield AtMost(moved, mp.mpf(1) / k + (u if k > 2**53 else 0), part="input")
        yield AtMost(error, 64 * u, part="exponential")
        if a >= mp.mpf(2) ** -15:
            turns = [mp.pi / 4 * end / 2**61 for end in (t, t + 1)]
            ends = [
                (r * mp.sin(turn), r * mp.cos(turn)) for r in map(mp.sqrt, (2 * e for e in lengths)) for turn in turns
            ]
            off = max(abs(z - w) for end in ends for z, w in zip(pair, end, strict=True))
            yield AtMost(off, 256 * u, part="normal")

    def tight(self) -> list[Any]:
        """The smallest word, the worst near it, the last before words are rounded; and one halfway between floats.

        At this one, pairs begin to be open.
        """
        return [(2 * k, 0) for k in (SMALLEST, WORST, 2**53, EDGE - 3 * 1024 + 512)]

    def beyond(self) -> dict[str, Outcome]:
        """The kernel at a word below ``2**48``, and the radius at an exponential near ``2**-40``."""
        small, large = 2**46, 2**63 - 2**23 + 512
        a, b = (mp.mpf(float(kernels.minus_log(np.ldexp(np.array([float(k)]), -63))[0])) for k in (small, large))
        radius = mp.sqrt(-2 * mp.log(mp.mpf(large + 1) / 2**63))
        return {
            "words of at least 2^48": AtMost(abs(a + mp.log(mp.mpf(small + 1) / 2**63)), mp.mpf(2) ** -47),
            "exponentials of at least 2^-15": AtMost(abs(mp.sqrt(2 * b) - radius), mp.mpf(2) ** -45),
        }
