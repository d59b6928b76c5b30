"""A matrix is rebuilt from a Gelfand-Tsetlin pattern by borders; the pattern fixes their moduli, their phases are free.

In the eigenbasis of the leading minor with spectrum ``mu`` the next minor is ``[[diag(mu), z], [z*, c]]``, and its
characteristic polynomial over that of the smaller minor has the residues ``-|z_j|^2``. For a Haar point the phases are
uniform and independent, because conjugation by unitary matrices that commute with the smaller minors keeps the law. If
the rows do not interlace, a residue has the wrong sign; with fixed phases the law is not invariant.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast import patterns as fast_patterns
from dpspectra.ledger import AtMost, Equal, Frequency, Matrix, Parts, Real, Verdict, statement
from dpspectra.lemmas.sampling.pattern_law import free_cells
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import patterns as oracle_patterns
from dpspectra.sampling.haar import haar
from dpspectra.strategies import seeds, st
from dpspectra.strategies.orbits import levels, patterns

DRAWS = 2000
"""Random draws in a case."""


def _redrawn(spectrum: Any, level: float, seed: int) -> Frequency:
    """Tail of a quadratic form with off-diagonal entries, for Haar points rebuilt with new phases."""
    d, rng = len(spectrum), np.random.default_rng(seed)
    u = haar(d, size=DRAWS, rng=rng)
    x, drawn = np.zeros((DRAWS, d, d)), fast_patterns.minors((u * spectrum) @ fast.adjoint(u))
    x[:] = np.where(np.tri(d, dtype=bool), spectrum, 0.0)  # exact values of the cells that ties fix
    for r, j in free_cells(spectrum):
        x[:, r - 1, j] = drawn[:, r - 1, j]
    h = fast_patterns.reconstruct(x, np.exp(2j * np.pi * rng.random((DRAWS, d - 1, d - 1))))
    forms = fast.quadratic(h, np.exp(1j * np.arange(d)) / np.sqrt(d))
    tail = fast_patterns.quadratic_form_tail(spectrum, level)
    return Frequency(int(np.sum(forms > level)), DRAWS, tail, part="law of a quadratic form")


def _race(gains: list[Any], losses: list[Any]) -> Any:
    """Probability that ``sum a_i E_i`` exceeds ``sum b_j E'_j`` for independent standard exponentials.

    The squared moduli of a Haar vector are exponentials over their sum. An exponential has no memory: of two with means
    ``a`` and ``b`` the first outlasts the second with probability ``a / (a + b)``, and what is left of it is another.
    """
    if not (gains and losses):
        return mp.mpf(len(gains) > 0)
    (a, *others), (b, *rest) = gains, losses
    return (a * _race(gains, rest) + b * _race(others, losses)) / (a + b)


@statement
class MatrixFromPattern:
    labels = ("DPS-GTREC",)
    given = (
        r"|z_j|^2=-\frac{\prod_i(\mu_j-\lambda_i)}{\prod_{l\ne j}(\mu_j-\mu_l)},\ "
        r"B=\begin{pmatrix}\operatorname{diag}\mu&z\\z^*&|\lambda|-|\mu|\end{pmatrix},\ "
        r"w_i\propto\Big(\frac{z_j}{\lambda_i-\mu_j},1\Big)\ (\lambda_i\notin\mu),\ H_1=x_1,\ H_{r+1}=B\text{ in the "
        r"eigenbasis of }H_r"
    )
    claim = {
        "spectra of the minors": r"\operatorname{spec}H_r=x_r",
        "orthonormal eigenvectors": r"\|W^*W-I\|_F\le0",
        "eigenvector equations": r"\|BW-W\operatorname{diag}\lambda\|_F\le0",
        "law of a quadratic form": (
            r"(x_r)\text{ as in DPS-GT},\ \arg z_j\text{ uniform}:\ \Pr[v^*Hv>t]\le\Pr[u^*\Lambda u>t]"
        ),
    }
    where = {
        "z": "last column of the matrix, without the diagonal",
        "z_i": "the entries of the last column",
        r"\lambda": r"row above $`\mu`$; in the eigenvector equations, its entries that are not in $`\mu`$",
        r"\lambda_i": "the entries of the row over it, the eigenvalues of the larger minor",
        r"\mu_i": "the entries of the row, the eigenvalues of the smaller minor",
        r"|\lambda|-|\mu|": "sum of the row above less the sum of the row: the corner of the matrix",
        "B": "next minor, in the eigenbasis of the one before",
        "w_i": "the unit eigenvectors of the next minor",
        "W": "matrix of the columns $`w_i`$",
        "H_i": "leading minor of this order of the rebuilt matrix",
        "H": "rebuilt matrix",
        r"\operatorname{spec}": "the eigenvalues, in descending order",
        "v": "unit vector that is fixed",
        "u": "uniform complex unit vector",
        "t": "level of a quadratic form",
    }
    verdict = Verdict.NEW
    uses = ("DPS-GT",)
    note = "sampling.md#reconstruction-from-a-pattern"
    examples = 60

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """A pattern, phases for its borders, a level of a quadratic form that is not an eigenvalue, and a seed."""
        d = draw(st.integers(2, 4))
        spectrum = draw(levels(d))
        units = st.lists(st.sampled_from([1.0, -1.0, 1j, -1j]), min_size=(d - 1) ** 2, max_size=(d - 1) ** 2)
        phases = np.array(draw(units), dtype=complex).reshape(d - 1, d - 1)
        level = spectrum[-1] + (spectrum[0] - spectrum[-1]) * draw(st.sampled_from([15, 5, 11, 21])) / 32
        return draw(patterns(spectrum)), phases, level, draw(seeds())

    def fast(self, pattern: Any, phases: Any, level: float, seed: int) -> Parts:
        spectrum, mu = pattern[-1], pattern[-2, :-1]
        seen, size = fast_patterns.minors(fast_patterns.reconstruct(pattern, phases)), 1 + np.max(np.abs(spectrum))
        z = fast_patterns.border(mu, spectrum)[0] * phases[-1]
        bordered = np.block([[np.diag(mu), z[:, None]], [z.conj(), np.sum(spectrum) - np.sum(mu)]])
        new = spectrum[~np.isin(spectrum, mu)]
        w = np.vstack([z[:, None] / (new - mu[:, None]), np.ones(len(new))])
        w = w / np.linalg.norm(w, axis=0)
        for i in range(len(pattern)):
            for j in range(i + 1):
                yield Equal(seen[i, j], pattern[i, j], scale=size, part="spectra of the minors")
        overlaps = np.linalg.norm(fast.adjoint(w) @ w - np.eye(len(new)))
        yield AtMost(overlaps, 0.0, scale=1.0, part="orthonormal eigenvectors")
        yield AtMost(np.linalg.norm(bordered @ w - w * new), 0.0, scale=size, part="eigenvector equations")
        if spectrum[0] != spectrum[-1]:
            yield _redrawn(spectrum, level, seed)

    def oracle(self, pattern: Any, phases: Matrix, level: Real, _: int) -> Parts:
        d = len(pattern)
        rows = [[mp.mpf(x) for x in pattern[i, : i + 1]] for i in range(d)]
        spectrum, mu = rows[-1], rows[-2]
        h, size = oracle_patterns.reconstruct(rows, phases), 1 + max(map(abs, spectrum))
        seen = [oracle.eigenvalues(h[: i + 1, : i + 1]) for i in range(d)]
        z = [mp.sqrt(x) * phases[d - 2, j] for j, x in enumerate(oracle_patterns.border_squares(mu, spectrum))]
        corner, new = mp.fsum(spectrum) - mp.fsum(mu), [value for value in spectrum if value not in mu]
        vectors = [mp.matrix([*(y / (value - m) for y, m in zip(z, mu, strict=True)), 1]) for value in new]
        vectors = [w / oracle.frobenius_norm(w) for w in vectors]
        overlaps = [
            abs((oracle.adjoint(v) * w)[0] - (i == j)) for i, v in enumerate(vectors) for j, w in enumerate(vectors)
        ]
        residuals: list[Any] = []
        for value, w in zip(new, vectors, strict=True):
            residuals += [
                abs(m * w[j] + y * w[d - 1] - value * w[j]) for j, (m, y) in enumerate(zip(mu, z, strict=True))
            ]
            residuals.append(abs(mp.fsum(mp.conj(y) * w[j] for j, y in enumerate(z)) + (corner - value) * w[d - 1]))
        for i in range(d):
            for a, b in zip(seen[i], rows[i], strict=True):
                yield Equal(a, b, scale=size, part="spectra of the minors")
        yield AtMost(mp.fsum(overlaps), 0, scale=1, part="orthonormal eigenvectors")
        yield AtMost(mp.fsum(residuals), 0, scale=size, part="eigenvector equations")
        if spectrum[0] == spectrum[-1]:
            return
        gaps = [value - level for value in spectrum]
        race = _race([x for x in gaps if x > 0], [-x for x in gaps if x < 0])
        tail = oracle_patterns.quadratic_form_tail(spectrum, level)
        yield AtMost(race, tail, part="law of a quadratic form")

    def tight(self) -> list[Any]:
        """A pattern with free cells inside their intervals, and one whose rows share values with earlier rows."""
        spectrum, phases = [2.0, 1.0, 0.0], np.array([[1.0, 1.0], [1j, -1.0]])
        inside = np.array([[1.0, 0.0, 0.0], [1.5, 0.25, 0.0], spectrum])
        touching = np.array([[2.0, 0.0, 0.0], [2.0, 0.5, 0.0], spectrum])
        return [(inside, phases, 0.75, 0), (touching, phases, 1.25, 0)]

    def beyond(self) -> dict[str, AtMost]:
        """Outside the interval of its neighbours an eigenvalue needs a border of negative squared modulus."""
        square = oracle_patterns.border_squares([mp.mpf(3)], [mp.mpf(2), mp.mpf(0)])[0]
        return {"interlacing": AtMost(mp.mpf(0), square, part="squared modulus")}
