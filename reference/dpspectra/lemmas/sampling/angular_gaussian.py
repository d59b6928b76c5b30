"""A normalised Gaussian vector is a good envelope of ``exp(-x* A x)`` on the sphere (Kent, Ganeiber and Mardia).

``exp(-s) (1 + s/b)^nu`` has its maximum at ``s = nu - b``; accepting with this function over its maximum, where the
power ``+nu`` divides by the proposal's density, gives the exact law. ``nu`` is ``d/2`` over the reals and ``d`` over
the complex numbers. The best ``b`` solves ``sum (nu/d) / (b + a_i) = 1``. With the power ``-nu`` no error is raised,
but the law drawn is a different, too concentrated one.
"""

from functools import partial
from typing import Any

import numpy as np
from mpmath import mp
from scipy.optimize import brentq

from dpspectra.fast import bingham_laws as fast
from dpspectra.ledger import AtMost, Equal, Frequency, Parts, Real, Reals, Verdict, statement
from dpspectra.oracle import bingham_laws as oracle
from dpspectra.oracle.linalg import exact
from dpspectra.sampling.angular_gaussian import bingham
from dpspectra.sampling.haar import gaussian
from dpspectra.strategies import fields, rectangular, seeds, st
from dpspectra.strategies.orbits import levels

DRAWS = 4000
"""Random draws in a case."""


@statement
class AngularGaussian:
    labels = ("DPS-KGM",)
    given = (
        r"s=x^*Ax,\ \nu=\tfrac{\beta d}2,\ \sum_i\tfrac{\beta/2}{b+a_i}=1,\ "
        r"C(b)=e^{b-\nu}(\tfrac\nu b)^\nu\prod_i(1+\tfrac{a_i}b)^{-\beta/2},\ Z(A)=\int e^{-s}dx,\quad "
        r"x=\tfrac y{\|y\|}\text{ accepted with probability }e^{-s}(1+\tfrac sb)^\nu e^{\nu-b}(\tfrac b\nu)^\nu"
    )
    claim = {
        "density ratio below its maximum": r"e^{-s}(1+\tfrac sb)^\nu\le e^{b-\nu}(\tfrac\nu b)^\nu",
        "best tuning": r"\log C(b)\le\log C(b')",
        "acceptance at most one": r"\tfrac{Z(A)}{C(b)}\le1",
        "accepted proposals": r"\Pr[\text{accepted}]\le\tfrac{Z(A)}{C(b)}",
        "law of the samples": r"\mathbb E[e^{-s}\mid\text{accepted}]\le\tfrac{Z(2A)}{Z(A)}",
        "mean under the wrong power": (
            r"d=2,\ \beta=1:\ \frac{\int s\,e^{-s}(1+\frac sb)^{-2\nu}dx}{\int e^{-s}(1+\frac sb)^{-2\nu}dx}"
            r"\le\frac{\int s\,e^{-s}dx}{\int e^{-s}dx}"
        ),
    }
    where = {
        "s": "exponent of the law at the vector",
        "x": "unit vector",
        "dx": "uniform law on the unit sphere",
        "y": r"normal vector with independent coordinates of mean square proportional to $`1/(1+a_i/b)`$",
        "A": "positive semidefinite matrix with smallest eigenvalue 0",
        "a_i": "the eigenvalues of $`A`$",
        "b": "best parameter of the envelope, above 0",
        "b'": "another parameter of the envelope, above 0",
        "C": "mass of the envelope with this parameter",
        "Z": r"mass of $`e^{-x^*Ax}`$ under the uniform law",
        r"\nu": "$`d/2`$ over the reals, $`d`$ over the complex numbers",
        r"\beta": "1 over the reals, 2 over the complex numbers",
    }
    verdict = Verdict.CITED
    examples = 45
    note = "sampling.md#angular-central-gaussian-envelope"
    digits = 30

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Exponents with smallest value 0, a direction, a factor that worsens the tuning ``b``, and a seed."""
        d, field = draw(st.integers(2, 4)), draw(fields())
        a = draw(levels(d))[::-1] * draw(st.sampled_from([1.0, 0.25, 4.0]))
        x = draw(rectangular(1, d, field))[0]
        x = x if np.any(x) else np.ones(d, dtype=x.dtype)
        return a - a[0], x, draw(st.sampled_from([2.0, 0.5, 1.125, 0.875])), draw(seeds())

    def fast(self, a: Any, x: Any, factor: float, seed: int) -> Parts:
        d, rng = len(a), np.random.default_rng(seed)
        field, half = ("complex", 1.0) if np.iscomplexobj(x) else ("real", 0.5)
        nu, s = half * d, float(np.abs(x) ** 2 @ a / np.sum(np.abs(x) ** 2))
        b = brentq(lambda b: np.sum(half / (b + a)) - 1, half / 2, nu + 1, xtol=1e-15)

        def log_most(b: float) -> Any:
            return b - nu + nu * np.log(nu / b)

        def log_mass(b: float) -> Any:
            """Log-mass of the envelope: its height times the mean of the power, ``prod (1 + a_i/b)^(-half)``."""
            return log_most(b) - half * np.sum(np.log1p(a / b))

        y = gaussian((DRAWS, d), field, rng) * (1 + a / b) ** -0.5
        t = np.abs(y) ** 2 @ a / np.sum(np.abs(y) ** 2, axis=1)
        accepted = int(np.sum(np.log(rng.random(DRAWS)) < nu * np.log1p(t / b) - t - log_most(b)))
        drawn = bingham(np.diag(a).astype(x.dtype), size=DRAWS, rng=rng)
        kept = int(np.sum(np.log(rng.random(DRAWS)) < -(np.abs(drawn) ** 2) @ a))
        normaliser = fast.log_sphere_normaliser(a, half)
        thinned = fast.log_sphere_normaliser(2 * a, half) - normaliser
        acceptance = np.exp(normaliser - log_mass(b))
        yield AtMost(np.exp(-s) * (1 + s / b) ** nu, np.exp(log_most(b)), part="density ratio below its maximum")
        yield AtMost(log_mass(b), log_mass(b * factor), scale=1 + nu, part="best tuning")
        yield AtMost(acceptance, 1.0, part="acceptance at most one")
        yield Frequency(accepted, DRAWS, float(acceptance), part="accepted proposals")
        yield Frequency(kept, DRAWS, float(np.exp(thinned)), part="law of the samples")
        if d > 2 or field == "complex":
            return
        angles = np.arange(1024) * np.pi / 1024
        values = a[1] * np.sin(angles) ** 2
        density = np.exp(-values)
        flipped = density * (1 + values / b) ** (-2 * nu)
        wrong, right = (np.sum(values * weights) / np.sum(weights) for weights in (flipped, density))
        yield AtMost(wrong, right, part="mean under the wrong power")

    def oracle(self, a: Reals, x: Any, factor: Real, _: int) -> Parts:
        d, half = len(a), mp.mpf(1 if x.dtype.kind == "c" else 0.5)
        nu, s = half * d, oracle.trace_form(exact(x), a)
        b = mp.findroot(
            lambda b: mp.fsum(half / (b + v) for v in a) - 1, (half / 2, nu + 1), solver="pegasus", maxsteps=mp.prec
        )

        def log_ratio(s: Any, b: Any) -> Any:
            return nu * mp.log(1 + s / b) - s

        def log_mass(b: Any) -> Any:
            power = mp.fprod((1 + v / b) ** half for v in a)
            return log_ratio(nu - b, b) - mp.log(power)

        normaliser = oracle.log_sphere_normaliser(a, half)
        acceptance = mp.exp(normaliser - log_mass(b))
        thinned = mp.exp(oracle.log_sphere_normaliser([2 * v for v in a], half) - normaliser)
        series = [oracle.log_sphere_series([i * v for v in a], half) for i in (1, 2)]
        yield AtMost(mp.exp(log_ratio(s, b)), mp.exp(log_ratio(nu - b, b)), part="density ratio below its maximum")
        yield AtMost(log_mass(b), log_mass(b * factor), scale=1 + nu, part="best tuning")
        yield AtMost(acceptance, 1, part="acceptance at most one")
        yield AtMost(mp.exp(series[0] - log_mass(b)), acceptance, part="accepted proposals")
        yield AtMost(mp.exp(series[1] - series[0]), thinned, part="law of the samples")
        if d > 2 or half == 1:
            return

        def mean(power: Any) -> Any:
            """Mean of ``s`` under ``exp(-s) (1 + s/b)^power`` on the circle."""

            def weighted(u: Any, n: int) -> Any:
                v = a[1] * mp.sin(u) ** 2
                return v**n * mp.exp(-v) * (1 + v / b) ** power

            top, bottom = (mp.quad(partial(weighted, n=n), [0, mp.pi / 2]) for n in (1, 0))
            return top / bottom

        yield AtMost(mean(-2 * nu), mean(0), part="mean under the wrong power")

    def tight(self) -> list[Any]:
        """The direction with ``s = nu - b``; a law so flat that every proposal is accepted and no power matters."""
        x = np.sqrt([2.0, 1.0])
        return [(np.array([0.0, 0.75]), x, 1.0, 0), (np.array([0.0, 2.0**-22]), x, 1.0, 0)]

    def beyond(self) -> dict[str, Equal]:
        """On the real circle the mean of the power with ``nu = 2`` is not the product that gives the mass."""
        a, b = mp.mpf(3) / 4, mp.mpf(3) / 4
        mean = mp.quad(lambda u: (1 + a * mp.sin(u) ** 2 / b) ** -2, [0, mp.pi / 2]) * 2 / mp.pi
        return {"nu of the field": Equal(mean, (1 + a / b) ** -mp.mpf(0.5), part="accepted proposals")}
