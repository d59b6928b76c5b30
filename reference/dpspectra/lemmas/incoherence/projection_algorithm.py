"""HR-Fig3, the private projection as printed: measure ``B = U' A + N``, release ``U B``; ``U`` public, ``(m, k)``.

Row ``j`` of ``N`` has standard deviation ``rho alpha_j``, ``alpha_j`` the largest absolute entry of column ``j`` of
``U`` (0 for a zero column); or: scale the columns to largest entry 1, add noise ``rho``, undo the scaling. The public
`private_projection` does not do this: it uses one noise level, the longest row norm of ``U`` over ``mu`` (HR-L4.6R),
which depends on the span only and has no more total variance, as is checked here. Keep the printed noise as printed.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast.linalg import frobenius_norm
from dpspectra.formulas.leverage import gdp_mu, leverage_sensitivity
from dpspectra.ledger import AtMost, Equal, Matrix, Parts, Real, Relation, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dyadics, rectangular, st, unitaries


@statement
class ProjectionAlgorithm:
    labels = ("HR-Fig3",)
    given = (
        r"B=U^\top A+\rho\,DG,\ D=\operatorname{diag}(\alpha_j),\ \alpha_j=\max_i|U_{ij}|,\ "
        r"G\sim N(0,1)^{k\times n},\quad s=\max_i\|U_i\|;\quad\text{the output is }UB"
    )
    claim = {
        "scaling undone": (
            r"U^\top A+\rho\,DG=D\big((UD^{-1})^\top A+\rho G\big)\quad\text{(rows with }\alpha_j>0"
            r"\text{; the others are 0)}"
        ),
        "privacy of the printed noise": r"\max_i\|(UD^{-1})_i\|\le\sqrt k\quad\text{(columns with }\alpha_j>0\text{)}",
        "privacy of the uniform noise": r"\max_i\|\tfrac1sU_i\|=1\quad(U\ne0)",
        "total noise variance": r"ks^2\le k\sum_j\alpha_j^2",
    }
    printed = (
        r"Not at hand; read as: $`\alpha_j=\max_i|U_{ij}|`$, $`B=U^\top A+N`$ with noise "
        r"$`N(0,\alpha_j^2\rho^2)`$ in row $`j`$, $`\rho`$ of order $`\frac{\sqrt "
        r"k\log(k/\delta)}\varepsilon`$; output $`UB`$."
    )
    where = {
        r"\rho": "standard deviation of the noise for columns with entries of at most 1",
        "D": "diagonal matrix of the largest entries of the columns",
        r"\alpha_i": "the largest moduli of the entries of the columns of $`U`$",
        "U_i": "the rows of $`U`$, and their entries",
        "N(0,1)": "standard normal law",
        "B": r"noisy product $`U^\top A`$",
        "k": "number of columns of $`U`$",
        "s": "standard deviation of the uniform noise that is 1-GDP: the largest norm of a row of $`U`$",
    }
    verdict = Verdict.DEFINITION
    relation = (Relation.ROW,)
    uses = ("HR-L4.6R",)
    exact = ("scaling undone", "privacy of the uniform noise")
    note = "incoherence.md#the-private-projection"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """A matrix, orthonormal columns (one perhaps zeroed), the scale ``rho`` and the noise before scaling."""
        m, n = draw(st.integers(1, 5)), draw(st.integers(1, 3))
        k = draw(st.integers(1, m))
        u = draw(unitaries(m))[:, :k]
        u[:, draw(st.integers(0, k - 1))] *= draw(st.sampled_from([1.0, 0.0]))
        return draw(rectangular(m, n)), u, draw(dyadics(0.25, 8)), draw(rectangular(k, n, entries=3))

    def fast(self, a: Any, u: Any, rho: float, g: Any) -> Parts:
        """Both forms agree; both noises are private at ``mu = 1``; the uniform noise never has more total variance."""
        largest, longest = np.max(np.abs(u), axis=0), leverage_sensitivity(u)
        direct = u.T @ a + rho * largest[:, None] * g
        kept = largest > 0
        undone = np.zeros_like(direct)
        undone[kept] = largest[kept, None] * ((u[:, kept] / largest[kept]).T @ a + rho * g[kept])
        k, size = u.shape[1], frobenius_norm(direct)
        uniform = gdp_mu(u, np.full(k, longest)) if np.any(u) else 1.0
        yield Equal(frobenius_norm(direct - undone), 0.0, scale=size, part="scaling undone")
        yield AtMost(gdp_mu(u, rho * largest) * rho, np.sqrt(float(k)), part="privacy of the printed noise")
        yield Equal(uniform, 1.0, part="privacy of the uniform noise")
        yield AtMost(k * longest**2, k * np.sum(largest**2), part="total noise variance")

    def oracle(self, a: Matrix, u: Matrix, rho: Real, g: Matrix) -> Parts:
        """A row of ``A`` is moved by (3/5, 4/5) to see the privacy of the uniform noise."""
        largest = [max(abs(u[i, j]) for i in range(u.rows)) for j in range(u.cols)]
        direct, undone = u.T * a + rho * mp.diag(largest) * g, mp.zeros(u.cols, a.cols)
        for j, alpha in enumerate(largest):
            for b in range(a.cols if alpha > 0 else 0):
                measured = mp.fsum(u[i, j] / alpha * a[i, b] for i in range(u.rows)) + rho * g[j, b]
                undone[j, b] = alpha * measured
        rows = [[u[i, j] for j in range(u.cols)] for i in range(u.rows)]
        moved = max(mp.norm([x / y for x, y in zip(row, largest, strict=True) if y > 0] or [0]) for row in rows)
        longest = max(mp.norm(row) for row in rows)
        steps = [mp.matrix([[3 * (x == i), 4 * (x == i)] for x in range(u.rows)]) / 5 for i in range(u.rows)]
        shift = max(oracle.frobenius_norm(u.T * step) for step in steps)
        zero, size = oracle.frobenius_norm(direct - undone), oracle.frobenius_norm(direct)
        yield Equal(zero, mp.mpf(0), scale=size, part="scaling undone")
        yield AtMost(moved, mp.sqrt(u.cols), part="privacy of the printed noise")
        yield Equal(shift / longest if longest > 0 else 1, mp.mpf(1), part="privacy of the uniform noise")
        yield AtMost(u.cols * longest**2, u.cols * mp.fsum(x**2 for x in largest), part="total noise variance")

    def tight(self) -> list[Any]:
        """Two flat columns, in which every entry is the largest of its column."""
        h = np.array([[1, 1], [1, -1], [1, 1], [1, -1]]) / 2
        return [(np.ones((4, 2)), h, 1.0, np.ones((2, 2)))]

    def beyond(self) -> dict[str, AtMost]:
        """A change of length 2 seen by an axis; ``(1024, 0)`` seen by one axis and ``(1024, 1)`` by the other."""
        first, second = mp.matrix([1, 0]), mp.matrix([0, 1])
        moved = oracle.inner(first, 1024 * first) - oracle.inner(second, 1024 * first + second)
        return {
            "neighbours differ by length 1": AtMost(mp.mpf(2), mp.mpf(1), part="privacy of the printed noise"),
            "U does not depend on the data": AtMost(moved, mp.mpf(1), part="privacy of the printed noise"),
        }
