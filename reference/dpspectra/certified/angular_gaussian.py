"""Ideal complex projectors of any rank, not concentrated: rejection from a matrix angular central Gaussian law.

The span of ``G``, ``(d, k)``, with independent complex Gaussian rows of variances ``1 / omega_i`` has a density
proportional to ``|X* Omega X|^-d`` for its frames ``X`` (DPS-MACG). Let ``omega_i = beta + max(a_i - f, 0)``. Then the
logarithm of ``exp(-Tr X* diag(a) X)`` over it, ``d log |X* Omega X| - Tr X* diag(a) X``, has a known bound, the height,
and the span is accepted with the probability that this ratio has over its bound. The law is exact for every
``beta > 0`` and ``f >= 0``; those are chosen by which few proposals are lost.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from flint import acb, acb_mat, arb

from dpspectra.certified import ball_noise, kernels
from dpspectra.certified.ball_chart import ROUND, hermitian, norm, product_error
from dpspectra.certified.chart_tilts import falling
from dpspectra.certified.entropy import KEY_BYTES, Entropy, Source
from dpspectra.certified.noise_on_grid import Normals
from dpspectra.certified.orbit_draw import Draw, Numbers, differences
from dpspectra.ground.array_types import Array, Floats

LOG2 = kernels.LOG2_HIGH + kernels.LOG2_LOW
"""``log 2``, rounded."""
BETAS = np.exp2(np.arange(-6.0, 2.0, 0.125))
"""Numbers ``beta`` that are tried, over ``d``."""
PILOT = 2**6
"""Proposals by which the share of accepted ones is estimated."""
PRECISION = 128
"""Bits of the balls from which the height is rounded up."""


class AngularGaussian:
    """Sampler of the density ``exp(sum_i omega_i H_ii)`` on complex projectors of rank ``rank``, by their smaller side.

    ``weights`` are numbers ``(d,)``, and ``0 < rank < d``.
    """

    def __init__(self, weights: Numbers, rank: int) -> None:
        d = len(weights)
        self.complement, self.k = 2 * rank > d, min(rank, d - rank)
        self.towards = -weights if self.complement else weights
        self.ordered = np.sort(self.towards)[::-1]
        self.excess = differences(self.ordered[0], self.towards)
        """The numbers ``a_i``, rounded."""
        self.pivot, self.beta = self._best()
        self.height = self._height()
        self.omega = self.beta + self._above(self.towards, self.pivot)
        """Each within ``3 ROUND`` relative."""
        self.roots = np.sqrt(self.omega)
        self.deviations = np.sqrt(self.beta / self.omega)
        """Standard deviations of the parts of ``G``, up to a factor; each within ``4 ROUND`` relative."""

    def _above(self, towards: Numbers, pivot: Any) -> Floats:
        """``max(a_i - f, 0)``, correctly rounded, where the weight ``pivot`` has the number ``f``."""
        return np.maximum(differences(pivot, towards), 0.0)

    def _best(self) -> tuple[Any, float]:
        """Return the weight that sets ``f``, one of the ``k`` largest, and ``beta``, so that few proposals are lost."""
        d, k, a = len(self.ordered), self.k, differences(self.ordered[0], self.ordered)
        betas, found = d * BETAS[:, None], list[tuple[float, int, int]]()
        for j in range(k):
            above = self._above(self.ordered, self.ordered[j])
            s = np.clip(d - betas, above[:k], above[d - k :])
            tops = np.sum(d * logarithm(s + betas) - s, axis=1) - np.sum(np.minimum(a[:k], a[j]))
            masses = tops - k * np.sum(logarithm(above + betas), axis=1)
            found.append((float(np.min(masses)), j, int(np.argmin(masses))))
        _, j, i = min(found)
        return self.ordered[j], float(betas[i, 0])

    def _height(self) -> float:
        """Bound on the logarithm of the ratio: exact numbers up to the logarithms (DPS-MACG)."""
        d, k, beta, pivot = len(self.ordered), self.k, Fraction(self.beta), Fraction(self.pivot)
        weights = [Fraction(w) for w in self.ordered.tolist()]
        above = [max(pivot - w, Fraction(0)) for w in weights]
        least = sum((min(weights[0] - w, weights[0] - pivot) for w in weights[:k]), Fraction(0))
        points = [min(max(d - beta, above[i]), above[d - k + i]) for i in range(k)]
        with ball_noise.precision(PRECISION):
            tops = (d * ball_noise.exact(s + beta).log() - ball_noise.exact(s) for s in points)
            return ball_noise.above(sum(tops, arb(0)) - ball_noise.exact(least))

    def exact(self) -> tuple[list[Any], list[Any]]:
        """Return the numbers ``a_i`` and ``omega_i`` in balls of the precision in use."""
        most, pivot, beta = (Fraction(x) for x in (self.ordered[0], self.pivot, self.beta))
        weights = [Fraction(w) for w in self.towards.tolist()]
        omega = [ball_noise.exact(beta + max(pivot - w, Fraction(0))) for w in weights]
        return [ball_noise.exact(most - w) for w in weights], omega

    def draw(self, source: Source) -> Draw:
        """Draw one ideal projector."""
        while not (proposal := _Proposal(self, source)).accepted():
            pass
        return _Projector(self, proposal)

    def share(self) -> float:
        """About the share of proposals that are accepted, always the same for a law: seen in some of a fixed key."""
        source = Entropy(bytes(KEY_BYTES))
        lost = np.array([max(0.0, -_Proposal(self, source).value) for _ in range(PILOT)])
        return float(np.mean(falling(lost)))


class _Proposal:
    """An ideal span, by a frame in floats with a bound on its error, and by ``G`` in balls.

    With normal numbers within `kernels.NORMAL_ERROR`, standard deviations within ``4 ROUND`` and a product, ``G`` is
    known within ``2 NORMAL_ERROR sqrt(k) |deviations| + 6 ROUND |G|``.
    """

    def __init__(self, law: AngularGaussian, source: Source) -> None:
        d, k = len(law.omega), law.k
        self._law, self._normals, self._word = law, Normals((d, 2 * k), source), source.words(1)
        g = self._normals.values.view(complex) * law.deviations[:, None]
        off = 2 * kernels.NORMAL_ERROR * math.sqrt(k) * norm(law.deviations) + 6 * ROUND * norm(g)
        self.frame, self.error = frame_of(g, off)
        self.value, self._off = self._log_ratio()

    def _log_ratio(self) -> tuple[float, float]:
        """Return the logarithm of the ratio over its bound, and a bound on the error of that.

        With ``X`` known within ``e`` in the Frobenius norm, ``Tr X* diag(a) X`` is within ``max(a) e (2 sqrt(k) + e)``,
        and ``C = X* Omega X`` within ``max(omega) e (2 + e)``; what its float root leaves of it is computed. As ``C``
        is ``beta`` at least, ``log |C|`` is within ``sqrt(k) D / (beta - D)`` if ``C`` is within ``D``.
        """
        law, x, e = self._law, self.frame, self.error
        d, k = x.shape
        if not e < 1:
            return -math.inf, math.inf
        z = law.roots[:, None] * x
        c = hermitian(z.conj().T @ z)
        try:
            root = np.linalg.cholesky(c)
        except np.linalg.LinAlgError:
            return -math.inf, math.inf
        formed = product_error(z.conj().T, z.conj().T) + 16 * ROUND * norm(z) ** 2
        away = norm(c - root @ root.conj().T) + product_error(root, root) + 4 * ROUND * norm(c)
        apart = 1.01 * (formed + away + float(np.max(law.omega)) * e * (2 + e))
        if not apart < law.beta / 2:
            return -math.inf, math.inf
        logs = logarithm(np.diagonal(root).real)
        trace = float(np.sum(np.abs(x) ** 2, axis=1) @ law.excess)
        value = 2 * d * float(np.sum(logs)) - trace - law.height
        sizes = 2 * d * float(np.sum(np.abs(logs))) + trace + abs(law.height)
        rounding = (2 * k + d + 16) * ROUND * sizes + 2 * d * k * kernels.LOGARITHM_ERROR
        rounding += 8 * d * ROUND * (float(np.sum(np.abs(logs))) + k)
        known = float(np.max(law.excess)) * e * (2 * math.sqrt(k) + e) + d * math.sqrt(k) * apart / (law.beta - apart)
        return value, 1.01 * (known + rounding)

    def accepted(self) -> bool:
        """Whether an exponential number exceeds what the logarithm of the ratio lacks."""
        numbers, is_open = kernels.exponentials(self._word.values)
        least, most = (kernels.LEAST_OPEN, math.inf) if is_open[0] else (numbers[0], numbers[0])
        off = self._off + kernels.EXPONENTIAL_ERROR + 4 * ROUND * abs(self.value)
        if math.isfinite(off):
            if least + self.value - off > 0:
                return True
            if most + self.value + off < 0:
                return False
        return ball_noise.decided(self._excess, ball_noise.sign)

    def _excess(self, bits: int) -> Any:
        a, omega = self._law.exact()
        g = self.matrix(bits)
        adjoint, d = g.conjugate().transpose(), len(a)
        gram, form, tilted = adjoint * g, adjoint * _scaled(a, g), adjoint * _scaled(omega, g)
        try:
            trace = gram.solve(form).trace().real
        except ZeroDivisionError:
            return arb.nan()
        power = d * (tilted.det().real / gram.det().real).log()
        return ball_noise.exponential(self._word, 0, bits) + power - trace - ball_noise.exact(self._law.height)

    def matrix(self, bits: int) -> Any:
        """Return ``G`` in balls, up to a factor."""
        _, omega = self._law.exact()
        k, entry = self._law.k, self._normals.ball
        parts = [acb(*(entry(i, 2 * j + part, bits) for part in (0, 1))) for i in range(len(omega)) for j in range(k)]
        return _scaled([1 / x.sqrt() for x in omega], acb_mat(len(omega), k, parts))


def logarithm(x: Floats) -> Floats:
    """``log x`` of numbers above 0, within `kernels.LOGARITHM_ERROR` and ``4 ROUND (1 + |log x|)``."""
    mantissas, exponents = np.frexp(x)
    logs: Floats = exponents * LOG2 - kernels.minus_log(mantissas)
    return logs


def _scaled(numbers: list[Any], m: Any) -> Any:
    """Return a matrix with its rows multiplied by numbers."""
    return acb_mat([[x * y for y in row] for x, row in zip(numbers, m.tolist(), strict=True)])


def frame_of(g: Array, error: float) -> tuple[Array, float]:
    """Return a float frame, and how far it is at most from one of the span of a matrix within ``error`` of ``g``.

    Let ``T`` be about the inverse of ``R``, where ``g`` is about ``X R``. Then ``Y = G T`` is within
    ``y = |X| |R T - I| + (|g - X R| + error) |T|`` of ``X``, and ``Y*Y`` within ``o = |X*X - I| + 2 y |X| + y^2`` of
    ``I``. So ``Y (Y*Y)^(-1/2)``, a frame of the span of ``G``, is within ``(1 + o) o`` of ``Y`` if
    ``o <= 1/2``. All norms are computed, so that nothing is asked of the factors. The bound is infinite where it fails.
    """
    k = g.shape[1]
    x, r = np.linalg.qr(g)
    try:
        t = np.linalg.inv(r)
    except np.linalg.LinAlgError:
        return x, math.inf
    eye = np.eye(k)
    inverse = norm(r @ t - eye) + product_error(r, t.conj().T) + 2 * ROUND * math.sqrt(k)
    residual = norm(g - x @ r) + product_error(x, r.conj().T) + 2 * ROUND * norm(g)
    near = norm(x) * inverse + (residual + error) * norm(t)
    gram = norm(x.conj().T @ x - eye) + product_error(x.conj().T, x.conj().T) + 2 * ROUND * math.sqrt(k)
    off = 1.01 * (gram + 2 * near * (1 + gram) + near**2)
    return x, 1.01 * (near + (1 + off) * off) if off <= 0.5 else math.inf


class _Projector(Draw):
    """The projector on the span of a proposal, or on its orthogonal complement."""

    def __init__(self, law: AngularGaussian, proposal: _Proposal) -> None:
        self._complement, self._proposal = law.complement, proposal
        x, e, d = proposal.frame, proposal.error, len(law.omega)
        span = hermitian(x @ x.conj().T)
        self.estimate = np.eye(d) - span if law.complement else span
        # |Z Z* - X X*| <= |Z - X| (|Z| + |X|), one norm that of Frobenius and the others spectral
        self.error = 1.01 * (e * (2 + e) + product_error(x, x) + 2 * ROUND * math.sqrt(d))

    def times(self, columns: Any, bits: int) -> Any:
        """``G (G*G)^-1 G* columns``, or what that leaves of the columns."""
        g = self._proposal.matrix(bits)
        adjoint = g.conjugate().transpose()
        try:
            span = g * (adjoint * g).solve(adjoint * columns)
        except ZeroDivisionError:
            return ball_noise.unknown(columns.nrows(), columns.ncols())
        return columns - span if self._complement else span
