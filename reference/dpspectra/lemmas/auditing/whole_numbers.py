"""What a rounded noisy number loses: no more than before rounding; and delta, a difference of two tails of cells.

A whole number ``k`` has the mass that the noise gives to the cell of what rounds to it. For noise with a concave
log-density at two places the masses of cells have a monotone ratio, as the densities have, so delta is that of a
half-line of whole numbers. The difference of two geometric numbers is one of these laws in closed form.
"""

from math import exp
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Parts, Verdict, statement
from dpspectra.lemmas.auditing.log_concave_hockey_stick import LAWS, below
from dpspectra.strategies import dyadics, epsilons, st
from dpspectra.symbolic.rounded_laws import ROUNDING, rounded_law, two_sided_geometric
from dpspectra.symbolic.whole_hockey_stick import of_whole

REACH = 150
"""Whole numbers on each side that are listed; what lies farther is no mass to 30 digits."""


class Pair(NamedTuple):
    """A noisy number on two data sets that is rounded, a whole number, and a rate of geometric noise."""

    law: str
    first: float
    """Location on the first data set."""
    second: float
    scale: float
    way: str
    epsilon: float
    k: int
    rate: float


def ends(way: str, k: Any) -> tuple[Any, Any]:
    """Ends of what rounds to a whole number."""
    low = {"floor": 0, "ceil": -1, "rint": mp.mpf(-1) / 2, "trunc": 0 if k > 0 else -1}[way]
    return k + low, k + low + (2 if way == "trunc" and k == 0 else 1)


@statement
class WholeNumbers:
    labels = ("DPS-WHOLE",)
    given = (
        r"\log f\text{ concave},\ p_k=\int_{C_k}f_a,\ q_k=\int_{C_k}f_b,\ C_k\text{ intervals in ascending order},\ "
        r"G,G'\text{ independent},\ \Pr[G\ge j]=e^{-r(j-1)},\ j\ge1"
    )
    claim = {
        "sum": r"\sum_k(p_k-e^\varepsilon q_k)_+=\max_J\sum_{k\in J}(p_k-e^\varepsilon q_k)\text{ over half-lines of}"
        r"\text{ whole numbers, all and none}",
        "half-lines": r"J=\{k>t\}\text{ or }\{k\le t\}:\ \sum_{k\in J}(p_k-e^\varepsilon q_k)"
        r"\le\sum_k(p_k-e^\varepsilon q_k)_+",
        "cells": r"f(z)=\tfrac12e^{-|z|}:\ p_k\le e^{|a-b|/s}q_k",
        "two geometric numbers": r"\Pr[G-G'=k]=\tanh(r/2)\,e^{-r|k|}",
        "a tail of them": r"\Pr[G-G'>k]=\frac{e^{-r(k+1)}}{1+e^{-r}},\ k\ge0",
    }
    where = {
        "f": "density of the noise, at location 0",
        "f_a": "density of the noise at location $`a`$, with its scale",
        "f_b": "density of the noise at location $`b`$, with the same scale",
        "C_k": "cell of the numbers that round to the whole number $`k`$",
        "p_k": "probability of the whole number on the first data set",
        "q_k": "probability of the whole number on the second data set",
        "s": "scale of the noise",
        "z": "any place",
        "b": "location on the second data set",
        "J": "set of whole numbers",
        "t": "any whole number",
        "r": "rate of the geometric numbers",
        "G": "geometric number",
        "G'": "another one of the same law",
    }
    verdict = Verdict.NEW
    uses = ("DPS-ONENUMBER",)
    note = "auditing.md#whole-numbers"
    examples = 60

    def cases(self) -> Any:
        return st.builds(
            Pair,
            st.sampled_from(sorted(LAWS)),
            dyadics(-4, 4, 3),
            dyadics(-4, 4, 3),
            dyadics(0.25, 2, 2),
            st.sampled_from(sorted(ROUNDING)),
            epsilons(2.0**-6, 4.0) | st.just(0.0),
            st.integers(-8, 8),
            dyadics(0.25, 3, 3),
        )

    def fast(self, *case: Any) -> Parts:
        """The program that the auditor runs; a list of cells in float64."""
        law, first, second, scale, way, epsilon, k, rate = Pair(*case)
        mine, yours = (rounded_law(LAWS[law], way, m, scale) for m in (first, second))
        found = of_whole(mine, yours, 0, epsilon)
        numbers = np.arange(-REACH, REACH + 1)
        low, high = np.array([[float(e) for e in ends(way, int(j))] for j in numbers]).T
        p, q = (below(law, (high - m) / scale) - below(law, (low - m) / scale) for m in (first, second))
        over = p - exp(epsilon) * q
        yield Equal(found, float(np.sum(np.maximum(over, 0))), scale=1, part="sum")
        for line in (numbers > k, numbers <= k):
            yield AtMost(float(np.sum(over[line])), found, scale=1, part="half-lines")
        here, there = (
            float(np.exp(rounded_law(LAWS["laplace"], way, m, scale).log_density(k))) for m in (first, second)
        )
        yield AtMost(here, exp(abs(first - second) / scale) * there, part="cells")
        two = two_sided_geometric(rate)
        j = np.arange(1, 700)
        product = -(np.expm1(-rate) ** 2) * np.exp(-rate * (2.0 * j + abs(k) - 2))
        yield Equal(float(np.exp(two.log_density(k))), abs(float(np.sum(product))), part="two geometric numbers")
        more = np.exp(two.log_density(np.arange(abs(k) + 1, abs(k) + 700)))
        yield Equal(float(np.exp(two.upper(abs(k)))), float(np.sum(more)), part="a tail of them")

    def oracle(self, *case: Any) -> Parts:
        """Cells as differences of distribution functions, one after the other, and sums of geometric masses."""
        law, first, second, scale, way, epsilon, k, rate = Pair(*case)
        first, second, scale, rate = map(mp.mpf, (first, second, scale, rate))

        def below(kind: str, z: Any) -> Any:
            if kind == "normal":
                return mp.ncdf(z)
            if kind == "exponential":
                return -mp.expm1(-max(z, mp.mpf(0)))
            return mp.exp(z) / 2 if z < 0 else 1 - mp.exp(-z) / 2

        def mass(kind: str, place: Any, j: int) -> Any:
            low, high = ends(way, j)
            return below(kind, (high - place) / scale) - below(kind, (low - place) / scale)

        grow = mp.exp(mp.mpf(epsilon))
        over = {j: mass(law, first, j) - grow * mass(law, second, j) for j in range(-REACH, REACH + 1)}
        whole = mp.fsum(max(x, 0) for x in over.values())
        sums, total = [mp.mpf(0)], mp.mpf(0)
        for x in over.values():
            total += x
            sums += [total]
        best = max(max(sums), max(total - x for x in sums))
        yield Equal(best, whole, scale=1, part="sum")
        at = mp.fsum(x for j, x in over.items() if j <= k)
        for line in (total - at, at):
            yield AtMost(line, whole, scale=1, part="half-lines")
        most = mp.exp(abs(first - second) / scale)
        yield AtMost(mass("laplace", first, k), most * mass("laplace", second, k), part="cells")
        ending = -mp.expm1(-rate)
        terms = range(1, 700)
        product = mp.fsum(ending**2 * mp.exp(-rate * (2 * j + abs(k) - 2)) for j in terms)
        yield Equal(mp.tanh(rate / 2) * mp.exp(-rate * abs(k)), product, part="two geometric numbers")
        more = mp.fsum(mp.tanh(rate / 2) * mp.exp(-rate * (abs(k) + j)) for j in terms)
        yield Equal(mp.exp(-rate * (abs(k) + 1)) / (1 + mp.exp(-rate)), more, part="a tail of them")

    def tight(self) -> list[Any]:
        """A half-line that is the best one, and a cell beyond both places, which loses all that the noise does."""
        return [
            Pair("laplace", 0.0, 1.0, 1.0, "rint", 0.5, 0, 1.0),
            Pair("normal", 1.0, 0.0, 1.0, "floor", 0.0, 0, 1.0),
            Pair("laplace", 2.0, 0.0, 1.0, "trunc", 1.0, 5, 0.5),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Cauchy noise, whose cells exceed others on an interval; cells that are no intervals; numbers of two laws."""
        grow = mp.mpf(2)

        def cauchy(j: int, place: int) -> Any:
            return (mp.atan(j + mp.mpf(1) / 2 - place) - mp.atan(j - mp.mpf(1) / 2 - place)) / mp.pi

        over = [cauchy(j, 1) - grow * cauchy(j, -1) for j in range(-400, 401)]
        whole = mp.fsum(max(x, 0) for x in over)
        sums = [mp.fsum(over[:k]) for k in range(len(over) + 1)]
        best = max(max(sums), max(sums[-1] - x for x in sums))

        def laplace(j: int, place: int) -> Any:
            return mp.exp(-abs(j - place)) * mp.tanh(mp.mpf(1) / 2)

        mixed = {j: laplace(j, 0) - laplace(j, 1) for j in range(-60, 61)}
        even = [mixed[j] for j in sorted(mixed, key=lambda j: (j % 2, j))]
        runs = [mp.fsum(even[:k]) for k in range(len(even) + 1)]
        lines = max(max(runs), max(runs[-1] - x for x in runs))
        first, second = -mp.expm1(-1), -mp.expm1(-2)
        two_laws = mp.fsum(first * mp.exp(-(j - 1)) * second * mp.exp(-2 * (j - 1)) for j in range(1, 200))
        return {
            "a concave log-density": AtMost(whole, best),
            "cells in ascending order": AtMost(mp.fsum(max(x, 0) for x in even), lines),
            "two numbers of one law": AtMost(two_laws, mp.tanh(mp.mpf(1) / 2)),
        }
