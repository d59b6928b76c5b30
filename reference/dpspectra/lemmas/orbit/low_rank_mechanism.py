"""Algorithm 2, repaired: noisy eigenvalues first, then a draw from their orbit at a temperature that they fix.

The top ``k`` eigenvalues get the Laplace noise that makes them ``epsilon_1``-DP, are clipped at 0 and sorted. If the
spectrum ``s_1 >= .. >= s_k``, completed by zeros, has the spread ``s``, the second stage has
``kappa = epsilon_2 / (2 s)``, or ``epsilon_2 / s`` if people are added or removed; for ``s = 0`` the orbit is a point,
which is released. For every output of the first stage the second is ``epsilon_2``-DP, so together they are
``epsilon_1 + epsilon_2``-DP. Printed was an exponent with the private ``lambda_1(M)``, and no clipping; either mistake
breaks the privacy of the second stage.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast.orbit_privacy_loss import privacy_loss as fast_loss
from dpspectra.formulas.orbit_accounting import inverse_temperature
from dpspectra.formulas.spectrum_release import scale
from dpspectra.ledger import AtMost, Parts, Real, Reals, Relation, Verdict, all_parts, statement
from dpspectra.lemmas.privacy.orbit_accounting import visible_rows
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.orbit_privacy_loss import privacy_loss as exact_loss
from dpspectra.strategies import dimensions, dyadics, epsilons, fields, psd, st

LARGEST_TILT = 500.0
"""Largest ``epsilon_2 Tr M`` drawn: the range of the fast normaliser."""
LEAST = 1e-6
"""Spread of a noisy spectrum, relative to all numbers of a case, that may be rounding: then it is taken as constant."""


def finished(noisy: Any, d: int) -> Any:
    """Spectrum of the output: noisy values clipped at 0, descending, completed by zeros to length ``d``."""
    return np.concatenate([np.sort(np.maximum(noisy, 0.0))[::-1], np.zeros(d - len(noisy))])


@statement
class LowRankMechanism:
    labels = ("MWKTV-A2R",)
    given = (
        r"\tilde\lambda_i=\lambda_i+\mathrm{Lap}\big(\tfrac{\min(k,c)}{\varepsilon_1}\big)\ (i\le k),\ "
        r"\hat\lambda=\mathrm{sort}_\downarrow(\tilde\lambda_+),\ \hat s=\hat\lambda_1-\hat\lambda_d,\ "
        r"H\sim e^{\frac{\varepsilon_2}{c\hat s}\langle M,H\rangle}\text{ on }\mathcal O_{\hat\Lambda};\quad "
        r"L_1=\Big|\log\tfrac{q_{M'}(\tilde\lambda)}{q_M(\tilde\lambda)}\Big|,\ "
        r"L_2=\sup_H\Big|\log\tfrac{p_{M'}(H)}{p_M(H)}\Big|"
    )
    claim = {
        "loss of the eigenvalues": r"L_1\le\varepsilon_1",
        "loss of the eigenvectors": r"L_2\le\varepsilon_2",
        "total loss": r"L_1+L_2\le\varepsilon_1+\varepsilon_2",
    }
    where = {
        r"\lambda_i": "the eigenvalues of $`M`$, in descending order",
        r"\tilde\lambda_i": "the eigenvalues with noise",
        r"\tilde\lambda_+": "the eigenvalues with noise, those below 0 set to 0",
        r"\hat\lambda": "released spectrum, completed by zeros",
        r"\hat\lambda_i": "the values of the released spectrum",
        r"\mathrm{sort}_\downarrow": "sorting in descending order",
        r"\hat s": "spread of the released spectrum",
        r"\mathcal O_{\hat\Lambda}": r"orbit: all Hermitian matrices with the spectrum $`\hat\Lambda`$",
        r"\varepsilon_1": "privacy parameter of the released eigenvalues, in nats",
        r"\varepsilon_2": "privacy parameter of the released subspace, in nats",
        "c": "2 if one row is replaced, 1 if one is added or removed",
        r"\tilde\lambda": "the eigenvalues with noise",
        "q_M": "density of the eigenvalues with noise",
        "q_{M'}": "their density for the neighbouring data",
        "p_M": "density of the second stage, given the released spectrum",
        "p_{M'}": "its density for the neighbouring data",
        "L_i": "privacy loss of the two stages",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ADD_REMOVE, Relation.MATRIX_REPLACE)
    uses = ("MWKTV-T7.1", "MWKTV-L6.2X", "JXZ-T1")
    examples = 30
    note = "orbit.md#algorithm-2-repaired"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, Any, float, float]:
        """``M``, two ball vectors, noise on the top eigenvalues, epsilon for eigenvalues and for eigenvectors."""
        d, field = draw(dimensions()), draw(fields())
        m = draw(psd(d, field)) * draw(st.sampled_from([1.0, 2.0**-6]))
        x, y = draw(visible_rows(d, field)), draw(visible_rows(d, field))
        noise = draw(st.lists(dyadics(-16, 16, 2), min_size=1, max_size=d))
        first, second = draw(epsilons(high=1.0)), draw(epsilons(high=1.0))
        excess = second * (float(np.trace(m).real) + 1) / LARGEST_TILT
        return m, x, y, np.array(noise), first, second * 2.0 ** -np.ceil(np.log2(max(excess, 1.0)))

    def fast(self, m: Any, x: Any, y: Any, noise: Any, first: float, second: float) -> Parts:
        k, size = len(noise), 1 + np.trace(m).real
        moved, wide = m + fast.outer(y), size + np.sum(np.abs(noise))
        for start, relation in ((m + fast.outer(x), "replace"), (m, "add_remove")):
            values, other = fast.eigenvalues(start)[:k], fast.eigenvalues(moved)[:k]
            noisy = values + noise
            spectrum = finished(noisy, len(m))
            value_loss = abs(np.sum(np.abs(noisy - other) - np.abs(noise))) / scale(k, first, relation)
            vector_loss = 0.0
            if spectrum[0] - spectrum[-1] > LEAST * wide:
                vector_loss = fast_loss(start, moved, spectrum, inverse_temperature(spectrum, second, relation))
            yield AtMost(value_loss, first, scale=first * wide, part="loss of the eigenvalues")
            yield AtMost(vector_loss, second, scale=second * size, part="loss of the eigenvectors")
            total, most = value_loss + vector_loss, first + second
            yield AtMost(total, most, scale=most * wide, part="total loss")

    def oracle(self, m: Any, x: Any, y: Any, noise: Reals, first: Real, second: Real) -> Parts:
        d, k, (m, x, y) = len(m), len(noise), map(oracle.exact, (m, x, y))
        moved, size = m + oracle.outer(y), 1 + mp.fsum(mp.re(m[i, i]) for i in range(d))
        wide = size + mp.fsum(map(abs, noise))
        for start, change in ((m + oracle.outer(x), 2), (m, 1)):
            values, other = oracle.eigenvalues(start)[:k], oracle.eigenvalues(moved)[:k]
            noisy, moves = [v + z for v, z in zip(values, noise, strict=True)], 1 if k == 1 else change
            there, here = (
                mp.fsum(-abs(z - v) * first / moves for z, v in zip(noisy, centres, strict=True))
                for centres in (other, values)
            )
            spectrum = [*sorted((max(v, mp.mpf(0)) for v in noisy), reverse=True), *[mp.mpf(0)] * (d - k)]
            spread = spectrum[0] - spectrum[-1]
            kappa = second / (change * spread) if spread > LEAST * wide else mp.mpf(0)
            vector_loss = exact_loss(start, moved, spectrum, kappa)
            yield AtMost(abs(there - here), first, scale=first * wide, part="loss of the eigenvalues")
            yield AtMost(vector_loss, second, scale=second * size, part="loss of the eigenvectors")
            total, most = abs(there - here) + vector_loss, first + second
            yield AtMost(total, most, scale=most * wide, part="total loss")

    def tight(self) -> list[Any]:
        """A person turns from the top to the bottom eigenvector of a very large matrix, with no noise."""
        return [(np.diag([4e6, 2e6, 0.0]), np.eye(3)[0], np.eye(3)[2], np.zeros(3), 16.0, 16.0)]

    def beyond(self) -> dict[str, AtMost]:
        """Half the noise; a ``kappa`` from half the released spread, as if it were private; and a longer row."""
        m, x, y = np.diag([1099.0, 550.0, 0.0]), np.eye(3)[0], np.eye(3)[2]
        values, vectors, _ = all_parts(self.oracle(m, x, y, np.zeros(3), 1.0, 0.5))[:3]
        start, moved = (oracle.exact(m + np.outer(v, v)) for v in (x, y))
        spectrum = [mp.mpf(1100), mp.mpf(550), mp.mpf(0)]
        steep = exact_loss(start, moved, spectrum, mp.mpf(1) / 2 / (2 * 550))
        long_row = all_parts(self.oracle(m, 2 * x, 2 * y, np.zeros(3), 1.0, 0.5))[0]
        return {
            "noise of scale 2 / epsilon": AtMost(2 * values.left, values.right),
            "kappa from the released spread": AtMost(steep, vectors.right),
            "rows of norm at most 1": long_row,
        }
