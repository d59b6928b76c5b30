"""The power method when the matrix changes by spectral norm at most 1: a tenth of the printed Laplace noise is enough.

``|E X|_F <= |X|_F = sqrt(p)``, and a ``(d, p)`` matrix of that Frobenius norm has l1 norm at most ``p sqrt(d)``, so the
Laplace scale may be ``p L sqrt(d) / epsilon``; printed was ten times that. The rounds with the printed Gaussian noise
are private exactly up to the same ``epsilon`` as for changes of one entry, and printed without a limit, which the last
iterate alone refutes (HP-K4.2X). ``X`` must have orthonormal columns in both.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import gaussian_profile as fast
from dpspectra.ledger import AtMost, Matrix, Parts, Real, Relation, Verdict, statement
from dpspectra.lemmas.privacy.gaussian_mechanism import gaussian_delta
from dpspectra.lemmas.privacy.last_iterate import printed_delta, printed_hypotheses, shift
from dpspectra.lemmas.privacy.power_method import hadamard, profile_at_most
from dpspectra.oracle import gaussian_profile as oracle
from dpspectra.oracle import linalg
from dpspectra.strategies import deltas, epsilons, neighbours, st, unitaries


def laplace_scale(d: int, p: int, rounds: int, epsilon: Any) -> Any:
    """Scale of the Laplace noise on each of ``rounds`` releases of a ``(d, p)`` product."""
    return rounds * p * d**0.5 / epsilon


def _printed_mu(moved: Any, epsilon: Any, delta: Any) -> Any:
    """Ratio of the shift of the whole transcript to the printed standard deviation."""
    columns = sum(m.cols for m in moved)
    sigma = mp.sqrt(4 * columns * mp.log(1 / delta)) / epsilon
    return mp.sqrt(mp.fsum(linalg.inner(m, m) for m in moved)) / sigma


@statement
class PowerMethodSpectral:
    labels = ("HP-L4.5",)
    given = (
        r"\|E\|_2\le1;\quad\sigma=\tfrac1\varepsilon\sqrt{4pL\log\tfrac1\delta},\ "
        r"\mu^2=\tfrac1{\sigma^2}\sum_l\|EX_l\|_F^2,\ "
        r"\delta_G\big(\varepsilon^*,\tfrac{\varepsilon^*}{\sqrt{4\log(1/\delta)}}\big)=\delta;\quad"
        r"\lambda=\tfrac{pL\sqrt d}\varepsilon"
    )
    claim = {
        "Gaussian shift": r"\varepsilon\le\varepsilon^*:\ \mu\le\tfrac\varepsilon{\sqrt{4\log(1/\delta)}}",
        "delta of the Gaussian noise": r"\varepsilon\le\varepsilon^*:\ \delta_G(\varepsilon,\mu)\le\delta",
        "loss of the Laplace noise": r"\tfrac1\lambda\sum_l\|EX_l\|_1\le\varepsilon",
    }
    printed = (
        r"With $`G_\ell\sim N(0,\sigma^2)`$, $`\sigma=\frac1\varepsilon\sqrt{4pL\log\frac1\delta}`$, PPM is "
        r"$`(\varepsilon,\delta)`$-DP under unit spectral norm changes, and with Laplace noise of scale "
        r"$`\lambda=10\frac1\varepsilon pL\sqrt d`$ it is $`(\varepsilon,0)`$-DP."
    )
    where = {
        "p": "number of columns of an iterate",
        "L": "number of rounds",
        r"\lambda": "scale of the Laplace noise",
        "E": "change of the matrix between neighbours, of spectral norm at most 1",
        "X_i": "the iterates, with orthonormal columns",
    }
    verdict = Verdict.REPAIRED
    relation = (Relation.SPECTRAL,)
    uses = ("HR-T2.6R", "JXZ-T1", "HP-SENS", "HP-D4.4", "HP-K4.2X")
    note = "privacy_spectral.md#the-power-method-under-spectral-changes"
    examples = 90

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Orthonormal ``(d, p)`` iterates of up to three rounds, a change of spectral norm at most 1, privacy."""
        d = draw(st.integers(1, 4))
        p, rounds = draw(st.integers(1, d)), draw(st.integers(1, 3))
        a, b = draw(neighbours("spectral", d, d))
        iterates = [draw(unitaries(d))[:, :p] for _ in range(rounds)]
        return iterates, b - a, draw(epsilons()), draw(deltas(2.0**-30, 1 - 2.0**-10))

    def fast(self, iterates: Any, change: Any, epsilon: float, delta: float) -> Parts:
        moved, log = np.array([change @ x for x in iterates]), np.log(1 / delta)
        (rounds, d, p), capped = moved.shape, min(epsilon, fast.largest_epsilon(delta, np.sqrt(4 * log)))
        mu = np.linalg.norm(moved) * capped / np.sqrt(4 * p * rounds * log)
        yield AtMost(mu, capped / np.sqrt(4 * log), part="Gaussian shift")
        yield profile_at_most(capped, mu, delta, "delta of the Gaussian noise")
        loss = np.sum(np.abs(moved)) / laplace_scale(d, p, rounds, epsilon)
        yield AtMost(loss, epsilon, part="loss of the Laplace noise")

    def oracle(self, iterates: list[Matrix], change: Matrix, epsilon: Real, delta: Real) -> Parts:
        moved = [change * x for x in iterates]
        rounds, d, (p,) = len(moved), change.rows, {m.cols for m in moved}
        capped = min(epsilon, oracle.largest_epsilon(delta, mp.sqrt(4 * mp.log(1 / delta))))
        mu = _printed_mu(moved, capped, delta)
        yield AtMost(mu, capped / mp.sqrt(4 * mp.log(1 / delta)), part="Gaussian shift")
        yield AtMost(oracle.profile(capped, mu), delta, part="delta of the Gaussian noise")
        scale = mp.mpf(rounds) * p * mp.sqrt(d) / epsilon
        ratio = mp.fsum(abs(m[i, j]) for m in moved for i in range(d) for j in range(p)) / scale  # at the worst output
        yield AtMost(ratio, epsilon, part="loss of the Laplace noise")

    def tight(self) -> list[Any]:
        """A symmetric orthogonal change with entries of equal modulus, and coordinate vectors as iterates."""
        settings = (64.0, 0.25), (64.0, 0.97), (1.0, 0.25)
        return [([np.eye(4)[:, :3], np.eye(4)[:, 1:]], hadamard(4), *setting) for setting in settings]

    def beyond(self) -> dict[str, AtMost]:
        """The change ``E = I`` of one number, beyond the largest ``epsilon`` for 1/2; and a column of length 1.01."""
        ratio, delta = mp.sqrt(4 * mp.log(2)), mp.mpf(1) / 2
        limit = oracle.largest_epsilon(delta, ratio)

        def outcome(epsilon: Any, length: Any) -> AtMost:
            return AtMost(oracle.profile(epsilon, length * epsilon / ratio), delta, part="delta of the Gaussian noise")

        return {
            "epsilon is at most the largest one": outcome(mp.mpf("1.001") * limit, 1),
            "X has orthonormal columns": outcome(limit, mp.mpf("1.01")),
        }

    def as_printed(self, rounds: int, epsilon: Any, delta: Any) -> AtMost:
        """Compare with ``delta`` what the last iterate shows as the matrix grows, for ``p = 1`` and Gaussian noise."""
        return printed_delta(shift("the spectral norm", 2), rounds, mp.mpf(epsilon), mp.mpf(delta))

    def hypotheses(self, rounds: int, epsilon: Any, delta: Any) -> dict[str, AtMost]:
        return printed_hypotheses(rounds, mp.mpf(epsilon), mp.mpf(delta))

    def counterexample(self) -> Any:
        return (2, 32.0, 2.0**-3)

    certificate = (
        "two rounds, delta = 1/8: as t grows, the last iterate for t w w' shows the change v w' + w v', of spectral "
        "norm 1, as one Gaussian of mu = 32 / sqrt(24 log 2), whose exact delta at epsilon = 32 is above 1/8",
        gaussian_delta("32", ["sqrt", ["mul", "24", ["log", "2"]]]),
        "1/8",
    )
