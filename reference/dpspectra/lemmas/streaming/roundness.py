"""A distribution is ``(B, p)``-round if no ``p``-dimensional projection of a sample is much longer than its share.

Lengths have exponential tails: with probability at most ``exp(-t)`` the sample is longer than ``t``, and a projection
of rank ``p`` is longer than ``t sqrt(B p / d)``, for all ``t >= 1``. A projection on fewer dimensions is not longer, so
it inherits the second condition. The first condition implies the second with ``B = d / p``.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import streaming
from dpspectra.ledger import AtMost, Matrix, Parts, Real, Reals, Verdict, statement
from dpspectra.oracle import streaming as oracle
from dpspectra.strategies import distributions, dyadics, rectangular, st, unitaries

TIE = 2.0**-30
"""Relative difference up to which two lengths count as equal."""


@statement
class Roundness:
    labels = ("HP-D3.1",)
    given = (
        r"\rho_m=\max_x\frac x{\max(1,\log(1/\Pr[\|P_mz\|\ge x]))},\ k\le p\le d,\ t\ge1,\quad "
        r"(B,p)\text{-round}:\ \rho_d\le1,\ \rho_p\le\sqrt{Bp/d}\text{ for all }P_p"
    )
    claim = {
        "tail of projected lengths": r"\Pr[\|P_pz\|>(1+2^{-30})t\rho_p]\le e^{-t}",
        "projection on fewer dimensions": r"\rho_k\le\rho_p",
        "projection against the sample": r"\rho_p\le\rho_d",
    }
    printed = (
        r"A distribution is $`(B,p)`$-round if for every projection $`P`$ of rank $`p`$ and all $`t\ge1`$, "
        r"$`\Pr[\lVert z\rVert>t]\le e^{-t}`$ and $`\Pr\big[\lVert Pz\rVert>t\sqrt{Bp/d}\big]\le e^{-t}`$."
    )
    where = {
        "t": "length, in units of the typical one",
        "P_i": (r"P_m", r"projector of rank $`m`$, each on a part of the next one's range"),
        r"\rho_i": (
            r"\rho_m",
            r"smallest $`\rho`$ with $`\Pr[\lVert P_mz\rVert>t\rho]\le e^{-t}`$ for all $`t\ge1`$",
        ),
        "x": "length of a projected sample that has a probability",
        "k": r"rank of a projector, at most $`p`$",
        "m": "rank of a projector",
        "p": "rank of the projector",
    }
    verdict = Verdict.DEFINITION
    note = "streaming.md#round-distributions"
    examples = 70

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, int, int, float]:
        """Values and probabilities of up to six atoms, an orthonormal frame, ranks ``k <= p``, ``t >= 1``."""
        d, atoms = draw(st.integers(1, 4)), draw(st.integers(1, 6))
        p = draw(st.integers(1, d))
        values, weights = draw(rectangular(atoms, d)), draw(distributions(atoms))
        return values, weights, draw(unitaries(d)), draw(st.integers(1, p)), p, draw(dyadics(1, 8))

    def fast(self, values: Any, weights: Any, frame: Any, k: int, p: int, t: float) -> Parts:
        lengths = [np.linalg.norm(values @ frame[:, :m], axis=1) for m in (k, p, len(frame))]
        inside, projected, whole = (streaming.spread(x, weights) for x in lengths)
        beyond = float(np.sum(weights[lengths[1] > t * projected * (1 + TIE)]))
        yield AtMost(beyond, np.exp(-t), scale=1, part="tail of projected lengths")
        yield AtMost(inside, projected, scale=whole, part="projection on fewer dimensions")
        yield AtMost(projected, whole, scale=whole, part="projection against the sample")

    def oracle(self, values: Matrix, weights: Reals, frame: Matrix, k: int, p: int, t: Real) -> Parts:
        rows = values * frame
        lengths = [[mp.norm([rows[i, j] for j in range(m)]) for i in range(rows.rows)] for m in (k, p, rows.cols)]
        inside, projected, whole = (oracle.spread(x, weights) for x in lengths)
        limit = t * projected * (1 + mp.mpf(TIE))
        beyond = mp.fsum(w for x, w in zip(lengths[1], weights, strict=True) if x > limit)
        yield AtMost(beyond, mp.exp(-t), scale=1, part="tail of projected lengths")
        yield AtMost(inside, projected, scale=whole, part="projection on fewer dimensions")
        yield AtMost(projected, whole, scale=whole, part="projection against the sample")

    def tight(self) -> list[Any]:
        """A single value: every projection that contains it has its full length; a rare one, just before its tail."""
        rare = np.array([[3.0, 0.0], [0.0, 0.0]]), np.array([0.25, 0.75])
        return [
            (np.array([[3.0, 0.0]]), np.array([1.0]), np.eye(2), 1, 1, 1.0),
            (np.array([[3.0, 4.0, 12.0]]), np.array([1.0]), np.eye(3), 2, 2, 1.0),
            (*rare, np.eye(2), 1, 1, np.log(4) * (1 - 2.0**-22)),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """A length of probability 1/4 against 99 % of its spread, ``t = 201/200 log 4``; a single one, ``t = 1/2``."""
        t = mp.log(4) * mp.mpf(201) / 200
        return {
            "B no smaller": AtMost(mp.mpf(1) / 4, mp.exp(-t), part="tail of projected lengths"),
            "t is at least 1": AtMost(mp.mpf(1), mp.exp(-mp.mpf(1) / 2), part="tail of projected lengths"),
        }
