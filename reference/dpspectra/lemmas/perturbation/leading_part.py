"""DPS-TOPPART: the leading part of a noisy matrix is near that of the matrix, and its directions lose little.

Let ``P`` and ``Q`` be top projectors of ``M`` and ``N``, ``E = M - N``. Then ``P M - Q N`` is ``E - Q' E P'``, of rank
``2 k``, and two parts with orthogonal ranges, ``-Q P' M`` and ``N Q' P``. Both have the sines of the angles as a
factor, which are at most ``|E| / (gap - |E|)``. Without a gap the leading part may be turned by a right angle. The lost
variance is ``<E, P - Q> - <M, P - Q>``, and the second term is at least the gap times the sum of squared sines. Without
a gap, the nearest matrix of a rank to ``N + E`` is at most ``2 e`` worse for ``N``, by the triangle inequality for what
both lack; if ``N`` is not positive semidefinite, the nearest semidefinite one may be worse.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.formulas.leading_part import lost, moved, moved_in_norm
from dpspectra.ledger import AtMost, Matrix, Outcome, Parts, Reals, Slack, Verdict, statement
from dpspectra.lemmas.perturbation.davis_kahan import UNCLEAR
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import fields, hermitian, psd, spectra, st, unitaries


def _largest(singular: Any, count: int) -> Any:
    """Root of the sum of the largest squared numbers of a descending array."""
    return np.sqrt(np.sum(singular[:count] ** 2))


def _exact_largest(singular: Any, count: int) -> Any:
    return mp.sqrt(mp.fsum(x**2 for x in sorted(singular, reverse=True)[:count]))


@statement
class LeadingPart:
    labels = ("DPS-TOPPART",)
    given = (
        r"E=M-N,\ \delta=\lambda_k(M)-\lambda_{k+1}(M),\ m=\max\{|\lambda_{k+1}(M)|,|\lambda_d(M)|\},\ "
        r"e_j=\Big(\sum_{i\le j}s_i(E)^2\Big)^{1/2}"
    )
    claim = {
        "spectral distance": (r"\delta>e_1:\ \|M_k-N_k\|_2\le\sqrt2\,e_1\Big(1+\frac{m+e_1}{\delta-e_1}\Big)"),
        "Frobenius distance": (r"\delta>e_1:\ \|M_k-N_k\|_F\le e_{2k}+\sqrt2\,e_k\frac{m+e_1}{\delta-e_1}"),
        "lost variance": (
            r"\sum_{i\le k}\lambda_i(N)-\operatorname{tr}PN"
            r"\le\max_{0\le y^2\le q}\big(\sqrt2\,e_{2q}\,y-\delta y^2\big)"
        ),
        "error without a gap": r"N\succeq0:\ \|N-H\|_F\le\|N-N_k\|_F+2e_{2k}",
    }
    where = {
        "N": "Hermitian matrix, the data",
        "M": "noisy matrix",
        "E": "noise, a Hermitian matrix",
        "M_k": "part of $`M`$ on $`k`$ eigenvectors for its largest eigenvalues",
        "N_k": "part of $`N`$ on $`k`$ eigenvectors for its largest eigenvalues",
        r"\delta": "gap of $`M`$ at place $`k`$",
        "m": "norm of the rest of $`M`$",
        "e_j": "root of the sum of the $`j`$ largest squared singular values of the noise; also $`e_1`$, its norm",
        "q": r"number of angles, $`\min(k,d-k)`$",
        "y": "Frobenius norm of the sines of the angles, a free number",
        "H": "nearest positive semidefinite matrix of rank at most $`k`$ to $`M`$",
    }
    verdict = Verdict.NEW
    uses = ("JXZ-L3", "JXZ-L4", "MWKTV-L8.2S")
    note = "perturbation_low_rank.md#leading-part-of-a-noisy-matrix"
    slack = {
        "spectral distance": Slack(
            0.7231463,
            "tends to sqrt(2/3), as noise of norm 1 has outside of a block the norm 2 / sqrt 3 at most",
        ),
        "Frobenius distance": Slack(0.9680603, "tends to 1 as the gap grows, in which the second term vanishes"),
        "error without a gap": Slack(0.7857822, "no search found more than (1 + sqrt 5) / 4, for lines in the plane"),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, int]:
        """Spectrum and eigenvectors of the data, often with a gap after place ``k``; the noise, and ``k``.

        The gaps of both matrices are large enough for float64 to determine the projectors.
        """
        d, field = draw(st.sampled_from([3, 4, 2])), draw(fields())
        k = draw(st.integers(1, d - 1))
        spectrum, u = draw(spectra(d, signed=draw(st.booleans()))), draw(unitaries(d, field))
        spectrum[:k] += draw(st.sampled_from([16.0, 4.0, 1.0]))
        noise = draw(hermitian(d, field) | psd(d, field)) * draw(st.sampled_from([2.0**-6, 2.0**-4, 2.0**-20, 1.0]))
        noisy = fast.eigenvalues((u * spectrum) @ fast.adjoint(u) + noise)
        size = np.max(np.abs(spectrum)) + np.max(np.abs(noisy))
        if min(noisy[k - 1] - noisy[k], spectrum[k - 1] - spectrum[k]) <= UNCLEAR * size:
            noise = np.zeros((d, d))
        return spectrum, u, noise, k

    def fast(self, spectrum: Any, u: Any, noise: Any, k: int) -> Parts:
        n, d = (u * spectrum) @ fast.adjoint(u), len(spectrum)
        values, vectors = fast.eigenvectors(n + noise)
        gap, rest, size = values[k - 1] - values[k], max(abs(values[k]), abs(values[-1])), fast.frobenius_norm(n)
        singular, q = fast.singular_values(noise), min(k, d - k)
        norm, top, own = singular[0], vectors[:, :k], u[:, :k]
        size += norm
        if gap > norm:
            change = (top * values[:k]) @ fast.adjoint(top) - (own * spectrum[:k]) @ fast.adjoint(own)
            limit = moved(_largest(singular, 2 * k), _largest(singular, k), norm, gap, rest)
            far, norm_limit = size * size / gap, moved_in_norm(norm, gap, rest)
            yield AtMost(fast.spectral_norm(change), norm_limit, scale=far, part="spectral distance")
            yield AtMost(fast.frobenius_norm(change), limit, scale=far, part="Frobenius distance")
        kept = float(np.real(np.trace(fast.adjoint(top) @ n @ top)))
        limit = lost(_largest(singular, 2 * q), gap, q)
        yield AtMost(np.sum(spectrum[:k]) - kept, limit, scale=size * size / gap, part="lost variance")
        if spectrum[-1] >= 0:
            nearest = (top * np.maximum(values[:k], 0)) @ fast.adjoint(top)
            limit = np.sqrt(np.sum(spectrum[k:] ** 2)) + 2 * _largest(singular, 2 * k)
            yield AtMost(fast.frobenius_norm(n - nearest), limit, scale=size, part="error without a gap")

    def oracle(self, spectrum: Reals, u: Matrix, noise: Matrix, k: int) -> Parts:
        d = u.cols
        terms = [spectrum[i] * oracle.outer(u[:, i]) for i in range(d)]
        n, leading = sum(terms, mp.zeros(d)), sum(terms[:k], mp.zeros(d))
        values, vectors = oracle.eigenvectors(n + noise)
        projectors = [oracle.outer(vectors[:, i]) for i in range(k)]
        gap, rest = values[k - 1] - values[k], max(abs(values[k]), abs(values[-1]))
        singular, q, size = [abs(x) for x in oracle.eigenvalues(noise)], min(k, d - k), oracle.frobenius_norm(n)
        norm = max(singular)
        size += norm
        if gap > norm:
            change = sum((x * p for x, p in zip(values, projectors, strict=False)), -leading)
            share, far = (rest + norm) / (gap - norm), size * size / gap
            limit = _exact_largest(singular, 2 * k) + mp.sqrt(2) * _exact_largest(singular, k) * share
            yield AtMost(
                max(map(abs, oracle.eigenvalues(change))),
                mp.sqrt(2) * (norm + norm * share),
                scale=far,
                part="spectral distance",
            )
            yield AtMost(oracle.frobenius_norm(change), limit, scale=far, part="Frobenius distance")
        part = _exact_largest(singular, 2 * q)
        best = min(mp.sqrt(q), part / (mp.sqrt(2) * gap))
        missing = mp.fsum(spectrum[:k]) - mp.fsum(oracle.inner(p, n) for p in projectors)
        yield AtMost(missing, mp.sqrt(2) * part * best - gap * best**2, scale=size * size / gap, part="lost variance")
        if min(spectrum) >= 0:
            nearest = sum((max(x, 0) * p for x, p in zip(values, projectors, strict=False)), mp.zeros(d))
            others = mp.sqrt(mp.fsum(x**2 for x in list(spectrum)[k:]))
            limit = others + 2 * _exact_largest(singular, 2 * k)
            yield AtMost(oracle.frobenius_norm(n - nearest), limit, scale=size, part="error without a gap")

    def tight(self) -> list[Any]:
        """Noise beside a large eigenvalue, of two shapes; a line turned by sines 3/5 and 1, in the plane and twice."""
        axes, turn, swap = np.eye(2), np.array([[3.0, -4.0], [4.0, 3.0]]) / 5, np.array([[0.0, 1.0], [1.0, 0.0]])
        turned, crossed = np.array([[-9.0, 12.0], [12.0, 9.0]]) / 25, np.array([[0.625, 0.75], [0.75, -0.625]])
        return [
            (np.array([64.0, 2.0]), turn, turn @ (2 * swap) @ turn.T, 1),
            (np.array([16.0, 2.0]), turn, turn @ (2 * crossed) @ turn.T, 1),
            (np.array([2.0, 0.0]), axes, 2 * turned, 1),
            (np.array([2.0, 2.0, 0.0, 0.0]), np.eye(4), 2 * np.kron(turned, axes), 2),
            (np.array([4.0, 0.0]), axes, np.diag([-3.0, 3.0]), 1),
            (np.array([47.0, 2.0, 0.0]), np.eye(3)[:, [0, 2, 1]], np.diag([-18.0, 29.0625, 0.0]), 1),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """A line turned by a right angle, where the formula is for smaller noise; minus the identity without noise."""
        turned, negative = mp.matrix([[-1, 0], [0, 1]]), -mp.eye(2)
        limit = mp.sqrt(2) * 2 * (1 + mp.mpf(2) / (1 - 2))
        error, others = oracle.frobenius_norm(negative), mp.mpf(1)
        return {
            "a gap above the noise": AtMost(oracle.spectral_norm(turned), limit, part="spectral distance"),
            "a PSD matrix": AtMost(error, others, part="error without a gap"),
        }
