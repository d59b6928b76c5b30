"""The private power method reaches the tangent ``5 |noise| / gap``, and is private for moderate ``epsilon``.

The noise of a round is normal with a standard deviation fixed before that round, so bounds on Gaussian norms hold for
all rounds at once, and the corollary for random starts gives the rest. The factor 5 is a price for speed: worst noise
keeps the tangent ``tan(arcsin(2 |noise| / gap) / 2)`` constant, and no later tangent exceeds it and the first one. The
published theorem claims privacy for every ``epsilon``, although the last iterate alone is not private for large
``epsilon``, and ``O(log d / gamma)`` rounds, which are too few if the noise is small.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.formulas import power_convergence, power_flow
from dpspectra.formulas.noise_norms import gaussian_matrix
from dpspectra.ledger import AtMost, Parts, Relation, Slack, Verdict, statement
from dpspectra.lemmas.concentration import projected_gaussian
from dpspectra.lemmas.power import random_start
from dpspectra.lemmas.power.noisy_power_method import exact_largest_epsilon, largest_epsilon, scale
from dpspectra.lemmas.power.private_runs import (
    ROUNDS,
    SHARE,
    TURNED,
    Run,
    arriving,
    chance_of_failure,
    converged,
    exact_chance_of_failure,
    exact_run,
    exactly_converged,
    exactly_kept,
    fast_run,
    kept,
    runs,
    stationary,
    steady,
    within,
)
from dpspectra.lemmas.privacy.power_method import profile_at_most
from dpspectra.oracle import gaussian_profile as exact_gaussian
from dpspectra.oracle import power as oracle
from dpspectra.strategies import deltas, dyadics, st
from dpspectra.strategies.power import doubled

Change = Sequence[Sequence[int]]
"""Rows of a change of a matrix."""
ENTRY, PAIR = ((1,),), ((0, 1), (1, 0))
"""Largest changes of one entry, and of a symmetric pair of entries."""
AFTER, ANY_ROUND = "tangent after the rounds", "tangent of any round"


def noise_norms(level: Any, d: int, k: int, p: int, rounds: int, eta: Any) -> tuple[Any, Any]:
    """With probability at least ``1 - eta`` each: bounds on the spectral norms of all ``rounds`` Gaussian blocks.

    The entries have standard deviation ``level``. The second bound is for the parts of the blocks in ``k`` directions.
    """
    whole, inside = (gaussian_matrix(eta, rows, p, rounds) for rows in (d, k))
    return level * whole, level * inside


def accuracy(noise: Any, gap: Any) -> Any:
    """Tangent that is reached with noise of norm ``noise``, valid if it is below one half."""
    return power_flow.CONSTANT * noise / gap


def failure(radius: Any, eta: Any, k: int, p: int, d: int) -> Any:
    """Bound on the probability that the hypotheses hold and the conclusion does not."""
    return power_convergence.failure(radius, k, p, d) + 2 * eta


def radii(eta: float, rounds: int) -> Any:
    """`noise_norms` for unit standard deviation, as a function of ``d``, ``k`` and ``p``."""
    return lambda d, k, p: noise_norms(1.0, d, k, p, rounds, eta)


def exact_radii(eta: float, rounds: int) -> Any:
    """`radii` in mpmath: the smaller root of the two tails."""
    share = mp.mpf(eta) / rounds
    return lambda d, k, p: tuple(projected_gaussian.exact_radius(share, rows, p) for rows in (d, k))


def largest_entry(iterates: list[Any]) -> float:
    """Largest modulus of an entry of the last iterate: the printed scale."""
    return float(np.max(np.abs(iterates[-1])))


def exact_largest_entry(iterates: list[Any]) -> Any:
    """`largest_entry` in mpmath: the largest of all entries and their negatives, column by column."""
    return max(max(x, -x) for j in range(iterates[-1].cols) for x in iterates[-1][:, j])


def reached(run: Run, level: float) -> tuple[AtMost, ...]:
    """Tangents with noise of standard deviation at most ``level``: after the rounds, and of all rounds."""
    noise = level * run.whole
    steps = power_flow.iterations(run.tangents[0], accuracy(noise, run.gap), run.ratio)
    parts = converged(run, noise, steps, AFTER), kept(run, stationary(noise, run.gap), ANY_ROUND)
    return tuple(part for part in parts if part)


def exactly_reached(run: Run, level: Any) -> tuple[AtMost, ...]:
    """`reached` in mpmath."""
    noise = level * run.whole
    parts = exactly_converged(run, noise, AFTER), exactly_kept(run, noise, ANY_ROUND)
    return tuple(part for part in parts if part)


def privacy(share: float, delta: float, releases: int, width: int, factor: int, change: Change) -> AtMost:
    """Profile of flat iterates at ``share`` of the largest ``epsilon``, for noise of ``releases`` rounds.

    ``change`` is that of the matrix, and ``factor`` the one that `largest_epsilon` has for it.
    """
    epsilon = share * largest_epsilon(delta, factor)
    moved = np.array(change) @ np.ones((len(change), width))
    mu = float(np.linalg.norm(moved) * np.sqrt(releases)) / scale(width, releases, epsilon, delta)
    return profile_at_most(epsilon, mu, delta, "privacy of the rounds")


def exact_privacy(share: float, delta: float, releases: int, width: int, factor: int, change: Change) -> AtMost:
    """The best event, beyond ``epsilon / mu + mu / 2``; ``mu`` from the squares of the shifts, added up."""
    epsilon, delta = share * exact_largest_epsilon(delta, factor), mp.mpf(delta)
    sigma = mp.sqrt(4 * width * releases * mp.log(1 / delta)) / epsilon
    squares = [mp.mpf(sum(row)) ** 2 for row in change for _ in range(width * releases)]
    mu = mp.sqrt(mp.fsum(squares)) / sigma
    start = epsilon / mu + mu / 2
    profile = exact_gaussian.cdf(mu - start) - mp.exp(epsilon) * exact_gaussian.cdf(-start)
    return AtMost(profile, delta, part="privacy of the rounds")


@statement
class PrivateConvergence:
    labels = ("HP-T1.3",)
    given = (
        r"G_l=\sigma\|X_{l-1}\|_{\max}N_l,\ m=\max_{l<L}\|X_l\|_{\max},\ "
        r"\epsilon=\tfrac{5\sigma m\rho_d}{\mathrm{gap}}<\tfrac12,\ 5\sigma m\rho_k\le\mathrm{gap}\cos\theta_0,\ "
        r"\theta^*=\tfrac12\arcsin\tfrac{2\sigma m\rho_d}{\mathrm{gap}},\ "
        r"\mathcal E=\{\|N_l\|\le\rho_d,\ \|U^\top N_l\|\le\rho_k\ \forall l\le L\},\ "
        r"\delta_G\big(\varepsilon^*,\varepsilon^*/\sqrt{2\log\tfrac1\delta}\big)=\delta"
    )
    claim = {
        "probability of failure": (
            r"k=p=1:\ 1-\Pr\big[\mathcal E,\ \tan\theta_0\le\sqrt{R^2-1}\big]\le\min\{1,Q/R_*\}+2\eta"
        ),
        "tangent after the rounds": (
            r"\text{on }\mathcal E:\ \tan\theta_l\le\epsilon\ "
            r"\text{for }\big\lceil\tfrac1\gamma F(\tan\theta_0)\big\rceil\le l\le L"
        ),
        "tangent of any round": (
            r"\text{on }\mathcal E,\ \theta_0\le\tfrac\pi2-\theta^*:\ "
            r"\tan\theta_l\le\tan\max\{\theta_0,\theta^*\}\text{ for }l\le L"
        ),
        "privacy of the rounds": (
            r"\varepsilon\le\varepsilon^*,\ \sigma=\tfrac1\varepsilon\sqrt{4pL\log\tfrac1\delta}:\ "
            r"\delta_G\big(\varepsilon,\tfrac1\sigma\sqrt{2pL}\big)\le\delta"
        ),
    }
    printed = (
        r"Not at hand; read as: PPM is $`(\varepsilon,\delta)`$-DP, and after "
        r"$`L=O(\frac{\sigma_k}{\sigma_k-\sigma_{k+1}}\log d)`$ rounds, with probability $`\frac9{10}`$, "
        r"$`\lVert(I-X_LX_L^\top)U\rVert\le O\big(\frac{\sigma\max_\ell\lVert X_\ell\rVert_\infty\sqrt{d\log "
        r"L}}{\sigma_k-\sigma_{k+1}}\cdot\frac{\sqrt p}{\sqrt p-\sqrt{k-1}}\big)`$."
    )
    where = {
        "m": "largest modulus of an entry of an iterate",
        r"\eta": "probability that noise exceeds a radius, at most, for each of the two radii",
        r"\mathcal E": "event that no noise is too large",
    }
    verdict = Verdict.REPAIRED
    relation = (Relation.ENTRY, Relation.PAIR)
    uses = ("HP-F3", "HP-K4.2", "HP-LA.2", "HP-T2.4", "HP-C1.1", "HP-L2.3P")
    note = "power.md#utility-of-the-private-power-method"
    digits = 30
    examples = 15
    slack = {"probability of failure": Slack(0.941327, "blocks that are too long in both ways are counted twice")}

    def cases(self) -> Any:
        return st.tuples(runs(), dyadics(2.0**-6, 0.5), dyadics(2.0**-6, 1), deltas(2.0**-30))

    def fast(self, run: Any, eta: float, share: float, delta: float) -> Parts:
        finished = fast_run(run, radii(eta, ROUNDS), largest_entry)
        if finished is None:
            return
        (d, p), k, tangent = run[0].basis.shape, run[0].k, finished.tangents[0]
        if k == p == 1 < d and tangent > 0:
            chance = chance_of_failure(tangent, radii(eta, ROUNDS)(d, 1, 1), d)
            limit = float(failure(np.hypot(1.0, tangent), eta, k, p, d))
            yield AtMost(chance, limit, scale=1, part="probability of failure")
        yield from reached(finished, max(finished.levels))
        yield privacy(share, delta, ROUNDS, run[0].basis.shape[1], 2, PAIR)

    def oracle(self, run: Any, eta: float, share: float, delta: float) -> Parts:
        finished = exact_run(run, exact_radii(eta, ROUNDS), exact_largest_entry)
        if finished is None:
            return
        (d, p), k, tangent = run[0].basis.shape, run[0].k, finished.tangents[0]
        if k == p == 1 < d and tangent > 0:
            chance = exact_chance_of_failure(tangent, exact_radii(eta, ROUNDS)(d, 1, 1), d)
            limit = random_start.tail_in_mpmath(tangent, k, p, d) + 2 * mp.mpf(eta)
            yield AtMost(chance, limit, scale=1, part="probability of failure")
        yield from exactly_reached(finished, max(finished.levels))
        yield exact_privacy(share, delta, ROUNDS, run[0].basis.shape[1], 2, PAIR)

    def tight(self) -> list[Any]:
        """Noise that brings the tangent to the accuracy in all rounds, or keeps it constant; starts far and near."""
        eta = 2.0**-6
        whole, twice = (float(gaussian_matrix(eta, 2 * k, k, ROUNDS)) for k in (1, 2))
        (settled, share), far = steady(whole), np.array([[1.0], [16.0]])
        runs = (
            arriving(SHARE / 2, ROUNDS, whole),
            (settled, share),
            (settled._replace(basis=settled.frame @ far), share),
        )
        larger = [(doubled(run), part) for run, part in (arriving(SHARE / 2, ROUNDS, twice), steady(twice))]
        return [(run, eta, 1.0, 2.0**-10) for run in (*runs, *larger, within(whole, TURNED))]

    def beyond(self) -> dict[str, AtMost]:
        """``2 |noise| = gap`` and a little more: from ``tan = 1`` the worst step goes up; and a larger ``epsilon``."""
        root, delta = mp.sqrt(mp.mpf(1) / 2), mp.mpf(1) / 2
        after = oracle.worst_step(root, root, mp.mpf(1) / 2, mp.mpf(13) / 50, mp.mpf(13) / 50)
        epsilon = mp.mpf("1.001") * exact_largest_epsilon(delta, 2)
        profile = exact_gaussian.profile(epsilon, epsilon / mp.sqrt(2 * mp.log(2)))
        return {
            "2 |noise| is below the gap": AtMost(after, mp.mpf(1), part="tangent of any round"),
            "epsilon is at most the largest one": AtMost(profile, delta, part="privacy of the rounds"),
        }

    def as_printed(self, rounds: int) -> AtMost:
        """Smallest sine after the rounds, with probability one half, of ``c diag(1, 1/2)`` as ``c`` grows, against 0.

        The tangent of a random start is 1 or more with probability one half; the noise, and the printed error, are
        negligible against ``c``.
        """
        return AtMost(1 / mp.sqrt(1 + mp.mpf(4) ** rounds), mp.mpf(0), part="printed form")

    def hypotheses(self, rounds: int) -> dict[str, AtMost]:
        """``A = c diag(1, 1/2)``: ``d = 2``, ``k = p = 1``, ``gamma = 1/2``; any multiple of the order is meant."""
        return {"L is at least the order of log d / gamma": AtMost(2 * mp.log(2), mp.mpf(rounds))}

    def counterexample(self) -> Any:
        """The printed number with the constant 8: ``8 log(2) / gamma``, ``gamma = 1/2``."""
        return (12,)

    certificate = (
        "A = c diag(1, 1/2), p = 1, 12 rounds: with probability one half the sine of the angle tends to at least this"
        " positive number as c grows, while the printed error, noise of a fixed size divided by c / 2, tends to 0",
        ["div", "1", ["sqrt", str(1 + 4**12)]],
        "0",
    )
