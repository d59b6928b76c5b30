"""The difference of two Wishart matrices is private noise: ``A + W - W'`` is exactly ``epsilon``-private.

``W`` and ``W'`` are ``W_d(d + 1, c I)``, ``c = Delta / 2 epsilon``, where ``Delta`` bounds the nuclear norm of the
change of ``A``: for ``A = X'X / n`` that is ``2 / n``, or ``1 / n`` if ``d = 1`` or if rows only become zero or appear.
The log-density of the noise changes by at most ``|P - N|_* / 2c`` when its argument moves by ``P - N``, for positive
semidefinite ``P`` and ``N``: shifting the integral of the convolution by ``N`` costs ``exp(-tr(P + N) / 2c)`` and
enlarges its domain. This noise has full support, unlike that of the one-sided mechanism. No smaller ``c`` is enough:
far out along ``t (P - N)`` the change of the log-density tends to the bound. Fewer than ``d + 1`` degrees of freedom
may not be enough, more always are.
"""

import functools
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast import wishart
from dpspectra.formulas.symmetric_wishart import scale
from dpspectra.ledger import AtMost, Column, Frequency, Matrix, Outcome, Parts, Real, Relation, Verdict, statement
from dpspectra.lemmas.wishart.distribution import TRIALS
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import wishart as exact
from dpspectra.oracle.power import largest
from dpspectra.strategies import ball_vectors, epsilons, psd, rectangular, seeds, st


class Case(NamedTuple):
    """The row before and after, the number of rows, ``epsilon``, noise in units of ``c``; a PSD matrix and a seed."""

    v: Any
    w: Any
    n: int
    epsilon: float
    noise: Any
    floor: Any
    seed: int


@functools.lru_cache(maxsize=16)
def exact_sensitivity(plane: bool, both: bool, _precision: int) -> Any:
    """`sensitivity` in mpmath, in the plane of the rows or on a line: the largest nuclear norm, by search.

    It is convex in the squared lengths of the rows, which therefore are 0 or 1; without ``both``, one of them is 0. One
    row lies on the first axis; what is left is the angle to the other one, 0 on a line.
    """

    def nuclear(length: int, other: int, angle: Any) -> Any:
        change = oracle.outer(mp.matrix([length, 0])) - oracle.outer(other * mp.matrix([mp.cos(angle), mp.sin(angle)]))
        return mp.fsum(map(abs, oracle.eigenvalues(change)))

    def worst(length: int, other: int) -> Any:
        return largest(lambda angle: nuclear(length, other, angle), 0, mp.pi) if plane else nuclear(length, other, 0)

    return max(worst(*lengths) for lengths in [(1, 0), (0, 1), (1, 1)][: 3 if both else 2])


def strictest_relation(v: Any, w: Any) -> str:
    """Relation with the fewest pairs that makes these rows neighbours."""
    return "replace" if np.any(v) and np.any(w) else "zero_out"


@functools.cache
def _mean_of_square(_precision: int) -> Any:
    """Mean of ``exp(-g^2 / 2)`` for a normal number ``g``."""
    return mp.quad(lambda g: mp.exp(-(g**2) / 2) * mp.npdf(g), [-mp.inf, mp.inf])


@statement
class Symmetric:
    labels = ("JXZ-T4-R1",)
    given = (
        r"W,W'\sim W_d(d+1,cI),\ \Delta=\tfrac1n(vv^\top-ww^\top),\ \|v\|,\|w\|\le1,\ c=\tfrac1{n\varepsilon}\ "
        r"(\tfrac1{2n\varepsilon}\text{ if }d=1,\ v=0\text{ or }w=0)"
    )
    claim = {
        "change of the log-density": r"\big|\log\tfrac{g(M+\Delta)}{g(M)}\big|\le\tfrac1{2c}\|\Delta\|_*",
        "privacy of the scale": r"\tfrac1{2c}\|\Delta\|_*\le\varepsilon",
        "difference exceeds a matrix": (
            r"c=1:\ \Pr[W-W'\succeq B]\le2^{-d(d+1)/2}e^{-\operatorname{tr}B/2}\quad(B\succeq0)"
        ),
    }
    where = {
        "g": "density of the noise $`W-W'`$",
        "M": "symmetric matrix",
        r"\Delta": "change of $`A`$ when one row is replaced",
        "B": "any positive semidefinite matrix",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ZERO_OUT)
    uses = ("JXZ-D2",)
    note = "wishart.md#symmetric-wishart-mechanism"
    digits = 30
    examples = 25

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        """Rows in general position, or in the unit ball and possibly equal, opposite or zero; noise of both signs."""
        d = draw(st.integers(1, 2))
        v, w = draw(rectangular(2, d)) / 16
        if draw(st.booleans()):
            v = draw(ball_vectors(d))
            w = draw(st.one_of(ball_vectors(d), st.just(v), st.just(-v), st.just(np.zeros(d))))
        noise = draw(psd(d)) - draw(psd(d))
        noise = draw(st.sampled_from([1.0, 0.0, 2.0**-6, 4.0])) * noise
        floor = draw(psd(draw(st.integers(1, 4)))) / 256
        n = draw(st.sampled_from([1, 2, 7, 10**6]))
        return Case(v, w, n, draw(epsilons(2**-4, 16.0)), noise, floor, draw(seeds()))

    def fast(self, v: Any, w: Any, n: int, epsilon: float, noise: Any, floor: Any, seed: int) -> Parts:
        d = len(v)
        c, change = scale(n, d, epsilon, strictest_relation(v, w)), (fast.outer(v) - fast.outer(w)) / n
        here, there = (wishart.log_difference_density(c * noise + move, c) for move in (0, change))
        nuclear, size = fast.nuclear_norm(change), np.trace(np.abs(noise)) + abs(here)
        rng, dimension = np.random.default_rng(seed), len(floor)
        one, other = (wishart.draws(dimension + 1, np.eye(dimension), TRIALS, rng) for _ in range(2))
        above = int(np.sum(np.linalg.eigvalsh(one - other - floor)[:, 0] >= 0))
        yield AtMost(abs(there - here), nuclear / (2 * c), scale=size, part="change of the log-density")
        yield AtMost(nuclear / (2 * c), epsilon, part="privacy of the scale")
        most = float(np.exp(-np.trace(floor) / 2) / 2 ** (dimension * (dimension + 1) / 2))
        yield Frequency(above, TRIALS, most, part="difference exceeds a matrix")

    def oracle(self, v: Column, w: Column, n: int, epsilon: Real, noise: Matrix, floor: Matrix, _: int) -> Parts:
        d = len(v)
        most = exact_sensitivity(d > 1, mp.norm(v) * mp.norm(w) > 0, mp.prec)  # a zero row is a neighbour by itself
        c, change = most / (2 * n * epsilon), (oracle.outer(v) - oracle.outer(w)) / n
        here, there = (exact.log_difference_density(c * noise + move, c) for move in (mp.zeros(d), change))
        nuclear = mp.fsum(map(abs, oracle.eigenvalues(change)))
        dimension, mean = floor.rows, _mean_of_square(mp.prec)
        # W exceeds W' + B with probability exp(-tr(W' + B) / 2), and tr W' is the sum of d (d + 1) squared normals
        squares = dimension * (dimension + 1)
        alone = mp.exp(-mp.fsum(floor[i, i] for i in range(dimension)) / 2)
        yield AtMost(abs(there - here), nuclear / (2 * c), scale=1, part="change of the log-density")
        yield AtMost(nuclear / (2 * c), epsilon, part="privacy of the scale")
        yield AtMost(alone * mean**squares, alone / mp.sqrt(2) ** squares, part="difference exceeds a matrix")

    def tight(self) -> list[Any]:
        """A row appears or goes where the noise is 0; orthogonal rows are exchanged, far out along their difference."""
        one, zero, first, second = np.ones(1), np.zeros(1), np.array([1.0, 0.0]), np.array([0.0, 1.0])
        rest = 1, 1.0, 300 * np.diag([1.0, -1.0]), np.zeros((1, 1)), 0
        still = 7, 1.0, np.zeros((1, 1)), np.eye(2), 0
        near = [Case(one, zero, *still), Case(zero, one, *still)]
        return [*near, Case(first, second, *rest), Case(first, 0 * first, *rest)]

    def beyond(self) -> dict[str, Outcome]:
        """A row of norm 2 appears: the scale would have to be four times as large."""
        _, private, _ = self.oracle(np.array([2.0]), np.zeros(1), 1, 1.0, np.zeros((1, 1)), np.zeros((1, 1)), 0)
        return {"rows of norm at most 1": private}
