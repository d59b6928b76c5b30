"""Advice by public numbers: which mechanism to use, what it guarantees, and what error to expect of it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.certified.entropy import SystemEntropy
from dpspectra.fast.gaussian import mu_for
from dpspectra.fast.noisy_spectra import lost_by_noise, lost_on_orbit, low_rank_excess
from dpspectra.fast.power_loss import lost_by_power_method
from dpspectra.fast.spectral_noise import SpectralNoise
from dpspectra.ground import checks
from dpspectra.lemmas.privacy.spectrum_release import radius
from dpspectra.mechanisms.added_noise import AddedNoise
from dpspectra.mechanisms.catalogue import NOISES, get, named_noise
from dpspectra.mechanisms.choice import ORBIT
from dpspectra.mechanisms.claims import CONFIDENCE, Claim
from dpspectra.mechanisms.covariance import SUMS
from dpspectra.mechanisms.orbit_law import EXACT
from dpspectra.mechanisms.power_rounds import basis
from dpspectra.mechanisms.randomness import promised
from dpspectra.relations import Relation, among

__all__ = ["Advice", "advise"]

GOALS = ("pca", "covariance", "low_rank", "spectrum", "subspace")
LARGEST_DIMENSION, LARGEST_SUBSPACE = 100_000, 10**8
"""Dimensions above which expected errors would take hours, or memory that few have."""
DENSE, ROUNDS = 2000, 40
"""Dimension up to which a noisy matrix is advised for a subspace, and rounds among which the best number is sought."""
LOST_SHARE = "share of the variance of the k leading directions that is lost"
Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Advice:
    """One way to a goal."""

    mechanism: str
    """Name of the function of `dpspectra`."""
    arguments: dict[str, Any]
    """What to call it with, besides the data."""
    claim: Claim
    """What it would claim."""
    error: str
    """What the numbers below measure."""
    expected_error: float
    """In the mean, by formulas that are good to some ten per cent; after the post-processing that it does."""
    guaranteed_error: float | None
    """Not exceeded with probability 0.95, whatever the data; ``None`` where nothing is proved."""
    bracket: tuple[float, float] | None
    """Expected errors for two spectra, ``k`` equal eigenvalues and ``1/j``, where no ``spectrum`` was given."""
    strength: float
    """The ``k``-th eigenvalue over the size from which on it shows in the noise; below 1 it is not found."""
    memory: float
    """Bytes, about, besides the data."""
    reason: str

    def asdict(self) -> dict[str, Any]:
        """Plain data."""
        return {**asdict(self), "claim": self.claim.asdict()}


def advise(
    goal: str,
    *,
    d: int,
    k: int | None = None,
    n: int,
    epsilon: float,
    delta: float = 0.0,
    norm_bound: float = 1.0,
    relation: str = "replace",
    spectrum: ArrayLike | None = None,
) -> tuple[Advice, ...]:
    """Ways to a goal, by expected error, the smallest first: a function of public numbers only.

    ``goal``: ``"pca"`` (``k`` leading directions of ``n`` rows of ``d`` numbers), ``"covariance"`` (their second
    moments), ``"low_rank"`` (an approximation of rank ``k``), ``"spectrum"`` (the ``k`` largest eigenvalues), or
    ``"subspace"`` (``k`` leading directions where ``d`` may be large: by the power method on ``X'X / norm_bound^2``,
    and for ``d`` up to 2000 as for ``"pca"``).
    ``spectrum`` is a *public* guess of the eigenvalues of ``X'X / n``, descending. Without one, errors are those for
    ``k`` equal eigenvalues with 60 % of the largest possible trace and the rest spread equally, ``bracket`` holds those
    for eigenvalues like ``1/j`` too, and the orbit mechanism comes last. With a ``delta``, pure mechanisms are listed
    beside the others.

    Errors are of second moments over ``n``: the share of ``lambda_1 + .. + lambda_k`` that directions lose, the
    Frobenius error of a covariance, the root of the squared Frobenius error beyond that of the best rank ``k``, the
    largest error of an eigenvalue. Expected ones are formulas of free probability (see `fast.noisy_spectra`); they are
    asymptotic, and promise nothing. Raises ``ValueError`` for bad input.

    >>> best, *others = advise("pca", d=20, k=2, n=10_000, epsilon=1.0)
    >>> best.mechanism, best.arguments["mechanism"], best.expected_error < 0.01
    ('private_pca', 'symmetric_wishart_covariance', True)
    """
    checks.choice(goal, "goal", GOALS)
    checks.integer(d, "d", 1, LARGEST_SUBSPACE if goal == "subspace" else LARGEST_DIMENSION)
    checks.integer(n, "n", 1)
    rank = checks.integer(1 if k is None and goal == "covariance" else k, "k", 1, d)
    case = Case(
        d,
        rank,
        n,
        checks.positive(epsilon, "epsilon"),
        checks.probability(delta, "delta", zero=True),
        checks.positive(norm_bound, "norm_bound"),
        among(relation, (Relation.REPLACE, Relation.ADD_REMOVE)),
    )
    found = WAYS[goal](case, _guesses(case, spectrum))
    risky = spectrum is None  # without a guess the orbit comes last: it may be behind by far, and ahead by little
    return tuple(sorted(found, key=lambda x: (risky and x.arguments.get("mechanism") == ORBIT, x.expected_error)))


@dataclass(frozen=True, slots=True)
class Case:
    """The public numbers."""

    d: int
    k: int
    n: int
    epsilon: float
    delta: float
    norm_bound: float
    relation: Relation

    @property
    def square(self) -> float:
        """The largest possible trace of second moments."""
        return self.norm_bound**2

    def noises(self) -> dict[str, tuple[AddedNoise, SpectralNoise, Claim]]:
        """Noise by the names of covariances: the law, its spectrum on second moments, and the claim."""
        found = {}
        for name, record in NOISES.items():
            if not record.law().variance(self.d, self.epsilon, self.delta) < math.inf:
                continue
            privacy, square = (self.epsilon, self.delta), Fraction(self.norm_bound) ** 2
            noise, promise = named_noise(name, self.d, privacy, square, self.relation)
            claim = self.claim("private_pca", noise.labels, SUMS, **promise)
            found[name] = noise, noise.spectral(self.d, noise.scale / self.n), claim
        return found

    def claim(self, name: str, labels: tuple[str, ...], exact: tuple[str, ...], **changes: Any) -> Claim:
        """What a mechanism claims of rows within the bound in certified arithmetic."""
        plan = get(name).planned(relation=self.relation, **self.pure())
        return promised(plan, SystemEntropy(), labels, exact, **changes)

    def pure(self) -> dict[str, Any]:
        """Arguments of a covariance without a delta."""
        return {"epsilon": self.epsilon, "norm_bound": self.norm_bound}

    def call(self, mechanism: str | None = None, **others: object) -> dict[str, Any]:
        """Arguments of a call."""
        given = {"mechanism": mechanism, "epsilon": self.epsilon, "delta": self.delta or None, **others}
        return {name: value for name, value in given.items() if value is not None}


def _guesses(case: Case, spectrum: ArrayLike | None) -> list[Vector]:
    """Eigenvalues of second moments: those given, or ``k`` equal ones, and ``1/j``."""
    if spectrum is not None:
        values = checks.spectrum(spectrum, case.d, "spectrum")
        checks.positive(float(values[0]), "the largest of spectrum")
        checks.non_negative(float(values[-1]), "the smallest of spectrum")
        return [values]
    spiked = np.full(case.d, 0.4 / case.d)
    spiked[: case.k] += 0.6 / case.k
    slow = 1 / np.arange(1, case.d + 1)
    return [case.square * spiked / np.sum(spiked), case.square * slow / np.sum(slow)]


def _bracket(errors: list[float]) -> tuple[float, float] | None:
    return (min(errors), max(errors)) if len(errors) > 1 else None


def _pca(case: Case, guesses: list[Vector]) -> list[Advice]:
    found, matrix = [], 8.0 * case.d**2
    options = {"k": case.k, "norm_bound": case.norm_bound, "relation": str(case.relation)}
    for name, (noise, spectrum, claim) in case.noises().items():
        losses = [lost_by_noise(values, case.k, spectrum) / float(np.sum(values[: case.k])) for values in guesses]
        bound = math.sqrt(2 * min(case.k, case.d - case.k)) * noise.frobenius(noise.scale / case.n).bound
        found.append(
            Advice(
                "private_pca",
                case.call(name, **options),
                claim,
                LOST_SHARE,
                losses[0],
                bound / float(np.sum(guesses[0][: case.k])),
                _bracket(losses),
                _strength(guesses[0], case.k, spectrum),
                4 * matrix,
                f"leading eigenvectors of second moments with noise of spectral norm {spectrum.edge:.2g}",
            )
        )
    kappa = case.epsilon * case.n / case.square / (2 if case.relation == "replace" else 1)
    losses = [lost_on_orbit(values, case.k, kappa) / float(np.sum(values[: case.k])) for values in guesses]
    claim = case.claim("private_pca", get("private_orbit").labels, (*SUMS, *EXACT))
    reason = "a projector from the exponential mechanism, whose error falls as 1/n only"
    strength = float(guesses[0][case.k - 1]) * kappa / case.d
    arguments = {name: value for name, value in case.call(ORBIT, **options).items() if name != "delta"}
    errors = LOST_SHARE, losses[0], None, _bracket(losses)
    return [*found, Advice("private_pca", arguments, claim, *errors, strength, 8 * matrix, reason)]


def _subspace(case: Case, guesses: list[Vector]) -> list[Advice]:
    """The power method, with the number of rounds with the smallest loss for the first guess."""
    replaced = case.relation == "replace"  # the change then has two eigenvalues, of either sign
    relation = Relation.SPECTRAL if replaced else Relation.RANK_ONE
    square = float(case.k if replaced else 1)
    mu = mu_for(case.epsilon, case.delta) if case.delta else None
    one = math.sqrt(square) / mu if mu else math.sqrt(2 * square * case.d * case.k) / case.epsilon
    scaled = [values * case.n / case.square for values in guesses]

    def loss(values: Vector, rounds: int) -> float:
        noise = one * (math.sqrt(rounds) if mu else rounds)
        return lost_by_power_method(values, case.k, noise, rounds) / float(np.sum(values[: case.k]))

    rounds = min(range(1, ROUNDS + 1), key=lambda number: loss(scaled[0], number))
    losses = [loss(values, rounds) for values in scaled]
    threshold = one * (math.sqrt(rounds) if mu else rounds) * math.sqrt(case.d)
    plan = get("private_power_method").planned(epsilon=case.epsilon, delta=case.delta, relation=relation)
    claim = replace(plan, **basis(SystemEntropy(), relation, False, None, plan), gdp_mu=mu)
    power = Advice(
        "private_power_method",
        case.call(k=case.k, width=case.k, iterations=rounds, relation=str(relation)),
        claim,
        LOST_SHARE,
        losses[0],
        None,
        _bracket(losses),
        float(scaled[0][case.k - 1]) / threshold,
        48.0 * case.d * case.k,
        f"products with X'X / norm_bound^2 and noise of norm {threshold:.2g}; no matrix of size d x d is needed",
    )
    return [power, *(_pca(case, guesses) if case.d <= DENSE else [])]


def _strength(values: Vector, k: int, noise: SpectralNoise) -> float:
    return float(values[k - 1]) / noise.threshold


def _covariance(case: Case, guesses: list[Vector]) -> list[Advice]:
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
                32.0 * case.d**2,
                'the least added noise has the smallest error; denoise="shrink" makes it smaller, without a guarantee',
            )
        )
    return found


def _low_rank(case: Case, guesses: list[Vector]) -> list[Advice]:
    found = []
    for name, (noise, spectrum, claim) in case.noises().items():
        errors = [math.sqrt(low_rank_excess(values, case.k, spectrum)) for values in guesses]
        found.append(
            Advice(
                "private_low_rank",
                case.call(name, k=case.k, relation=str(case.relation), norm_bound=case.norm_bound),
                claim,
                "root of the squared Frobenius error beyond that of the best rank k",
                errors[0],
                2 * noise.frobenius(noise.scale / case.n).bound,
                _bracket(errors),
                _strength(guesses[0], case.k, spectrum),
                40.0 * case.d**2,
                "the best approximation of the shrunk noisy matrix; the guarantee is that of denoise=None",
            )
        )
    return found


def _spectrum(case: Case, guesses: list[Vector]) -> list[Advice]:
    scale = case.square / (case.n * case.epsilon) * (2 if case.relation == "replace" else 1)
    mean = scale * sum(1 / j for j in range(1, case.k + 1))  # of the largest of k exponential numbers
    bound = case.square / case.n * float(radius(case.k, case.epsilon, 1 - CONFIDENCE, case.relation))
    claim = case.claim("private_spectrum", get("private_spectrum").labels, (*SUMS, "DPS-RESIDUAL"))
    arguments, strength = {**case.pure(), "k": case.k, "relation": str(case.relation)}, guesses[0][case.k - 1] / scale
    label, reason = "largest error of an eigenvalue", "Laplace noise on each eigenvalue does not grow with d"
    return [Advice("private_spectrum", arguments, claim, label, mean, bound, None, strength, 24.0 * case.d**2, reason)]


WAYS = {"pca": _pca, "covariance": _covariance, "low_rank": _low_rank, "spectrum": _spectrum, "subspace": _subspace}
"""How to reach each goal."""
