"""Laplace noise in ``k`` directions has a spectral norm without the factor ``sqrt k`` of the bound by its entries.

``U' G`` is a sum of matrices ``u_i e_j'`` with Laplace weights, and their squares sum to ``p I`` and ``k I``. So the
norm is at most ``b (2 sqrt(max(k, p) l) + l)``, ``l = log((k + p) L / eta)``, with probability at least ``1 - eta``.
"""

from typing import Any, NamedTuple

import numpy as np
from flint import arb
from mpmath import mp

from dpspectra.formulas.laplace_norm import sub_gamma
from dpspectra.ledger import AtMost, Frequency, Parts, Real, Slack, Verdict, statement
from dpspectra.lemmas.concentration.draws import TRIALS
from dpspectra.lemmas.concentration.laplace_matrix import chernoff, exact_chernoff, exact_sub_gamma
from dpspectra.oracle.quadrature import integral, working
from dpspectra.strategies import deltas, dyadics, epsilons, seeds, st

DIRECTIONS = [(1,), (1, 0), (3, 4), (5, -12), (2, 3, 6), (1, 0, 0), (1, 2, 4, 10)]
"""Integer vectors of integer length whose nonzero entries have distinct squares."""


class Case(NamedTuple):
    """A direction, width and number of the matrices, the scale, ``eta``, larger sizes ``(k, p)``, and a seed."""

    direction: tuple[int, ...]
    p: int
    times: int
    b: float
    eta: float
    sizes: tuple[int, int]
    seed: int


def radius(eta: Any, k: Any, p: Any, times: Any) -> Any:
    """Spectral norm, in units of the scale, that ``times`` matrices exceed with probability at most ``eta``."""
    return sub_gamma(np.log((k + p) * times / eta), np.maximum(k, p))


def drawn(direction: tuple[int, ...], p: int, times: int, b: float, seed: int) -> Any:
    """``u' G_l`` for a unit vector; shape ``(TRIALS, times, p)``."""
    noise = np.random.default_rng(seed).laplace(scale=b, size=(TRIALS, times, len(direction), p))
    return np.einsum("i,tlip->tlp", np.array(direction) / np.linalg.norm(direction), noise)


def combination_tail(direction: tuple[int, ...], t: Any) -> Any:
    """Probability that the modulus of a combination of Laplace variables exceeds ``t``, by partial fractions.

    ``prod 1 / (1 - w_i x)`` is a sum of ``A_i / (1 - w_i x)``, where ``w_i`` are the squares of the weights.
    """
    square = sum(c * c for c in direction)
    weights = [mp.mpf(c * c) / square for c in direction if c]
    return mp.fsum(
        mp.exp(-t / mp.sqrt(w)) * mp.fprod(w / (w - v) for j, v in enumerate(weights) if j != i)
        for i, w in enumerate(weights)
    )


def _pair_tail(s: Any) -> Any:
    """Probability that a vector of two Laplace variables is longer than ``s``, in polar coordinates."""
    with working():
        length = arb(s)

        def given(angle: Any) -> Any:
            rate = angle.cos() + angle.sin()
            return (1 + length * rate) / rate**2 * (-length * rate).exp()

        return mp.mpf(integral(given, [0, mp.pi / 4, mp.pi / 2]))


@statement
class ProjectedLaplace:
    labels = ("HP-LA.3P",)
    given = (
        r"U^\top U=I_k,\ G_1,\dots,G_L\sim\mathrm{Lap}(b)^{d\times p},\quad "
        r"s=2\sqrt{\max(k,p)\,\ell}+\ell,\ \ell=\log\tfrac{(k+p)L}\eta"
    )
    claim = {
        "tail of the norm": r"k=1:\ \Pr\Big[\max_l\|U^\top G_l\|_2>bs\Big]\le\eta",
        "tail at the radius": r"L(k+p)\inf_{0<t<1}\frac{e^{-ts}}{(1-t^2)^{\max(k,p)}}\le\eta",
    }
    where = {
        "s": "radius in units of the scale",
        r"\ell": "logarithm of the number of rows, columns and matrices over the risk",
        "t": "variable of the infimum",
        "I_k": "identity matrix of order $`k`$",
    }
    verdict = Verdict.NEW
    uses = ("JXZ-D1", "JXZ-A1-U")
    mentions = ("HP-LA.3",)
    note = "concentration.md#projected-laplace-noise-without-the-root-of-k"
    digits = 30
    examples = 60
    slack = {
        "tail of the norm": Slack(0.087681, "the matrix Chernoff bound is strict, already for one Laplace variable"),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        """Any direction with one column, or the first axis with two columns."""
        width = draw(st.integers(1, 2))
        direction = draw(st.sampled_from(DIRECTIONS if width == 1 else [(1,), (1, 0), (1, 0, 0)]))
        eta = draw(dyadics(2.0**-6, 1 - 2.0**-6) | deltas())
        sizes = draw(st.tuples(st.integers(1, 64), st.integers(1, 64)))
        return Case(direction, width, draw(st.integers(1, 3)), draw(epsilons()), eta, sizes, draw(seeds()))

    def fast(
        self, direction: tuple[int, ...], p: int, times: int, b: float, eta: float, sizes: tuple[int, int], seed: int
    ) -> Parts:
        """How often a norm exceeds the radius; the tail bound at the explicit radius for other sizes."""
        lengths = np.sqrt(np.sum(drawn(direction, p, times, b, seed) ** 2, axis=2))
        above = int(np.sum(np.max(lengths, axis=1) > b * radius(eta, 1, p, times)))
        yield Frequency(above, TRIALS, eta, part="tail of the norm")
        k, width = sizes
        allowed = radius(eta, k, width, times)
        yield AtMost(times * (k + width) * chernoff(allowed, max(k, width)), eta, part="tail at the radius")

    def oracle(
        self, direction: tuple[int, ...], p: int, times: int, _b: float, eta: Real, sizes: tuple[int, int], _seed: int
    ) -> Parts:
        def allowed(k: int, width: int) -> Any:
            return exact_sub_gamma(mp.log((k + width) * times / eta), max(k, width))

        s, (k, width) = allowed(1, p), sizes
        beyond = combination_tail(direction, s) if p == 1 else _pair_tail(s)
        yield AtMost(1 - (1 - beyond) ** times, eta, part="tail of the norm")
        stated = times * (k + width) * exact_chernoff(allowed(k, width), max(k, width))
        yield AtMost(stated, eta, part="tail at the radius")

    def tight(self) -> list[Any]:
        """One variable at a likely level; the radius for very many rows (a limit); several columns of a direction."""
        return [Case((1,), 1, 1, 1.0, 0.9375, (1, 2**60), 0), Case((2, 3, 6), 2, 3, 0.5, 0.25, (3, 5), 0)]

    def beyond(self) -> dict[str, AtMost]:
        """The axis of the largest of 1000 entries, one column; the radius for a probability of 1/100."""
        level = mp.log(200)
        above = 1 - (1 - mp.exp(-2 * mp.sqrt(level) - level)) ** 1000
        return {"U does not depend on the noise": AtMost(above, mp.mpf(1) / 100, part="tail of the norm")}
