"""Composition: the claim that several releases of one data set make together."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from dpspectra.accounting.limits import Limit
from dpspectra.certified import composition
from dpspectra.fast.gaussian_profile import epsilon_for
from dpspectra.ground import checks
from dpspectra.mechanisms.claims import CERTIFIED, IDEAL, UNIT, Claim
from dpspectra.mechanisms.privacy_unit import Unit
from dpspectra.mechanisms.release import Release

METHODS = ("best", "basic", "optimal", "gaussian", "pld")
TOGETHER = "all outputs are of one data set, with the same rows in the same units"
FIXED = "no epsilon, delta or number of outputs was chosen by what was released before"
LIBRARY = "dp_accounting composes privacy loss distributions without an error"
LABEL, GAUSSIAN = "DPS-COMPOSE", "HR-T2.6R"


class Way(NamedTuple):
    """An epsilon of all outputs together, and what it rests on besides the claims."""

    epsilon: float
    labels: tuple[str, ...]
    assumptions: tuple[str, ...] = ()


def compose(claims: Iterable[Claim | Release[Any]], *, delta: float | None = None, method: str = "best") -> Claim:
    """Return the claim that ``claims`` make together: of outputs of one data set, each with noise of its own.

    Every mechanism may be chosen by what was released before. The neighbours are those of every claim: the smallest
    norm bound, the smallest change, and all that some claim says of its domain.

    Parameters
    ----------
    claims
        Claims, or the releases that carry them.
    delta
        Probability at which the composed claim quotes its ``epsilon`` (nats); by default the sum of the deltas.
    method
        How claims add up:

        ============  ==========================================================================================
        ``basic``     epsilons and deltas add up; they may be chosen by what was released before
        ``optimal``   the smallest epsilon that all mechanisms with these epsilons and deltas share (Kairouz, Oh and
                      Viswanath), for unequal ones from slightly above
        ``gaussian``  squares of ``gdp_mu`` add up, which all claims must have; it is exact, and numbers may be chosen
                      by what was released before, as long as the sum of squares is not
        ``pld``       numerical composition by ``dp_accounting`` (extra ``accounting``)
        ``best``      the smallest epsilon of the first three, also with the Gaussian claims among others taken together
        ============  ==========================================================================================

        All but ``pld`` round upward, so that certified claims compose to a certified one.

    Returns
    -------
    Claim
        The claim about all outputs together. It has a ``rho`` where some claim states one and one follows from each.

    Raises
    ------
    ValueError
        For no claims, different relations or ``people``, sums that overflow, and a ``delta`` that is too small.

    Examples
    --------
    >>> hundred = [Claim("replace", 0.1)] * 100
    >>> sums, best = compose(hundred, method="basic"), compose(hundred, delta=1e-6)
    >>> round(sums.epsilon, 3), round(best.epsilon, 3), best.labels
    (10.0, 4.775, ('DPS-COMPOSE',))

    """
    parts = _parts(claims)
    found, delta = added_up(parts, delta, method)
    certified = method != "pld" and all(part.arithmetic == CERTIFIED for part in parts)
    unit = functools.reduce(Unit.meet, dict.fromkeys(part.unit for part in parts))
    return Claim(
        epsilon=found.epsilon,
        delta=delta,
        gdp_mu=composition.together(mus) if (mus := _mus(parts)) else None,
        assumptions=_united(*(part.assumptions for part in parts), (TOGETHER,), found.assumptions),
        labels=_united(*(part.labels for part in parts), found.labels),
        arithmetic=CERTIFIED if certified else IDEAL,
        public=_united(*(part.public for part in parts)),
        rho=_rho(parts),
        **{name: getattr(unit, name) for name in UNIT},
    )


def added_up(parts: Sequence[Claim], delta: float | None, method: str) -> tuple[Way, float]:
    """Return the smallest epsilon of claims together and the delta that goes with it, as `compose` finds them."""
    checks.choice(method, "method", METHODS)
    if delta is None:
        delta = composition.total(part.delta for part in parts)
        if delta >= 1:
            raise ValueError(f"the deltas of claims must add up to less than 1 unless delta is given, got {delta:g}")
    delta = checks.probability(delta, "delta", zero=True)
    ways = list(_ways(parts, delta, method))
    if not ways:
        raise ValueError(_refusal(parts, delta, method))
    return min(ways, key=lambda way: way.epsilon), delta


def _parts(claims: Iterable[Claim | Release[Any]]) -> list[Claim]:
    if isinstance(claims, (Claim, Release)) or not isinstance(claims, Iterable):
        raise ValueError(f"claims must be a sequence of claims or releases, got {checks.shown(type(claims).__name__)}")
    parts = [each.claim if isinstance(each, Release) else each for each in claims]
    if not parts:
        raise ValueError("claims must hold one claim at least, got none")
    for place, part in enumerate(parts):
        if not isinstance(part, Claim):
            raise ValueError(f"claims must hold claims and releases, got {type(part).__name__} at {place}")
    return parts


def _mus(parts: Sequence[Claim]) -> list[float]:
    """Those of all claims, or none."""
    mus = [part.gdp_mu for part in parts if part.gdp_mu is not None]
    return mus if len(mus) == len(parts) else []


def _rho(parts: Sequence[Claim]) -> float | None:
    """Return the sum of what follows from each claim, where some claim states it and it does so from all."""
    if not any(part.rho for part in parts):
        return None
    limit = Limit("rho", None, 1.0)
    try:
        return composition.total(limit.cost(replace(part, used_mu=None)) for part in parts)
    except ValueError:
        return None


def _ways(parts: Sequence[Claim], delta: float, method: str) -> Iterator[Way]:
    if method == "pld":
        yield Way(_numerically(parts, delta), (LABEL,), (FIXED, LIBRARY))
        return
    gaussian = [part for part in parts if part.gdp_mu is not None]
    others = [part for part in parts if part.gdp_mu is None]
    pairs = [(part.epsilon, part.delta) for part in parts]
    if method in ("best", "basic"):
        yield from _basic(pairs, delta)
    if method in ("best", "gaussian") and not others and delta > 0:
        yield Way(_gaussian(gaussian, delta), (LABEL, GAUSSIAN))
    if method in ("best", "optimal"):
        yield from _optimal(pairs, delta)
    if method == "best" and gaussian and others:
        yield from _mixed(gaussian, [(part.epsilon, part.delta) for part in others], delta)


def _basic(pairs: Sequence[tuple[float, float]], delta: float, labels: tuple[str, ...] = (LABEL,)) -> Iterator[Way]:
    epsilons, deltas = zip(*pairs, strict=True)
    if composition.total(deltas) <= delta:
        yield Way(composition.total(epsilons), labels)


def _optimal(pairs: Sequence[tuple[float, float]], delta: float, labels: tuple[str, ...] = (LABEL,)) -> Iterator[Way]:
    epsilons, deltas = zip(*pairs, strict=True)
    epsilon = composition.optimal(epsilons, deltas, delta)
    if math.isfinite(epsilon):
        yield Way(epsilon, labels, (FIXED,))


def _gaussian(parts: Sequence[Claim], delta: float) -> float:
    mu = composition.together(_mus(parts))
    return composition.gaussian(mu, delta, epsilon_for(delta, mu))


def _mixed(gaussian: Sequence[Claim], others: Sequence[tuple[float, float]], delta: float) -> Iterator[Way]:
    """Yield the Gaussian claims as one, with all of what the deltas of the others leave, or with half of it."""
    spare = (delta - composition.total([d for _, d in others])) * (1 - 2.0**-40)
    if spare <= 0:
        return
    labels = (LABEL, GAUSSIAN)
    for way in _basic([(_gaussian(gaussian, spare), spare), *others], delta, labels):
        yield way._replace(assumptions=(FIXED,))
    yield from _optimal([(_gaussian(gaussian, spare / 2), spare / 2), *others], delta, labels)


def _numerically(parts: Sequence[Claim], delta: float) -> float:
    from dpspectra.audit.adapters import pld_of
    from dpspectra.audit.claims import GDP, ApproxDP, PureDP

    counted: dict[tuple[float, float, float | None], int] = {}
    for part in parts:
        key = (0.0, 0.0, part.gdp_mu) if part.gdp_mu else (part.epsilon, part.delta, None)
        counted[key] = counted.get(key, 0) + 1
    composed = None
    for (epsilon, failure, mu), times in counted.items():
        claim = GDP(mu) if mu else ApproxDP(epsilon, failure) if failure else PureDP(epsilon)
        repeated = pld_of(claim).self_compose(times)
        composed = repeated if composed is None else composed.compose(repeated)
    epsilon = float(composed.get_epsilon_for_delta(delta)) if composed is not None else math.inf
    if not math.isfinite(epsilon):
        least = composition.revealed([part.delta for part in parts if part.gdp_mu is None])
        raise ValueError(f"delta must be above {least:g} for method 'pld', got {delta:g}")
    return epsilon


def _refusal(parts: Sequence[Claim], delta: float, method: str) -> str:
    without = sum(part.gdp_mu is None for part in parts)
    if method == "gaussian" and without:
        return f"claims must all have a gdp_mu for method 'gaussian', got {without} without"
    deltas = [part.delta for part in parts if part.gdp_mu is None or method in ("basic", "optimal")]
    least = composition.total(deltas) if method == "basic" else composition.revealed(deltas)
    if delta > least:
        return f"epsilons must be smaller or fewer for method {method!r} in floats, got sums for which 'basic' is left"
    word = "above" if len(deltas) < len(parts) else "at least"
    return f"delta must be {word} {least:g} for these claims, got {delta:g}"


def _united(*texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for some in texts for text in some))
