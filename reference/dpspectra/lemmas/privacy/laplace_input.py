"""Release ``X'X / n`` with independent Laplace noise of scale ``2 d / (n epsilon)`` on the upper triangle, mirrored.

This is ``epsilon``-DP when one row in the unit ball is replaced: the loss is the l1 change of the released numbers over
the scale, and ``v v' - w w'`` has l1 norm at most ``|v|_1^2 + |w|_1^2 <= 2 d``, entries below the diagonal included. So
the true loss is smaller: at most ``S_d / 2 d`` times ``epsilon``, where ``S_d ~ d / sqrt 2`` counts the upper triangle
only. Without a norm bound on the rows the sensitivity is infinite. Independent noise above and below the diagonal would
be another mechanism, whose sensitivity counts every entry.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.formulas.covariance_l1 import upper_triangle_l1
from dpspectra.ledger import AtMost, Equal, Matrix, Parts, Real, Reals, Relation, Slack, Verdict, statement
from dpspectra.lemmas.privacy.laplace_mechanism import vectors
from dpspectra.lemmas.sensitivity.covariance_l1 import block_pair, exact_blocks
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import epsilons, neighbours, rectangular, st


@st.composite
def _instances(draw: st.DrawFn) -> tuple[Any, ...]:
    """Neighbouring row sets, noise in units of the scale, and ``epsilon``."""
    n, d = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    noise = draw(vectors(d * (d + 1) // 2))
    return draw(neighbours("replace", n, d)), noise, draw(epsilons())


def scale(n: int, d: int, epsilon: Any) -> Any:
    """Printed scale of the noise; ``upper_triangle_l1(d) / (n epsilon)`` is enough."""
    return 2 * d / (n * epsilon)


def release(x: Any, noise: Any, epsilon: float) -> Any:
    """The released matrix, for standard Laplace ``noise`` on the upper triangle."""
    n, d = x.shape
    return x.T @ x / n + fast.mirror(scale(n, d, epsilon) * noise, d)


@statement
class LaplaceInputAlgorithm:
    labels = ("JXZ-A1",)
    given = r"K=\tfrac1nX^\top X+Z,\quad Z_{ij}=Z_{ji}\sim\mathrm{Lap}\big(\tfrac{2d}{n\varepsilon}\big)\ (i\le j)"
    claim = {
        "inner product of the release": (
            r"\langle C,K\rangle=\tfrac1n\sum_rx_r^\top Cx_r+\sum_{i\le j}(C_{ij}+\mathbf 1_{i<j}C_{ji})Z_{ij}"
        ),
        "symmetric release": r"\|K-K^\top\|_F=0",
    }
    printed = (
        r"Not at hand; read as: add independent $`\mathrm{Lap}(\frac{2d}{n\varepsilon})`$ to the upper "
        r"triangle of $`\frac1nXX^\top`$, and mirror it."
    )
    where = {
        "K": "released matrix",
        "X": "data matrix, whose rows have norm at most 1",
        "n": "number of rows",
        "Z": "symmetric noise",
        "Z_i": "the entries of the noise",
        "C": "any square matrix",
        "C_i": "its entries",
        "x_r": "the rows of the data",
        "r": "number of a row",
    }
    verdict = Verdict.DEFINITION
    relation = (Relation.REPLACE,)
    exact = ("symmetric release",)
    note = "privacy.md#laplace-input-perturbation"
    without_beyond = "It defines a mechanism, for all rows: what it promises, and under which hypotheses, is JXZ-T1."

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Rows, noise in units of the scale, ``epsilon``, a matrix whose inner product with the release is taken."""
        pair, noise, epsilon = draw(_instances())
        return pair[0], noise, epsilon, draw(rectangular(pair[0].shape[1], pair[0].shape[1]))

    def fast(self, x: Any, noise: Any, epsilon: float, c: Any) -> Parts:
        n, d = x.shape
        k, noisy = release(x, noise, epsilon), scale(n, d, epsilon) * noise
        data = np.mean(fast.quadratic(c, x))
        both = fast.upper_triangle(c + c.T - np.diag(np.diag(c)))
        size = np.sum(np.abs(c)) * (1 + np.sum(np.abs(noisy)))
        yield Equal(fast.inner(c, k), data + np.sum(both * noisy), scale=size, part="inner product of the release")
        yield Equal(np.linalg.norm(k - k.T), 0.0, scale=np.max(np.abs(k)), part="symmetric release")

    def oracle(self, x: Matrix, noise: Reals, epsilon: Real, c: Matrix) -> Parts:
        n, d = x.rows, x.cols
        places = [(i, j) for i in range(d) for j in range(i, d)]
        noisy = {place: 2 * d * z / (n * epsilon) for place, z in zip(places, noise, strict=True)}
        k = mp.matrix(d)
        for i in range(d):
            for j in range(d):
                k[i, j] = mp.fsum(x[r, i] * x[r, j] for r in range(n)) / n + noisy[min(i, j), max(i, j)]
        data = mp.fsum(oracle.quadratic(c, x[r, :].T) for r in range(n)) / n
        added = mp.fsum((c[i, j] + (c[j, i] if i < j else 0)) * z for (i, j), z in noisy.items())
        yield Equal(oracle.inner(c, k), data + added, scale=1, part="inner product of the release")
        yield Equal(oracle.frobenius_norm(k - k.T), 0, scale=oracle.frobenius_norm(k), part="symmetric release")

    def tight(self) -> list[Any]:
        return [(np.array([[1.0, 0.0]]), np.array([1.0, -0.5, 0.25]), 2.0, np.array([[1.0, 1.0], [0.0, 1.0]]))]


@statement
class LaplaceInputPrivate:
    labels = ("JXZ-T3",)
    given = r"A=\tfrac1nX^\top X,\ A'=\tfrac1nX'^\top X',\ L=\tfrac{n\varepsilon}{2d}\sum_{i\le j}|A_{ij}-A'_{ij}|"
    claim = {
        "privacy loss": r"L\le\varepsilon",
        "bound by the upper triangle": r"L\le\tfrac{S_d}{2d}\varepsilon",
        "loss at a drawn output": r"\Big|\log\tfrac{p_X(K)}{p_{X'}(K)}\Big|\le L",
    }
    printed = r"The Laplace mechanism of Algorithm 1 is $`\varepsilon`$-DP."
    where = {
        "K": "released matrix",
        "p_X": "density of the released matrix",
        "p_{X'}": "density of the released matrix on a neighbouring data set",
        "n": "number of rows",
        "A_i": "its entries",
        "A'_i": "the entries of $`A'`$",
        "S_d": "exact l1 sensitivity of the upper triangle (JXZ-L2-X), times $`n`$",
        "A": "matrix that is released with noise",
        "A'": "the same matrix of a neighbour",
        "X": "data matrix, whose rows have norm at most 1",
        "X'": "neighbouring data matrix",
        "L": "privacy loss at the output $`A`$, the largest one",
    }
    verdict = Verdict.VERIFIED
    relation = (Relation.REPLACE,)
    uses = ("JXZ-A1", "JXZ-T1", "JXZ-L2", "JXZ-L2-X", "HR-F2.3")
    note = "privacy.md#laplace-input-perturbation-is-private"
    slack = {
        "privacy loss": Slack(
            0.559017, "2 d counts every entry off the diagonal twice; d = 2 is the dimension of least room"
        )
    }
    cases = staticmethod(_instances)

    def fast(self, pair: Any, noise: Any, epsilon: float) -> Parts:
        _, n, d = np.shape(pair)
        b = scale(n, d, epsilon)
        one, other = (fast.upper_triangle(x.T @ x / n) for x in pair)

        def loss(output: Any) -> Any:
            return abs(np.sum(np.abs(output - other) - np.abs(output - one))) / b

        largest = loss(one)
        yield AtMost(largest, epsilon, scale=1 / b, part="privacy loss")
        yield AtMost(largest, upper_triangle_l1(d) / (2 * d) * epsilon, scale=1 / b, part="bound by the upper triangle")
        size = d * d / b + np.sum(np.abs(noise))
        yield AtMost(loss(one + b * noise), largest, scale=size, part="loss at a drawn output")

    def oracle(self, pair: tuple[Matrix, Matrix], noise: Reals, epsilon: Real) -> Parts:
        n, d = pair[0].rows, pair[0].cols
        b = 2 * d / (n * epsilon)
        one, other = (oracle.upper_triangle(oracle.gram(x) / n) for x in pair)

        def density(output: Any, centre: Any) -> Any:  # up to a factor
            return mp.fprod(mp.exp(-abs(v - a) / b) for v, a in zip(output, centre, strict=True))

        def loss(output: Any) -> Any:
            return abs(mp.log(density(output, one) / density(output, other)))

        largest = loss(one)
        drawn = [a + b * z for a, z in zip(one, noise, strict=True)]
        yield AtMost(largest, epsilon, scale=1, part="privacy loss")
        upper = exact_blocks(d, mp.mpf(1) / 2) / (2 * d) * epsilon
        yield AtMost(largest, upper, scale=1, part="bound by the upper triangle")
        yield AtMost(loss(drawn), largest, scale=1, part="loss at a drawn output")

    def tight(self) -> list[Any]:
        """Data of one row, replaced so that the upper triangle changes most, in dimensions 1, 2 and 4."""
        pairs = [(d, [x[None] for x in block_pair(d)]) for d in (1, 2, 4)]
        pairs.append((4, [np.pad(x, ((0, 1), (0, 0))) for x in pairs[-1][1]]))  # a row that stays
        return [(tuple(pair), np.zeros(d * (d + 1) // 2), 1.0) for d, pair in pairs]

    def beyond(self) -> dict[str, AtMost]:
        """One number, 0 replaced by 2: its square changes by 4, and the scale is 2."""
        square, scale = mp.mpf(2) ** 2, mp.mpf(2)
        return {"the rows lie in the unit ball": AtMost(square / scale, mp.mpf(1), part="privacy loss")}
