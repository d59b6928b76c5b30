"""A loss that is asked for in rho, mu or Renyi divergences: the epsilon for it, and whether a claim keeps to it."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

from dpspectra.accounting.limits import Limit, Privacy
from dpspectra.accounting.measures import LABEL, convert, curve_of
from dpspectra.commands.offers import AUTO
from dpspectra.commands.options import ReleaseRequest
from dpspectra.mechanisms.catalogue import OFFERED
from dpspectra.mechanisms.claims import Claim

GAUSSIAN = "gaussian_covariance"


def in_epsilon(request: ReleaseRequest) -> ReleaseRequest:
    """Return the request with an epsilon: the largest at which what is asked for in its place follows."""
    if request.epsilon is not None:
        return request
    renyi = None if request.renyi is None else dict(request.renyi)
    delta, name = request.delta or 0.0, request.mechanism
    epsilon = convert("epsilon", rho=request.rho, mu=request.mu, renyi=renyi, delta=delta, largest=True)
    if name == AUTO and request.delta:
        name = GAUSSIAN if request.k is None else "private_pca"
    return replace(request, epsilon=epsilon, mechanism=name)


def by_gaussian_noise(request: ReleaseRequest) -> dict[str, Any]:
    """Return the option by which a mechanism that chooses its noise takes the one that keeps to the loss at a delta."""
    chooses = "mechanism" in inspect.signature(OFFERED[request.mechanism].function()).parameters
    return {"mechanism": GAUSSIAN} if chooses and request.delta and _limits(request) else {}


def require_kept(request: ReleaseRequest, claim: Claim) -> None:
    """Raise ``ValueError`` for a claim from which the loss that was asked for does not follow."""
    for limit in _limits(request):
        if limit.cost(claim) > limit.whole:
            raise ValueError(f"--{limit.measure} must follow from the claim, got one of {_cost(request, claim)}")


def stated(request: ReleaseRequest, claim: Claim) -> Claim:
    """Return the claim with the rho that follows from it, where that was asked for."""
    if request.rho is None:
        return claim
    return replace(claim, rho=_cost(request, claim).rho, labels=tuple(dict.fromkeys((*claim.labels, LABEL))))


def told(request: ReleaseRequest, claim: Claim) -> str:
    """Say what a claim costs in the measure that was asked for, if not in epsilon."""
    return f", {_cost(request, claim)}" if _limits(request) else ""


def _limits(request: ReleaseRequest) -> list[Limit]:
    if request.renyi is not None:
        return [Limit("renyi", *point) for point in curve_of(dict(request.renyi))]
    return [Limit(name, None, amount) for name in ("rho", "mu") if (amount := getattr(request, name)) is not None]


def _cost(request: ReleaseRequest, claim: Claim) -> Privacy:
    limits = _limits(request)
    return Privacy.of(limits[0].measure, {limit.order: limit.amount_of(limit.cost(claim)) for limit in limits})
