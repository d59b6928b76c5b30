"""One more private product turns the subspace into a low-rank matrix near ``A``, with an error of the noise's size.

``B = Y X'`` with ``Y = A X + G`` has ``A - B = A (I - X X') - G X'``. The two terms act on orthogonal parts of a
vector, so the squares of the subspace's error and of ``|G|`` add up (in the published form, the errors themselves). The
last product is a release like the others: noise for ``L`` rounds is too small for ``L + 1``. The hypotheses of the
convergence theorem are needed, with its noise bounds for ``L + 1`` blocks.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg, power
from dpspectra.formulas import power_flow
from dpspectra.formulas.noise_norms import gaussian_matrix
from dpspectra.ledger import AtMost, Parts, Relation, Verdict, statement
from dpspectra.lemmas.perturbation import nearly_top_subspace
from dpspectra.lemmas.power import many_steps
from dpspectra.lemmas.power.noisy_power_method import exact_largest_epsilon
from dpspectra.lemmas.power.private_convergence import (
    ENTRY,
    accuracy,
    exact_largest_entry,
    exact_privacy,
    exact_radii,
    largest_entry,
    privacy,
    radii,
)
from dpspectra.lemmas.power.private_runs import (
    ROUNDS,
    TURNED,
    Run,
    exact_run,
    exact_stationary,
    fast_run,
    runs,
    stationary,
    steady,
    worst_runs,
)
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import gaussian_profile as exact_gaussian
from dpspectra.oracle import linalg as exact
from dpspectra.oracle import power as oracle
from dpspectra.oracle.alignment import orthonormal as exactly_orthonormal
from dpspectra.strategies import deltas, dyadics, st
from dpspectra.strategies.power import NoisyStart, doubled, following, noisy_starts

RELEASES = ROUNDS + 1
"""Number of noisy products: the rounds and the last product."""
ERROR = r"\|A-B\|^2\le\sigma_{k+1}^2+\sin^2\bar\theta\,(\sigma_1^2-\sigma_{k+1}^2)+\nu_{L+1}^2"
AFTER = (
    r"\big\lceil\tfrac1\gamma F(\tan\theta_0)\big\rceil\le L,\ \bar\theta=\arctan\tfrac{5\nu}{\mathrm{gap}}:\ " + ERROR
)
WITHIN = r"\theta_0\le\bar\theta=\tfrac12\arcsin\tfrac{2\nu}{\mathrm{gap}}:\ " + ERROR
PRIVACY = r"\varepsilon\le\varepsilon^*:\ \delta_G\big(\varepsilon,\tfrac1\sigma\sqrt{p(L+1)}\big)\le\delta"
SETTING = (
    r"B=(AX_L+G_{L+1})X_L^\top,\ 5\|U^\top G_l\|\le\mathrm{gap}\cos\theta_0,\ 10\nu<\mathrm{gap},\ "
    r"\sigma=\tfrac1\varepsilon\sqrt{4p(L+1)\log\tfrac1\delta},\ "
    r"\delta_G\big(\varepsilon^*,\varepsilon^*/\sqrt{4\log\tfrac1\delta}\big)=\delta"
)
SHAPES = [(2, 1, 1), (3, 1, 1), (4, 2, 2), (3, 2, 2), (2, 1, 2), (3, 1, 3)]
"""Dimension ``d``, target rank ``k``, width ``p``.

With ``k < p < d`` the columns beyond the target are determined by noise alone, and float64 cannot follow them.
"""


def cases() -> st.SearchStrategy[Any]:
    """A run, and the probability that the noise exceeds its bounds."""
    return st.tuples(runs(SHAPES), dyadics(2.0**-6, 0.5))


def _privacies() -> st.SearchStrategy[Any]:
    """Share of the largest ``epsilon``, and ``delta``."""
    return st.tuples(dyadics(2.0**-6, 1), deltas(2.0**-30))


def bound(top: Any, following: Any, accuracy: Any, noise: Any) -> Any:
    """Largest ``|A - B|`` for a subspace within tangent ``accuracy`` and last noise of norm ``noise``."""
    sine = accuracy / np.hypot(1.0, accuracy)
    return np.hypot(nearly_top_subspace.bound(top, following, sine), noise)


def error_of(run: Run) -> tuple[AtMost, ...]:
    """``|A - B|`` after a run and one more product, against the bounds whose hypotheses hold."""
    x, noise, last = run.iterates[-1], max(run.levels) * run.whole, run.final
    error = linalg.spectral_norm(run.matrix - (run.matrix @ x + last * run.last) @ x.T)
    top, first = float(np.max(np.abs(run.values))), run.tangents[0]
    outcomes, reached, fixed = [], accuracy(noise, run.gap), stationary(noise, run.gap)
    if power_flow.iterations(first, reached, run.ratio) <= ROUNDS:
        limit = bound(top, run.ratio, reached, last * run.whole)
        outcomes.append(AtMost(error, limit, part="error after the rounds"))
    if first <= fixed:
        limit = bound(top, run.ratio, fixed, last * run.whole)
        outcomes.append(AtMost(error, limit, part="error within the stationary angle"))
    return tuple(outcomes)


def exact_error_of(run: Run) -> tuple[AtMost, ...]:
    """`error_of` in mpmath, by squares."""
    x, noise, last = run.iterates[-1], max(run.levels) * run.whole, run.final
    error = exact.spectral_norm(run.matrix - (run.matrix * x + last * run.last) * x.T)
    top, first = oracle.modulus(run.values, 1), run.tangents[0]

    def limit(tangent: Any) -> Any:
        sine = mp.sin(mp.atan(tangent))
        return mp.sqrt(run.ratio**2 * (1 - sine**2) + sine**2 * top**2 + (last * run.whole) ** 2)

    outcomes, reached, fixed = [], 5 * noise / run.gap, exact_stationary(noise, run.gap)
    if many_steps.exact_iterations(first, reached, run.ratio) <= ROUNDS:
        outcomes.append(AtMost(error, limit(reached), part="error after the rounds"))
    if first <= fixed:
        outcomes.append(AtMost(error, limit(fixed), part="error within the stationary angle"))
    return tuple(outcomes)


def constant(_iterates: list[Any]) -> int:
    """Scale 1 of the noise in every round."""
    return 1


def longest_column(iterates: list[Any]) -> Any:
    """`constant` in mpmath: no column of a product moves further, if the matrix changes by spectral norm 1."""
    return max(mp.norm(iterates[-1][:, j]) for j in range(iterates[-1].cols))


def _largest(k: int) -> float:
    """Norm that the noise of all releases exceeds with probability at most one half, in ``2 k`` dimensions."""
    return float(gaussian_matrix(0.5, 2 * k, k, RELEASES))


@statement
class PrivateLowRankEntryLevel:
    labels = ("HP-C4.3",)
    given = r"\|G_l\|\le\nu_l=\sigma\rho\|X_{l-1}\|_{\max},\ \nu=\max_{l\le L}\nu_l,\ " + SETTING
    claim = {
        "error after the rounds": AFTER,
        "error within the stationary angle": WITHIN,
        "error of any subspace": (
            r"\|A-(AX+G)X^\top\|^2\le\sigma_{k+1}^2+\sin^2\theta_k(U,X)\,(\sigma_1^2-\sigma_{k+1}^2)+\|G\|^2"
        ),
        "shift by an entry": r"\sum_{l=0}^L\tfrac{\|EX_l\|_F^2}{\|X_l\|_{\max}^2}\le p(L+1)",
        "privacy of the rounds": PRIVACY,
    }
    printed = (
        r"Not at hand; read as: there is an $`(\varepsilon,\delta)`$-DP algorithm with an output $`B`$ of "
        r"rank $`2k`$ and $`\lVert A-B\rVert\le\sigma_{k+1}+\tilde "
        r"O\big(\frac{\sigma_1}{\sigma_k}\cdot\frac{\sqrt{k/\gamma^3}\sqrt{d\log(1/\delta)}}\varepsilon"
        r"\big)`$."
    )
    where = {"E": "change of one entry of $`A`$ by 1"}
    verdict = Verdict.PROOF_GAP
    relation = (Relation.ENTRY, Relation.PAIR)
    uses = ("HP-T1.3", "HP-E3")
    note = "power.md#private-low-rank-approximation"
    digits = 30
    examples = 8

    def cases(self) -> Any:
        return st.tuples(cases(), noisy_starts(1), _privacies())

    def fast(self, case: Any, start: Any, private: Any) -> Parts:
        """The error after a run, and for any subspace and noise; the shifts by an entry, and the privacy they cost."""
        (drawn, eta), (share, delta) = case, private
        run = fast_run(drawn, radii(eta, RELEASES), largest_entry)
        if run is None:
            return
        frame, values, k, basis, (noise,) = start
        a, x = (frame * values) @ frame.T, orthonormal(basis)
        top, closeness = float(np.max(np.abs(values))), power.angle(frame[:, :k], x)[1]
        residual = nearly_top_subspace.bound(top, following(values, k), min(closeness, 1.0))
        lost = linalg.spectral_norm(a - (a @ x + noise) @ x.T)
        limit = np.hypot(residual, linalg.spectral_norm(noise))
        (width,) = {x.shape[1] for x in run.iterates}
        shifts = sum(np.sum(y**2, axis=1) / np.max(np.abs(y)) ** 2 for y in run.iterates)
        yield from error_of(run)
        yield AtMost(lost, limit, part="error of any subspace")
        for shift in shifts:
            yield AtMost(float(shift), float(RELEASES * width), part="shift by an entry")
        yield privacy(share, delta, RELEASES, width, 4, ENTRY)

    def oracle(self, case: Any, start: Any, private: Any) -> Parts:
        (drawn, eta), (share, delta) = case, private
        run = exact_run(drawn, exact_radii(eta, RELEASES), exact_largest_entry)
        if run is None:
            return
        frame, values, k, basis, (noise,) = start
        a = exact.exact(frame) * mp.diag(values.tolist()) * exact.exact(frame).T
        x, noise = exactly_orthonormal(exact.exact(basis)), exact.exact(noise)
        top, closeness = oracle.modulus(values, 1), oracle.angle(exact.exact(frame[:, :k]), x)[1]
        square = oracle.modulus(values, k + 1) ** 2 * (1 - closeness**2) + closeness**2 * top**2
        lost = exact.spectral_norm(a - (a * x + noise) * x.T)
        limit = mp.sqrt(square + exact.spectral_norm(noise) ** 2)
        rows, (width,) = range(run.matrix.rows), {x.cols for x in run.iterates}
        shifts = [mp.fsum((mp.norm(y[i, :]) / max(map(abs, y))) ** 2 for y in run.iterates) for i in rows]
        yield from exact_error_of(run)
        yield AtMost(lost, limit, part="error of any subspace")
        for shift in shifts:
            yield AtMost(shift, mp.mpf(RELEASES * width), part="shift by an entry")
        yield exact_privacy(share, delta, RELEASES, width, 4, ENTRY)

    def tight(self) -> list[Any]:
        """Worst runs, in one of which the noise changes the largest entry; a subspace, and noise along its loss."""
        oblique, loss = np.array([[4.0], [3.0]]), np.array([[-3.0], [2.0]])
        start = NoisyStart(np.eye(2), np.array([1.0, 0.5]), 1, oblique, [loss])
        turned = steady(_largest(1), 0.5, -TURNED, 0.0625, np.cos(TURNED))
        worst = [(run, each) for k, each in ((1, start), (2, doubled(start))) for run in worst_runs(_largest(k), k)]
        return [((run, 0.5), each, (1.0, 2.0**-10)) for run, each in [(turned, start), *worst]]

    def beyond(self) -> dict[str, AtMost]:
        """Noise for one round in two releases, at the largest ``epsilon``, for ``delta = 1/2``."""
        epsilon = exact_largest_epsilon(0.5, 4)
        profile = exact_gaussian.profile(epsilon, epsilon / mp.sqrt(2 * mp.log(2)))
        return {"noise for one more round": AtMost(profile, mp.mpf(1) / 2, part="privacy of the rounds")}


@statement
class PrivateLowRankSpectral:
    labels = ("HP-C4.6",)
    given = r"\|G_l\|\le\nu_l=\nu=\sigma\rho,\ " + SETTING
    claim = {
        "error after the rounds": AFTER,
        "privacy of the rounds": PRIVACY,
        "error within the stationary angle": WITHIN,
    }
    printed = "Not at hand; read as: the bound of Corollary 4.3 under unit spectral norm changes."
    verdict = Verdict.PROOF_GAP
    relation = (Relation.SPECTRAL,)
    uses = ("HP-T1.3", "HP-L4.5", "HP-E3", "HP-C4.3")
    note = "power.md#private-low-rank-approximation-under-spectral-changes"
    digits = 30
    examples = 15

    def cases(self) -> Any:
        return st.tuples(cases(), _privacies())

    def fast(self, case: Any, private: Any) -> Parts:
        (drawn, eta), (share, delta) = case, private
        run = fast_run(drawn, radii(eta, RELEASES), constant)
        if run is None:
            return
        (width,) = {x.shape[1] for x in run.iterates}
        yield from error_of(run)
        yield privacy(share, delta, RELEASES, width, 4, ENTRY)

    def oracle(self, case: Any, private: Any) -> Parts:
        (drawn, eta), (share, delta) = case, private
        run = exact_run(drawn, exact_radii(eta, RELEASES), longest_column)
        if run is None:
            return
        (width,) = {x.cols for x in run.iterates}
        yield from exact_error_of(run)
        yield exact_privacy(share, delta, RELEASES, width, 4, ENTRY)

    def tight(self) -> list[Any]:
        """Worst runs for the ranks 1 and 2."""
        return [((run, 0.5), (1.0, 2.0**-10)) for k in (1, 2) for run in worst_runs(_largest(k), k)]

    beyond = PrivateLowRankEntryLevel.beyond
