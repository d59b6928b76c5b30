"""AFTER-DLY: a noisy matrix bounds its own trace, and projected on that has an error by the trace of the data.

``T = tr(A + E) + tau`` is at least ``tr A`` unless the noise lowers the trace by more than ``tau``, and so the data are
in the convex set on which is projected: the proof of DPS-PSDTRACE has ``tr Y + tr A`` before it says ``2 T``. Normal
noise of the best shape hardly moves the trace. Noise that lowers it further leaves the data outside of the set.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast import trace_noise
from dpspectra.formulas import noise_norms
from dpspectra.ledger import AtMost, Frequency, Matrix, Outcome, Parts, Real, Verdict, statement
from dpspectra.lemmas.concentration.draws import TRIALS
from dpspectra.lemmas.perturbation.trace_projection import projected
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import deltas, dyadics, fields, hermitian, psd, seeds, st


@statement
class ProjectionOnTheReleasedTrace:
    labels = ("AFTER-DLY",)
    printed = (
        r"Not at hand; read as its abstract tells: the mean $`A`$ of $`xx'`$ over $`n`$ rows of norm at most 1 can be "
        r"estimated with zero-concentrated privacy and the Frobenius error "
        r"$`\tilde O(d^{1/4}\sqrt{\operatorname{tr}A}/\sqrt n+\sqrt d/n)`$."
    )
    given = (
        r"A\succeq0,\ \operatorname{tr}E\ge-\tau,\ T=\operatorname{tr}(A+E)+\tau,\ "
        r"Y\succeq0\text{ nearest to }A+E\text{ in }\|\cdot\|_F\text{ with }\operatorname{tr}Y\le T"
    )
    claim = {
        "error by the released trace": r"\|Y-A\|_F^2\le\|E\|_2\,(\operatorname{tr}Y+T)",
        "error by the trace": r"\operatorname{tr}E\le\tau:\ \|Y-A\|_F^2\le2\|E\|_2\,(\operatorname{tr}A+\tau)",
        "trace of normal noise": r"\Pr\Big[\operatorname{tr}Z_0<\sqrt{\tfrac{2d}{d+1}}\,\Phi^{-1}(\eta)\Big]\le\eta",
    }
    where = {
        "A": "positive semidefinite matrix, the data",
        "E": "noise, a Hermitian matrix",
        r"\tau": "public bound on what noise takes from the trace",
        "T": "bound on the trace of the data that the noisy matrix tells",
        "Y": "projection of the noisy matrix",
        "Z_0": "normal noise of the shape of least mean square, of variance 1 off the diagonal",
        r"\eta": "probability of a lower trace",
    }
    verdict = Verdict.VERIFIED
    uses = ("DPS-PSDTRACE", "DPS-NOISENORM", "DPS-SHAPE")
    note = "perturbation_low_rank.md#projection-on-the-released-trace"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, float, float, int]:
        """A matrix, noise, how far the bound is beyond what the trace lost; a probability and a seed."""
        d, field = draw(st.sampled_from([2, 3, 1, 4])), draw(fields())
        a, noise = draw(psd(d, field)), draw(hermitian(d, field)) * draw(st.sampled_from([1.0, 2.0**-4, 16.0]))
        return a, noise, draw(st.just(0.0) | dyadics(0, 64)), draw(deltas()), draw(seeds())

    def fast(self, a: Any, noise: Any, beyond: float, eta: float, seed: int) -> Parts:
        lost, trace, norm = (float(np.real(x)) for x in (-np.trace(noise), np.trace(a), fast.spectral_norm(noise)))
        tau = max(lost, 0.0) + beyond
        most = trace - lost + tau
        nearest, size = fast.trace_projection(a + noise, most), trace + fast.frobenius_norm(noise)
        error, kept = fast.frobenius_norm(nearest - a) ** 2, float(np.real(np.trace(nearest)))
        yield AtMost(error, norm * (kept + most), scale=size * size, part="error by the released trace")
        if -lost <= tau:
            yield AtMost(error, 2 * norm * (trace + tau), scale=size * size, part="error by the trace")
        d, rng = len(a), np.random.default_rng(seed)
        drawn = np.array([np.trace(trace_noise.gaussian(d, 1.0, rng)) for _ in range(TRIALS // 10)])
        below = int(np.sum(drawn < -noise_norms.normal_trace(eta, d)))
        yield Frequency(below, len(drawn), eta, part="trace of normal noise")

    def oracle(self, a: Matrix, noise: Matrix, beyond: Real, eta: Real, _seed: int) -> Parts:
        """From the definition; the variance of the trace is the sum of all covariances on the diagonal."""
        lost, trace = (mp.re(mp.fsum(x[i, i] for i in range(x.rows))) for x in (-noise, a))
        norm, tau, d = max(map(abs, oracle.eigenvalues(noise))), max(lost, 0) + beyond, a.rows
        most = trace - lost + tau
        nearest, size = projected(a + noise, most), trace + oracle.frobenius_norm(noise)
        error = oracle.frobenius_norm(nearest - a) ** 2
        kept = mp.re(mp.fsum(nearest[i, i] for i in range(d)))
        yield AtMost(error, norm * (kept + most), scale=size * size, part="error by the released trace")
        if -lost <= tau:
            yield AtMost(error, 2 * norm * (trace + tau), scale=size * size, part="error by the trace")
        variance = 2 * mp.mpf(d) - mp.mpf(2 * d * d) / (d + 1)
        z = mp.sqrt(mp.mpf(2 * d) / (d + 1)) * mp.sqrt(2) * mp.erfinv(2 * eta - 1)
        yield AtMost(mp.ncdf(z / mp.sqrt(variance)), eta, scale=1, part="trace of normal noise")

    def tight(self) -> list[Any]:
        """Noise that carries the whole trace over, of two sizes."""
        return [
            (np.diag([2.0, 0.0]), np.diag([-2.0, 2.0]), 0.0, 0.25, 0),
            (np.diag([0.0, 3.0, 0.0]), np.diag([0.0, -3.0, 3.0]), 0.0, 0.125, 0),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """The number 4, from which noise takes all at ``tau = 0``; a negative matrix without noise."""
        four, negative = mp.mpf(4), mp.diag([1, -1])
        outside, *_ = self.oracle(negative, mp.zeros(2), mp.mpf(0), mp.mpf(1) / 4, 0)
        return {
            "a trace that falls by tau at most": AtMost(four**2, four * 0, part="error by the released trace"),
            "a positive semidefinite matrix": outside,
        }
