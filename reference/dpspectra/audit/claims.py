"""Privacy claims that an audit can test: each is a family of curves ``delta(epsilon)``, and one of them is claimed.

A claim implies ``(epsilon, delta)``-privacy at every point of its curve. `points` picks some of them; a bet may use
any, and wealth is averaged over bets, so a family needs no correction for how many were tried.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from dpspectra.fast import gaussian_profile, renyi
from dpspectra.ground import checks

TAILS = (0.5, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
"""Probabilities under the favoured data set of the events that points of a smooth curve are meant for."""
SMALL = (0.0, 0.5, 1.0, 2.0, 4.0)
"""Further epsilons of a smooth curve, in nats, as far as they are smaller: for events that are nearly certain."""

ORDERS = np.geomspace(0.1, 8, 24)
"""Orders of Renyi divergence that are tested of a concentrated claim, less 1, in units of ``1 / sqrt(rho)``."""

MOMENTS = (1.25, 2.0, 4.0, 8.0)
"""Orders of Renyi divergence whose moments are bet against of a concentrated claim."""

Points = tuple[tuple[float, float], ...]


class CurveClaim(ABC):
    """A privacy claim, as far as an audit needs to know it.

    ``parameter`` names the number that indexes the family, ``value`` is the one that is claimed: outputs that the claim
    makes likely enough are so for every larger value too. ``monotone`` says that the wealth of every bet falls when the
    parameter grows (see the note on inversion): its certified lower bound is then found by bisection, else on a grid.
    """

    parameter: ClassVar[str]
    monotone: ClassVar[bool] = True

    @property
    def value(self) -> float:
        """The number that is claimed."""
        return float(getattr(self, self.parameter))

    @abstractmethod
    def points(self, value: float) -> Points:
        """Return pairs ``(epsilon, delta)`` implied at a value of the parameter; their number does not depend on it.

        Parameters
        ----------
        value
            Value of the parameter.

        Returns
        -------
        Points
            All pairs, epsilon in nats.

        """

    def moments(self, value: float) -> Points:
        """Return orders of Renyi divergence that the claim bounds, and logs of the moments (DPS-RENYIBET).

        Parameters
        ----------
        value
            Value of the parameter.

        Returns
        -------
        Points
            Pairs of an order ``alpha`` and the largest ``(alpha - 1) D_alpha``; none unless the claim is of these.

        """
        return ()

    @property
    def orders(self) -> tuple[float, ...]:
        """Orders of the `moments`."""
        return tuple(order for order, _ in self.moments(self.value))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, read by `claim_from`.

        Returns
        -------
        dict
            The kind of claim and its numbers.

        """
        return {"kind": type(self).__name__, **asdict(self)}  # type: ignore[call-overload]


@dataclass(frozen=True)
class PureDP(CurveClaim):
    """Claim pure differential privacy: ``P(E) <= e^epsilon Q(E)``.

    Parameters
    ----------
    epsilon
        Largest privacy loss (nats), at least 0.

    Raises
    ------
    ValueError
        If ``epsilon`` is negative or not finite.

    """

    epsilon: float
    parameter: ClassVar[str] = "epsilon"

    def __post_init__(self) -> None:
        checks.non_negative(self.epsilon, "epsilon")

    def __str__(self) -> str:
        return f"{self.epsilon:.6g}-DP"

    def points(self, value: float) -> Points:
        """Return the one point."""
        return ((value, 0.0),)


@dataclass(frozen=True)
class ApproxDP(CurveClaim):
    """Claim approximate differential privacy: ``P(E) <= e^epsilon Q(E) + delta``.

    Parameters
    ----------
    epsilon
        Privacy parameter (nats), at least 0.
    delta
        Addend of the bound, strictly between 0 and 1.

    Raises
    ------
    ValueError
        If a number is out of its range; for ``delta = 0`` use `PureDP`.

    """

    epsilon: float
    delta: float
    parameter: ClassVar[str] = "epsilon"
    monotone: ClassVar[bool] = False

    def __post_init__(self) -> None:
        checks.non_negative(self.epsilon, "epsilon")
        checks.probability(self.delta, "delta")

    def __str__(self) -> str:
        return f"({self.epsilon:.6g}, {self.delta:.6g})-DP"

    def points(self, value: float) -> Points:
        """Return the one point."""
        return ((value, self.delta),)


@dataclass(frozen=True)
class GDP(CurveClaim):
    """Claim Gaussian privacy: outputs are as hard to tell apart as ``N(0, 1)`` and ``N(mu, 1)``.

    The audit tests the Gaussian profile at many values of epsilon.

    Parameters
    ----------
    mu
        Distance of the means in standard deviations, above 0.

    Raises
    ------
    ValueError
        If ``mu`` is not between 2**-60 and 2**20.

    """

    mu: float
    parameter: ClassVar[str] = "mu"

    def __post_init__(self) -> None:
        checks.amount(self.mu, "mu")

    def __str__(self) -> str:
        return f"{self.mu:.6g}-GDP"

    def points(self, value: float) -> Points:
        """Return points at the likelihood ratios `TAILS` of the claimed normal pair, and at the smaller `SMALL`."""
        epsilons = _with_small(self.mu * (self.mu / 2 - ndtri(TAILS)))
        return _pairs(epsilons, gaussian_profile.profile(epsilons, value))


@dataclass(frozen=True)
class Renyi(CurveClaim):
    """Claim that the Renyi divergence is at most ``epsilon`` in both orders of the data sets.

    The audit bets on likelihood ratios, which show a divergence as large as the draws can show it (DPS-RENYIBET), and
    on events, against the smallest curve of approximate privacy that the claim implies (DPS-RENYICURVE).

    Parameters
    ----------
    alpha
        Order of the divergence, above 1.
    epsilon
        Largest divergence (nats), at least 0.

    Raises
    ------
    ValueError
        If a number is out of its range.

    """

    alpha: float
    epsilon: float
    parameter: ClassVar[str] = "epsilon"

    def __post_init__(self) -> None:
        checks.non_negative(self.epsilon, "epsilon")
        if checks.positive(self.alpha, "alpha") <= 1:
            raise ValueError(f"alpha must be an order above 1, got {self.alpha}")
        if not 2.0**-20 <= self.alpha - 1 < 2.0**20:
            raise ValueError(f"alpha must be between 1 + 2**-20 and 2**20, got {self.alpha}")

    def __str__(self) -> str:
        return f"({self.alpha:.6g}, {self.epsilon:.6g})-Renyi DP"

    def points(self, value: float) -> Points:
        """Return points whose ``delta`` is a half, a third, ... by the claim, and the smaller ones of `SMALL`."""
        return _renyi_points(self, value)

    def moments(self, value: float) -> Points:
        """Return the one order."""
        return ((self.alpha, (self.alpha - 1) * value),)


@dataclass(frozen=True)
class ZCDP(CurveClaim):
    """Claim zero-concentrated privacy: the Renyi divergence of each order ``alpha > 1`` is at most ``alpha rho``.

    The audit tests the divergences of the orders `MOMENTS`, and what those of others imply of approximate privacy, as
    for `Renyi`. So a refuted mechanism exceeds the divergence of an order, and one that is not refuted may still exceed
    some.

    Parameters
    ----------
    rho
        Largest divergence by order (nats), above 0. Gaussian noise of ``mu`` has ``mu**2 / 2``.

    Raises
    ------
    ValueError
        If ``rho`` is not between 2**-60 and 2**20.

    """

    rho: float
    parameter: ClassVar[str] = "rho"

    def __post_init__(self) -> None:
        checks.amount(self.rho, "rho")

    def __str__(self) -> str:
        return f"{self.rho:.6g}-zCDP"

    def points(self, value: float) -> Points:
        """Return points at the likelihood ratios `TAILS` of the Gaussian pair with this ``rho``, and `SMALL` ones."""
        return _concentrated_points(self.rho, value)

    def moments(self, value: float) -> Points:
        """Return some orders."""
        return tuple((order, (order - 1) * order * value) for order in MOMENTS)


@dataclass(frozen=True)
class Profile(CurveClaim):
    """Claim approximate privacy at each point of a table; `Profile.of` tabulates a function.

    Parameters
    ----------
    curve
        Points ``(epsilon, delta)``, epsilon in nats; at least one.
    excess
        Number that is added to every ``delta``, from 0 to below 1; 0 for the claim itself.

    Raises
    ------
    ValueError
        If there are no points, or if a number is out of its range.

    """

    curve: tuple[tuple[float, float], ...]
    excess: float = 0.0
    parameter: ClassVar[str] = "excess"

    def __post_init__(self) -> None:
        if not isinstance(self.curve, (tuple, list)) or not all(map(_is_pair, self.curve)):
            raise ValueError(f"curve must be pairs (epsilon, delta), got {checks.shown(self.curve)}")
        if not self.curve:
            raise ValueError("curve must have a point, got none")
        object.__setattr__(self, "curve", tuple(map(tuple, self.curve)))  # as keys of what is computed once
        for epsilon, delta in self.curve:
            checks.non_negative(epsilon, "epsilon")
            checks.probability(delta, "delta", zero=True)
        checks.probability(self.excess, "excess", zero=True)

    def __str__(self) -> str:
        return f"a privacy profile of {len(self.curve)} points"

    @classmethod
    def of(cls, function: Callable[[float], float], epsilons: Any) -> Profile:
        """Tabulate ``delta = function(epsilon)``.

        Parameters
        ----------
        function
            The curve.
        epsilons
            Numbers in nats.

        Returns
        -------
        Profile
            The claim of all these points.

        """
        return cls(tuple((float(e), float(function(float(e)))) for e in epsilons))

    def points(self, value: float) -> Points:
        """Return the table with every ``delta`` raised by ``value``."""
        return tuple((epsilon, min(1.0, delta + value)) for epsilon, delta in self.curve)


def _is_pair(point: Any) -> bool:
    return isinstance(point, (tuple, list)) and len(point) == 2


@dataclass(frozen=True)
class Closeness(CurveClaim):
    """Claim that two laws are close: ``P(E) <= Q(E) + distance``, which is what `conforms` tests.

    Parameters
    ----------
    distance
        Largest total variation distance, from 0 to below 1.

    Raises
    ------
    ValueError
        If ``distance`` is no probability below 1.

    """

    distance: float
    parameter: ClassVar[str] = "distance"

    def __post_init__(self) -> None:
        checks.probability(self.distance, "tv_tolerance", zero=True)

    def __str__(self) -> str:
        return f"total variation at most {self.distance:.6g}"

    def points(self, value: float) -> Points:
        """Return the one point, at ``epsilon = 0``."""
        return ((0.0, value),)


@functools.lru_cache(maxsize=256)
def _renyi_points(claim: Renyi, value: float) -> Points:
    """Milliseconds to compute, and looked up after every block of draws."""
    if value == claim.epsilon:
        epsilons = _with_small(renyi.level(TAILS, claim.alpha, claim.epsilon))
    else:
        epsilons = np.array(claim.points(claim.epsilon))[:, 0]
    return _pairs(epsilons, renyi.curve(epsilons, claim.alpha, value))


@functools.lru_cache(maxsize=256)
def _concentrated_points(rho: float, value: float) -> Points:
    """Smallest ``delta`` implied by the orders at which it is smallest for Gaussian noise, at fixed epsilons."""
    mu = np.sqrt(2 * rho)
    epsilons = _with_small(mu * (mu / 2 - ndtri(TAILS)))
    orders = 1 + ORDERS / np.sqrt(rho)
    tails = [renyi.profile(epsilons, float(alpha), float(alpha * value)) for alpha in orders]
    body = renyi.curve(epsilons, float(orders[0]), float(orders[0] * value))  # tighter where delta is large, and slower
    return _pairs(epsilons, np.minimum(np.min(tails, axis=0), body))


def _with_small(tails: NDArray[np.float64]) -> NDArray[np.float64]:
    """Epsilons of a curve, each once: those for tails, then the smaller ones of `SMALL`. The claim alone fixes them."""
    tails = np.maximum(0.0, tails)
    return np.array(list(dict.fromkeys([*tails.tolist(), *(e for e in SMALL if e <= max(tails))])))


def _pairs(epsilons: NDArray[np.float64], deltas: NDArray[np.float64]) -> Points:
    return tuple(zip(epsilons.tolist(), deltas.tolist(), strict=True))
