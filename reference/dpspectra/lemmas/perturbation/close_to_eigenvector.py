"""An output ``v'`` is ``(rho, eta)``-close to a unit vector ``v`` if ``|<v', v>| >= rho`` with probability ``1 - eta``.

The modulus is needed: an eigenvector is determined up to its sign (its phase), and if the sign is uniform,
``<v', v> >= rho`` has probability at most 1/2 for every ``rho > 0``, however good the output. Closeness is a property
of the lines: the event is that the projectors are within ``sqrt(2 (1 - rho^2))`` in Frobenius norm. If ``v`` is the top
eigenvector of a matrix, the largest eigenvalue must be simple.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Column, Equal, Parts, Real, Verdict, all_parts, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import fields, st
from dpspectra.strategies.subspaces import independent_columns

TIE = 2.0**-30
"""Tolerance for squared cosines: those of the integer vectors here differ from ``rho^2`` by more, or not at all."""


def share_close(outputs: Any, target: Any, rho: float) -> float:
    """Fraction of the ``outputs``, rows of any length, with ``|<v', v>| >= rho |v'| |v|``; exact for integers."""
    overlaps = outputs.conj() @ target
    lengths = np.sum(np.real(outputs * outputs.conj()), axis=-1) * np.real(np.vdot(target, target))
    return float(np.mean(np.real(overlaps * overlaps.conj()) >= rho**2 * lengths))


def _unit(x: Any) -> Any:
    return x / oracle.frobenius_norm(x)


@statement
class CloseToEigenvector:
    labels = ("JXZ-D6",)
    given = (
        r"\hat v\text{ is }(\rho,\eta)\text{-close to }v\text{ if }"
        r"\Pr\big[|\langle\hat v,v\rangle|\ge\rho\big]\ge1-\eta"
    )
    claim = {
        "closeness of projectors": (
            r"\Pr\big[|\langle\hat v,v\rangle|\ge\rho\big]"
            r"=\Pr\big[\|\hat v\hat v^*-vv^*\|_F\le\sqrt{2(1-\rho^2)}\big]"
        ),
        "closeness without a modulus": r"\rho>0:\ \Pr[\operatorname{Re}\langle\sigma\hat v,v\rangle\ge\rho]\le\tfrac12",
    }
    printed = (
        r"Not at hand; read as: the output $`\hat v_1`$ satisfies $`\langle\hat v_1,v_1\rangle\ge\rho`$ with "
        r"probability at least $`1-\eta`$."
    )
    where = {
        r"\hat v": "released unit vector",
        "v": "unit vector that it stands for",
        r"\rho": "closeness: smallest modulus of the cosine of the angle",
        r"\eta": "probability of the exception",
        r"\sigma": "sign 1 or -1, equally likely, independent of the rest",
    }
    verdict = Verdict.DEFINITION
    exact = ("closeness of projectors",)
    note = "perturbation_low_rank.md#closeness"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Equally likely outputs (rows) and a target, as vectors of any length, and ``rho``; often an exact tie."""
        field, d = draw(fields()), draw(st.integers(1, 4))
        outputs = np.hstack([draw(independent_columns(d, 1, field)) for _ in range(draw(st.integers(1, 5)))]).T
        target = draw(independent_columns(d, 1, field) | st.just(outputs[:1].T))[:, 0]
        return outputs, target, draw(st.sampled_from([0.5, 1.0, 0.75, 0.9375, 0.015625]))

    def fast(self, outputs: Any, target: Any, rho: float) -> Parts:
        lines = fast.outer(outputs) / np.sum(np.abs(outputs) ** 2, axis=-1)[:, None, None]
        line = fast.outer(target) / np.sum(np.abs(target) ** 2)
        near = fast.frobenius_norm(lines - line) ** 2 <= 2 * (1 - rho**2) + TIE
        yield Equal(share_close(outputs, target, rho), np.mean(near), part="closeness of projectors")
        cosines = np.real(outputs.conj() @ target) / np.linalg.norm(outputs, axis=-1) / np.linalg.norm(target)
        signed = np.mean([sign * cosines >= rho - TIE for sign in (1, -1)])
        yield AtMost(signed, 0.5, part="closeness without a modulus")

    def oracle(self, outputs: list[Column], target: Column, rho: Real) -> Parts:
        unit = _unit(target)
        units = list(map(_unit, outputs))
        cosines = [(x.H * unit)[0] for x in units]
        close = sum(abs(cosine) >= rho - TIE for cosine in cosines)
        moves = [oracle.frobenius_norm(oracle.outer(x) - oracle.outer(unit)) for x in units]
        near = sum(move**2 <= 2 * (1 - rho**2) + TIE for move in moves)
        n = mp.mpf(len(units))
        yield Equal(close / n, near / n, part="closeness of projectors")
        signed = sum(sign * mp.re(cosine) >= rho - TIE for cosine in cosines for sign in (1, -1))
        yield AtMost(signed / (2 * n), mp.mpf(1) / 2, part="closeness without a modulus")

    def tight(self) -> list[Any]:
        """The vector itself, alone and beside a multiple of the opposite sign."""
        return [(np.array([[3.0, 4.0], [-6.0, -8.0]])[:n], np.array([3.0, 4.0]), 1.0) for n in (1, 2)]

    def beyond(self) -> dict[str, AtMost | Equal]:
        """A right angle and ``rho = 0``; twice an axis at the cosine 3/5 of the target, ``rho = 1``."""
        target, long = mp.matrix([3, 4]) / 5, mp.matrix([2, 0])
        move = oracle.frobenius_norm(oracle.outer(long) - oracle.outer(target))
        close, near = (mp.mpf(event) for event in (oracle.inner(long, target) >= 1, move == 0))
        return {
            "rho is positive": all_parts(self.oracle(list(np.eye(2)[:1]), np.eye(2)[1], 0.0))[1],
            "the outputs are unit vectors": Equal(close, near, part="closeness of projectors"),
        }
