"""Spectra of the leading minors of a Haar point of a complex orbit form a uniform Gelfand-Tsetlin pattern.

They interlace by min-max, and ``H_rr`` is the difference of two traces, so ``<diag(m), H>`` is linear in the pattern.
The law is uniform on the polytope (of the free cells, if values are tied): given all other cells, each one is uniform
between its bounds. Over the real orthogonal group the pattern interlaces too, but its law is not uniform.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast import patterns as fast_patterns
from dpspectra.ledger import AtMost, Equal, Frequency, Matrix, Parts, Real, Reals, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import patterns as oracle_patterns
from dpspectra.sampling.haar import haar
from dpspectra.strategies import hermitian, seeds, st
from dpspectra.strategies.orbits import levels

DRAWS = 2000
"""Random draws in a case."""


def free_cells(spectrum: Any) -> list[tuple[int, int]]:
    """Row (from 1) and place (from 0) of the entries that no tie of ``spectrum`` fixes, long rows first."""
    d = len(spectrum)
    return [(r, j) for r in range(d - 1, 0, -1) for j in range(r) if spectrum[j] > spectrum[j + d - r]]


def uniform_numbers(seed: int, *shape: int) -> Any:
    """Numbers with which the cells of a pattern are drawn, in this order; of several sweeps, the latest one last."""
    return np.random.default_rng(seed).random(shape).tolist()


def _minor_square(spectrum: Any, r: int) -> Any:
    """Haar mean of ``Tr (P H)^2`` for a projector ``P`` of rank ``r``.

    The mean of ``H`` tensor ``H`` is ``a`` times the identity plus ``b`` times the swap, up to a common factor; two
    traces determine both.
    """
    d, first, second = len(spectrum), sum(spectrum) ** 2, sum(v * v for v in spectrum)
    a, b = d * first - second, d * second - first
    return (a * r + b * r * r) / (d * (d * d - 1))


def _frequencies(spectrum: Any, share: float, seed: int) -> Parts:
    """Draws with each free cell in the lower ``share`` of its interval, among those with the cell before it high."""
    u = haar(len(spectrum), size=DRAWS, rng=np.random.default_rng(seed))
    x = fast_patterns.minors((u * spectrum) @ fast.adjoint(u))
    high_before = np.ones(DRAWS, dtype=bool)
    for r, j in free_cells(spectrum):
        low, high = fast_patterns.bounds(x, r)
        below = x[high_before, r - 1, j] <= (low + share * (high - low))[high_before, j]
        yield Frequency(int(np.sum(below)), int(np.sum(high_before)), share, part="conditional law of a cell")
        high_before = 2 * x[:, r - 1, j] >= spectrum[j] + spectrum[j + len(spectrum) - r]


def _exact_minor_square(values: list[Any], r: int) -> Any:
    """The mean square by fourth moments of the entries of a Haar unitary matrix, diagonal and other entries apart."""
    d, same = len(values), mp.fsum(v * v for v in values)
    cross = mp.fsum(values) ** 2 - same
    return (r * (2 * same + cross) + r * (r - 1) * (same - cross / (d - 1))) / (d * (d + 1))


@statement
class PatternLaw:
    labels = ("DPS-GT",)
    given = (
        r"H\sim\mu_\Lambda\Rightarrow(x_r)_{r<d}\text{ uniform},\ "
        r"L_{rj}=\max\{x_{r+1,j+1},x_{r-1,j}\},\ U_{rj}=\min\{x_{r+1,j},x_{r-1,j-1}\}"
    )
    claim = {
        "trace from the pattern": r"\langle\operatorname{diag}m,H\rangle=\sum_rm_r\big(|x_r|-|x_{r-1}|\big)",
        "interlacing": r"x_{r+1,j+1}\le x_{r,j}\le x_{r+1,j}",
        "mean square of a minor": (
            r"H\sim\mu_\Lambda:\ \mathbb E\sum_jx_{r,j}^2="
            r"\frac{r(d\operatorname{tr}(\Lambda)^2-\operatorname{tr}\Lambda^2)"
            r"+r^2(d\operatorname{tr}\Lambda^2-\operatorname{tr}(\Lambda)^2)}{d(d^2-1)}"
        ),
        "conditional law of a cell": (
            r"H\sim\mu_\Lambda:\ \Pr\big[x_{r,j}\le L_{rj}+\theta(U_{rj}-L_{rj})\mid"
            r"\text{the cell before is high}\big]\le\theta"
        ),
    }
    where = {
        "x_i": "row of the pattern: the eigenvalues of the leading minor of this order; between bars, their sum",
        "L_i": "lower end of the interval that the other entries leave to an entry that no tie fixes",
        "U_i": "upper end of that interval",
        r"\theta": "a share of the interval",
    }
    verdict = Verdict.CITED
    note = "sampling.md#law-of-the-pattern"
    examples = 60

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, int, float, int]:
        """A Hermitian matrix, weights ``m``, a spectrum, a row, a share of a cell's interval, and a seed.

        Complex Hermitian matrices of up to four dimensions; weights and spectra with ties.
        """
        d = draw(st.integers(2, 4))
        share, h = draw(st.sampled_from([0.5, 0.25, 0.75, 0.0625])), draw(hermitian(d, "complex"))
        return h, draw(levels(d)), draw(levels(d)), draw(st.integers(1, d)), share, draw(seeds())

    def fast(self, h: Any, m: Any, spectrum: Any, r: int, share: float, seed: int) -> Parts:
        size, x = fast.frobenius_norm(h), fast_patterns.minors(h)
        sums = np.concatenate([[0.0], np.sum(x, axis=1)])
        pairs = [(x[i, : i + 1], x[i + 1, : i + 2]) for i in range(len(h) - 1)]
        violation = max(np.max(np.maximum(after[1:] - row, row - after[:-1])) for row, after in pairs)
        score, square = np.real(np.diag(h)) @ m, fast_patterns.mean_square(spectrum, r)
        yield Equal(score, m @ np.diff(sums), scale=size * np.sum(np.abs(m)), part="trace from the pattern")
        yield AtMost(violation, 0.0, scale=size, part="interlacing")
        yield Equal(square, _minor_square(spectrum, r), scale=1.0, part="mean square of a minor")
        yield from _frequencies(spectrum, share, seed)

    def oracle(self, h: Matrix, m: Reals, spectrum: Reals, r: int, share: Real, _: int) -> Parts:
        d = h.rows
        size, rows = oracle.frobenius_norm(h), [oracle.eigenvalues(h[: i + 1, : i + 1]) for i in range(d)]
        sums = [mp.mpf(0), *map(mp.fsum, rows)]
        violation = max(max(b[j + 1] - x, x - b[j]) for a, b in itertools.pairwise(rows) for j, x in enumerate(a))
        flat = [mp.mpf(0)] * (d - 1)
        volume, moment = (
            oracle_patterns.mass(oracle_patterns.weight_below(flat, spectrum, d, s), spectrum) for s in (0, r)
        )
        score = mp.fdot(m, [mp.re(h[i, i]) for i in range(d)])
        stated = mp.fdot(m, [b - a for a, b in itertools.pairwise(sums)])
        yield Equal(score, stated, scale=size * mp.fsum(map(abs, m)), part="trace from the pattern")
        yield AtMost(violation, 0, scale=size, part="interlacing")
        yield Equal(moment / volume, _exact_minor_square(spectrum, r), scale=1, part="mean square of a minor")
        # Under the uniform law a cell is uniform given all others, so there is nothing to compute; fast has the draws.
        for _cell in oracle_patterns.free_cells(spectrum):
            yield AtMost(share, share, part="conditional law of a cell")

    def tight(self) -> list[tuple[Any, Any, Any, int, float, int]]:
        """A diagonal matrix, whose minors share eigenvalues; a simple spectrum, and one with a tie."""
        h, m = np.diag([2.0, 1.0, 0.0]).astype(complex), np.array([1.0, 1.0, 0.0])
        return [(h, m, np.array([2.0, 1.0, 0.0]), 2, 0.25, 0), (h, m, np.array([1.0, 1.0, 0.0]), 1, 0.5, 0)]

    def beyond(self) -> dict[str, Equal]:
        """Over the real orbit of two values the cell has an arcsine law: a third of it lies in the lower quarter."""
        below = 2 / mp.pi * mp.asin(mp.sqrt(mp.mpf(1) / 4))
        return {"complex orbit": Equal(below, mp.mpf(1) / 4, part="conditional law of a cell")}
