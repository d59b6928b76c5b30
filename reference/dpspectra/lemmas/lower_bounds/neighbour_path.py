"""Between two PSD matrices lies a path of neighbours, of length at most ``min(|X|_F^2, |X|_*) + rank X``.

``X`` is the difference, ``mu`` its eigenvalues. Add the part of each positive ``mu`` in ``ceil(mu)`` equal steps, then
remove the negative ones likewise. Every matrix on the way dominates one of the ends in the Loewner order, so it is PSD;
every step adds or removes ``x x*`` with ``|x| <= 1``, which is also a replacement of or by the zero vector. Removing
first can leave the cone of PSD matrices. With vectors of equal length, ``max(rank, ceil(trace))`` steps are enough for
the positive part, and likewise for the negative part.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast import neighbour_paths
from dpspectra.ledger import AtMost, Equal, Matrix, Parts, Relation, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import neighbour_paths as exact
from dpspectra.strategies import dimensions, fields, psd, st


def bound(values: Any) -> Any:
    """Largest number of steps for a difference with these eigenvalues."""
    sizes = np.abs(values)
    return min(np.sum(sizes**2), np.sum(sizes)) + np.sum(sizes > neighbour_paths.CUT)


def shorter(values: Any) -> int:
    """Number of steps that is enough with vectors of equal length in each of the two parts of the difference."""
    parts = (values[values > neighbour_paths.CUT], -values[values < -neighbour_paths.CUT])
    return sum(map(_equal_steps, parts))


def exactly_shorter(values: list[Any]) -> int:
    """`shorter` in mpmath."""
    parts = ([sign * x for x in values if sign * x > exact.CUT] for sign in (1, -1))
    return sum(max(len(part), exact.step_count(mp.fsum(part))) for part in parts)


def _equal_steps(part: Any) -> int:
    """Number of vectors of equal length that sum to a part of the difference with these eigenvalues."""
    return max(len(part), int(np.ceil(np.sum(part) - neighbour_paths.CUT)))


@statement
class NeighbourPath:
    labels = ("MWKTV-PATH",)
    given = (
        r"M,M'\succeq0,\ X=M'-M=X_+-X_-,\ M_0=M,\ M_l=M_{l-1}\pm x_lx_l^*,\quad "
        r"r_\pm=\max\{\operatorname{rank}X_\pm,\lceil\operatorname{tr}X_\pm\rceil\}"
    )
    claim = {
        "length of the path": r"L\le\min\{\|X\|_F^2,\|X\|_*\}+\operatorname{rank}X",
        "steps of equal length": r"r_++r_-\le L",
        "sum of rounded eigenvalues": r"\sum_i\lceil|\mu_i|\rceil=L",
        "end of the path": r"M_L=M'",
        "positive semidefinite path": r"0\le\lambda_d(M_l)",
        "norm of a step": r"\|x_l\|^2\le1",
        "sum of equal vectors": r"\sum_{l\le r_\pm}y_ly_l^*=X_\pm",
        "norm of equal vectors": r"\|y_l\|^2\le1",
    }
    where = {
        "M'": "second-moment matrix at the end of the path",
        "X": "difference $`M'-M`$",
        "X_i": "positive and negative part of the difference",
        "M_i": "the matrices on the way",
        "x_i": "the rows that are added or removed on the way",
        "y_i": "vectors of equal length that sum to a part of the difference",
        r"\mu_i": "the eigenvalues of the difference",
        "L": "number of steps",
        "l": "number of a step, or of a vector",
        "r_i": "number of vectors of equal length of a part",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    exact = ("sum of rounded eigenvalues",)
    note = "lower_bounds.md#a-path-of-neighbours"
    examples = 40
    digits = 30

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Two PSD matrices of any rank, sometimes equal, with differences from far below 1 to about 10."""
        d, field = draw(dimensions()), draw(fields())
        shrunk = 2.0 ** -np.ceil(np.log2(d))  # eigenvalues grow with the dimension
        scales = [shrunk * draw(st.sampled_from([2.0**-4, 2.0**-7, 2.0**-5])) for _ in range(2)]
        start, end = (scale * draw(psd(d, field)) for scale in scales)
        return start, draw(st.sampled_from([end, end, start + end, start]))

    def fast(self, start: Any, end: Any) -> Parts:
        signs, vectors = neighbour_paths.neighbour_path(start, end)
        on_the_way = start + np.cumsum(signs[:, None, None] * fast.outer(vectors), axis=0)
        values, frame = fast.eigenvectors(end - start)
        size = 1 + fast.nuclear_norm(start) + fast.nuclear_norm(end)
        yield AtMost(float(len(signs)), bound(values), part="length of the path")
        yield AtMost(float(shorter(values)), float(len(signs)), part="steps of equal length")
        rounded = float(np.sum(neighbour_paths.step_counts(values)))
        yield Equal(rounded, float(len(signs)), part="sum of rounded eigenvalues")
        if len(signs):
            yield Equal(fast.frobenius_norm(on_the_way[-1] - end), 0.0, scale=size, part="end of the path")
            yield AtMost(0.0, np.min(fast.eigenvalues(on_the_way)), scale=size, part="positive semidefinite path")
            for x in np.sort(np.sum(np.abs(vectors) ** 2, axis=-1)):
                yield AtMost(x, 1.0, part="norm of a step")
        for sign in (1, -1):
            kept = sign * values > neighbour_paths.CUT
            if not np.any(kept):
                continue
            columns = frame[:, kept] * np.sqrt(np.abs(values[kept]))
            mixed = neighbour_paths.equal_norm_columns(columns, _equal_steps(np.abs(values[kept])))
            missed = fast.frobenius_norm(mixed @ fast.adjoint(mixed) - columns @ fast.adjoint(columns))
            yield Equal(missed, 0.0, scale=size, part="sum of equal vectors")
            for x in np.sort(np.sum(np.abs(mixed) ** 2, axis=0)):
                yield AtMost(x, 1.0, part="norm of equal vectors")

    def oracle(self, start: Matrix, end: Matrix) -> Parts:
        path, (values, frame) = exact.neighbour_path(start, end), oracle.eigenvectors(end - start)
        kept = [[j for j, value in enumerate(values) if sign * value > exact.CUT] for sign in (1, -1)]
        counts = [max(len(part), exact.step_count(mp.fsum(values[j] for j in part))) for part in kept]
        size = 1 + oracle.nuclear_norm(start) + oracle.nuclear_norm(end)
        sizes = [abs(value) for value in values]
        most = min(mp.fsum(x * x for x in sizes), mp.fsum(sizes)) + sum(map(len, kept))
        yield AtMost(mp.mpf(len(path)), most, part="length of the path")
        yield AtMost(mp.mpf(sum(counts)), mp.mpf(len(path)), part="steps of equal length")
        rounded = sum(map(exact.step_count, oracle.singular_values(end - start)))
        yield Equal(mp.mpf(rounded), mp.mpf(len(path)), part="sum of rounded eigenvalues")
        if path:
            place, least = start.copy(), mp.inf
            for sign, vector in path:
                place += sign * oracle.outer(vector)
                least = min(least, oracle.eigenvalues(place)[-1])
            yield Equal(oracle.frobenius_norm(place - end), 0, scale=size, part="end of the path")
            yield AtMost(mp.mpf(0), least, scale=size, part="positive semidefinite path")
            for x in sorted(oracle.inner(v, v) for _, v in path):
                yield AtMost(x, mp.mpf(1), part="norm of a step")
        for part, count in zip(kept, counts, strict=True):
            if part:
                lengths = mp.diag([mp.sqrt(abs(values[j])) for j in part])
                columns = oracle.columns(frame, part) * lengths
                mixed = exact.equal_norm_columns(columns, count)
                missed = oracle.frobenius_norm(exact.total(mixed) - exact.total(columns))
                yield Equal(missed, 0, scale=size, part="sum of equal vectors")
                for x in sorted(oracle.inner(mixed[:, b], mixed[:, b]) for b in range(count)):
                    yield AtMost(x, mp.mpf(1), part="norm of equal vectors")

    def tight(self) -> list[Any]:
        """One step for an eigenvalue of ``2^-20`` or ``-2^-20``: the bound is slightly above 1; one of length 1."""
        unit, none = np.diag([1.0, 0.0]), np.zeros((2, 2))
        return [(none, 2.0**-20 * unit), (2.0**-20 * unit, none), (none, unit)]

    def beyond(self) -> dict[str, AtMost]:
        """From ``4 e1 e1*`` to ``4 a a*`` with the removals first: the matrices leave the cone."""
        half = mp.sqrt(mp.mpf(1) / 2)
        start, end = mp.diag([4, 0]), 4 * oracle.outer(mp.matrix([half, half]))
        values, frame = oracle.eigenvectors(end - start)
        removed = start + values[-1] * oracle.outer(frame[:, 1])
        return {
            "additions first": AtMost(mp.mpf(0), oracle.eigenvalues(removed)[-1], part="positive semidefinite path")
        }
