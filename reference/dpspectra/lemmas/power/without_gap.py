"""Conjectures and a cited theorem: noise tolerance independent of the gap after ``k``, with more than ``k`` columns.

Without noise the gap after ``k`` is not needed (HP-J1.5a). With noise, convergence in terms of the gap after ``2 k``
was conjectured; Balcan, Du, Wang and Yu prove a form in which the noise inside ``U_q`` is bounded. The second
conjecture is that without any gap the spectral error of the subspace is close to the smallest possible one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg, power
from dpspectra.ledger import AtMost, Statement, Verdict
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import linalg as exact
from dpspectra.oracle import power as oracle
from dpspectra.oracle.alignment import orthonormal as exactly_orthonormal
from dpspectra.strategies.lazy import st
from dpspectra.strategies.power import BLOCKS, WideStart, wide_starts

GOOD = 2.0**-4
"""Smallest cosine at which a start counts as being as good as a random one is with high probability."""
ROUNDS_FACTOR = 4
"""Constant taken for the hidden one in the number of rounds."""
SLACK = 2
"""Constant taken for the hidden one in the bound on the spectral error."""


def _epsilons() -> st.SearchStrategy[Any]:
    return st.sampled_from([0.25, 0.125, 0.0625])


conjectured = Statement(
    labels=("HP-J1.5",),
    claim=r"p>2k,\ 100\|G_l\|\le\epsilon(\sigma_k-\sigma_{2k+1}),\ 100\|U^\top G_l\|\le(\sigma_k-\sigma_{2k+1})"
    r"\sqrt{k/d}\ \Rightarrow\ \|(I-X_LX_L^\top)U\|\le\epsilon,\ L=O\Big(\tfrac{\sigma_k}{\sigma_k-\sigma_{2k+1}}\ln"
    r"\tfrac d\epsilon\Big)\ \text{whp}",
    verdict=Verdict.CONJECTURE,
    cases=lambda: st.tuples(wide_starts(), _epsilons()),
    uses=("HP-F1",),
    note="power.md#conjectured-convergence-without-the-k-th-gap",
    digits=30,
    examples=30,
)
published = Statement(
    labels=("HP-BDWY",),
    claim=r"k\le q\le p,\ \|G_l\|=O(\epsilon(\sigma_k-\sigma_{q+1})),\ \|U_q^\top G_l\|=O\Big((\sigma_k-\sigma_{q+1})"
    r"\tfrac{\sqrt p-\sqrt{q-1}}{\tau\sqrt d}\Big)\ \Rightarrow\ \|(I-X_LX_L^\top)U_k\|\le\epsilon,\ "
    r"L=O\Big(\tfrac{\sigma_k}{\sigma_k-\sigma_{q+1}}\ln\tfrac{\tau d}\epsilon\Big)",
    verdict=Verdict.CITED,
    cases=lambda: st.tuples(wide_starts(), _epsilons()),
    uses=("HP-F1",),
    note="power.md#noise-without-the-k-th-gap",
    digits=30,
    examples=30,
)
spectral = Statement(
    labels=("HP-J1.6",),
    claim=r"p=2k,\ \|G_l\|\le\epsilon\,\sigma_{k+1},\ \|U^\top G_l\|\le\epsilon\,\sigma_{k+1}\sqrt{k/d}\ \Rightarrow\ "
    r"\|A-X_LX_L^\top A\|\le(1+O(\epsilon))\sigma_{k+1},\ L=O(\tfrac{\ln d}\epsilon)\ \text{whp}",
    verdict=Verdict.CONJECTURE,
    cases=lambda: st.tuples(wide_starts(), st.sampled_from([0.5, 0.25])),
    uses=("HP-F1",),
    note="power.md#conjectured-spectral-error",
    digits=30,
    examples=30,
)


def _last(instance: Any, inside: int, whole: float, part: float, rounds: int) -> Any:
    """Last iterate with noise of norm ``whole``, ``part`` in the first ``inside`` eigenvectors."""
    frame, values, _, _, basis, blocks = instance
    noises = [power.shrunk(block, frame[:, :inside], whole, part) for block in blocks]
    return power.iterates((frame * values) @ frame.T, basis, [noises[i % BLOCKS] for i in range(rounds)])[-1]


def _exact_last(instance: Any, inside: int, whole: Any, part: Any, rounds: int) -> Any:
    frame, values, _, _, basis, blocks = instance
    frame = exact.exact(frame)
    u = exact.columns(frame, range(inside))
    noises = [oracle.shrunk(exact.exact(block), u, whole, part) for block in blocks]
    a = frame * mp.diag(values.tolist()) * frame.T
    return oracle.iterates(a, exact.exact(basis), [noises[i % BLOCKS] for i in range(rounds)])[-1]


def _rounds(instance: Any, epsilon: float) -> int:
    """Number of rounds, with `ROUNDS_FACTOR` for the hidden constant."""
    frame, values, k, q, _, _ = instance
    return math.ceil(ROUNDS_FACTOR / (1 - abs(values[q] / values[k - 1])) * math.log(len(frame) / epsilon))


def _good(frame: Any, k: int, basis: Any) -> bool:
    """Whether the start is as good as a random one is with high probability."""
    return power.angle(frame[:, :k], orthonormal(basis))[0] >= GOOD


@conjectured.fast
def settled(instance: Any, epsilon: float) -> AtMost | tuple[()]:
    frame, values, k, q, basis, _ = instance
    if not _good(frame, q, basis):
        return ()
    gap = (1 - abs(values[q])) / 100
    x = _last(instance, k, gap * epsilon, gap * np.sqrt(k / len(frame)), _rounds(instance, epsilon))
    return AtMost(power.angle(frame[:, :k], x)[1], epsilon, scale=1, part="sine after the rounds")


@conjectured.oracle
def exactly_settled(instance: Any, epsilon: float) -> AtMost | tuple[()]:
    frame, values, k, q, basis, _ = instance
    if not _good(frame, q, basis):
        return ()
    gap, u = (1 - mp.mpf(abs(values[q]))) / 100, exact.exact(frame[:, :k])
    x = _exact_last(instance, k, gap * epsilon, gap * mp.sqrt(mp.mpf(k) / len(frame)), _rounds(instance, epsilon))
    return AtMost(oracle.angle(u, x)[1], mp.mpf(epsilon), scale=1, part="sine after the rounds")


@published.fast
def settled_inside(instance: Any, epsilon: float) -> AtMost | tuple[()]:
    """The hidden constants of the noise are taken as 1/100, and ``tau`` from the start."""
    frame, values, k, q, basis, _ = instance
    if not _good(frame, q, basis):
        return ()
    gap = (1 - abs(values[q])) / 100
    part = gap * power.angle(frame[:, :q], orthonormal(basis))[0]
    x = _last(instance, q, gap * epsilon, part, _rounds(instance, epsilon))
    return AtMost(power.angle(frame[:, :k], x)[1], epsilon, scale=1, part="sine after the rounds")


@published.oracle
def exactly_settled_inside(instance: Any, epsilon: float) -> AtMost | tuple[()]:
    frame, values, k, q, basis, _ = instance
    if not _good(frame, q, basis):
        return ()
    gap = (1 - mp.mpf(abs(values[q]))) / 100
    start = exactly_orthonormal(exact.exact(basis))
    part = gap * oracle.angle(exact.exact(frame[:, :q]), start)[0]
    x = _exact_last(instance, q, gap * epsilon, part, _rounds(instance, epsilon))
    sine = oracle.angle(exact.exact(frame[:, :k]), x)[1]
    return AtMost(sine, mp.mpf(epsilon), scale=1, part="sine after the rounds")


def _narrow(instance: WideStart) -> WideStart:
    """The first ``2 k`` columns of the start and of the noise."""
    width = 2 * instance.k
    return instance._replace(basis=instance.basis[:, :width], blocks=[b[:, :width] for b in instance.blocks])


@spectral.fast
def left_over(instance: Any, epsilon: float) -> AtMost | tuple[()]:
    frame, values, k, _, basis, _ = instance = _narrow(instance)
    if not _good(frame, k, basis):
        return ()
    following = abs(values[k])
    rounds = math.ceil(2 * math.log(len(frame)) / epsilon)
    x = _last(instance, k, epsilon * following, epsilon * following * np.sqrt(k / len(frame)), rounds)
    a = (frame * values) @ frame.T
    left = linalg.spectral_norm(a - x @ (x.T @ a))
    return AtMost(left, (1 + SLACK * epsilon) * following, part="spectral error")


@spectral.oracle
def exactly_left_over(instance: Any, epsilon: float) -> AtMost | tuple[()]:
    frame, values, k, _, basis, _ = instance = _narrow(instance)
    if not _good(frame, k, basis):
        return ()
    following = mp.mpf(abs(values[k]))
    rounds = math.ceil(2 * math.log(len(frame)) / epsilon)
    part = epsilon * following * mp.sqrt(mp.mpf(k) / len(frame))
    x = _exact_last(instance, k, epsilon * following, part, rounds)
    a = exact.exact(frame) * mp.diag(values.tolist()) * exact.exact(frame).T
    left = exact.spectral_norm(a - x * (x.T * a))
    return AtMost(left, (1 + SLACK * epsilon) * following, part="spectral error")
