"""With a schedule of noise scales the utility of the private power method is a matter of coherence.

The scales are fixed, ``B``, or the powers of two above the largest entry so far, at most ``B = 2 t sqrt(mu / d)``; the
signs of the iterates are then uniform given the schedule, and their entries are at most ``t sqrt(mu / d)`` with high
probability (HP-T4.9P). A round shifts by at most ``sqrt(2 p)`` times its scale, if its iterate is not given up. For the
printed scales the published proof fails, and the published number of rounds is too small.
"""

from itertools import combinations
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.formulas.noise_norms import gaussian_matrix
from dpspectra.ledger import AtMost, Parts, Real, Relation, Verdict, statement
from dpspectra.lemmas.power.private_convergence import (
    PrivateConvergence,
    exact_radii,
    exactly_reached,
    radii,
    reached,
)
from dpspectra.lemmas.power.private_runs import ROUNDS, SHARE, Run, arriving, exact_run, fast_run, runs, steady
from dpspectra.lemmas.privacy.power_method import hadamard
from dpspectra.oracle import linalg as exact
from dpspectra.strategies import dyadics, st
from dpspectra.strategies.power import NoisyStart, doubled

MARGIN = 2.0**-40
"""Relative distance of an entry from its bound, or from a power of two, that is attributed to rounding."""


def coherence(frame: Any) -> Any:
    """``mu(A)``: largest squared entry of the eigenvectors, times the dimension."""
    return len(frame) * np.max(np.abs(frame)) ** 2


def power_of_two(entry: float) -> float:
    """Smallest power of two at or above ``entry``."""
    return float(2.0 ** np.ceil(np.log2(entry * (1 - MARGIN))))


def _halved(entry: Any) -> Any:
    """`power_of_two` of a number up to 1, by halving."""
    level = mp.mpf(1)
    while level / 2 >= entry * (1 - MARGIN):
        level /= 2
    return level


def _shift(run: Run, bound: float) -> float:
    """Largest sum, over the rounds, of squared ratios of the shift by a pair to the scale: the two longest rows."""
    scales = np.array(run.levels) / run.sigma * bound
    rows = np.sum(np.square(run.iterates[:-1]) / scales[:, None, None] ** 2, axis=(0, 2))
    return float(np.sum(np.sort(rows)[-2:]))


def _exact_shift(run: Run, bound: Any) -> Any:
    """`_shift` in mpmath, pair by pair: the change of a product has the two rows, exchanged, and zeros elsewhere."""
    totals = []
    for pair in combinations(range(run.iterates[0].rows), 2):
        shifts = [mp.norm([mp.norm(x[i, :]) for i in pair]) for x in run.iterates[:-1]]
        ratios = [shift / (level / run.sigma * bound) for shift, level in zip(shifts, run.levels, strict=True)]
        totals.append(mp.fsum(ratio**2 for ratio in ratios))
    return max(totals)


@statement
class ScheduledNoise:
    labels = ("HP-T1.4",)
    given = (
        r"G_l=\mathrm{scale}_l\,\sigma N_l,\ \|N_l\|\le\rho_d,\ \|U^\top N_l\|\le\rho_k,\ "
        r"\epsilon=\tfrac{5\sigma B\rho_d}{\mathrm{gap}}<\tfrac12,\ 5\sigma B\rho_k\le\mathrm{gap}\cos\theta_0,\ "
        r"\theta^*=\tfrac12\arcsin\tfrac{2\sigma B\rho_d}{\mathrm{gap}},\ "
        r"\max_l\|X_l\|_{\max}\le b=t\sqrt{\mu(A)/d},\ \mathrm{scale}_l=B=b\text{ or }"
        r"\mathrm{scale}_l=2^{\lceil\log_2\max_{j<l}\|X_j\|_{\max}\rceil},\ B=2b"
    )
    claim = {
        "tangent after the rounds": (
            r"\tan\theta_l\le\epsilon\ \text{for }\big\lceil\tfrac1\gamma F(\tan\theta_0)\big\rceil\le l\le L"
        ),
        "tangent of any round": (
            r"\theta_0\le\tfrac\pi2-\theta^*:\ \tan\theta_l\le\tan\max\{\theta_0,\theta^*\}\text{ for }l\le L"
        ),
        "shift by a pair": r"\sum_{l=1}^L\tfrac{\|EX_{l-1}\|_F^2}{\mathrm{scale}_l^2}\le2pL",
        "scale of the schedule": r"\mathrm{scale}_l\le B\text{ if }B=2b",
    }
    printed = (
        r"Not at hand; read as: under the assumptions of Theorem 1.3 its bound with $`\max_\ell\lVert "
        r"X_\ell\rVert_\infty`$ replaced by $`\sqrt{\mu(A)\log d/d}`$."
    )
    where = {
        "B": "bound on the scales",
        "t": "free number; the exception has a probability of order $`e^{-t^2/2}`$",
        r"\mu(": (r"\mu(A)", "coherence of $`A`$ (HP-D4.8)"),
        "E": "change of a symmetric pair of entries of $`A`$ by 1",
        r"\mathrm{scale}_i": "the scales of the rounds, by which the noise is multiplied",
        "b": "bound on the entries of the iterates",
    }
    verdict = Verdict.REPAIRED
    relation = (Relation.ENTRY, Relation.PAIR)
    uses = ("HP-T1.3", "HP-T4.9P", "HR-T2.6R")
    note = "power.md#utility-in-terms-of-coherence"
    digits = 30
    examples = 15

    def cases(self) -> Any:
        """A drawn run, the failure probability of the noise bounds, ``t``, and whether the scales double."""
        return st.tuples(runs(), dyadics(2.0**-6, 0.5), st.sampled_from([1.0, 1.25, 2.0]), st.booleans())

    def fast(self, run: Any, eta: float, t: float, doubling: bool) -> Parts:
        """The scales are in units of ``B``."""
        frame, d = run[0].frame, len(run[0].frame)
        entry = float(t * np.sqrt(coherence(frame) / d))
        bound = 2 * entry if doubling else entry

        def scale(iterates: list[Any]) -> float:
            return power_of_two(max(float(np.max(np.abs(x))) for x in iterates)) / bound if doubling else 1.0

        finished = fast_run(run, radii(eta, ROUNDS), scale)
        if finished is None or max(float(np.max(np.abs(x))) for x in finished.iterates) > entry * (1 + MARGIN):
            return
        yield from reached(finished, finished.sigma)
        (width,) = {x.shape[1] for x in finished.iterates}
        yield AtMost(_shift(finished, bound), 2.0 * width * ROUNDS, part="shift by a pair")
        if doubling:
            for level in finished.levels:
                yield AtMost(level / finished.sigma * bound, bound, part="scale of the schedule")

    def oracle(self, run: Any, eta: float, t: Real, doubling: bool) -> Parts:
        """The coherence from the eigenvectors one by one; levels by halving."""
        d, frame = len(run[0].frame), exact.exact(run[0].frame)
        entry = t * mp.sqrt(d * max(abs(x) for x in frame) ** 2 / d)
        bound = 2 * entry if doubling else entry

        def scale(iterates: list[Any]) -> Any:
            return _halved(max(abs(x) for iterate in iterates for x in iterate)) / bound if doubling else mp.mpf(1)

        finished = exact_run(run, exact_radii(eta, ROUNDS), scale)
        if finished is None or max(abs(x) for iterate in finished.iterates for x in iterate) > entry * (1 + MARGIN):
            return
        (width,) = {x.cols for x in finished.iterates}
        yield from exactly_reached(finished, finished.sigma)
        yield AtMost(_exact_shift(finished, bound), mp.mpf(2 * width * ROUNDS), part="shift by a pair")
        if doubling:
            for level in finished.levels:
                yield AtMost(level / finished.sigma * bound, bound, part="scale of the schedule")

    def tight(self) -> list[Any]:
        """Worst noise at a fixed scale, also with flat iterates; and eigenvectors of equal entries in four dimensions.

        From a start just within the accuracy the scale is fixed. From a flat eigenvector the scale is 1/2, as are the
        entries; from a start that is turned so little that its largest entry is just above 1/2, the scale 1 is almost
        twice as large.
        """
        eta = 2.0**-6
        whole, twice = (float(gaussian_matrix(eta, 2 * k, k, ROUNDS)) for k in (1, 2))
        flat = steady(whole, 1.0, np.pi / 4)
        least = np.sqrt(0.5) / float(np.max(np.abs(flat[0].frame))) * (1 + 2.0**-30)
        frame, values, quiet = hadamard(4), np.array([1.0, 0.5, 0.5, 0.5]), [np.zeros((4, 1))] * 3
        near = NoisyStart(frame, values, 1, frame[:, :1] + SHARE / 2 * (1 - 2.0**-30) * frame[:, 1:2], quiet)
        kept, turned = (
            (NoisyStart(frame, values, 1, frame[:, :1] + turn * frame[:, 1:2], quiet), SHARE)
            for turn in (0.0, 2.0**-20)
        )
        return [
            (arriving(SHARE / 2, ROUNDS, whole), eta, 1.25, False),
            (steady(whole), eta, 1.25, False),
            ((doubled(steady(twice)[0]), SHARE), eta, 2.0, False),
            (flat, eta, least, False),
            ((near, SHARE), eta, 2.0, False),
            (turned, eta, 1 + 2.0**-20, True),
            (kept, eta, 1.0, True),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """An axis as the iterate of every round, with the scale for entries up to 1/2: twice too small a square."""
        return {"no entry exceeds B": AtMost(mp.mpf(4 * ROUNDS), mp.mpf(2 * ROUNDS), part="shift by a pair")}

    as_printed = PrivateConvergence.as_printed
    hypotheses = PrivateConvergence.hypotheses

    def counterexample(self) -> Any:
        """The coherence of ``diag(1, 1/2)`` is 2; the printed number of rounds with the constant 11."""
        return (16,)

    certificate = (
        "A = c diag(1, 1/2), of coherence 2, p = 1, 16 rounds: with probability one half the sine of the angle tends to"
        " at least this positive number as c grows, while the printed error divided by c / 2 tends to 0",
        ["div", "1", ["sqrt", str(1 + 4**16)]],
        "0",
    )
