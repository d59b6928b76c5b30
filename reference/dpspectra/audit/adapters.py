"""Other libraries' mechanisms and claims, and other languages' programs, in the forms that `audit` reads; and back.

A mechanism becomes a callable of the data set whose signature says how it is seeded; a claim becomes a `CurveClaim`.
No library is imported before it is needed.
"""

from __future__ import annotations

import copy
import inspect
import math
import shlex
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from dpspectra.audit.calling.command import Command, CommandMechanism
from dpspectra.audit.calling.program import text_of
from dpspectra.audit.claims import GDP, ApproxDP, CurveClaim, Profile, PureDP
from dpspectra.ground import checks, extras
from dpspectra.mechanisms.claims import Claim
from dpspectra.relations import Relation

DELTAS = tuple(10 ** (-quarters / 4) for quarters in range(1, 25))
"""Levels at which a curve that is given as a function is tabulated, besides ``epsilon = 0``."""
PURPOSE = "privacy loss distributions"
"""Use of dp-accounting, for the message if it is missing."""

Mechanism = Callable[..., Any]


def from_estimator(model: Any, attributes: str | Sequence[str]) -> Mechanism:
    """Return the fitting of a scikit-learn estimator as a mechanism; diffprivlib's models are such.

    Parameters
    ----------
    model
        The estimator, not fitted. It is copied for every draw, and seeded where it has a ``random_state``.
    attributes
        Name or names of what it reveals.

    Returns
    -------
    Callable
        Takes ``X``, or a tuple ``(X, y)``; returns one array, or a tuple if several names are given.

    Raises
    ------
    ValueError
        For a model without ``fit``.

    """
    if not callable(getattr(model, "fit", None)):
        raise ValueError(f"model must have a method fit, got {type(model).__name__}")

    def fitted(data: Any, **settings: Any) -> Any:
        copied = copy.deepcopy(model).set_params(**settings)
        copied.fit(*(data if isinstance(data, tuple) else (data,)))
        if isinstance(attributes, str):
            return getattr(copied, attributes)
        return tuple(np.asarray(getattr(copied, name)) for name in attributes)

    if "random_state" not in model.get_params():
        return lambda data: fitted(data)
    return lambda data, *, random_state: fitted(data, random_state=random_state)


def from_diffprivlib(mechanism: Any) -> Mechanism:
    """Return a mechanism of diffprivlib, such as ``Laplace(epsilon=1.0, sensitivity=1.0)``, that randomises one number.

    Parameters
    ----------
    mechanism
        The mechanism. It is made anew for every batch, with a seed.

    Returns
    -------
    Callable
        What `audit` takes as a mechanism.

    Raises
    ------
    ValueError
        For a mechanism without ``randomise``.

    """
    if not callable(getattr(mechanism, "randomise", None)):
        raise ValueError(f"mechanism must have a method randomise, got {type(mechanism).__name__}")
    kind = type(mechanism)
    settings = {name: getattr(mechanism, name) for name in inspect.signature(kind).parameters if name != "random_state"}

    def randomised(value: Any, *, size: int, random_state: int) -> Any:
        seeded = kind(**settings, random_state=random_state)
        return np.array([seeded.randomise(value) for _ in range(size)])

    return randomised


def from_opendp(measurement: Any) -> Mechanism:
    """Wrap an OpenDP measurement, which draws its own randomness: its audit cannot be repeated. Arrays become lists.

    Parameters
    ----------
    measurement
        The measurement.

    Returns
    -------
    Callable
        What `audit` takes as a mechanism.

    Raises
    ------
    ValueError
        For anything else.

    """
    if not callable(measurement) or not hasattr(measurement, "map"):
        raise ValueError(f"measurement must be an OpenDP measurement, got {type(measurement).__name__}")
    return lambda data: measurement(data.tolist() if isinstance(data, (np.ndarray, np.generic)) else data)


@overload
def from_command(command: str | Sequence[str], pair: None = None, *, timeout: float = 10.0) -> Command: ...
@overload
def from_command(command: str | Sequence[str], pair: tuple[Any, Any], *, timeout: float = 10.0) -> CommandMechanism: ...
def from_command(
    command: str | Sequence[str], pair: tuple[Any, Any] | None = None, *, timeout: float = 10.0
) -> Command | CommandMechanism:
    """Return a program in any language that speaks the line protocol (its page: protocol).

    Without a ``pair`` it is started on the data sets of the audit (of `conforms`: the one input). Failed calls, its
    death and its silence are outcomes, after which it is started again. It ends with the object, or by
    `CommandMechanism.close`. Joblib workers start one program each, which ends with the worker. Needs POSIX pipes.

    Parameters
    ----------
    command
        The program with its arguments; a text is split as a shell would, and run without one.
    pair
        Two data sets, which must be what JSON can say (arrays become lists): the program is started on them at once.
    timeout
        Seconds for every answer.

    Returns
    -------
    Command or CommandMechanism
        The program, as `audit` takes mechanisms; with a ``pair`` it can be ended by ``with``.

    Raises
    ------
    ValueError
        For malformed arguments; `ProtocolError`, which is one too, if the program cannot be run or does not greet as it
        should. The same error ends an audit if an answer breaks the protocol.

    """
    try:
        words = tuple(shlex.split(command) if isinstance(command, str) else map(str, command))
    except ValueError as problem:
        found = f"{checks.shown(command)} with {str(problem).lower()}"
        raise ValueError(f"command must be words as a shell reads them, got {found}: quote it anew") from None
    if not words:
        raise ValueError("command must name a program, got nothing")
    untold = Command(words, checks.positive(timeout, "timeout"))
    if pair is None:
        return untold
    try:
        first, second = pair
    except (TypeError, ValueError):
        raise ValueError(f"pair must hold two data sets, got {type(pair).__name__}") from None
    if text_of(first) == text_of(second):
        raise ValueError("pair must hold two different data sets, got the same one twice")
    return untold.on_pair(first, second)


def claim_of_opendp(measurement: Any, d_in: Any) -> CurveClaim:
    """Return the claim of an OpenDP measurement for data sets at distance at most ``d_in``.

    Parameters
    ----------
    measurement
        The measurement.
    d_in
        Distance of neighbouring data sets.

    Returns
    -------
    CurveClaim
        Pure and approximate privacy as such; a curve, and what concentrated privacy implies by OpenDP, as a table.

    Raises
    ------
    ValueError
        For other measures.

    """
    measure = str(measurement.output_measure)
    if measure == "MaxDivergence":
        return PureDP(float(measurement.map(d_in)))
    if measure == "Approximate(MaxDivergence)":
        epsilon, delta = measurement.map(d_in)
        return ApproxDP(float(epsilon), float(delta)) if delta > 0 else PureDP(float(epsilon))
    if measure == "ZeroConcentratedDivergence":
        measurement = extras.load("opendp.combinators", "opendp", "claims of OpenDP").make_zCDP_to_approxDP(measurement)
    elif measure != "SmoothedMaxDivergence":
        raise ValueError(f"measurement must have a measure that implies (epsilon, delta)-privacy, got {measure}")
    curve = measurement.map(d_in)
    return _table(curve.delta, curve.epsilon)


def claim_of_pld(pld: Any) -> Profile:
    """Return the privacy curve of a privacy loss distribution of ``dp_accounting``.

    Parameters
    ----------
    pld
        A privacy loss distribution of ``dp_accounting``.

    Returns
    -------
    Profile
        The table, at `DELTAS` and where the curve ends.

    """
    return _table(pld.get_delta_for_epsilon, pld.get_epsilon_for_delta, (*DELTAS, 0.0))


def _table(delta: Callable[[float], Any], epsilon: Callable[[float], Any], deltas: Sequence[float] = DELTAS) -> Profile:
    epsilons = {0.0, *(max(0.0, float(epsilon(level))) for level in deltas)}
    return Profile.of(lambda e: min(1.0 - 2.0**-53, max(0.0, float(delta(e)))), sorted(filter(math.isfinite, epsilons)))


def pld_of(claim: CurveClaim, interval: float = 1e-4) -> Any:
    """Return the privacy loss distribution of the worst mechanism that a claim allows.

    Exact for pure and approximate privacy, Gaussian noise for `GDP`; other claims are taken at the points of their
    curve, moved up to multiples of ``interval`` (nats): what is allowed between two points follows from convexity in
    ``e^epsilon``, and below 0 from the symmetry of neighbours.

    Parameters
    ----------
    claim
        What `audit` takes as a claim.
    interval
        Grid of losses, in nats.

    Returns
    -------
    PrivacyLossDistribution
        A privacy loss distribution of ``dp_accounting``, ready to compose.

    Raises
    ------
    ValueError
        For an interval that is not positive, and for the claim of a release.

    """
    way_out = ": of a release's claim take event_of, or GDP(claim.gdp_mu)"
    checks.instance(claim, "claim", CurveClaim, way_out)
    checks.positive(interval, "interval")
    distributions = extras.load("dp_accounting.pld.privacy_loss_distribution", "accounting", PURPOSE)
    if isinstance(claim, GDP):
        return distributions.from_gaussian_mechanism(1 / claim.mu, value_discretization_interval=interval)
    steps, deltas = _envelope([(math.ceil(e / interval), d) for e, d in claim.points(claim.value)], interval)
    masses = extras.load("dp_accounting.pld.pld_pmf", "accounting", PURPOSE)
    return distributions.PrivacyLossDistribution(
        masses.create_pmf_pessimistic_connect_dots(interval, np.array(steps), np.array(deltas))
    )


def event_of(claim: Claim) -> Any:
    """Return the claim of a release as an event of ``dp_accounting``.

    A Gaussian private claim is ``GaussianDpEvent(1 / gdp_mu)``; a pure one is randomised response of two answers with
    this epsilon, whose loss is the largest that it allows. Give both to an ``RdpAccountant`` of the neighbouring
    relation ``REPLACE_ONE``, whatever the relation of the claim: all its events must have the same. A
    ``PLDAccountant`` of that relation takes Gaussian noise for half as much, as its sensitivity is of a row that comes
    or goes; `pld_of` has the losses for numerical composition, such as of ``GDP(claim.gdp_mu)``.

    Parameters
    ----------
    claim
        The claim of a release.

    Returns
    -------
    DpEvent
        The event.

    Raises
    ------
    ValueError
        For a claim with a delta and without a ``gdp_mu``.

    """
    checks.instance(claim, "claim", Claim)
    if claim.delta and claim.gdp_mu is None:
        raise ValueError(f"claim must be pure or have a gdp_mu to be an event, got delta = {claim.delta:g}; see pld_of")
    events = extras.load("dp_accounting", "accounting", "events of dp-accounting")
    if claim.gdp_mu is not None:
        return events.GaussianDpEvent(1 / claim.gdp_mu)
    return events.RandomizedResponseDpEvent(2 / (1 + math.exp(claim.epsilon)), 2)


METRICS = {Relation.REPLACE: "change_one_distance", Relation.ADD_REMOVE: "symmetric_distance"}
"""Metrics of OpenDP in which neighbours have distance 1."""


def to_opendp(mechanism: Callable[[Any], Any], claim: Claim) -> Any:
    """Wrap a mechanism of rows as a user-defined OpenDP measurement, which releases its values under its claim.

    OpenDP must have been told ``enable_features("contrib", "honest-but-curious")``. Neighbours are of distance 1 where
    one row is replaced, appears or goes; for more rows the epsilon of a pure claim is multiplied, and other claims are
    refused. Rows must be finite, and within the norm bound of the claim if it has one.

    Parameters
    ----------
    mechanism
        Takes rows and returns a `Release`.
    claim
        What it is to claim, that of an earlier call, say.

    Returns
    -------
    Measurement
        The measurement. It refuses an invocation whose release claims a larger loss.

    Raises
    ------
    ValueError
        For claims of other relations.

    """
    checks.instance(claim, "claim", Claim)
    if claim.relation not in METRICS:
        raise ValueError(f"claim must be of relation {' or '.join(METRICS)}, got {claim.relation}")
    opendp = extras.load("opendp.prelude", "opendp", "measurements of OpenDP")

    def member(rows: Any) -> bool:
        try:
            checks.real_rows(rows) if claim.norm_bound is None else checks.rows(rows, claim.norm_bound)
        except ValueError:
            return False
        return True

    def released(rows: Any) -> Any:
        release = mechanism(rows)
        found = release.claim
        if found.epsilon > claim.epsilon or found.delta > claim.delta or not found.unit.covers(claim.unit):
            raise ValueError(f"mechanism must claim at most epsilon {claim.epsilon:g} of these neighbours, got more")
        return release.value

    def loss(distance: int) -> Any:
        if not claim.delta:
            return distance * claim.epsilon
        if distance > 1:
            raise ValueError(f"the distance must be at most 1 for a claim with a delta, got {distance}")
        return claim.epsilon, claim.delta

    pure = opendp.max_divergence()
    measure = opendp.approximate(pure) if claim.delta else pure
    metric = getattr(opendp, METRICS[claim.relation])()
    return opendp.m.make_user_measurement(opendp.user_domain("rows", member), metric, measure, released, loss)


def _envelope(points: Sequence[tuple[int, float]], interval: float) -> tuple[list[int], list[float]]:
    """Corners of the largest curve, convex in ``e^epsilon``, through or below the points and their mirror images.

    Neighbours are symmetric, so that a curve ``delta`` has ``delta(-e) = 1 - exp(-e) (1 - delta(e))``.
    """
    mirrored = [(-step, 1 - math.exp(-step * interval) * (1 - delta)) for step, delta in points]
    corners: list[tuple[float, float, int | None]] = [(0.0, 1.0, None)]
    for step, delta in sorted({*points, *mirrored}):
        x = math.exp(step * interval)
        if delta >= corners[-1][1] and corners[-1][2] is not None:
            continue  # a smaller epsilon already has a smaller delta
        while len(corners) > 1 and _above(corners[-2], corners[-1], (x, delta)):
            corners.pop()
        corners.append((x, delta, step))
    kept = [(step, delta) for _, delta, step in corners if step is not None]
    return [step for step, _ in kept], [delta for _, delta in kept]


def _above(left: Sequence[Any], middle: Sequence[Any], right: Sequence[Any]) -> bool:
    """Whether the middle point lies on or above the chord of its neighbours."""
    rise = (right[1] - left[1]) * (middle[0] - left[0])
    return bool((middle[1] - left[1]) * (right[0] - left[0]) >= rise)
