"""No ``epsilon``-private mechanism approximates every ``X'X`` of rank ``k`` to better than about ``(d - k) / epsilon``.

Take orthonormal bases of ``N`` subspaces with projectors ``P_i`` at distance ``s`` or more, and repeat each basis ``g``
times: the matrices ``g P_i`` are ``s g`` apart, and the data differ in at most ``g k`` rows, so no output is more than
``exp(epsilon g k)`` times as likely under one as under another. So no guess of ``i`` is right for much more than half
of them. The argument needs ``exp(epsilon g k) < N`` for some ``g >= 1``, so ``epsilon`` below about ``d - k``, and that
``X`` may be any data. Printed (as we read it) for every ``epsilon``; but randomised response on a net of lines has an
error that falls exponentially in ``epsilon``.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Equal, Parts, Real, Relation, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import epsilons, rectangular, st
from dpspectra.strategies.subspaces import independent_columns


def bound(d: int, k: int, epsilon: Any) -> Any:
    """Worst-case error that no ``epsilon``-DP mechanism of rows beats on sums ``X'X`` of rank ``k``, ``0 < k < d``.

    The number of copies is the better one of the two integers next to where the derivative vanishes. Every ``epsilon``
    is allowed.
    """
    copies = (d - k) / epsilon
    for _ in range(ROUNDS):
        copies = (d - k) / epsilon * (1 + np.exp(-epsilon * k * copies))
    return np.max([repeated(d, k, epsilon, max(g, 1.0)) for g in (np.floor(copies), np.ceil(copies))], axis=0)


def repeated(d: int, k: int, epsilon: Any, g: Any) -> Any:
    """Bound with ``g`` copies of each basis."""
    return g / 2 * np.exp(-np.logaddexp(0, epsilon * g * k) / (k * (d - k)))


def risk_bound(separation: Any, others: Any, ratio: Any) -> Any:
    """Smallest mean error of a guess at one of ``others + 1`` points so far apart, for likelihoods up to ``ratio``."""
    return separation * np.minimum(0.5, others / (ratio + others))


SMALL = 8
"""Largest dimension in which all numbers of copies are tried."""

ROUNDS = 60
"""Iterations of the fixed point; each gains at least half a digit."""


def _exactly_repeated(d: int, k: int, epsilon: Any, g: int) -> Any:
    return mp.mpf(g) / 2 / mp.root(1 + mp.exp(epsilon * g * k), k * (d - k))


@statement
class PureLowRankCovariance:
    labels = ("JXZ-T10",)
    given = (
        r"\mathcal A\ \varepsilon\text{-DP},\ X_i\in(B^d)^{gk},\ X_i^\top X_i=gP_i,\ "
        r"\operatorname{rank}P_i=k\ (i\le N),\ R=\max_{i,j,H}"
        r"\tfrac{\Pr[\mathcal A(X_i)=H]}{\Pr[\mathcal A(X_j)=H]}\le e^{\varepsilon gk};\ "
        r"\text{so }\max_i\mathbb E\|gP_i-\mathcal A(X_i)\|_2"
        r"\ge b(g)=\tfrac g2(1+e^{\varepsilon gk})^{-1/k(d-k)}\text{ for some such packing}"
    )
    claim = {
        "mean error of a channel": (
            r"\min_{i\ne j}\|gP_i-gP_j\|_2\min\{\tfrac12,\tfrac{N-1}{R+N-1}\}"
            r"\le\tfrac1N\sum_i\mathbb E\|gP_i-\mathcal A(X_i)\|_2"
        ),
        "explicit bound": r"s=\tfrac{2b(g)}g,\ N=s^{-k(d-k)}:\ b(g)=sg\,\tfrac{N-1}{e^{\varepsilon gk}+N-1}",
        "error of half the identity": r"b(g)\le\tfrac g2=\|gP_i-\tfrac g2I\|_2",
        "best number of copies": (
            r"\varepsilon x=(d-k)(1+e^{-\varepsilon kx}):\ \max\{b(\max\{\lfloor x\rfloor,1\}),"
            r"b(\lceil x\rceil)\}=\max_{g\in\mathbb N}b(g)"
        ),
    }
    printed = (
        r"Not at hand; read as: every $`\varepsilon`$-DP mechanism, $`\varepsilon`$ a small parameter, has "
        r"for some $`X`$ an error $`\mathbb E\lVert A-M(X)\rVert_2`$ of order $`\frac{d-k}\varepsilon`$."
    )
    where = {
        "B^d": r"unit ball of $`\mathbb R^d`$",
        "k": "rank of the data",
        "g": "number of times that each row of a basis occurs in the data",
        "s": "separation of the projectors, a free number",
        "N": "number of projectors of the packing",
        "i": "number of a projector",
        "j": "number of another projector",
        "X_i": "data of $`gk`$ rows: an orthonormal basis, $`g`$ times",
        "P_i": "the projectors of rank $`k`$ of the packing",
        "R": "largest ratio of the probabilities of an output on two of the data",
        "b(": ("b(g)", "error that no mechanism avoids, from $`g`$ copies of each basis"),
        "x": "best number of copies before it is rounded",
    }
    verdict = Verdict.CORNER
    relation = (Relation.REPLACE,)
    uses = ("JXZ-L5", "MWKTV-D1.1")
    exact = ("best number of copies",)
    note = "lower_bounds.md#lower-bound-for-low-rank-covariances"
    digits = 30
    examples = 60

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, int, float, int, int]:
        """Bases of distinct subspaces, other outputs, weights of all outputs given a subspace, copies, ``epsilon``.

        Last come dimension and rank of the explicit bound.
        """
        d = draw(st.integers(2, 4))
        k = draw(st.integers(1, d - 1))

        def span(columns: Any) -> bytes:  # different spans have different bytes, as integer bases keep them well apart
            q = np.linalg.qr(columns)[0]
            return bytes(np.round(q @ q.T * 2**20).astype(int))

        bases = draw(st.lists(independent_columns(d, k), min_size=2, max_size=4, unique_by=span))
        n, others = len(bases), draw(st.lists(rectangular(d, d).map(lambda g: (g + g.T) / 16), max_size=2))
        weights = 1 + np.abs(draw(rectangular(n, n + len(others))))
        weights += draw(st.sampled_from([0, 32])) * np.eye(*weights.shape)
        dimension = draw(st.integers(2, 8))
        rank = draw(st.integers(1, dimension - 1))
        return bases, others, weights, draw(st.sampled_from([1, 2, 5])), draw(epsilons(2.0**-4, 8.0)), dimension, rank

    def fast(self, bases: Any, others: Any, weights: Any, g: int, epsilon: float, dimension: int, rank: int) -> Parts:
        """State the mean error of a channel given a random subspace, and the error of a known mechanism."""
        n = len(bases)
        frames = [np.linalg.qr(b)[0] for b in bases]
        matrices = g * np.array([q @ q.T for q in frames])
        outputs = np.stack([*matrices, *others])
        law = weights / np.sum(weights, axis=1, keepdims=True)
        ratio = np.max(np.max(law, axis=0) / np.min(law, axis=0))
        errors = fast.spectral_norm(matrices[:, None] - outputs[None])
        apart = min(errors[i, j] for i in range(n) for j in range(i))
        yield AtMost(risk_bound(apart, n - 1, ratio), np.sum(law * errors) / n, part="mean error of a channel")
        stated = float(repeated(dimension, rank, epsilon, g))
        number = np.exp(-rank * (dimension - rank) * np.log(2 * stated / g))
        yield Equal(stated, risk_bound(2 * stated, number - 1, np.exp(epsilon * g * rank)), part="explicit bound")
        yield AtMost(stated, g / 2, part="error of half the identity")
        if dimension <= SMALL:
            tried = repeated(dimension, rank, epsilon, np.arange(1, 2 + int(2 * dimension / epsilon)))
            yield Equal(bound(dimension, rank, epsilon), np.max(tried), part="best number of copies")

    def oracle(self, bases: Any, others: Any, weights: Any, g: int, epsilon: Real, dimension: int, rank: int) -> Parts:
        n, columns = len(bases), [oracle.exact(b) for b in bases]
        matrices = [g * b * mp.inverse(b.T * b) * b.T for b in columns]
        outputs = matrices + [oracle.exact(other) for other in others]
        law = [[mp.mpf(w) / mp.fsum(row) for w in row] for row in weights.tolist()]
        ratio = max(max(column) / min(column) for column in zip(*law, strict=True))
        errors = [[oracle.spectral_norm(m - o) for o in outputs] for m in matrices]
        apart = min(errors[i][j] for i in range(n) for j in range(i))
        mean = mp.fsum(p * e for row, off in zip(law, errors, strict=True) for p, e in zip(row, off, strict=True)) / n
        places, ratio_of_copies = rank * (dimension - rank), mp.exp(epsilon * g * rank)
        separation = mp.root(1 + ratio_of_copies, places) ** -1
        yield AtMost(apart * min(mp.mpf(1) / 2, (n - 1) / (ratio + n - 1)), mean, part="mean error of a channel")
        wrong = (separation**-places - 1) / (ratio_of_copies + separation**-places - 1)
        yield Equal(separation * g / 2, separation * g * wrong, part="explicit bound")
        yield AtMost(separation * g / 2, mp.mpf(g) / 2, part="error of half the identity")
        if dimension <= SMALL:
            tried = [_exactly_repeated(dimension, rank, epsilon, x) for x in range(1, 2 + int(2 * dimension / epsilon))]
            root = mp.findroot(lambda x: epsilon * x - (dimension - rank) * (1 + mp.exp(-epsilon * rank * x)), 1)
            near = [_exactly_repeated(dimension, rank, epsilon, max(int(root) + x, 1)) for x in (0, 1)]
            yield Equal(max(near), max(tried), part="best number of copies")

    def tight(self) -> list[Any]:
        """Axes, the true one released 8 times as often as each wrong one; axes of which (almost) nothing is revealed.

        In many dimensions half the identity is nearly the best output for one row. Of three lines two are close, and
        the output is nearly always one of these: the smallest distance counts.
        """
        axes, two = [np.eye(3)[:, [i]] for i in range(3)], [np.eye(2)[:, [i]] for i in range(2)]
        close, planes = [two[0], 8 * two[0] + two[1], two[1]], [np.eye(3)[:, p] for p in ([0, 1], [0, 2], [1, 2])]
        middle = np.outer(np.ones(3), [1.0, 1.0, 1.0, 4096.0])
        return [
            (axes, [], 1 + 7 * np.eye(3), 1, 1.0, 2**21, 2),
            (axes, [np.eye(3) / 2], middle, 1, 1.0, 2, 1),
            (two, [np.eye(2)], np.ones((2, 3)), 2, 0.25, 5, 2),
            (close, [], np.outer(np.ones(3), [4096.0, 1.0, 1.0]), 1, 1.0, 7, 3),
            (planes, [], np.ones((3, 3)), 1, 1.0, 4, 2),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """One of three axes, wrong with probability 1/16 at ``epsilon = 1``; two equal lines, said to be 1 apart."""
        part = "mean error of a channel"
        return {
            "the mechanism is private": AtMost(2 / (mp.e + 2), mp.mpf(1) / 16, part=part),
            "the subspaces are at distance s": AtMost(1 / (mp.e + 1), mp.mpf(0), part=part),
        }

    def as_printed(self, lines: int, epsilon: float) -> AtMost:
        """Compare a thousandth of ``(d - k) / epsilon``, for plane lines, with a bound on the error for a unit row.

        The row is rounded to the nearest of ``lines`` lines at equal angles, at a cost of at most ``pi / 2 lines``, and
        that line is released with ``exp(epsilon)`` times the probability of every other one, which costs at most 1.
        """
        wrong = (lines - 1) / (mp.exp(epsilon) + lines - 1)
        return AtMost(1 / (1000 * mp.mpf(epsilon)), mp.pi / (2 * lines) + wrong, part="printed form")

    def hypotheses(self, lines: int, epsilon: float) -> dict[str, AtMost]:
        """``d = 2``, ``k = n = 1``; randomised response is ``epsilon``-DP for every number of lines."""
        return {"epsilon is positive, and there are two lines": AtMost(0, min(epsilon, lines - 2))}

    def counterexample(self) -> Any:
        return (2**16, 32.0)

    certificate = (
        "d = 2, k = n = 1, epsilon = 32: one of 2^16 lines by randomised response; the printed bound with the constant"
        " 1/1000 against the half step plus the probability of a wrong line",
        ["div", "1", "32000"],
        ["add", ["div", ["pi"], "131072"], ["div", "65535", ["add", ["exp", "32"], "65535"]]],
    )
