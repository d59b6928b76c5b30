"""Adding one row under Wishart noise is adding a constant to one chi-square number: nothing else is to be seen.

Compare ``A + W`` with ``A + u u' + W``, ``W ~ W_d(m, C)``, and put ``a = u' C^-1 u``, ``nu = m - d + 1``. The ratio of the
densities at ``K`` depends on ``T = a / (u' (K - A)^-1 u)`` only, and ``T`` is chi-square with ``nu`` degrees of freedom,
plus ``a`` if the row is there. So the hockey-stick divergences are those of ``chi2`` against ``a + chi2``: closed forms
with one distribution function, growing with ``a`` from ``nu = 2`` on (a longer row gives more away). They are positive
at every level, since ``T < a`` is impossible with the row: no such noise is purely private, whatever ``m`` and ``C``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from mpmath import mp
from scipy.optimize import brentq

from dpspectra.fast import chi_square, wishart
from dpspectra.fast.linalg import outer
from dpspectra.ledger import AtMost, Equal, Frequency, Statement, Verdict
from dpspectra.ledger.outcomes import Outcome
from dpspectra.oracle import chi_square as oracle_chi_square
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import wishart as exact
from dpspectra.strategies import dyadics, epsilons, psd, rectangular, seeds

TRIALS = 10_000
NODES, WEIGHTS = np.polynomial.legendre.leggauss(60)


@st.composite
def _matrices(draw: DrawFn) -> tuple[Any, ...]:
    """A row, noise that exceeds it or not, degrees of freedom, a covariance and a seed."""
    d = draw(st.integers(1, 4))
    u = draw(rectangular(1, d).filter(np.any))[0] / 8
    noise = draw(psd(d)) / 16 + np.eye(d) * 21 / 128 + draw(st.sampled_from([1.0, 1.0, 1 / 64])) * outer(u)
    degrees = draw(st.sampled_from([d + 1.0, d - 0.5, float(d), d + 2.0, 2 * d + 1.5, 40.0]))
    return u, noise, degrees, draw(psd(d)) / 64 + np.eye(d) / 4, draw(seeds())


structure = Statement(
    printed=("JXZ-T4-G",),
    claim=r"T=\frac a{u^\top(K-A)^{-1}u}\sim\chi^2_\nu\ (+a),\quad\log\frac{f_A}{f_{A+uu^\top}}(K)="
    r"-\tfrac{\nu-2}2\log\big(1-\tfrac aT\big)-\tfrac a2,\qquad\nu=m-d+1,\ a=u^\top C^{-1}u",
    verdict=Verdict.NEW,
    relation=("replace",),
    cases=st.tuples(
        _matrices(),
        st.sampled_from([2.0, 2.5, 3.0, 6.0, 17.0, 43.0, 100.0]),
        dyadics(2**-4, 4),
        st.just(0.0) | epsilons(2**-6, 8.0),
        dyadics(0, 1),
    ),
    uses=("JXZ-D2",),
    note="wishart.md#one-row-under-wishart-noise",
    digits=30,
    examples=60,
)
