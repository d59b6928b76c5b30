"""The private range finder's basis ``Q`` has small leverages (HR-L5.11); no better bound holds in general (HR-R5.12).

``Q`` is an orthonormal basis of ``A Omega + s N``, which has ``k'`` columns. Its span lies in range ``A`` plus span
``N``, so its leverages are at most those of an ``r``-dimensional space with ``k'`` random directions added. This needs
``s > 0``: without noise and with ``k' > r``, ``Q`` is arbitrary. A dominant singular vector with a large entry stays
in ``Q``. `sketches` and `drawn_sizes` also draw cases for ``leverages_without_rank``: keep ``k' <= m - r`` in them.
"""

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import leverages as fast
from dpspectra.ledger import AtMost, Equal, Matrix, Parts, Real, Slack, Verdict, statement
from dpspectra.lemmas.incoherence.leverages_with_random_directions import (
    chi_square_quantile,
    exact_quantile,
    uniform_level,
)
from dpspectra.lemmas.range_finding.private_range_finder import NOISE
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import leverages as exact
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import deltas, dyadics, rectangular, st, unitaries


class Sizes(NamedTuple):
    """Dimension of a range, strength of its longest row, rows, columns of the sketch and ``beta``.

    The strength is the coherence ``mu0``; in ``leverages_without_rank`` it is the length of the row over the noise.
    """

    rank: int
    strength: float
    rows: int
    width: int
    beta: float


@st.composite
def sketches(draw: st.DrawFn) -> tuple[Any, Any, float, Any, Any]:
    """Basis of the range of ``A``, coordinates of ``A`` in it, and the noise scale and draws of a sketch.

    If the range has dimension ``r``, the sketch has at most ``m - r`` columns.
    """
    m = draw(st.integers(3, 7))
    r = draw(st.integers(1, m - 2))
    n, width, frame = draw(st.integers(1, 3)), draw(st.integers(1, m - r)), draw(unitaries(m))
    coordinates = draw(rectangular(m, width, entries=3))
    coordinates[r:] += 32 * np.eye(m - r, width)  # independent columns outside the range of A
    omega = draw(rectangular(n, width, entries=3))
    return frame[:, :r], draw(rectangular(r, n)), draw(st.sampled_from(NOISE)), omega, frame @ coordinates


@st.composite
def drawn_sizes(draw: st.DrawFn) -> Sizes:
    """Up to 60 dimensions and columns, and up to some thousand rows."""
    r, width = draw(st.integers(1, 60)), draw(st.integers(1, 60))
    m = r + width + draw(st.integers(1, 4000))
    return Sizes(r, min(draw(dyadics(1, 16)), m / r), m, width, draw(deltas(2.0**-30, 0.5)))


def exact_draws(sketch: Any) -> list[Any]:
    """`sketches` in mpmath."""
    return [oracle.exact(x) if hasattr(x, "shape") else mp.mpf(x) for x in sketch]


def level(rank: Any, coherence: Any, m: Any, width: Any, beta: Any) -> Any:
    """Squared row norm of ``Q`` exceeded with probability at most ``beta``, for ``m`` rows, a rank and a ``mu0``."""
    return (rank * coherence + chi_square_quantile(width, np.log(m / beta))) / m


@statement
class Leverages:
    labels = ("HR-L5.11",)
    given = (
        r"\operatorname{rank}A=r,\ s>0,\ V=\mathrm{orth}[U|N],\ L=\log\tfrac m\beta,\ "
        r"B\sim\mathrm{Beta}\big(\tfrac{k'}2,\tfrac{m-r-k'}2\big),\ \Pr[B>b]=\tfrac\beta m"
    )
    claim = {
        "leverage of each row": r"\|Q_i\|^2\le\|V_i\|^2",
        "closed form above the quantile": (
            r"\tfrac{r\mu_0(A)}m+\big(1-\tfrac{r\mu_0(A)}m\big)b"
            r"\le\frac{r\mu_0(A)+k'+2\sqrt{k'L}+2L}m"
        ),
    }
    printed = (
        r"Not at hand; read as: the output of the range finder has $`\lVert Q\rVert_\infty\le "
        r"O\big(\sqrt{\frac{r\mu_0+k\log m}m}\big)`$."
    )
    where = {
        "B": "random number of this Beta law",
        "b": r"upper quantile of the Beta law at $`\beta/m`$",
    }
    verdict = Verdict.VERIFIED
    uses = ("HR-L5.8R", "HR-Fig2", "HR-L5.8")
    note = "range_finding.md#leverages-of-the-range-finder"
    digits = 30
    examples = 20
    slack = {"closed form above the quantile": Slack(0.817684, "tails of chi-square numbers are lighter than stated")}

    def cases(self) -> Any:
        return st.tuples(sketches(), drawn_sizes())

    def fast(self, sketch: Any, sizes: Any) -> Parts:
        """Row by row for one draw; then the level against that from the exact quantile of the Beta law."""
        u, inner, s, omega, noise = sketch
        q = orthonormal(u @ inner @ omega + s * noise)
        wider = fast.leverages(np.linalg.qr(np.hstack([u, noise]))[0])
        for x, y in zip(fast.leverages(q), wider, strict=True):
            yield AtMost(x, y, scale=1.0, part="leverage of each row")
        r, coherence, m, width, beta = sizes
        exactly = uniform_level(r * coherence / m, m, r, width, beta)
        yield AtMost(exactly, level(r, coherence, m, width, beta), part="closed form above the quantile")

    def oracle(self, sketch: Any, sizes: Any) -> Parts:
        u, inner, s, omega, noise = exact_draws(sketch)
        own = exact.leverages(u * inner * omega + s * noise)
        outside = noise - u * (u.T * noise)
        wider = exact.projector(outside) + u * u.T  # the span of both, as an orthogonal sum
        for i, x in enumerate(own):
            yield AtMost(x, wider[i, i], scale=1, part="leverage of each row")
        r, coherence, m, width, beta = sizes
        coherence, beta = mp.mpf(coherence), mp.mpf(beta)
        share, logarithm = r * coherence / m, mp.log(m / beta)
        exactly = share + (1 - share) * exact_quantile(m, r, width, beta) if share < 1 else mp.mpf(1)
        stated = (r * coherence + width) / m + 2 * (mp.sqrt(width * logarithm) + logarithm) / m
        yield AtMost(exactly, stated, part="closed form above the quantile")

    def tight(self) -> list[Any]:
        """A zero matrix, with an axis as its range and noise in two others; and sizes at which every term counts."""
        axes = np.eye(4)
        sizes = Sizes(3, 2.0, 2**20, 16, 2.0**-10)
        return [((axes[:, :1], np.zeros((1, 1)), 1.0, np.zeros((1, 2)), axes[:, 2:]), sizes)]

    def beyond(self) -> dict[str, AtMost]:
        """A flat matrix of rank 1 and two columns without noise: the second basis vector may be the first axis."""
        flat = mp.matrix([[1, 1]] + [[1, 0]] * 63) / 8
        stated = chi_square_quantile(2, mp.log(128), mp.sqrt) + 1
        return {"s > 0": AtMost(64 * exact.leverages(flat)[0], stated)}


@statement
class LeveragesTightness:
    labels = ("HR-R5.12",)
    given = r"w=UU_i^\top/\|U_i\|,\ \|U_i\|=\max_j\|U_j\|,\ A=t\,wv^\top+A_0,\ w^\top A_0=0,\ \omega=\Omega^\top v"
    claim = {
        "largest entry in the range": r"w_i^2=\tfrac rm\mu_0(U)",
        "leverage of the strong vector": (
            r"\max\Big\{w_i-\frac{\|(A_0\Omega+sN)\omega\|}{t\|\omega\|^2},0\Big\}\le\|Q_i\|"
        ),
    }
    printed = "Not at hand; read as: up to logarithms this cannot be improved."
    where = {
        "w": "unit vector of the range of $`U`$ with one large entry",
        "w_i": "the entries of $`w`$",
        "t": "singular value, as large as one likes",
        "v": "unit vector, a right singular vector",
        "A_0": "rest of the matrix",
        r"\omega": r"image $`\Omega^\top v`$",
        "U": "matrix with $`r`$ orthonormal columns, whose range holds that of $`A`$",
        "U_i": "the rows of $`U`$",
        "r": "number of columns of $`U`$",
    }
    verdict = Verdict.VERIFIED
    uses = ("HR-L5.7", "HR-Fig2")
    note = "range_finding.md#leverages-that-cannot-be-avoided"
    without_beyond = (
        "It holds for every matrix of this form and every noise: where the error is large, the bound is not positive."
    )
    examples = 60

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, float, Any, float, Any, Any]:
        """A basis, the singular value of its largest vector, a weaker matrix in its range, the draws of the sketch.

        The singular value exceeds the entries of the weaker matrix and of the noise.
        """
        m, n = draw(st.integers(2, 6)), draw(st.integers(1, 3))
        r = draw(st.integers(1, min(m - 1, 3)))
        width = draw(st.integers(1, m - 1))
        u, strength = draw(unitaries(m))[:, :r], draw(st.sampled_from([2.0**14, 64.0]))
        weaker = draw(rectangular(r, n, entries=1))
        omega, noise = draw(rectangular(n, width, entries=3)), draw(rectangular(m, width, entries=3))
        omega[0, 0] = 1.0
        return u, strength, weaker, draw(st.sampled_from(NOISE)), omega, noise + 8 * np.eye(m, width)

    def fast(self, u: Any, strength: float, weaker: Any, s: float, omega: Any, noise: Any) -> Parts:
        """``A_0`` is the part of the weaker matrix orthogonal to ``w``; ``v`` is the first axis."""
        m, r = u.shape
        row = int(np.argmax(fast.leverages(u)))
        w = u @ u[row] / np.linalg.norm(u[row])
        rest = u @ weaker - np.outer(w, w @ u @ weaker)
        a = strength * np.outer(w, np.eye(len(omega))[0]) + rest
        y, seen = a @ omega + s * noise, omega[0]
        off = np.linalg.norm((rest @ omega + s * noise) @ seen) / (strength * (seen @ seen))
        own = fast.leverages(orthonormal(y))[row]
        yield Equal(w[row] ** 2, r / m * fast.range_coherence(u), part="largest entry in the range")
        yield AtMost(max(w[row] - off, 0.0), np.sqrt(own), part="leverage of the strong vector")

    def oracle(self, u: Matrix, strength: Real, weaker: Matrix, s: Real, omega: Matrix, noise: Matrix) -> Parts:
        row = max(range(u.rows), key=lambda i: oracle.inner(u[i, :], u[i, :]))
        own = mp.norm(u[row, :])
        w = u * u[row, :].T / own
        rest = u * weaker - w * (w.T * (u * weaker))
        seen, loud = omega[0, :].T, strength * w * omega[0, :]
        rest_and_noise = rest * omega + s * noise
        off = mp.norm(rest_and_noise * seen) / (strength * (seen.T * seen)[0])
        leverage = exact.leverages(loud + rest_and_noise)[row]
        yield Equal(w[row] ** 2, exact.range_coherence(u) * u.cols / u.rows, part="largest entry in the range")
        yield AtMost(max(w[row] - off, mp.mpf(0)), mp.sqrt(leverage), part="leverage of the strong vector")

    def tight(self) -> list[Any]:
        """A flat vector of enormous strength, and two axes with a weaker matrix beside them."""
        u = np.array([[1.0], [1.0], [1.0], [1.0]]) / 2
        noise = np.array([[1.0], [2.0], [0.0], [-1.0]])
        wide = np.eye(4)[:, :2], 64.0, np.array([[1.0, -1.0], [0.0, 1.0]]), 0.5, np.array([[1.0, 2.0], [0.0, 1.0]])
        return [(u, 2.0**40, np.zeros((1, 1)), 1.0, np.ones((1, 1)), noise), (*wide, np.hstack([noise, noise[::-1]]))]
