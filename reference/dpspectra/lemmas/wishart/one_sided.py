"""The one-sided Wishart mechanism releases ``A + W``, ``W ~ W_d(d + 1, c I)``, ``c = 3 / (2 n epsilon)``.

``A = X'X / n`` for ``n`` rows of the unit ball. With ``d + 1`` degrees of freedom the output has the density
``exp(-tr(K - A) / 2c) / Z`` where ``K - A`` is positive definite and 0 elsewhere: the support depends on the data.
"""

from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import multigammaln

from dpspectra.fast import linalg as fast
from dpspectra.fast import wishart
from dpspectra.ledger import Equal, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import wishart as exact
from dpspectra.strategies import epsilons, psd, st, unit_rows

OFF_BOUNDARY = 2.0**-20
"""Distance from the boundary of the support below which outputs are skipped: float64 cannot tell their side."""


@st.composite
def _instances(draw: st.DrawFn) -> tuple[Any, ...]:
    """Rows, ``epsilon`` and an output that lies inside or outside the support."""
    n, d = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    output = draw(psd(d)) / 16 + draw(st.sampled_from([1, 8, -1, 0])) * 21 / 128 * np.eye(d)
    return draw(unit_rows(n, d)), draw(epsilons(2**-4, 8.0)), output


def scale(n: Any, epsilon: Any) -> Any:
    """Scale ``c`` of the noise, as printed for ``n`` rows of the unit ball and ``epsilon``."""
    return 3 / (2 * n * epsilon)


def exact_scale(n: int, epsilon: Any) -> Any:
    """`scale` in mpmath, three times the one at which a trace of ``1 / n``, over twice the scale, is ``epsilon``."""
    return 3 * (mp.mpf(1) / n / 2 / mp.mpf(epsilon))


@statement
class OneSided:
    labels = ("JXZ-A2",)
    given = r"K=A+W,\ W\sim W_d(d+1,cI),\ c=\tfrac3{2n\varepsilon}"
    claim = {
        "density of the output": (
            r"f_A(K)=\frac{e^{-\operatorname{tr}(K-A)/2c}}{(2c)^{d(d+1)/2}\,\Gamma_d(\frac{d+1}2)}"
            r"\,\mathbf 1[K\succ A]"
        ),
    }
    printed = (
        r"Not at hand; read as: add $`W\sim W_d(d+1,C)`$ to $`\frac1nXX^\top`$, where all eigenvalues of "
        r"$`C`$ are $`\frac3{2n\varepsilon}`$."
    )
    where = {
        r"\Gamma_d": "multivariate Gamma function",
    }
    verdict = Verdict.DEFINITION
    uses = ("JXZ-D2",)
    note = "wishart.md#one-sided-wishart-mechanism"
    without_beyond = "It defines a mechanism, and states its density, for every matrix that is added to."

    def cases(self) -> st.SearchStrategy[Any]:
        """Instances off the boundary of the support."""

        def off(case: tuple[Any, ...]) -> bool:
            rows, _, output = case
            return bool(abs(fast.eigenvalues(output - fast.gram(rows) / len(rows))[-1]) > OFF_BOUNDARY)

        return _instances().filter(off)

    def fast(self, rows: Any, epsilon: float, output: Any) -> Equal:
        n, d = rows.shape
        c, noise = scale(n, epsilon), output - fast.gram(rows) / n
        smallest = fast.eigenvalues(noise)[-1]
        log_constant = d * (d + 1) / 2 * np.log(2 * c) + multigammaln((d + 1) / 2, d)
        trace = np.trace(output) - np.sum(rows**2) / n
        stated = np.exp(-trace / (2 * c) - log_constant) * max(np.sign(smallest), 0.0)
        return Equal(np.exp(wishart.log_density(noise, d + 1, c * np.eye(d))), stated, part="density of the output")

    def oracle(self, rows: Any, epsilon: float, output: Any) -> Equal:
        (n, d), c = rows.shape, exact_scale(len(rows), epsilon)
        noise = oracle.exact(output) - oracle.gram(oracle.exact(rows)) / n
        smallest = oracle.eigenvalues(noise)[-1]
        half = mp.mpf(d + 1) / 2
        gamma = mp.pi ** (mp.mpf(d * (d - 1)) / 4) * mp.fprod(mp.gamma(half - mp.mpf(i) / 2) for i in range(d))
        trace = mp.fsum(mp.mpf(output[i, i]) for i in range(d)) - mp.fsum(mp.mpf(x) ** 2 for x in rows.flat) / n
        stated = mp.exp(-trace / (2 * c)) / ((2 * c) ** (d * half) * gamma) * max(mp.sign(smallest), mp.mpf(0))
        return Equal(exact.density(noise, d + 1, c * mp.eye(d)), stated, part="density of the output")

    def tight(self) -> list[Any]:
        """Two rows in the plane, and outputs inside and outside the support."""
        rows = np.array([[1.0, 0.0], [0.5, 0.5]])
        return [(rows, 1.0, 2 * np.eye(2)), (rows, 1.0, np.eye(2) / 4)]
