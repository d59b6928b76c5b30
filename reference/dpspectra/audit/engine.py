"""Audit a mechanism: the front door, where arguments are read and checked."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from typing import Any

from dpspectra import checks
from dpspectra.audit.claims import CurveClaim, claim_of
from dpspectra.audit.course import Course
from dpspectra.audit.observe import Observer, Source, two_sources
from dpspectra.audit.pool import shared_out
from dpspectra.audit.result import AuditResult
from dpspectra.audit.support import Support

Watch = Callable[[AuditResult], object]


def audit(
    mechanism: Callable[..., Any],
    pair: tuple[Any, Any],
    epsilon: float | CurveClaim,
    delta: float = 0.0,
    *,
    confidence: float = 0.999,
    budget: int = 100_000,
    seconds: float = 60.0,
    log_ratio: Callable[[Any], float] | None = None,
    statistics: Mapping[str, Callable[[Any], float]] | None = None,
    support: Callable[[Any, Any], Any] | None = None,
    classifier: Any = None,
    snap: int | None = 30,
    workers: int | None = None,
    resume: AuditResult | None = None,
    watch: Watch | None = None,
    rng: Any = 0,
) -> AuditResult:
    """Try to refute a privacy claim of ``mechanism`` on ``pair``, from samples, in both orders.

    ``mechanism(data)`` is any callable whose output is a number, an array, or a tuple of those (or an object whose
    ``value`` is). If its signature has ``size`` (or ``n``, ``num_samples``, ``n_samples``) it is asked for many draws
    at once along a leading axis; ``rng`` is given a numpy Generator, ``random_state`` or ``seed`` an integer. Otherwise
    it is called once a draw with its own randomness, and the result is not ``seeded``. Exceptions, values that are not
    finite and other shapes are outcomes like any other; only ``NotImplementedError`` passes through. Draws must be
    independent and the mechanism must not change its input.

    ``pair`` is the two neighbouring data sets; statistics that know matrices need Hermitian ``(d, d)`` or rows
    ``(n, d)``. The claim is ``(epsilon, delta)``, in nats, or any `CurveClaim` (`PureDP`, `ApproxDP`, `GDP`, `Renyi`,
    `Profile`). At most ``budget`` draws are made on each data set, and none is begun after ``seconds``; a call of the
    mechanism is never interrupted.

    ``statistics`` are functions of one output to bet on, by name, beside those of the auditor, and ``log_ratio`` is one
    more, ideally the log of the ratio of the two densities. ``support(output, data)`` declares which outputs are
    possible: falsy if ``output`` is possible on ``data``, else ``True`` or a certificate (a dictionary). For
    ``delta = 0`` one impossible output decides. ``classifier``, a scikit-learn classifier, replaces the built-in
    logistic regression on all statistics. Statistics see outputs rounded to ``2**-snap`` of their scale, so that
    artefacts of floating point are not mistaken for those of the mechanism; ``snap=None`` shows all bits. ``support``
    always sees outputs as they came.

    ``workers`` makes draws in that many joblib workers (extra ``parallel``; whatever joblib backend is configured), the
    default in this process. ``resume`` goes on from an earlier result on the same mechanism, pair and claim; its budget
    and seed are this call's. ``watch`` is called with the result so far before the first draw and after each look; what
    is resumed must be the last such result, not one that was picked for what it showed.

    Returns an `AuditResult`; a sound mechanism is called violated with probability at most ``1 - confidence``. The same
    ``rng`` (a seed, a Generator or ``None``) gives the same result with any number of workers, where the mechanism is
    seeded and time does not run out. Raises ``ValueError`` for bad input before any draw.
    """
    sources = two_sources(mechanism, pair)
    claim = claim_of(epsilon, delta)
    return contest(
        sources,
        claim,
        confidence=confidence,
        budget=budget,
        seconds=seconds,
        statistics=_statistics(log_ratio, statistics),
        support=support,
        classifier=classifier,
        snap=snap,
        workers=workers,
        resume=resume,
        watch=watch,
        rng=rng,
    )


def contest(
    sources: tuple[Source, Source],
    claim: CurveClaim,
    *,
    confidence: float,
    budget: int,
    seconds: float,
    statistics: Mapping[str, Callable[[Any], float]],
    support: Callable[[Any, Any], Any] | None,
    classifier: Any,
    snap: int | None,
    workers: int | None,
    resume: AuditResult | None,
    watch: Watch | None,
    rng: Any,
) -> AuditResult:
    """Bet against the claim that the outputs of two sources are close; arguments as in `audit`."""
    start = time.perf_counter()
    checks.probability(confidence, "confidence")
    checks.integer(budget, "budget", 2)
    checks.positive(seconds, "seconds")
    if snap is not None:
        checks.integer(snap, "snap", 1, 52)
    if support is not None and not callable(support):
        raise ValueError(f"support must be callable or None, got {support!r}")
    if resume is not None and resume.claim != claim:
        raise ValueError(f"resume must be a result on the same claim, {claim}, got one on {resume.claim}")
    seed = int(checks.generator(rng).integers(2**63))
    declared = None if support is None else Support(support, (sources[0].data, sources[1].data))
    with shared_out(workers) as pool:
        course = Course(Observer(sources, seed, declared), claim, 1 - confidence, budget, pool, start, start + seconds)
        if resume is not None:
            course.recall(resume)
        for stopped in itertools.chain(["running"], course.looks(snap, statistics, classifier)):
            if watch is not None:
                watch(course.result(stopped))
    return course.result(stopped)


def _statistics(
    log_ratio: Callable[[Any], float] | None, statistics: Mapping[str, Callable[[Any], float]] | None
) -> dict[str, Callable[[Any], float]]:
    named = dict(statistics or {}) | ({} if log_ratio is None else {"declared log ratio": log_ratio})
    for name, function in named.items():
        if not callable(function):
            raise ValueError(f"{'log_ratio' if function is log_ratio else name} must be callable, got {function!r}")
    return named
