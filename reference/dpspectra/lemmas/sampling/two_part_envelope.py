"""Real orbits of two values have a two-part envelope: Gaussian near the best subspace, angular Gaussian elsewhere.

In the chart ``X = [(I - Y'Y)^(1/2); Y]`` the real law has density ``exp(-sum G_ij Y_ij^2) |I - Y'Y|^(-1/2)``,
``G_ij = a_{k+i} - a_j``. Where ``|Y|^2 <= rho`` a chord of the convex ``-log(1 - t)/2`` bounds the determinant; where
``|Y|^2 > rho`` the part ``h`` of the exponent contributes at least ``h rho``, for ``h <= G_1k``, and the rest is
bounded by a matrix angular central Gaussian law. The inner part needs ``G_1k > chord``. The masses of both parts are
known, and so is that of the Haar law in the chart.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import bingham_laws as fast
from dpspectra.ledger import AtMost, Frequency, Matrix, Parts, Real, Reals, Slack, Verdict, statement
from dpspectra.lemmas.sampling.matrix_angular_gaussian import accepted_parts
from dpspectra.oracle import bingham_laws as oracle
from dpspectra.oracle.linalg import eigenvalues
from dpspectra.sampling.haar import gaussian
from dpspectra.strategies import rectangular, seeds, st
from dpspectra.strategies.orbits import levels

DRAWS = 4000
"""Random draws in a case."""


PARTS = "density below the inner part", "density below the outer part"
"""Part of the envelope above the density at a point: in the inner ball, and outside."""


def _close_draws(rates: Any, chord: float, rho: float, count: int, rng: np.random.Generator) -> Any:
    """Exponents ``sum G_ij Y_ij^2`` of the samples accepted out of ``count`` proposals of the inner part."""
    y = gaussian((count, *rates.shape), "real", rng) / np.sqrt(2 * (rates - chord))
    squares = np.linalg.eigvalsh(np.swapaxes(y, 1, 2) @ y)
    inside = squares[:, -1] <= rho
    y, squares = y[inside], squares[inside]
    ratio = -np.sum(np.log1p(-squares) / 2 + chord * squares, axis=1)
    return np.sum(rates * y**2, axis=(1, 2))[np.log(rng.random(len(y))) < ratio]


@statement
class TwoPartEnvelope:
    labels = ("DPS-BALLREAL",)
    given = (
        r"G_{ij}=a_{k+i}-a_j,\ \chi=-\tfrac{\log(1-\rho)}{2\rho},\ 0\le h\le G_{1k},\ "
        r"\Omega=\operatorname{diag}\omega,\ \omega_j=\beta\ (j\le k),\ \omega_{k+i}=G_{ik}-h+\beta,\quad "
        r"v=\int\tfrac{dY}{|I-Y'Y|^{1/2}},\ "
        r"B=\prod_{ij}\sqrt{\tfrac\pi{G_{ij}-\chi}}+v\,e^{c-h\rho}\prod_i\omega_i^{-k/2}\ (G_{1k}>\chi),\ "
        r"Z(A)=\int e^{-\operatorname{tr}X'AX}dX"
    )
    claim = {
        "density below the inner part": (
            r"\|Y\|_2^2\le\rho:\ \frac{e^{-\sum G_{ij}Y_{ij}^2}}{|I-Y'Y|^{1/2}}\le e^{-\sum(G_{ij}-\chi)Y_{ij}^2}"
        ),
        "acceptance at most one": r"\tfrac vBZ(A)\,e^{\sum_{j\le k}a_j}\le1",
        "accepted proposals": r"\Pr[\text{accepted}]\le\tfrac vBZ(A)\,e^{\sum_{j\le k}a_j}",
        "law of the samples": (
            r"\mathbb E\big[e^{-\sum G_{ij}Y_{ij}^2}\mid\text{accepted}\big]\le\tfrac{Z(2A)}{Z(A)}e^{\sum_{j\le k}a_j}"
        ),
        "density below the outer part": (
            r"\|Y\|_2^2>\rho:\ \frac{e^{-\sum G_{ij}Y_{ij}^2}}{|I-Y'Y|^{1/2}}\le"
            r"\frac{e^{c-h\rho}}{|X'\Omega X|^{d/2}\,|I-Y'Y|^{1/2}}"
        ),
    }
    where = {
        "G_i": "the differences of eigenvalues, a later one less one of the first $`k`$",
        "A": r"$`\operatorname{diag}a`$, the exponent of the law",
        "a_i": "the eigenvalues of $`A`$, in ascending order",
        "Y": "lower $`d-k`$ rows of the frame, real",
        "Y'": "transpose of $`Y`$",
        "Y_i": "the entries of these rows",
        "dY": "element of integration over the ball of norm 1",
        r"\rho": "squared norm at which the two parts of the envelope meet",
        r"\chi": "amount by which the rates of the first part are lowered",
        "h": "amount by which the rates of the second part are lowered",
        "X'": "transpose of the frame $`X`$",
        "X": r"frame, $`d\times k`$ with orthonormal columns",
        "dX": "uniform (Haar) law of the frames",
        r"\beta": "free parameter of the envelope of DPS-MACG, above 0",
        r"\Omega": "matrix of the envelope of DPS-MACG for the lowered rates",
        r"\omega": "diagonal of this matrix",
        r"\omega_i": "the entries of this diagonal",
        "c": "logarithm of the bound of DPS-MACG for the lowered rates",
        "v": "mass of the uniform law in the chart",
        "B": "mass of both parts of the envelope",
        "Z": r"mass of $`e^{-\operatorname{tr}X'AX}`$ under the uniform law",
    }
    verdict = Verdict.NEW
    uses = ("DPS-MACG", "DPS-KGM", "DPS-BALL")
    examples = 24
    note = "sampling.md#two-part-envelope"
    without_beyond = (
        "It holds for all blocks of the ball; outside, and for parameters outside their ranges, neither "
        "side is defined."
    )
    digits = 30
    slack = {"acceptance at most one": Slack(0.997128, "the chord costs a share 1/G of the mass, and G is at most 32")}

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, float, float, float, int]:
        """Exponents, a point of the ball, ``rho``, ``h`` over its limit, ``beta`` over ``nu``, and a seed.

        Ascending exponents with a gap at ``k``, and points of the open ball.
        """
        d = draw(st.integers(2, 4))
        k = draw(st.integers(1, d - 1))
        a = draw(st.sampled_from([1.0, 0.0])) * draw(levels(d))[::-1]
        a = a - a[0] + draw(st.sampled_from([2.0, 0.5, 8.0, 24.0])) * (np.arange(d) >= k)
        y = draw(rectangular(d - k, k)) * 15 / 256  # Frobenius norm at most 15/16
        rho, share = draw(st.sampled_from([0.5, 0.25, 0.75])), draw(st.sampled_from([0.5, 0.0, 1.0]))
        return a, y, rho, share, draw(st.sampled_from([0.5, 1.0, 0.125])), draw(seeds())

    def fast(self, a: Any, y: Any, rho: float, lowered: float, scale: float, seed: int) -> Parts:
        d, k = len(a), y.shape[1]
        rates, nu, chord = a[k:, None] - a[:k], d / 2, -np.log1p(-rho) / (2 * rho)
        beta = scale * nu
        h = lowered * (a[k] - a[k - 1])
        rest = np.append(np.zeros(k), a[k:] - a[k - 1] - h)
        weights, tops = rest + beta, np.clip(nu - beta, rest[:k], rest[-k:])
        most = np.sum(nu * np.log(tops + beta) - tops) - h * rho
        squares, exponent = np.linalg.eigvalsh(y.T @ y), np.sum(rates * y**2)
        determinant = np.sum(np.log1p(-squares)) / 2
        cover = chord * np.sum(squares) - exponent
        if np.max(squares) > rho:
            values, v = np.linalg.eigh(np.eye(k) - y.T @ y)
            x = np.vstack([(v * np.sqrt(values)) @ v.T, y])
            cover = most - nu * fast.log_gram(x, weights) - determinant
        yield AtMost(np.exp(-exponent - determinant), np.exp(cover), part=PARTS[bool(np.max(squares) > rho)])
        normaliser = fast.log_frame_normaliser(a, k, 0.5)
        if normaliser is None or rates[0, -1] <= chord:
            return
        shift = np.sum(a[:k])
        inner = np.sum(np.log(np.pi / (rates - chord))) / 2
        outer = fast.log_chart_mass(d, k) + most - k / 2 * np.sum(np.log(weights))
        whole = np.logaddexp(inner, outer)
        rng = np.random.default_rng(seed)
        near = int(rng.binomial(DRAWS, np.exp(inner - whole)))
        close = _close_draws(rates, chord, rho, near, rng)
        g = gaussian((DRAWS - near, d, k), "real", rng) * weights[:, None] ** -0.5
        distances = np.linalg.svd(np.linalg.qr(g)[0][:, k:], compute_uv=False)[:, 0] ** 2
        exponents = fast.trace_form(g, a) - shift
        taken = np.log(rng.random(DRAWS - near)) < -exponents - most + nu * fast.log_gram(g, weights)
        accepted = np.append(close, exponents[taken & (distances > rho)])
        thinned = int(np.sum(np.log(rng.random(len(accepted))) < -accepted))
        acceptance = np.exp(normaliser + shift + fast.log_chart_mass(d, k) - whole)
        share = np.exp(fast.log_frame_normaliser(2 * a, k, 0.5) - normaliser + shift)
        yield AtMost(acceptance, 1.0, part="acceptance at most one")
        yield Frequency(len(accepted), DRAWS, float(acceptance), part="accepted proposals")
        yield Frequency(thinned, len(accepted), float(share), part="law of the samples")

    def oracle(self, a: Reals, y: Matrix, rho: Real, lowered: Real, scale: Real, _: int) -> Parts:
        p, k, d = y.rows, y.cols, len(a)
        pairs, nu, chord = [(i, j) for i in range(p) for j in range(k)], mp.mpf(d) / 2, -mp.log(1 - rho) / (2 * rho)
        beta = scale * nu
        h = lowered * (a[k] - a[k - 1])
        rest = [mp.mpf(0)] * k + [value - a[k - 1] - h for value in a[k:]]
        tops = [oracle.highest_ratio(low, high, beta, nu) for low, high in zip(rest[:k], rest[-k:], strict=True)]
        most = mp.exp(-h * rho) * mp.fprod(tops)
        square = y.T * y
        exponent = mp.fsum((a[k + i] - a[j]) * y[i, j] ** 2 for i, j in pairs)
        root = mp.sqrt(mp.det(mp.eye(k) - square))
        cover = mp.exp(chord * mp.fsum(square[j, j] for j in range(k)) - exponent)
        if far := eigenvalues(square)[0] > rho:  # the upper part of the frame has Gram matrix I - Y'Y and weights beta
            power = mp.det(beta * (mp.eye(k) - square) + y.T * mp.diag([v + beta for v in rest[k:]]) * y) ** nu
            cover = most / (power * root)
        yield AtMost(mp.exp(-exponent) / root, cover, part=PARTS[far])
        normaliser = oracle.log_frame_normaliser(a, k, mp.mpf(0.5))
        if normaliser is None or a[k] - a[k - 1] <= chord:
            return
        shift, chart = mp.fsum(a[:k]), mp.exp(oracle.log_chart_mass(d, k))
        inner = mp.fprod(mp.sqrt(mp.pi / (a[k + i] - a[j] - chord)) for i, j in pairs)
        outer = chart * most / mp.fprod((v + beta) ** (mp.mpf(k) / 2) for v in rest)
        acceptance = mp.exp(normaliser + shift) * chart / (inner + outer)
        yield from accepted_parts(a, k, mp.mpf(0.5), normaliser, acceptance, shift)

    def tight(self) -> list[Any]:
        """A point at the end of the chord; one where the outer part is largest; a law nearly all inside; planes."""
        a = np.array([0.0, 1.0])
        outer = (a, np.array([[np.sqrt(0.5)]]), 0.25, 0.0, 0.5, 0)
        steep = (32 * a, np.array([[0.5]]), 0.5, 1.0, 0.125, 0)
        planes = (np.array([0.0, 1.0, 2.0, 4.0]), np.array([[0.25, -0.375], [0.5, 0.125]]), 0.5, 0.5, 0.5, 0)
        return [(8 * a, np.array([[0.5]]), 0.25, 0.5, 0.5, 0), outer, steep, planes]
