"""The top ``k`` eigenvalues with Laplace noise of scale ``s / epsilon``: private, and all ``k`` within an exact radius.

The loss at the worst output is the l1 change of the values over the scale, and that change is at most s: 2, or 1 if a
row is added or removed, and for the first value alone, as one row lowers it and the other one raises it. The largest of
``k`` errors exceeds ``r`` with probability ``1 - (1 - e^(-r/scale))^k``; sorting and clipping at 0 afterwards do not
increase it. Printed was ``scale log(1/beta)`` for all ``k`` values at once: that holds for ``k = 1`` only, and no
constant factor repairs it, since ``(1 - beta^C)^k`` vanishes as ``k`` grows.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.formulas.spectrum_release import radius, scale
from dpspectra.ledger import (
    AtMost,
    Column,
    Frequency,
    Matrix,
    Parts,
    Real,
    Reals,
    Relation,
    Verdict,
    inequality,
    statement,
)
from dpspectra.lemmas.privacy.laplace_mechanism import vectors
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import deltas, dimensions, epsilons, fields, matrix_neighbours, seeds, st

DRAWS = 4000


def _largest_beyond(edge: Any, k: int, b: Any) -> Any:
    """Probability that the largest of ``k`` absolute Laplace variables of scale ``b`` exceeds ``edge``."""
    return 1 - (1 - mp.exp(-edge / b)) ** k


@statement
class SpectrumRelease:
    labels = ("MWKTV-T7.1",)
    given = (
        r"b=\tfrac{\min(k,2)}\varepsilon,\ Z_i\sim\mathrm{Lap}(b)\ (i\le k),\ "
        r"\hat\lambda=\mathrm{sort}_\downarrow((\lambda+Z)_+),\ r=\log\tfrac1{1-(1-\beta)^{1/k}}"
    )
    claim = {
        "loss under replacement": r"\tfrac1b\|\lambda-\lambda'\|_1\le\varepsilon",
        "loss under addition": r"\varepsilon\|\lambda-\lambda''\|_1\le\varepsilon",
        "error after sorting": r"\max_{i\le k}|\hat\lambda_i-\lambda_i|\le\max_{i\le k}|Z_i|",
        "radius of all errors": r"\tfrac r\varepsilon\le\tfrac1\varepsilon\log\tfrac k\beta",
        "largest error": r"\Pr\big[\max_{i\le k}|Z_i|>br\big]\le\beta",
    }
    printed = (
        r"Releasing $`\tilde\lambda_i=\lambda_i+\mathrm{Lap}(\frac2\varepsilon)`$ is $`\varepsilon`$-DP, and "
        r"with probability at least $`1-\beta`$, "
        r"$`|\tilde\lambda_i-\lambda_i|\le\frac2\varepsilon\log\frac1\beta`$ for all $`i`$."
    )
    where = {
        r"\lambda": "the first $`k`$ eigenvalues of the data, in descending order",
        r"\lambda'": "those of the data with one row replaced",
        r"\lambda_i": "the eigenvalues of the data, in descending order",
        r"\beta": "probability of a larger error",
        r"\lambda''": "those of the data with one more row",
        r"\hat\lambda": "the released values",
        r"\hat\lambda_i": "the released values, in descending order",
        r"\mathrm{sort}_\downarrow": "sorting in descending order",
        "b": "scale of the noise",
        "Z": "noise",
        "Z_i": "noise of a value",
        "r": "radius of all errors, in scales of the noise",
    }
    verdict = Verdict.REPAIRED
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    uses = ("MWKTV-E20", "JXZ-T1")
    note = "privacy_spectral.md#private-spectrum"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, int, float, float, Any, int]:
        """A replacement, the number of values, epsilon, the failure probability, noise in units of 1, a seed."""
        d = draw(dimensions())
        pair, k = draw(matrix_neighbours(d, draw(fields()))), draw(st.integers(1, d))
        noise = draw(vectors(k))
        return pair, k, draw(epsilons()), draw(deltas(2.0**-10, 0.75)), noise, draw(seeds())

    def fast(self, pair: Any, k: int, epsilon: float, beta: float, noise: Any, seed: int) -> Parts:
        m, other, _, y = pair
        more = m + fast.outer(y)
        values, replaced, added = (fast.eigenvalues(a)[:k] for a in (m, other, more))
        size = epsilon * fast.nuclear_norm(more)
        wide, narrow = scale(k, epsilon, "replace"), scale(k, epsilon, "add_remove")
        yield AtMost(np.sum(np.abs(values - replaced)) / wide, epsilon, scale=size, part="loss under replacement")
        yield AtMost(np.sum(np.abs(values - added)) / narrow, epsilon, scale=size, part="loss under addition")
        errors = np.abs(np.sort(np.maximum(values + noise, 0))[::-1] - values)
        yield AtMost(np.max(errors), np.max(np.abs(noise)), scale=np.max(values), part="error after sorting")
        yield AtMost(radius(k, epsilon, beta, "add_remove"), narrow * np.log(k / beta), part="radius of all errors")
        draws = np.random.default_rng(seed).laplace(scale=wide, size=(DRAWS, k))
        beyond = np.max(np.abs(draws), axis=1) > radius(k, epsilon, beta, "replace")
        yield Frequency(int(np.sum(beyond)), DRAWS, beta, part="largest error")

    def oracle(
        self, pair: tuple[Matrix, Matrix, Column, Column], k: int, epsilon: Real, beta: Real, noise: Reals, seed: int
    ) -> Parts:
        m, other, _, y = pair
        more = m + oracle.outer(y)
        values, replaced, added = (oracle.eigenvalues(a)[:k] for a in (m, other, more))
        size, wide = epsilon * mp.fsum(oracle.eigenvalues(more)), (1 if k == 1 else 2) / epsilon

        def loss(there: Any, b: Any) -> Any:
            """Log-ratio of the product densities at the output ``values``, the largest by the triangle inequality."""
            return mp.fsum(abs(v - t) for v, t in zip(values, there, strict=True)) / b

        yield AtMost(loss(replaced, wide), epsilon, scale=size, part="loss under replacement")
        yield AtMost(loss(added, 1 / epsilon), epsilon, scale=size, part="loss under addition")
        finished = sorted((max(v + z, mp.mpf(0)) for v, z in zip(values, noise, strict=True)), reverse=True)
        errors = [abs(f - v) for f, v in zip(finished, values, strict=True)]
        yield AtMost(max(errors), max(map(abs, noise)), scale=max(values), part="error after sorting")
        edge = -wide * mp.log(1 - mp.root(1 - beta, k))
        yield AtMost(edge / (wide * epsilon), mp.log(k / beta) / epsilon, part="radius of all errors")
        yield AtMost(_largest_beyond(edge, k, wide), beta, part="largest error")

    def tight(self) -> list[Any]:
        """A replacement that moves the spectrum by 2; both eigenvalues are released, or the first, which is clipped."""
        x, y = np.array([0.0, 1.0]), np.array([1.0, 0.0])
        pair = np.diag([3.0, 1.0]), np.diag([4.0, 0.0]), x, y
        both, first = np.array([-1.0, 0.5]), np.array([-4.0])
        return [(pair, len(noise), 1.0, 0.25, noise, 0) for noise in (both, first)]

    def beyond(self) -> dict[str, AtMost]:
        """``diag(3, 2)`` becomes ``diag(4.1, 0.9)``; a replacement with the noise for an added row; ``epsilon = 1``."""
        longer, replaced = mp.mpf("2.2") / 2, mp.mpf(2)
        return {
            "rows lie in the unit ball": AtMost(longer, mp.mpf(1), part="loss under replacement"),
            "the scale is that of the relation": AtMost(replaced, mp.mpf(1), part="loss under replacement"),
        }

    def as_printed(self, k: int, beta: float, constant: int) -> AtMost:
        """Compare the failure probability at ``constant`` times the printed radius with ``beta``: ``epsilon = 1``."""
        edge = constant * 2 * mp.log(1 / mp.mpf(beta))
        return AtMost(_largest_beyond(edge, k, mp.mpf(2)), mp.mpf(beta), part="printed form")

    def hypotheses(self, k: int, beta: float, constant: int) -> dict[str, AtMost]:
        return {"beta is in (0, 1)": AtMost(abs(2 * mp.mpf(beta) - 1), 1), "k is positive": AtMost(1, k)}

    def counterexample(self) -> Any:
        return 1024, 0.125, 3

    def certificate(self) -> dict[str, Any]:
        beyond = ["exp", ["mul", "-3", ["log", "8"]]]
        return inequality(
            "MWKTV-T7.1",
            "of 1024 values one is beyond three times the printed radius with probability above beta = 1/8",
            ["sub", "1", ["exp", ["mul", "1024", ["log", ["sub", "1", beyond]]]]],
            "1/8",
        )
