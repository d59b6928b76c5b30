"""Norms of Laplace noise in ``k`` directions, entry by entry: of order ``b sqrt(k p) log(L k p)``.

An entry of ``U' G`` is a sum of Laplace variables whose weights have squares that sum to 1. A Laplace variable is
normal with a random variance ``2 E``, ``E`` exponential, so the sum is normal with a variance that is twice a mean of
exponential variables, and every convex function of that mean has the largest average for a single one. The tail of a
normal variable is convex in its variance up to a point and concave beyond; a tangent of the concave part completes it
to a convex function, whose average is at most ``1.3154 exp(-t)``; a single Laplace variable has ``exp(-t)``. The
published lemma (as we read it) has the radius ``C b sqrt(k p) log(L k p)``, which is 0 for one number, whatever the
constant.
"""

import math
import sys
from typing import Any, NamedTuple

import numpy as np
from flint import arb
from mpmath import mp
from scipy.special import erfc

from dpspectra.fast import linalg as fast
from dpspectra.fast.roots import root
from dpspectra.ledger import AtMost, Frequency, Matrix, Parts, Real, Verdict, statement
from dpspectra.lemmas.concentration.draws import TRIALS
from dpspectra.lemmas.concentration.projected_laplace import DIRECTIONS, combination_tail, drawn
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.power import largest
from dpspectra.oracle.quadrature import integral, working
from dpspectra.strategies import dyadics, epsilons, rectangular, seeds, st

EXCESS = 1.3153122120706616
"""Largest value of ``exp(t) erfc(t / 2)``."""


class Case(NamedTuple):
    """A direction, width and number of the matrices, the scale, the level ``t``, a matrix, and a seed."""

    direction: tuple[int, ...]
    p: int
    times: int
    b: float
    t: float
    m: Any
    seed: int


def entry_tail(t: float) -> float:
    """Bound on the probability that one entry of ``U' G`` exceeds ``b t`` in modulus.

    It is the mean of the smallest convex completion, whose straight part begins at ``c`` and touches at ``1 + c``.
    """

    def convex(x: float) -> float:
        return float(erfc(t / (2 * math.sqrt(x))))

    def slope(x: float) -> float:
        return t / (2 * math.sqrt(math.pi * x**3)) * math.exp(-(t**2) / (4 * x))

    if convex(1) >= slope(1):  # the tangent at the mean is above the function everywhere
        return convex(1)
    c = root(lambda x: convex(1 + x) - convex(x) - slope(1 + x), sys.float_info.min, t**2 / 6)
    below, above = t / (2 * math.sqrt(c)) - math.sqrt(c), t / (2 * math.sqrt(c)) + math.sqrt(c)
    return float(math.exp(-t) * erfc(below) + math.exp(t) * erfc(above)) / 2 + math.exp(-c) * slope(1 + c)


def _completed(t: Any) -> Any:
    """Largest mean of the tail given a variable that is ``E`` up to ``c`` and its mean ``1 + c`` beyond, over ``c``.

    By Jensen's inequality no convex function above the tail has a smaller mean over ``E``, and the best one has this.
    """
    level = arb(t) / 2

    def given(inverse: Any) -> Any:
        return (level * inverse.sqrt()).erfc()

    def inside(inverse: Any) -> Any:
        return given(inverse) * (-1 / inverse).exp() / inverse**2

    def mean(c: Any) -> Any:
        with working():
            end = (-arb(c)).exp() * given(1 / (1 + arb(c)))
            if c == 0:
                return mp.mpf(end)
            steps = [1 / c + 4 * step / t**2 for step in (0, 1, 3, 8, 20, 40)]  # of the inverse, to exp(-40)
            return mp.mpf(end + integral(inside, steps))

    with mp.workdps(12):
        return largest(mean, mp.mpf(0), t**2 / 6)


@statement
class LaplaceEntries:
    labels = ("HP-LA.3",)
    given = (
        r"U^\top U=I_k,\ G_1,\dots,G_L\sim\mathrm{Lap}(b)^{d\times p},\quad "
        r"h(x)=\mathrm{erfc}\tfrac t{2\sqrt x},\ q(t)=\max_{c\ge0}\Big(\int_0^ch(x)e^{-x}dx+e^{-c}h(1+c)\Big),\ "
        r"\kappa=\max_se^s\,\mathrm{erfc}\tfrac s2=1.3153\dots"
    )
    claim = {
        "tail of an entry": r"k=1:\ \Pr\Big[\max_l\|U^\top G_l\|_{\max}>bt\Big]\le Lp\,q(t)",
        "Frobenius norm by entries": r"\|M\|_F\le\sqrt{kp}\,\|M\|_{\max}",
        "explicit tail bound": r"q(t)\le\kappa e^{-t}",
    }
    printed = (
        r"Not at hand; read as: $`\max_\ell\lVert U^\top G_\ell\rVert\le "
        r"O\big(\lambda\sqrt{kp}\log(Lkp)\big)`$ with high probability, for Laplace entries of scale "
        r"$`\lambda`$."
    )
    where = {
        "t": "threshold in units of $`b`$",
        "c": "variable of the maximum",
        "h": "complementary error function of a quotient with this variable",
        "x": "variable of integration",
        "dx": "element of integration",
        r"\kappa": "constant of the bound",
        r"\mathrm{erfc}": "complementary error function",
        "s": "variable of the maximum",
        "I_k": "identity matrix of order $`k`$",
        "q(": ("q(t)", "bound on the tail of an entry"),
        "M": r"$`k\times p`$ matrix, such as $`U^\top G_l`$",
    }
    verdict = Verdict.CORNER
    uses = ("JXZ-D1",)
    note = "concentration.md#projected-laplace-noise"
    digits = 20
    examples = 15

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        """Up to three noise matrices of up to four columns."""
        direction, shape = draw(st.sampled_from(DIRECTIONS)), draw(st.tuples(st.integers(1, 3), st.integers(1, 4)))
        sizes = draw(st.integers(1, 4)), draw(st.integers(1, 3))
        return Case(direction, *sizes, draw(epsilons()), draw(dyadics(0, 12)), draw(rectangular(*shape)), draw(seeds()))

    def fast(self, direction: tuple[int, ...], p: int, times: int, b: float, t: float, m: Any, seed: int) -> Parts:
        """How often an entry is large; the Frobenius norm of a matrix by its entries; the explicit tail bound."""
        large = np.max(np.abs(drawn(direction, p, times, b, seed)), axis=(1, 2)) > b * t
        tail = entry_tail(t)
        yield Frequency(int(np.sum(large)), TRIALS, times * p * tail, part="tail of an entry")
        yield AtMost(fast.frobenius_norm(m), np.max(np.abs(m)) * np.sqrt(m.size), part="Frobenius norm by entries")
        yield AtMost(tail, EXCESS * math.exp(-t), part="explicit tail bound")

    def oracle(
        self, direction: tuple[int, ...], p: int, times: int, _b: float, t: Real, m: Matrix, _seed: int
    ) -> Parts:
        above = 1 - (1 - combination_tail(direction, t)) ** (p * times)
        tail = _completed(t)
        yield AtMost(above, times * p * tail, part="tail of an entry")
        by_entries = max(map(abs, m)) * mp.sqrt(m.rows * m.cols)
        yield AtMost(oracle.frobenius_norm(m), by_entries, part="Frobenius norm by entries")
        excess = largest(lambda s: mp.exp(s) * mp.erfc(s / 2), mp.mpf(1), mp.mpf(2))
        yield AtMost(tail, excess * mp.exp(-t), part="explicit tail bound")

    def tight(self) -> list[Any]:
        """One Laplace variable far out (a limit) and at the largest excess; four variables; combinations of three."""
        flat = np.array([[1.0, -1.0], [1.0, 1.0]])
        one = [Case((1,), 1, 1, 1.0, t, flat, 0) for t in (14.0, 1.2165)]
        return [*one, Case((1,), 2, 2, 1.0, 17.0, flat, 0), Case((2, 3, 6), 2, 3, 0.5, 6.0, flat, 0)]

    def beyond(self) -> dict[str, AtMost]:
        """The axis of the largest of 1000 entries, ``t = 8``; a direction of length 2, ``t = 4``."""
        chosen = 1 - (1 - mp.exp(-8)) ** 1000
        return {
            "the directions do not depend on the noise": AtMost(chosen, EXCESS * mp.exp(-8), part="tail of an entry"),
            "the columns of U have length 1": AtMost(mp.exp(-2), EXCESS * mp.exp(-4), part="tail of an entry"),
        }

    def as_printed(self, constant: float) -> AtMost:
        """The probability that one Laplace variable is beyond ``constant log 1``, against one half."""
        return AtMost(mp.exp(-constant * mp.log(1)), mp.mpf(1) / 2, part="printed form")

    def hypotheses(self, constant: Any) -> dict[str, AtMost]:
        return {"the constant is positive": AtMost(0, constant)}

    def counterexample(self) -> Any:
        return (1000.0,)

    certificate = (
        "k = p = L = 1: the printed radius is 1000 log 1 = 0, which a Laplace variable exceeds with probability 1",
        ["exp", ["neg", ["mul", "1000", ["log", "1"]]]],
        "1/2",
    )
