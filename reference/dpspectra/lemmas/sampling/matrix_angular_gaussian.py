"""The matrix angular central Gaussian law is an envelope of ``exp(-Tr X* A X)`` on frames, with an explicit constant.

The span of ``Omega^(-1/2) G`` has density ``|Omega|^(k nu/d) |X* Omega X|^(-nu)``; for ``Omega = A + beta I`` the
log-ratio to be bounded is a sum of ``h(s) = -s + nu log(s + beta)`` over the eigenvalues ``s_i`` of ``X* A X``. ``h``
is concave with its maximum at ``nu - beta``, and ``s_i`` lies between ``a_i`` and ``a_(d-k+i)`` for ascending ``a`` and
``s``. ``nu`` is ``d/2`` over the reals and ``d`` over the complex numbers; with the other value the density is wrong.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import bingham_laws as fast
from dpspectra.ledger import AtMost, Frequency, Outcome, Parts, Real, Reals, Verdict, statement
from dpspectra.oracle import bingham_laws as oracle
from dpspectra.oracle.linalg import exact
from dpspectra.sampling.haar import gaussian
from dpspectra.strategies import fields, seeds, st
from dpspectra.strategies.orbits import levels
from dpspectra.strategies.subspaces import independent_columns

DRAWS = 4000
"""Random draws in a case."""


def accepted_parts(a: Any, k: int, half: Any, normaliser: Any, acceptance: Any, shift: Any = 0) -> Parts:
    """State the share of the proposals that is accepted, and of these the share kept once more, with both masses.

    Masses by series are compared with closed forms and integrals; exponents are counted from ``shift`` on.
    """
    thinned = oracle.log_frame_normaliser([2 * v for v in a], k, half) - normaliser
    first, second = (oracle.log_frame_series([i * v for v in a], k, half) for i in (1, 2))
    yield AtMost(acceptance, 1, part="acceptance at most one")
    yield AtMost(acceptance * mp.exp(first - normaliser), acceptance, part="accepted proposals")
    yield AtMost(mp.exp(second - first + shift), mp.exp(thinned + shift), part="law of the samples")


@statement
class MatrixAngularGaussian:
    labels = ("DPS-MACG",)
    given = (
        r"h(s)=-s+\nu\log(s+\beta),\ C=\exp\sum_{i\le k}h\big(\operatorname{clip}(\nu-\beta,a_i,a_{d-k+i})\big),\ "
        r"Z(A)=\int e^{-\operatorname{tr}X^*AX}dX,\quad X=\text{frame of }(A+\beta I)^{-1/2}G"
        r"\text{ accepted with probability }\tfrac1Ce^{-\operatorname{tr}X^*AX}|X^*(A+\beta I)X|^\nu"
    )
    claim = {
        "density ratio below its bound": r"e^{-\operatorname{tr}X^*AX}|X^*(A+\beta I)X|^\nu\le C",
        "acceptance at most one": r"\tfrac{Z(A)}C\prod_i(a_i+\beta)^{k\nu/d}\le1",
        "accepted proposals": r"\Pr[\text{accepted}]\le\tfrac{Z(A)}C\prod_i(a_i+\beta)^{k\nu/d}",
        "law of the samples": r"\mathbb E[e^{-\operatorname{tr}X^*AX}\mid\text{accepted}]\le\tfrac{Z(2A)}{Z(A)}",
    }
    where = {
        "X": r"frame, $`d\times k`$ with orthonormal columns",
        "dX": "uniform (Haar) law of the frames",
        "G": r"$`d\times k`$ matrix of independent standard normal entries",
        "A": "positive semidefinite matrix",
        "a_i": "the eigenvalues of $`A`$, in ascending order",
        r"\beta": "free parameter of the envelope, above 0",
        r"\nu": "$`d/2`$ over the reals, $`d`$ over the complex numbers",
        "h": "logarithm of the ratio of law and envelope for one eigenvalue",
        "s": "eigenvalue",
        "C": "bound on the ratio of law and envelope",
        "Z": r"mass of $`e^{-\operatorname{tr}X^*AX}`$ under the uniform law",
        r"\operatorname{clip}": "first number, moved into the interval between the other two",
    }
    verdict = Verdict.NEW
    uses = ("MWKTV-HCIZ", "DPS-KGM")
    examples = 35
    note = "sampling.md#matrix-angular-central-gaussian-envelope"
    digits = 30

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Ascending exponents from 0, independent columns, ``beta`` in units of ``nu``, and a seed."""
        d, field = draw(st.integers(2, 4)), draw(fields())
        a = draw(levels(d))[::-1] * draw(st.sampled_from([1.0, 0.25, 2.0]))
        columns = draw(independent_columns(d, draw(st.integers(1, d - 1)), field))
        return a - a[0], columns, draw(st.sampled_from([0.5, 1.0, 0.125, 2.0])), draw(seeds())

    def fast(self, a: Any, columns: Any, share: float, seed: int) -> Parts:
        (d, k), rng = columns.shape, np.random.default_rng(seed)
        field, half = ("complex", 1.0) if np.iscomplexobj(columns) else ("real", 0.5)
        nu, beta = half * d, share * half * d
        s = np.clip(nu - beta, a[:k], a[d - k :])
        most, weights = np.sum(nu * np.log(s + beta) - s), a + beta

        def log_ratio(g: Any) -> Any:
            return nu * fast.log_gram(g, weights) - fast.trace_form(g, a)

        yield AtMost(np.exp(log_ratio(columns)), np.exp(most), part="density ratio below its bound")
        if (normaliser := fast.log_frame_normaliser(a, k, half)) is None:
            return
        acceptance = np.exp(normaliser - most + k * half * np.sum(np.log(weights)))
        g = gaussian((DRAWS, d, k), field, rng) * weights[:, None] ** -0.5
        g = g[np.log(rng.random(DRAWS)) < log_ratio(g) - most]
        kept = int(np.sum(np.log(rng.random(len(g))) < -fast.trace_form(g, a)))
        thinned = np.exp(fast.log_frame_normaliser(2 * a, k, half) - normaliser)
        yield AtMost(acceptance, 1.0, part="acceptance at most one")
        yield Frequency(len(g), DRAWS, float(acceptance), part="accepted proposals")
        yield Frequency(kept, len(g), float(thinned), part="law of the samples")

    def oracle(self, a: Reals, columns: Any, share: Real, _: int) -> Parts:
        (d, k), half = columns.shape, mp.mpf(1 if columns.dtype.kind == "c" else 0.5)
        x, nu = exact(columns), half * d
        beta = share * nu
        weights = [v + beta for v in a]
        tops = [oracle.highest_ratio(low, high, beta, nu) for low, high in zip(a[:k], a[d - k :], strict=True)]
        most = mp.log(mp.fprod(tops))
        ratio = nu * oracle.log_gram(x, weights) - oracle.trace_form(x, a)
        yield AtMost(mp.exp(ratio), mp.exp(most), part="density ratio below its bound")
        if (normaliser := oracle.log_frame_normaliser(a, k, half)) is None:
            return
        acceptance = mp.exp(normaliser - most + k * half * mp.fsum(map(mp.log, weights)))
        yield from accepted_parts(a, k, half, normaliser, acceptance)

    def tight(self) -> list[Any]:
        """Frames with all ``s_i`` where the ratio is largest; a law so flat that nearly every proposal is accepted."""
        first, last = np.eye(4)[:, :2], np.eye(4)[:, 2:]
        pairs, ladder = np.array([0.0, 0.0, 2.0, 2.0]), np.array([0.0, 1.0, 2.0, 3.0]) / 8
        return [(pairs, first, 1.0, 0), (pairs / 2**12, first, 1.0, 0), (ladder, last + 0j, 0.125, 0)]

    def beyond(self) -> dict[str, Outcome]:
        """One dimension, ``A = 0``, ``beta = nu = 1``: the density of a column of length 2."""
        beta, column = mp.mpf(1), mp.mpf(2)
        return {"orthonormal columns": AtMost(column * beta * column, beta)}
