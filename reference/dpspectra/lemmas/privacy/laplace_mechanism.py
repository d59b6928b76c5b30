"""Laplace noise of scale ``b`` has loss exactly ``|q - q'|_1 / b``, so ``b = Delta_1 / epsilon`` is ``epsilon``-DP.

The log-ratio of the product densities at ``z`` is the sum of ``|z_i - q'_i| - |z_i - q_i|`` over ``b``; the triangle
inequality bounds each term, and all bounds are attained at once on the orthant beyond ``q``. So a smaller scale is not
private for the pair that attains the sensitivity. The l2 sensitivity is not enough: a change that is equal in ``m``
coordinates has an l1 norm ``sqrt(m)`` times as large. With ``Delta_1 = 0`` every scale is private, also 0.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Parts, Real, Reals, Relation, Verdict, statement
from dpspectra.strategies import dimensions, dyadics, epsilons, st


def vectors(size: int) -> st.SearchStrategy[Any]:
    """Vectors of any dyadic numbers."""
    return st.lists(dyadics(), min_size=size, max_size=size).map(np.array)


def _changes(size: int) -> Any:
    return vectors(size) | st.sampled_from([np.ones(size), -np.eye(size)[0], 2.0**-30 * np.ones(size)])


def scale(sensitivity: Any, epsilon: Any) -> Any:
    """Scale of the noise on every coordinate, for l1 sensitivity ``sensitivity``."""
    return sensitivity / epsilon


@statement
class LaplaceMechanism:
    labels = ("JXZ-T1", "MWKTV-T5.2")
    given = r"b=\tfrac{\Delta_1}{\varepsilon},\ \|q-q'\|_1\le\Delta_1"
    claim = {
        "loss at an output": r"\Big|\log\tfrac{p_q(z)}{p_{q'}(z)}\Big|\le\tfrac{\|q-q'\|_1}b",
        "largest loss": r"\max_z\Big|\log\tfrac{p_q(z)}{p_{q'}(z)}\Big|=\tfrac{\|q-q'\|_1}b",
        "bound by epsilon": r"\tfrac{\|q-q'\|_1}b\le\varepsilon",
    }
    printed = {
        "JXZ-T1": (
            r"Independent Laplace noise of scale $`\frac{\Delta_1}\varepsilon`$ on each coordinate is "
            r"$`\varepsilon`$-DP."
        ),
        "MWKTV-T5.2": (
            r"Adding independent Laplace noise of scale $`\frac{\Delta f}\varepsilon`$ to each coordinate is "
            r"$`\varepsilon`$-DP. The density of the noise is printed with a wrong factor."
        ),
    }
    where = {
        "z": "output",
        "p_q": "density of the output when the true value is $`q`$",
        "p_{q'}": "density of the output when the true value is $`q'`$",
        "q": "true value on one data set",
        "q'": "true value on a neighbouring one",
        "b": "scale of the Laplace noise",
        r"\Delta_1": "sensitivity in l1: how far the true value moves, at most",
    }
    verdict = Verdict.VERIFIED
    relation = (Relation.REPLACE, Relation.MATRIX_REPLACE)
    uses = ("MWKTV-D1.1",)
    note = "privacy.md#laplace-mechanism"

    def cases(self) -> Any:
        """A query's answer, its change, an output, an excess of the sensitivity over the change, and ``epsilon``."""
        return dimensions().flatmap(
            lambda m: st.tuples(vectors(m), _changes(m), vectors(m), st.just(0.0) | dyadics(0, 4), epsilons())
        )

    def fast(self, q: Any, change: Any, z: Any, slack: float, epsilon: float) -> Parts:
        moved = float(np.sum(np.abs(change)))
        b = scale(moved + slack or 1.0, epsilon)

        def log_density(output: Any, centre: Any) -> Any:  # up to a constant
            return -np.sum(np.abs(output - centre)) / b

        def loss(output: Any) -> Any:
            return abs(log_density(output, q) - log_density(output, q + change))

        size = (np.sum(np.abs(z - q)) + moved + len(q)) / b
        yield AtMost(loss(z), moved / b, scale=size, part="loss at an output")
        yield Equal(loss(q - np.sign(change)), moved / b, scale=size, part="largest loss")
        yield AtMost(moved / b, epsilon, part="bound by epsilon")

    def oracle(self, q: Reals, change: Reals, z: Reals, slack: float, epsilon: Real) -> Parts:
        moved, other = mp.fsum(map(abs, change)), [a + c for a, c in zip(q, change, strict=True)]
        b = (moved + slack or 1) / epsilon

        def density(output: Any, centre: Any) -> Any:  # up to a factor
            return mp.fprod(mp.exp(-abs(v - c) / b) for v, c in zip(output, centre, strict=True))

        def loss(output: Any) -> Any:
            return abs(mp.log(density(output, q) / density(output, other)))

        # the log-ratio is linear in each coordinate between the two centres and constant beyond: the corners decide
        corners = itertools.product(*zip(q, other, strict=True))
        size = 1 + (mp.fsum(abs(v - c) for v, c in zip(z, q, strict=True)) + moved) / b  # of the exponents in the ratio
        yield AtMost(loss(z), moved / b, scale=size, part="loss at an output")
        yield Equal(max(map(loss, corners)), moved / b, scale=size, part="largest loss")
        yield AtMost(moved / b, epsilon, part="bound by epsilon")

    def tight(self) -> list[Any]:
        """A change of every coordinate."""
        return [(np.array([0.0, 1.0]), np.array([0.5, -1.0]), np.array([-1.0, 2.0]), 0.0, 0.75)]

    def beyond(self) -> dict[str, AtMost]:
        """Two coordinates move by 1, and the scale is ``sqrt(2) / epsilon``, ``epsilon = 1``."""
        return {"the sensitivity is that in l1": AtMost(2 / mp.sqrt(2), mp.mpf(1), part="bound by epsilon")}
