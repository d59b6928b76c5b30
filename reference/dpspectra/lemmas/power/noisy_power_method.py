"""The noisy power method, and the private one, whose noise scales with the largest entry of the last iterate.

Gram-Schmidt only changes bases: ``X_l`` spans ``Z_l = A Z_{l-1} + G_l T_{l-1}`` with ``Z_{l-1} = X_{l-1} T_{l-1}``. The
private method adds ``|X_{l-1}|_max s N_l`` with standard normal ``N_l``, so the scale is a function of what has been
released; dividing ``A`` and ``s`` by the same number changes no iterate. The start must not depend on the data.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import gaussian_profile, power
from dpspectra.ledger import Equal, Matrix, Parts, Real, Relation, Verdict, statement
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import gaussian_profile as exact_gaussian
from dpspectra.oracle import linalg as exact
from dpspectra.oracle import power as oracle
from dpspectra.oracle.alignment import orthonormal as exactly_orthonormal
from dpspectra.strategies import deltas, epsilons, st
from dpspectra.strategies.power import NoisyStart, noisy_starts

ROUNDS = 3
"""Number of rounds of the power method."""
SHAPES = [(2, 1, 1), (3, 1, 2), (4, 2, 2), (3, 1, 3), (1, 1, 1)]
"""Dimension ``d``, target rank ``k``, width ``p``."""
FULL_RANK = 2.0**-10
"""Smallest singular value of a block, relative to the largest, for which its span is judged in float64."""


def scale(width: int, rounds: int, epsilon: float, delta: float) -> float:
    """Printed ``sigma``, in units of the largest entry of the iterate."""
    return float(np.sqrt(4 * width * rounds * np.log(1 / delta)) / epsilon)


def largest_epsilon(delta: float, factor: int) -> float:
    """Largest ``epsilon`` at which a Gaussian of ``mu = epsilon / sqrt(factor log(1 / delta))`` has this ``delta``.

    The printed noise amounts to such a Gaussian: ``factor`` is 4 for an entry or a spectral change, 2 for a pair. The
    profile along ``mu`` increases in ``epsilon``.
    """
    return gaussian_profile.largest_epsilon(delta, float(np.sqrt(factor * np.log(1 / delta))))


def exact_largest_epsilon(delta: Any, factor: int) -> Any:
    """`largest_epsilon` in mpmath, by bisection."""
    return exact_gaussian.largest_epsilon(mp.mpf(delta), mp.sqrt(factor * mp.log(1 / mp.mpf(delta))))


def _projector(x: Any) -> Any:
    return (x @ x.T).ravel()


def _independence(y: Any) -> Any:
    """Smallest singular value relative to the largest."""
    sizes = np.linalg.svd(y, compute_uv=False)
    return sizes[-1] / sizes[0] if sizes[0] > 0 else 0.0


def _exact_independence(y: Any) -> Any:
    sizes = exact.singular_values(y)
    return sizes[-1] / sizes[0] if sizes[0] > 0 else mp.mpf(0)


def _integer_start() -> NoisyStart:
    """An indefinite matrix, an oblique start and integer noise in three dimensions."""
    noise = np.array([[1.0, 0.0], [2.0, -1.0], [0.0, 3.0]])
    basis = np.array([[1.0, 1.0], [0.0, 1.0], [1.0, -1.0]])
    return NoisyStart(np.eye(3), np.array([2.0, -1.0, 0.5]), 1, basis, [noise, -noise, noise + 1])


@statement
class NoisyPowerMethod:
    labels = ("HP-F1",)
    given = r"X_0=\mathrm{GS}(Z_0),\ X_l=\mathrm{GS}(AX_{l-1}+G_l),\ Z_l=AZ_{l-1}+G_lX_{l-1}^\top Z_{l-1},\ l=1,\dots,L"
    claim = {"span of the iterate": r"X_LX_L^\top=Z_L(Z_L^\top Z_L)^{-1}Z_L^\top"}
    printed = (
        r"$`Y_\ell=AX_{\ell-1}+G_\ell`$, $`X_\ell`$ an orthonormal basis of it by QR, for $`\ell=1,\dots,L`$; "
        "output $`X_L`$."
    )
    where = {"Z_i": "the products without orthonormalisation, with the same span as the iterates"}
    verdict = Verdict.DEFINITION
    uses = ("HP-D4.10",)
    note = "power.md#the-noisy-power-method"
    without_beyond = (
        "It defines the iterates, and states identities for every matrix, noise and start; only blocks "
        "of full rank have a basis."
    )
    digits = 30

    def cases(self) -> Any:
        return noisy_starts(ROUNDS, SHAPES, least=0.25)

    def fast(self, frame: Any, values: Any, _: int, basis: Any, blocks: Any) -> Parts:
        a, z, x = (frame * values) @ frame.T, basis, orthonormal(basis)
        for noise in blocks:
            z, y = a @ z + noise @ (x.T @ z), a @ x + noise
            if min(map(_independence, (y, z))) < FULL_RANK:
                return
            x = orthonormal(y)
        left, right = _projector(power.iterates(a, basis, blocks)[-1]), _projector(np.linalg.qr(z)[0])
        for p, q in zip(left, right, strict=True):
            yield Equal(p, q, scale=1, part="span of the iterate")

    def oracle(self, frame: Matrix, values: Any, _: int, basis: Matrix, blocks: Any) -> Parts:
        """The span by its projector ``Z (Z'Z)^-1 Z'``."""
        a = frame * mp.diag(values.tolist()) * frame.T
        noises, z = [exact.exact(block) for block in blocks], basis
        x = exactly_orthonormal(z)
        for noise in noises:
            z, y = a * z + noise * (x.T * z), a * x + noise
            if min(map(_exact_independence, (y, z))) < FULL_RANK:
                return
            x = exactly_orthonormal(y)
        x = oracle.iterates(a, basis, noises)[-1]
        left, right = x * x.T, z * mp.inverse(z.T * z) * z.T
        for p, q in zip(left, right, strict=True):
            yield Equal(p, q, scale=1, part="span of the iterate")

    def tight(self) -> list[Any]:
        """An oblique start."""
        return [tuple(_integer_start())]


@statement
class PrivatePowerMethod:
    labels = ("HP-F3",)
    given = (
        r"X_l=\mathrm{GS}\big(AX_{l-1}+\|X_{l-1}\|_{\max}\sigma N_l\big),\ N_l\sim N(0,1)^{d\times p},\ "
        r"\sigma=\tfrac1\varepsilon\sqrt{4pL\log\tfrac1\delta}"
    )
    claim = {"iterate of rescaled matrix": r"X_L(A,\sigma)=X_L(A/\sigma,1)"}
    printed = (
        r"Not at hand; read as: $`\sigma=\frac1\varepsilon\sqrt{4pL\log\frac1\delta}`$, a random $`X_0`$, "
        r"$`Y_\ell=AX_{\ell-1}+G_\ell`$ with independent entries $`N(0,\lVert "
        r"X_{\ell-1}\rVert_\infty^2\sigma^2)`$, and QR."
    )
    where = {"N(0,1)": "standard normal law"}
    verdict = Verdict.DEFINITION
    relation = (Relation.ENTRY, Relation.PAIR)
    uses = ("HP-F1",)
    note = "power.md#the-private-power-method"
    without_beyond = "It defines the iterates, and states an identity for every matrix, noise and positive scale."
    digits = 30

    def cases(self) -> Any:
        return st.tuples(noisy_starts(ROUNDS, SHAPES, least=0.25), epsilons(), deltas(2.0**-30))

    def fast(self, start: Any, epsilon: float, delta: float) -> Parts:
        frame, values, _, basis, blocks = start
        a, sigma = (frame * values) @ frame.T, scale(basis.shape[1], len(blocks), epsilon, delta)
        one = other = orthonormal(basis)
        for n in blocks:
            y = a @ one + np.max(np.abs(one)) * sigma * n
            if _independence(y) < FULL_RANK:
                return
            one, other = orthonormal(y), orthonormal(a / sigma @ other + np.max(np.abs(other)) * n)
        for p, q in zip(one.ravel(), other.ravel(), strict=True):
            yield Equal(p, q, scale=1, part="iterate of rescaled matrix")

    def oracle(self, start: Any, epsilon: Real, delta: Real) -> Parts:
        frame, values, _, basis, blocks = start
        a = exact.exact(frame) * mp.diag(values.tolist()) * exact.exact(frame).T
        sigma = mp.sqrt(4 * mp.mpf(basis.shape[1] * len(blocks)) * mp.log(1 / delta)) / epsilon
        one = other = exactly_orthonormal(exact.exact(basis))
        for block in blocks:
            n = exact.exact(block)
            y = a * one + max(map(abs, one)) * sigma * n
            if _exact_independence(y) < FULL_RANK:
                return
            one, other = exactly_orthonormal(y), exactly_orthonormal(a / sigma * other + max(map(abs, other)) * n)
        for p, q in zip(one, other, strict=True):
            yield Equal(p, q, scale=1, part="iterate of rescaled matrix")

    def tight(self) -> list[Any]:
        """An oblique start, with noise for ``epsilon = 1`` and ``delta = 1/8``."""
        return [(_integer_start(), 1.0, 0.125)]
