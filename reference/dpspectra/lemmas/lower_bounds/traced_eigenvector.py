"""AFTER-TRACE: an eigenvector with little error tells which rows it was computed from: a bound for every delta.

Rows are ``(1, x / sqrt d) / sqrt 2`` with signs ``x`` of means ``p``, uniform. For a unit vector ``(v_0, u)`` let ``w =
v_0 u``. A vector of much variance has a large ``<w, mean x>``; the fingerprinting identity turns that into a large sum
of ``<w, x_i - p>`` over the rows; but privacy lets each of them be no larger than for a row that was not used. So the
statistic ``<w, x - p>`` traces rows. It has mean 0 for a row that was not used, and privacy says nothing without that.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast.divergence import hockey_stick
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.ledger import AtMost, Column, Equal, Outcome, Parts, Real, Reals, Relation, Slack, Verdict, statement
from dpspectra.oracle import divergence as exact_divergence
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import distributions, dyadics, epsilons, rectangular, st

NODES = 12
"""Nodes of a quadrature that is exact for the polynomials in question."""


def data_sets(rows: int, d: int) -> Any:
    """Return all data sets of signs, ``(2**(rows d), rows, d)``."""
    return np.array(list(itertools.product([1.0, -1.0], repeat=rows * d))).reshape(-1, rows, d)


def unit_rows(signs: Any) -> Any:
    """Return unit rows with a constant and these signs."""
    d = signs.shape[-1]
    return np.concatenate([np.ones((*signs.shape[:-1], 1)), signs / np.sqrt(d)], axis=-1) / np.sqrt(2)


def _neighbours(signs: Any) -> list[tuple[int, int]]:
    """Places of two data sets that differ in one row."""
    differ = np.sum(np.any(signs[:, None] != signs[None], axis=-1), axis=-1)
    return [(int(i), int(j)) for i, j in np.argwhere(differ == 1)]


def _answers(matrices: Any, points: Any, sharpness: float) -> tuple[Any, Any]:
    """Variances of unit vectors, and probabilities of an exponential mechanism that puts one of them out."""
    variances = np.einsum("kij,mi,mj->km", matrices, points, points)
    weights = np.exp(sharpness * variances)
    return variances, weights / np.sum(weights, axis=1, keepdims=True)


@statement
class TracedEigenvector:
    labels = ("AFTER-TRACE",)
    printed = (
        "Not at hand; read as its abstract tells: the error of Gaussian noise on the matrix of second moments is "
        "nearly optimal under approximate privacy, by fingerprinting codes. We read it for one eigenvector as: a "
        r"constant lost variance needs $`n\ge c\sqrt d/\varepsilon`$ rows."
    )
    given = (
        r"y_i=\tfrac1{\sqrt2}(1,x_i/\sqrt d),\ x_i\in\{\pm1\}^d,\ A=\tfrac1n\sum_iy_iy_i',\ |(v_0,u)|=1,\ w=v_0u,\ "
        r"p\sim U[-1,1]^d,\ \mathbb E[x_i\mid p]=p"
    )
    claim = {
        "variance of a vector": r"(v_0,u)'A\,(v_0,u)\le\tfrac12+\tfrac1{\sqrt d}\langle w,\bar x\rangle",
        "fingerprint": r"d=1:\ \mathbb E\big[f(x_1,\dots,x_n)\sum_i(x_i-p)\big]=2\,\mathbb E[p\,f(x_1,\dots,x_n)]",
        "trace of one row": (
            r"\mathbb E_Qt=0,\ |t|\le B:\ "
            r"\mathbb E_Pt\le\sinh(\varepsilon)\,\mathbb E_Q|t|+\delta B(1+e^{-\varepsilon})"
        ),
        "lost variance": (
            r"\tfrac16+\tfrac1{3n}-(n+2)\Big(\frac{\sinh\varepsilon}{4\sqrt d}+\delta\Big)"
            r"\le\mathbb E\big[\lambda_1(A)-(v_0,u)'A\,(v_0,u)\big]"
        ),
    }
    where = {
        "x_i": "signs of a row, independent given their means",
        "y_i": "row, a unit vector of $`d+1`$ numbers",
        "A": "mean of $`yy'`$ over the rows",
        "y_i'": "its transpose",
        "n": "number of rows",
        "d": "number of signs of a row",
        "(v_0,u)": "unit vector, which a mechanism puts out",
        "v_0": "its first number",
        "u": "its other numbers",
        "w": "vector that traces rows",
        "p": "means of the signs",
        "U": "uniform law",
        r"\bar x": "mean of the rows' signs",
        "f": "function of the data: the mean of an entry of $`w`$",
        "t": "number computed from an output",
        "B": "bound on its modulus",
        "P, Q": r"laws of the output on neighbouring data sets, $`(\varepsilon,\delta)`$-close in both orders",
    }
    verdict = Verdict.VERIFIED
    relation = (Relation.REPLACE,)
    uses = ("MWKTV-D1.1",)
    note = "lower_bounds.md#tracing-an-eigenvector"
    digits = 20
    examples = 30
    slack = {"lost variance": Slack(0.9572930, "few rows of few numbers lose more by chance than is traced")}

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """A function of one or two signs; two laws, and numbers; epsilon; unit vectors, sharpness, and rows."""
        table = np.array(draw(st.lists(dyadics(-4, 4), min_size=4, max_size=4)))[: draw(st.sampled_from([4, 2]))]
        laws = [np.round(64 * draw(distributions(3))) / 64 for _ in range(2)]
        d, rows = draw(st.sampled_from([(1, 2), (2, 1), (1, 1), (2, 2)]))
        points = draw(rectangular(3, d + 1))
        points[~points.any(axis=1)] = 1.0
        numbers = np.array(draw(st.lists(dyadics(-4, 4), min_size=3, max_size=3)))
        return table, *laws, numbers, draw(epsilons(2**-6, 2.0)), points, draw(dyadics(0, 4)), rows

    def fast(
        self,
        table: Any,
        first: Any,
        second: Any,
        numbers: Any,
        epsilon: float,
        points: Any,
        sharpness: float,
        rows: int,
    ) -> Parts:
        """Enumerations of all data sets of a few signs; means over ``p`` by quadrature."""
        points, d = points / np.linalg.norm(points, axis=1, keepdims=True), points.shape[1] - 1
        signs = data_sets(rows, d)
        y = unit_rows(signs)
        matrices = np.swapaxes(y, 1, 2) @ y / rows
        w = points[:, :1] * points[:, 1:]
        variances, chances = _answers(matrices, points, sharpness)
        stated = 0.5 + np.mean(signs, axis=1) @ w.T / np.sqrt(d)
        yield AtMost(variances[0, 0], stated[0, 0], scale=1, part="variance of a vector")
        n = len(table).bit_length() - 1
        x, (nodes, weights) = data_sets(n, 1)[..., 0], gauss_legendre(NODES)
        mass = np.prod((1 + x[:, :, None] * nodes) / 2, axis=1) * weights / 2
        moved = np.sum(table[:, None] * mass * (np.sum(x, axis=1)[:, None] - n * nodes))
        size = float(np.max(np.abs(table)))
        yield Equal(moved, 2 * np.sum(table[:, None] * mass * nodes), scale=size, part="fingerprint")
        t = numbers - second @ numbers / np.sum(second)
        delta, bound = self._delta(first, second, epsilon), np.max(np.abs(t))
        limit = np.sinh(epsilon) * (second @ np.abs(t)) + delta * bound * (1 + np.exp(-epsilon))
        yield AtMost(first @ t, limit, scale=bound, part="trace of one row")
        law = [np.prod((1 + s[..., None] * nodes) / 2, axis=0) @ weights / 2 for s in signs]
        lost = np.prod(law, axis=1) @ (fast.eigenvalues(matrices)[:, 0] - np.sum(variances * chances, axis=1))
        delta = max(hockey_stick(chances[i], chances[j], epsilon) for i, j in _neighbours(signs))
        least = 1 / 6 + 1 / (3 * rows) - (rows + 2) * (np.sinh(epsilon) / (4 * np.sqrt(d)) + delta)
        yield AtMost(least, float(lost), scale=1, part="lost variance")

    @staticmethod
    def _delta(first: Any, second: Any, epsilon: float) -> float:
        return max(hockey_stick(first, second, epsilon), hockey_stick(second, first, epsilon))

    def oracle(
        self,
        table: Reals,
        first: Reals,
        second: Reals,
        numbers: Reals,
        epsilon: Real,
        points: Any,
        sharpness: Real,
        rows: int,
    ) -> Parts:
        """Evaluate these sums with Beta integrals over ``p``."""
        d, units = points.shape[1] - 1, [_unit(x) for x in points]
        signs = list(itertools.product(itertools.product((1, -1), repeat=d), repeat=rows))
        matrices = [_moments(data) for data in signs]
        variances = [[oracle.quadratic(a, v) for v in units] for a in matrices]
        mean = [mp.fsum(row[k] for row in signs[0]) / rows for k in range(d)]
        traced = mp.fsum(units[0][0] * units[0][k + 1] * mean[k] for k in range(d))
        yield AtMost(variances[0][0], mp.mpf(1) / 2 + traced / mp.sqrt(d), scale=1, part="variance of a vector")
        n = len(table).bit_length() - 1
        counts = [row.count(1) for row in itertools.product((1, -1), repeat=n)]
        plus = [_mass(k + 1, n - k) for k in counts]  # of one more sign, a plus
        mass = [_mass(k, n - k) for k in counts]
        means = [2 * a - b for a, b in zip(plus, mass, strict=True)]  # integrals of p
        sums = [(2 * k - n) * b - n * m for k, b, m in zip(counts, mass, means, strict=True)]
        moved = mp.fsum(f * s for f, s in zip(table, sums, strict=True))
        stated = 2 * mp.fsum(f * m for f, m in zip(table, means, strict=True))
        yield Equal(moved, stated, scale=max(map(abs, table)), part="fingerprint")
        yield self._exact_trace(first, second, numbers, epsilon)
        weights = [[mp.exp(sharpness * x) for x in row] for row in variances]
        chances = [[x / mp.fsum(row) for x in row] for row in weights]
        lost = mp.mpf(0)
        for data, a, values, row in zip(signs, matrices, variances, chances, strict=True):
            chance = mp.fprod(_mass(k, rows - k) for k in (sum(x[j] > 0 for x in data) for j in range(d)))
            kept = mp.fsum(x * c for x, c in zip(values, row, strict=True))
            lost += chance * (oracle.eigenvalues(a)[0] - kept)
        known = list(zip(signs, chances, strict=True))
        near = [(p, q) for x, p in known for y, q in known if sum(a != b for a, b in zip(x, y, strict=True)) == 1]
        delta = max(exact_divergence.hockey_stick(p, q, epsilon) for p, q in near)
        least = mp.mpf(1) / 6 + mp.mpf(1) / (3 * rows)
        least -= (rows + 2) * (mp.sinh(epsilon) / (4 * mp.sqrt(d)) + delta)
        yield AtMost(least, lost, scale=1, part="lost variance")

    @staticmethod
    def _exact_trace(first: Any, second: Any, numbers: Any, epsilon: Any) -> AtMost:
        middle = mp.fsum(q * x for q, x in zip(second, numbers, strict=True)) / mp.fsum(second)
        t = [x - middle for x in numbers]
        orders = (first, second), (second, first)
        delta = max(exact_divergence.hockey_stick(list(p), list(q), epsilon) for p, q in orders)
        limit = mp.sinh(epsilon) * mp.fsum(q * abs(x) for q, x in zip(second, t, strict=True))
        limit += delta * max(map(abs, t)) * (1 + mp.exp(-epsilon))
        return AtMost(mp.fsum(p * x for p, x in zip(first, t, strict=True)), limit, scale=1, part="trace of one row")

    def tight(self) -> list[Any]:
        """Laws that lose epsilon and delta at both ends; one row, and a vector that hardly depends on it."""
        level, table = float(np.log(1.5)), np.array([1.0, -2.0, 0.5, 4.0])
        laws, numbers = ((0.4375, 0.125, 0.4375), (0.25, 0.25, 0.5)), np.array([2.0, -2.0, 0.0])
        first, second = map(np.array, laws)
        return [
            (table, first, second, numbers, level, np.array([[2.0, 2.0]]), 0.5, 2),
            (table[:2], first, second, numbers, 2.0**-6, np.array([[1.0, -0.5], [1.75, -1.25], [-0.75, 1.0]]), 0.25, 1),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """A statistic of mean 1 on either side, at no loss; and a vector twice as long."""
        one = mp.mpf(1)
        return {
            "a mean of 0 without the row": AtMost(one, mp.sinh(mp.mpf(1) / 8) * 1, part="trace of one row"),
            "a unit vector": AtMost(4 * one, one / 2 + 2, part="variance of a vector"),
        }


def _unit(x: Any) -> Column:
    found = [mp.mpf(float(number)) for number in x]
    length = mp.sqrt(mp.fsum(number**2 for number in found))
    return mp.matrix([number / length for number in found])


def _moments(data: tuple[tuple[int, ...], ...]) -> Any:
    """Mean of ``y y'`` over the unit rows with these signs."""
    y = [mp.matrix([1, *(x / mp.sqrt(len(row)) for x in row)]) / mp.sqrt(2) for row in data]
    return sum((oracle.outer(row) for row in y), mp.zeros(len(y[0]))) / len(data)


def _mass(plus: int, minus: int) -> Any:
    """Probability of these signs in this order, if their mean is uniform."""
    return mp.beta(plus + 1, minus + 1)
