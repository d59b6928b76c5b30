"""The audit: fixed samples in stages, exact binomial limits, and a confidence that survives stopping early.

Stage ``r`` draws as many outputs as all stages before it. Those choose events; the new ones, which the choice has not
seen, are counted. Clopper-Pearson limits on both sides of each event make its loss bound wrong with a stated risk, the
events of a stage share the risk of the stage, and stage ``r`` is given ``1 / (r (r + 1))`` of the whole, which sums to
1: with probability ``confidence`` no bound of any stage is wrong, so the audit may stop when it likes.

A batch that raises does not say which of its draws would have. The stage is then drawn again one by one, and what is
counted is either the batch or its replacement, each of which misleads with the stated risk: mechanisms called in
batches are given half of it. A stage that runs out of time is not counted, since slow draws may be special ones.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpspectra.audit import bounds
from dpspectra.audit.draws import Sampler
from dpspectra.audit.events import Event, select
from dpspectra.audit.features import FAILURE, IMPOSSIBLE, Table
from dpspectra.audit.observe import Observer, OutOfTimeError, joined
from dpspectra.audit.result import AuditResult
from dpspectra.audit.support import Support
from dpspectra.fast import checks

FIRST = 128
"""Draws on each data set before anything is tested."""
TESTED = 4
"""Events tested in a stage."""
PROMPT = 0.8
"""Share of the remaining time for which a stage is planned."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The best bound so far, and the event behind it."""

    bound: float
    witness: str
    counts: tuple[int, int, int] | None = None
    certificate: dict[str, Any] | None = None


def audit(
    mechanism: Callable[..., Any],
    pair: tuple[Any, Any],
    epsilon: float,
    delta: float = 0.0,
    *,
    confidence: float = 0.999,
    budget: int = 100_000,
    seconds: float = 60.0,
    log_ratio: Callable[[Any], float] | None = None,
    support: Callable[[Any, Any], Any] | None = None,
    snap: int | None = 30,
    rng: Any = 0,
) -> AuditResult:
    """Try to refute that ``mechanism`` is ``(epsilon, delta)``-private on ``pair``, from samples, in both orders.

    ``mechanism(data)`` is any callable whose output is a number, an array, or a tuple of those (or an object whose
    ``value`` is). If its signature has ``size`` (or ``n``, ``num_samples``, ``n_samples``) it is asked for many draws
    at once along a leading axis; ``rng`` is given a numpy Generator, ``random_state`` or ``seed`` an integer. Otherwise
    it is called once a draw with its own randomness, and the result is not ``seeded``. Exceptions, values that are not
    finite and other shapes are outcomes like any other; only ``NotImplementedError`` passes through. Draws must be
    independent and the mechanism must not change its input.

    ``pair`` is the two neighbouring data sets; statistics that know matrices need Hermitian ``(d, d)`` or rows
    ``(n, d)``. ``epsilon`` is in nats. At most ``budget`` draws are made on each data set, and no stage is begun that
    would not fit into ``seconds``; a call of the mechanism is never interrupted.

    ``log_ratio(output)`` is one more statistic, ideally the log of the ratio of the two densities. ``support(output,
    data)`` declares which outputs are possible: falsy if ``output`` is possible on ``data``, else ``True`` or a
    certificate (a dictionary). For ``delta = 0`` one impossible output decides. Statistics see outputs rounded to
    ``2**-snap`` of their scale, so that artefacts of floating point are not mistaken for those of the mechanism;
    ``snap=None`` shows all bits. ``support`` always sees outputs as they came.

    Returns an `AuditResult`; a sound mechanism is called violated with probability at most ``1 - confidence``. The same
    ``rng`` (a seed, a Generator or ``None``) gives the same result where the mechanism is seeded and time does not run
    out. Raises ``ValueError`` for bad input before any draw.
    """
    start = time.perf_counter()
    sampler, first, second = _checked(mechanism, pair)
    checks.non_negative(epsilon, "epsilon")
    checks.probability(delta, "delta", zero=True)
    checks.probability(confidence, "confidence")
    checks.integer(budget, "budget", 2)
    checks.positive(seconds, "seconds")
    if snap is not None:
        checks.integer(snap, "snap", 1, 52)
    for name, function in (("log_ratio", log_ratio), ("support", support)):
        if function is not None and not callable(function):
            raise ValueError(f"{name} must be callable or None, got {function!r}")
    seeds = np.random.SeedSequence(int(checks.generator(rng).integers(2**63)))

    declared = None if support is None else Support(support, (first, second))
    observer = Observer(sampler, (first, second), snap, log_ratio, declared)
    risk = (1 - confidence) / (2 if sampler.batched else 1)
    deadline = start + seconds
    past = observer.opening(min(FIRST, budget // 2), seeds.spawn(1)[0], (start + seconds / 4, start + seconds / 2))
    used = min(len(table[FAILURE]) for table in past)
    best = max(_NOTHING, _ruled_out(declared, past, delta, 0.0), key=_bound)
    history, stage, stopped = [(used, max(0.0, best.bound))], 0, "budget"
    while best.bound <= epsilon:
        pace = used / (time.perf_counter() - start)
        count = min(used, budget - used)
        affordable = int(PROMPT * pace * (deadline - time.perf_counter()))
        if count < 1 or affordable < min(count, 1 + used // 4):
            stopped = "budget" if count < 1 else "time"
            break
        count, stage = min(count, affordable), stage + 1
        events = select(past, epsilon, delta, TESTED)
        share = risk / (stage * (stage + 1)) / (TESTED + (declared is not None))
        try:
            fresh = observer.stage(count, seeds.spawn(1)[0], deadline)
        except OutOfTimeError:
            stopped = "time"
            best = max(best, _ruled_out(declared, past, delta, 0.0), key=_bound)
            break
        found = [_tested(event, fresh, delta, share) for event in events]
        best = max(best, *found, _ruled_out(declared, fresh, delta, share), key=_bound)
        past, used = (joined((past[0], fresh[0])), joined((past[1], fresh[1]))), used + count
        history.append((used, max(0.0, best.bound)))
    failures = sum(int(np.sum(table[FAILURE])) for table in past)
    if failures == sum(len(table[FAILURE]) for table in past):
        best = Finding(best.bound, f"every draw failed, the last with {sampler.problem}")
    return AuditResult(
        violated=best.bound > epsilon,
        epsilon=float(epsilon),
        delta=float(delta),
        confidence=float(confidence),
        epsilon_lower=max(0.0, best.bound),
        witness=best.witness,
        counts=best.counts,
        draws=used,
        stopped="refuted" if best.bound > epsilon else stopped,
        seeded=sampler.seed_name is not None,
        failures=failures,
        history=tuple(history),
        certificate=best.certificate,
        seconds=time.perf_counter() - start,
    )


_NOTHING = Finding(-math.inf, "no event stood out")


def _bound(finding: Finding) -> float:
    return finding.bound


def _tested(event: Event, fresh: tuple[Table, Table], delta: float, risk: float) -> Finding:
    """Count one event on draws that had no part in choosing it."""
    hits, draws = [event.hits(table) for table in fresh], [len(table[FAILURE]) for table in fresh]
    one, other = event.favoured, 1 - event.favoured
    bound = bounds.loss((hits[one], hits[other]), (draws[one], draws[other]), delta, risk)
    return Finding(bound, str(event), (hits[0], hits[1], draws[0]))


def _ruled_out(declared: Support | None, tables: tuple[Table, Table], delta: float, risk: float) -> Finding:
    """Infinite loss, if outputs that the other data set rules out are certainly more frequent than ``delta``."""
    for side, certificate in declared.found.items() if declared is not None else ():
        hits, draws = int(np.sum(tables[side][IMPOSSIBLE])), len(tables[side][FAILURE])
        if delta == 0 or bounds.at_least(hits, draws, risk / 2) > delta:
            names = ("first", "second")
            much = "an output" if delta == 0 else f"{hits} of {draws} fresh outputs"
            witness = f"{much} on the {names[side]} data set cannot occur on the {names[1 - side]}"
            return Finding(math.inf, witness, certificate=certificate)
    return _NOTHING


def _checked(mechanism: Callable[..., Any], pair: Any) -> tuple[Sampler, Any, Any]:
    if not callable(mechanism):
        raise ValueError(f"mechanism must be callable, got {mechanism!r}")
    try:
        first, second = pair
    except (TypeError, ValueError):
        raise ValueError(f"pair must hold two data sets, got {pair!r}") from None
    sampler = Sampler(mechanism)
    for data in (first, second):
        sampler.check_call(data)
    return sampler, first, second
