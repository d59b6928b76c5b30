"""How to reach each goal: expected errors by formulas of free probability, guaranteed ones by statements."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from dpspectra.advice import costs
from dpspectra.advice.case import Advice, Case
from dpspectra.certified.entropy import SystemEntropy
from dpspectra.fast.gaussian_profile import mu_for
from dpspectra.fast.leading import FEW, WIDE
from dpspectra.fast.noisy_spectra import lost_by_noise, lost_on_orbit, low_rank_excess
from dpspectra.fast.power_loss import lost_by_power_method
from dpspectra.fast.spectral_noise import SpectralNoise
from dpspectra.formulas.spectrum_release import radius
from dpspectra.formulas.spectrum_release import scale as noise_scale
from dpspectra.ground.array_types import Floats
from dpspectra.mechanisms.catalogue import get
from dpspectra.mechanisms.choice import ORBIT, PAIRS
from dpspectra.mechanisms.claims import CONFIDENCE
from dpspectra.mechanisms.covariance import SUMS
from dpspectra.mechanisms.orbit_law import EXACT
from dpspectra.mechanisms.power_rounds import basis
from dpspectra.relations import Relation

DENSE, ROUNDS = 20_000, 40
"""Dimension up to which a noisy matrix is advised for a subspace, and rounds among which the best number is sought."""
LOST_SHARE = "share of the variance of the k leading directions that is lost"


def _bracket(errors: list[float]) -> tuple[float, float] | None:
    return (min(errors), max(errors)) if len(errors) > 1 else None


def _pca(case: Case, guesses: list[Floats]) -> list[Advice]:
    found, d, n = [], case.d, case.n
    few = costs.FEW if d >= WIDE and case.k + 1 <= FEW * d else costs.ALL
    options = {"k": case.k, "center": case.center, "relation": str(case.relation), **case.rows}
    error = LOST_SHARE + (", of differences of length 1" if case.center == PAIRS else "")
    for name, (noise, spectrum, claim) in case.noises().items():
        losses = [lost_by_noise(values, case.k, spectrum) / float(np.sum(values[: case.k])) for values in guesses]
        angles = min(case.k, case.d - case.k)
        bound = math.sqrt(2 * angles) * noise.leading(2 * angles, noise.scale / case.n)[0]
        found.append(
            Advice(
                "private_pca",
                case.call(name, **options),
                claim,
                error,
                losses[0],
                bound / float(np.sum(guesses[0][: case.k])),
                _bracket(losses),
                _strength(guesses[0], case.k, spectrum),
                *costs.of_noise(name, d, n, cubes=few, paired=case.center == PAIRS),
                f"leading eigenvectors of second moments with noise of spectral norm {spectrum.edge:.2g}",
            )
        )
    if case.center == PAIRS:
        return found
    kappa = case.epsilon * case.n / case.square / (2 if case.relation == "replace" else 1)
    losses = [lost_on_orbit(values, case.k, kappa) / float(np.sum(values[: case.k])) for values in guesses]
    claim = case.claim("private_pca", get("private_orbit").labels, (*SUMS, *EXACT))
    reason = "a projector from the exponential mechanism, whose error falls as 1/n only"
    strength = float(guesses[0][case.k - 1]) * kappa / case.d
    arguments = {name: value for name, value in case.call(ORBIT, **options).items() if name != "delta"}
    errors = LOST_SHARE, losses[0], None, _bracket(losses)
    return [
        *found,
        Advice("private_pca", arguments, claim, *errors, strength, *costs.of_matrix(d, n, 70, costs.ORBIT), reason),
    ]


def _subspace(case: Case, guesses: list[Floats]) -> list[Advice]:
    return [power(case, guesses), *(_pca(case, guesses) if case.d <= DENSE else [])]


def power(case: Case, guesses: list[Floats]) -> Advice:
    """Return the power method, with the number of rounds with the smallest loss for the first guess."""
    replaced = case.relation == "replace"  # the change then has two eigenvalues, of either sign
    relation = Relation.SPECTRAL if replaced else Relation.RANK_ONE
    square = float(case.k if replaced else 1)
    mu = mu_for(case.epsilon, case.delta) if case.delta else None
    one = math.sqrt(square) / mu if mu else math.sqrt(2 * square * case.d * case.k) / case.epsilon
    scaled = [values * case.n / case.square for values in guesses]

    def loss(values: Floats, rounds: int) -> float:
        noise = one * (math.sqrt(rounds) if mu else rounds)
        return lost_by_power_method(values, case.k, noise, rounds) / float(np.sum(values[: case.k]))

    rounds = min(range(1, ROUNDS + 1), key=lambda number: loss(scaled[0], number))
    losses = [loss(values, rounds) for values in scaled]
    threshold = one * (math.sqrt(rounds) if mu else rounds) * math.sqrt(case.d)
    plan = get("private_power_method").planned(epsilon=case.epsilon, delta=case.delta, relation=relation)
    claim = replace(plan, **basis(SystemEntropy(), relation, False, None, plan), gdp_mu=mu)
    return Advice(
        "private_power_method",
        case.call(k=case.k, width=case.k, iterations=rounds, relation=str(relation)),
        claim,
        LOST_SHARE,
        losses[0],
        None,
        _bracket(losses),
        float(scaled[0][case.k - 1]) / threshold,
        *costs.of_products(case.d, case.n, case.k, rounds),
        f"products with X'X / norm_bound^2 and noise of norm {threshold:.2g}; no matrix of size d x d is needed, "
        "nor in PrivateTruncatedSVD, which takes rows",
    )


def _strength(values: Floats, k: int, noise: SpectralNoise) -> float:
    return float(values[k - 1]) / noise.threshold


def _covariance(case: Case, guesses: list[Floats]) -> list[Advice]:
    found = []
    for name, (noise, spectrum, claim) in case.noises().items():
        found.append(
            Advice(
                name,
                {**case.pure(), **({"delta": case.delta} if claim.delta else {})},
                claim,
                "Frobenius error of second moments",
                math.sqrt(spectrum.mean_square),
                noise.frobenius(noise.scale / case.n).bound,
                None,
                _strength(guesses[0], case.k, spectrum),
                *costs.of_noise(name, case.d, case.n),
                'the least added noise has the smallest error; denoise="shrink" makes it smaller, without a guarantee',
            )
        )
    return found


def _low_rank(case: Case, guesses: list[Floats]) -> list[Advice]:
    found = []
    for name, (noise, spectrum, claim) in case.noises().items():
        errors = [math.sqrt(low_rank_excess(values, case.k, spectrum)) for values in guesses]
        found.append(
            Advice(
                "private_low_rank",
                case.call(name, k=case.k, relation=str(case.relation), **case.rows),
                claim,
                "root of the squared Frobenius error beyond that of the best rank k",
                errors[0],
                2 * noise.leading(2 * case.k, noise.scale / case.n)[0],
                _bracket(errors),
                _strength(guesses[0], case.k, spectrum),
                *costs.of_noise(name, case.d, case.n, 4, costs.ALL),
                "the best approximation of the shrunk noisy matrix; the guarantee is that of denoise=None",
            )
        )
    return found


def _spectrum(case: Case, guesses: list[Floats]) -> list[Advice]:
    scale = case.square / case.n * float(noise_scale(case.k, case.epsilon, case.relation))
    mean = scale * sum(1 / j for j in range(1, case.k + 1))  # of the largest of k exponential numbers
    bound = case.square / case.n * float(radius(case.k, case.epsilon, 1 - CONFIDENCE, case.relation))
    claim = case.claim("private_spectrum", get("private_spectrum").labels, (*SUMS, "DPS-RESIDUAL"))
    arguments, strength = {**case.pure(), "k": case.k, "relation": str(case.relation)}, guesses[0][case.k - 1] / scale
    label, reason = "largest error of an eigenvalue", "Laplace noise on each eigenvalue does not grow with d"
    cost = costs.of_matrix(case.d, case.n, 24, costs.VALUES)
    return [Advice("private_spectrum", arguments, claim, label, mean, bound, None, strength, *cost, reason)]


WAYS = {"pca": _pca, "covariance": _covariance, "low_rank": _low_rank, "spectrum": _spectrum, "subspace": _subspace}
"""How to reach each goal."""
GOALS = tuple(WAYS)
