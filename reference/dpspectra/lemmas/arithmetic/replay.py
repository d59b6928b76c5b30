"""DPS-REPLAY: what is released is one function of infinite strings of bits, whatever is evaluated first or how finely.

A word is the beginning of a string whose further bits are always the same ones. A decision is taken only where all
numbers of a ball agree on it, so it is that of the number itself: floats that are certain, balls after 64 bits and
balls after 512 release one integer. The loop ends: of the words of ``n`` bits for a uniform number times an integer
``r``, at most ``2 r`` leave the nearest whole number open, so that it is with probability ``2 r 2**-n`` at most; for
Laplace noise of scale ``r`` they are at most ``3 + 2 r n log 2``. Fresh bits in place of further ones would change the
law: where a decision is open is not independent of what it is.
"""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.certified import ball_noise, noise_on_grid
from dpspectra.certified.entropy import Source, Words
from dpspectra.certified.grid import Steps
from dpspectra.ledger import AtMost, Equal, Outcome, Parts, Slack, Verdict, statement
from dpspectra.strategies import st

NUMBER = "the integer that is released"
OPEN = "words that leave it open"
ENDS = "words that leave Laplace noise open"


class Case(NamedTuple):
    """A word of 64 bits and the bits after it; what Laplace noise of scale ``2**log_scale`` from it is added to.

    The string goes on with zeros. The number is in units of ``2**-20``. ``released`` is what the program makes of it.
    ``factor`` and ``length`` are those of a uniform number and its words.
    """

    word: int
    after: str
    number: int
    log_scale: int
    released: int
    factor: int
    length: int


class _Given(Source, Words):
    """One word, and what follows it."""

    def __init__(self, word: int, after: str) -> None:
        self.values, self.after = np.array([word], dtype=np.uint64), after

    def words(self, count: int) -> Words:
        return self

    def beyond(self, i: int, bits: int) -> int:
        return int("0" + self.after[:bits].ljust(bits, "0"), 2)


def _released(word: int, after: str, number: int, log_scale: int, factor: int, length: int) -> Case:
    steps = Steps.of(np.array([number]), -20)
    found = int(noise_on_grid.laplace(steps, 2.0**log_scale, _Given(word, after))[0])
    return Case(word, after, number, log_scale, found, factor, length)


def _at_a_half(number: int, log_scale: int, whole: int, bits: int) -> tuple[int, str]:
    """The word, with sign +, and the bits after it, of a number that is ``whole + 1/2`` to so many bits."""
    with mp.workprec(bits + 200):
        distance = mp.mpf(whole) + mp.mpf(1) / 2 - mp.mpf(number) / 2**20
        digits = int(mp.floor(mp.exp(-mp.ldexp(distance, -log_scale)) * 2 ** (63 + bits)))
    string = format(digits, f"0{63 + bits}b")
    return int(string[:63] + "0", 2), string[63:]


@statement
class Replay:
    labels = ("DPS-REPLAY",)
    claim = {
        NUMBER: r"R=\lfloor g+bz(w)+\tfrac12\rfloor",
        OPEN: r"\#\{w\in\{0,1\}^n:\lfloor g+rU+\tfrac12\rfloor\ \text{open after }w\}\le2r",
        ENDS: r"\#\{w\in\{0,1\}^n:\lfloor g-r\log U+\tfrac12\rfloor\ \text{open after }w\}\le3+2rn\log2",
    }
    where = {
        "R": "integer that the program releases",
        "g": "true value, in units of the grid's step",
        "b": "scale of the noise, in units of the step",
        "z": "Laplace noise of scale 1, a function of the bits",
        "w": "string of random bits",
        "n": "number of bits that are read",
        "r": "scale of the noise, a whole number",
        "U": "uniform number that begins with the bits read",
    }
    verdict = Verdict.NEW
    exact = (NUMBER,)
    slack = {ENDS: Slack(0.420267, "no half step lies in two words at once, and the longest words hold several")}
    digits = 60
    note = "arithmetic.md#one-function-of-the-bits"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        """Any words; ones with many zeros or ones after them; and ones at a half step for a while."""
        number, log_scale = draw(st.integers(0, 2**20)), draw(st.integers(0, 44))
        if draw(st.booleans()):
            whole = draw(st.integers(1, 4)) * 2**log_scale
            word, after = _at_a_half(number, log_scale, whole, draw(st.sampled_from([1, 40, 100, 400])))
        else:
            word = draw(st.integers(2, 2**64 - 1) | st.sampled_from([2, 2**49, 2**64 - 1, 2**63]))
            after = draw(st.sampled_from(["", "1" * 53, "0" * 200 + "1", "01" * 40]))
        return _released(word, after, number, log_scale, draw(st.integers(1, 5)), draw(st.integers(3, 6)))

    def fast(self, *case: Any) -> Parts:
        """Balls from the start, of one precision after another; balls for every word."""
        word, after, number, log_scale, released, factor, length = case
        given = _Given(word, after)

        def whole(x: Any) -> int | None:
            found = (x + 0.5).floor().unique_fmpz()
            return None if found is None else int(found)

        def laplace(bits: int) -> Any:
            return ball_noise.exact(Fraction(number, 2**20)) + ball_noise.laplace(given, 0, bits) * 2**log_scale

        found: set[int | None] = {released}
        for bits in (1, 33, 64, 512, 700):
            with ball_noise.precision(bits + ball_noise.GUARD):
                found.add(whole(laplace(bits)))
        other = next((k for k in found if k not in (released, None)), released)
        is_open = goes_on = 0
        with ball_noise.precision(128):
            for prefix in range(2**length):
                x = ball_noise.uniform(prefix << (64 - length), length, given, 0, 0)
                is_open += whole(ball_noise.exact(Fraction(number, 2**20)) + x * factor) is None
                goes_on += prefix == 0 or whole(ball_noise.exact(Fraction(number, 2**20)) - x.log() * factor) is None
        yield Equal(released, other, part=NUMBER)
        yield AtMost(is_open, 2 * factor, part=OPEN)
        yield AtMost(goes_on, 3 + 2 * factor * length * np.log(2), part=ENDS)

    def oracle(self, *case: Any) -> Parts:
        """The number of the whole string with many digits, and the ends of all cells as fractions."""
        word, after, number, log_scale, released, factor, length = case
        g, half = Fraction(number, 2**20), Fraction(1, 2)
        with mp.workprec(2000):
            u = mp.mpf(int(format(word >> 1, "063b") + after, 2)) / mp.mpf(2) ** (63 + len(after))
            z = -mp.log(u) * (-1) ** (word & 1)
            truth = int(mp.floor(mp.mpf(number) / 2**20 + z * 2**log_scale + mp.mpf(1) / 2))
        is_open, goes_on = 0, 1  # the word of zeros, whose numbers have no smallest logarithm
        for prefix in range(2**length):
            low, high = (g + factor * Fraction(prefix + end, 2**length) + half for end in (0, 1))
            is_open += low // 1 != high // 1 or low.denominator == 1
            if prefix:
                logs = (mp.log(mp.mpf(prefix + end) / 2**length) for end in (0, 1))
                most, least = (mp.mpmathify(g + half) - factor * log for log in logs)
                goes_on += mp.floor(most) != mp.floor(least) or most == mp.floor(most)
        yield Equal(released, truth, part=NUMBER)
        yield AtMost(mp.mpf(is_open), mp.mpf(2 * factor), part=OPEN)
        yield AtMost(mp.mpf(goes_on), 3 + 2 * factor * length * mp.log(2), part=ENDS)

    def tight(self) -> list[Case]:
        """Numbers at a half step to 100 and 400 bits; a string of 53 ones; half steps between all words of 4 bits."""
        number, log_scale = 12345, 24
        return [
            *(_released(*_at_a_half(number, log_scale, 2**25, bits), number, log_scale, 3, 5) for bits in (100, 400)),
            _released(2**63, "1" * 53, number, log_scale, 1, 3),
            _released(2**60, "", 0, 3, 4, 4),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """Two bits that decide ``U >= 3/8``, drawn again at the quarter that is open: 2/3 say yes, in place of 5/8."""
        cells = [Fraction(k, 4) for k in range(4)]
        yes = sum(low >= Fraction(3, 8) for low in cells)
        no = sum(low + Fraction(1, 4) <= Fraction(3, 8) for low in cells)
        return {"further bits are those of the string": Equal(mp.mpf(yes) / (yes + no), mp.mpf(5) / 8)}
