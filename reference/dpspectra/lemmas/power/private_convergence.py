"""The private power method reaches the tangent ``5 |noise| / gap``, and is private for moderate ``epsilon``.

The noise of a round is normal with a standard deviation fixed before that round, so bounds on Gaussian norms hold for
all rounds at once, and the corollary for random starts gives the rest. With iterates of largest entry ``m`` the
standard deviation is at most ``sigma m``; with a schedule of fixed scales ``m`` may be replaced by a bound in terms of
the coherence of the eigenvectors. The published theorems claim privacy for every ``epsilon``, although the products are
not private for large ``epsilon``, and ``O(log d / gamma)`` rounds, which are too few if the noise is small.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp
from scipy.special import ndtr

from dpspectra.fast import gaussian, power
from dpspectra.ledger import AtMost, Statement, Verdict, inequality
from dpspectra.lemmas.concentration import projected_gaussian
from dpspectra.lemmas.power import many_steps, random_start
from dpspectra.lemmas.power.private_runs import ROUNDS, Run, converged, exact_run, fast_run, runs
from dpspectra.oracle import gaussian as exact_gaussian
from dpspectra.oracle import power as oracle
from dpspectra.relations import Relation
from dpspectra.strategies import deltas, dyadics, epsilons
from dpspectra.strategies.lazy import st

LARGEST = 2 * float(np.log(2))
"""Largest ``epsilon`` for which the printed noise is private for every ``delta``."""
MARGIN = 2.0**-20
"""Largest excess of an entry over its bound that is attributed to rounding."""


class Case(NamedTuple):
    """A drawn run, the failure probability of the noise bounds, the entry bound ``B``, ``epsilon`` and ``delta``."""

    run: Any
    eta: float
    entry: float
    epsilon: float
    delta: float


adaptive = Statement(
    labels=("HP-T1.3",),
    claim=r"m=\max_{l<L}\|X_l\|_{\max},\ \epsilon'=\tfrac{5\sigma m}{\mathrm{gap}}\big(\sqrt d+\sqrt p+"
    r"\sqrt{2\ln(L/\eta)}\big)<\tfrac12,\ D=\sqrt p-\sqrt{k-1},\ 5\sqrt2\,\sigma m\big(\sqrt k+\sqrt p+"
    r"\sqrt{2\ln(L/\eta)}\big)\le\mathrm{gap}\tfrac D{\tau\sqrt d}:\ \tan\theta_k(U,X_l)\le\epsilon',\ "
    r"\tfrac2\gamma\ln\tfrac{\tau\sqrt d}{\epsilon'D}\le l\le L,\text{ with probability at least }"
    r"1-\big(\tfrac4\tau\big)^{p-k+1}-e^{-d/2}-2\eta;\quad(\varepsilon,\delta)\text{-DP for }\varepsilon\le2\ln2",
    verdict=Verdict.REPAIRED,
    relation=(Relation.ENTRY, Relation.PAIR),
    cases=lambda: st.tuples(runs(), dyadics(2.0**-6, 0.5), epsilons(high=LARGEST), deltas(2.0**-30)),
    uses=("HP-F3", "HP-K4.2", "HP-LA.2", "HP-T2.4", "HP-L2.5P"),
    note="power.md#utility-of-the-private-power-method",
    digits=30,
    examples=40,
)
coherent = Statement(
    labels=("HP-T1.4",),
    claim=r"\text{HP-T1.3 with noise of standard deviation at most }\sigma B\text{ and }B\text{ in place of }m:\quad"
    r"B\ge t\sqrt{\mu(A)/d}\text{ for fixed scales},\ B=2t\sqrt{\mu(A)/d}\text{ for doubling ones}",
    verdict=Verdict.REPAIRED,
    relation=(Relation.ENTRY, Relation.PAIR),
    cases=lambda: st.builds(
        Case, runs(), dyadics(2.0**-6, 0.5), st.sampled_from([1.0, 1.25]), epsilons(), deltas(2.0**-30)
    ),
    uses=("HP-T1.3", "HP-T4.9P", "HR-T2.6R"),
    note="power.md#utility-in-terms-of-coherence",
    digits=30,
    examples=40,
)


def noise_norms(level: Any, d: int, k: int, p: int, rounds: int, eta: Any) -> tuple[Any, Any]:
    """With probability at least ``1 - eta`` each: bounds on the spectral norms of all ``rounds`` Gaussian blocks.

    The entries have standard deviation ``level``. The second bound is for the parts of the blocks in ``k`` directions.
    """
    whole, inside = (projected_gaussian.radius(eta, rows, p, rounds) for rows in (d, k))
    return level * whole, level * inside


def accuracy(noise: Any, gap: Any) -> Any:
    """Tangent that is reached with noise of norm ``noise``, valid if it is below one half."""
    return many_steps.CONSTANT * noise / gap


def tolerated(tau: Any, gap: Any, k: int, p: int, d: int) -> Any:
    """Largest norm of the noise inside the target."""
    return gap / (many_steps.CONSTANT * np.sqrt(2) * random_start.radius(tau, k, p, d))


def iterations(tau: float, reached: float, ratio: float, k: int, p: int, d: int) -> int:
    """Number of rounds after which the accuracy ``reached`` holds; ``ratio = sigma_{k+1} / sigma_k < 1``."""
    return many_steps.iterations(float(random_start.radius(tau, k, p, d)), reached, ratio)


def failure(tau: Any, eta: Any, k: int, p: int, d: int) -> Any:
    """Bound on the probability that the hypotheses hold and the conclusion does not."""
    return random_start.bound(tau, k, p, d) + 2 * eta


def exact_steps(radius: Any, reached: Any, ratio: Any) -> int:
    """`iterations` in mpmath, from the tangent of the start."""
    return max(0, int(mp.ceil(2 / (1 - ratio) * mp.log(radius / reached))))


def _radii(eta: float) -> Any:
    return lambda d, k, p: noise_norms(1.0, d, k, p, ROUNDS, eta)


def exact_radii(eta: float, rounds: int) -> Any:
    """`noise_norms` in mpmath for unit standard deviation, as a function of ``d``, ``k`` and ``p``."""
    level = mp.sqrt(2 * mp.log(rounds / mp.mpf(eta)))
    return lambda d, k, p: (mp.sqrt(d) + mp.sqrt(p) + level, mp.sqrt(k) + mp.sqrt(p) + level)


def _reached(run: Run) -> tuple[AtMost, ...]:
    """The tangents against the accuracy; and the premise that the noise in the target is as small as tolerated."""
    (d, p), k, gap = run.iterates[0].shape, run.k, 1 - run.ratio
    reached = accuracy(run.level * run.whole, gap)
    outcome = converged(run, reached, iterations(run.tau, reached, run.ratio, k, p, d), power.tangent)
    premise = AtMost(run.level * run.inside, tolerated(run.tau, gap, k, p, d), part="noise inside the target")
    return (outcome, premise) if outcome else ()


def _exactly_reached(run: Run) -> tuple[AtMost, ...]:
    reached = exact_accuracy(run)
    outcome = converged(run, reached, exact_steps(run.radius, reached, run.ratio), oracle.tangent)
    limit = (1 - run.ratio) / (5 * mp.sqrt(2) * run.radius)
    premise = AtMost(run.level * run.inside, limit, part="noise inside the target")
    return (outcome, premise) if outcome else ()


def exact_accuracy(run: Run) -> Any:
    """The accuracy that a run in mpmath must reach."""
    return 5 * run.level * run.whole / (1 - run.ratio)


def _privacy(epsilon: float, mu: float, delta: float) -> AtMost:
    """The exact ``delta`` of a Gaussian of sensitivity ratio ``mu`` against the stated one."""
    scale = ndtr(mu / 2 - epsilon / mu)
    return AtMost(gaussian.profile(epsilon, mu), delta, scale=scale, part="privacy of the rounds")


def _printed_privacy(epsilon: float, delta: float) -> AtMost:
    """The pair relation, where all rounds together are a Gaussian of ``mu = epsilon / sqrt(2 log(1/delta))``."""
    mu = epsilon / np.sqrt(2 * np.log(1 / delta))
    return _privacy(epsilon, mu, delta)


@adaptive.fast
def utility(run: Any, eta: float, epsilon: float, delta: float) -> tuple[AtMost, ...]:
    finished = fast_run(run, _radii(eta), lambda x: float(np.max(np.abs(x))))
    if finished is None:
        return ()
    outcomes = _reached(finished)
    return (*outcomes, _printed_privacy(epsilon, delta)) if outcomes else ()


@adaptive.oracle
def exact_utility(run: Any, eta: float, epsilon: float, delta: float) -> tuple[AtMost, ...]:
    finished = exact_run(run, exact_radii(eta, ROUNDS), lambda x: max(map(abs, x)))
    if finished is None:
        return ()
    outcomes, mu = _exactly_reached(finished), mp.mpf(epsilon) / mp.sqrt(2 * mp.log(1 / mp.mpf(delta)))
    privacy = AtMost(exact_gaussian.profile(epsilon, mu), mp.mpf(delta), part="privacy of the rounds")
    return (*outcomes, privacy) if outcomes else ()


@adaptive.as_printed
def printed_privacy(epsilon: float, delta: float, factor: int) -> AtMost:
    """All products, flat iterates: ``mu = epsilon / sqrt(factor log(1/delta))``; 4 for an entry, 2 for a pair."""
    mu = mp.mpf(epsilon) / mp.sqrt(factor * mp.log(1 / mp.mpf(delta)))
    return AtMost(exact_gaussian.profile(epsilon, mu), mp.mpf(delta), part="printed form")


@adaptive.counterexample
def one_entry() -> Any:
    return 28.0, 2.0**-10, 4


def profile_tree(epsilon: int, bits: int, factor: int) -> Any:
    """The exact ``delta`` at ``epsilon`` of ``mu = epsilon / sqrt(factor bits log 2)``."""
    root = ["sqrt", ["mul", str(factor * bits), ["log", "2"]]]
    half = ["div", f"{epsilon}/2", root]
    tail = ["mul", ["exp", str(epsilon)], ["normal_cdf", ["neg", ["add", half, root]]]]
    return ["sub", ["normal_cdf", ["sub", half, root]], tail]


@adaptive.certificate
def one_entry_certificate() -> dict[str, Any]:
    return inequality(
        "HP-T1.3",
        "an entry moves rounds with flat iterates by |X|_max sqrt(p): together mu = 28 / sqrt(4 log 2^10), and the"
        " exact delta of that Gaussian at epsilon = 28 is above 2^-10",
        profile_tree(28, 10, 4),
        "1/1024",
    )


@coherent.fast
def utility_at_fixed_scale(run: Any, eta: float, entry: float, epsilon: float, delta: float) -> tuple[AtMost, ...]:
    """A fixed ``sigma B``, calibrated exactly, is private for every ``epsilon``; an entry above ``B`` ends the run."""
    finished = fast_run(run, _radii(eta), lambda _: 1.0)
    if finished is None or max(float(np.max(np.abs(x))) for x in finished.iterates) > entry + MARGIN:
        return ()
    outcomes, mu = _reached(finished), gaussian.mu_for(epsilon, delta)
    return (*outcomes, _privacy(epsilon, mu, delta)) if outcomes else ()


@coherent.oracle
def exact_utility_at_fixed_scale(
    run: Any, eta: float, entry: float, epsilon: float, delta: float
) -> tuple[AtMost, ...]:
    finished = exact_run(run, exact_radii(eta, ROUNDS), lambda _: mp.mpf(1))
    if finished is None or max(max(map(abs, x)) for x in finished.iterates) > entry + MARGIN:
        return ()
    outcomes, mu = _exactly_reached(finished), exact_gaussian.mu_for(epsilon, mp.mpf(delta))
    privacy = AtMost(exact_gaussian.profile(epsilon, mu), mp.mpf(delta), part="privacy of the rounds")
    return (*outcomes, privacy) if outcomes else ()


coherent.as_printed(printed_privacy)


@coherent.counterexample
def one_pair() -> Any:
    return 12.0, 2.0**-20, 2


@coherent.certificate
def one_pair_certificate() -> dict[str, Any]:
    return inequality(
        "HP-T1.4",
        "a symmetric pair of entries moves rounds with flat iterates by |X|_max sqrt(2 p), even at coherence 1:"
        " mu = 12 / sqrt(2 log 2^20), and the exact delta of that Gaussian at epsilon = 12 is above 2^-20",
        profile_tree(12, 20, 2),
        "1/1048576",
    )
