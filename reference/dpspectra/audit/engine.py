"""Audit a mechanism: the front door, where arguments are read and checked."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from typing import Any

from dpspectra.audit.calling.observe import Arm, Observer, two_different_arms
from dpspectra.audit.calling.pool import shared_out
from dpspectra.audit.claims import CurveClaim, claim_of
from dpspectra.audit.findings import found
from dpspectra.audit.options import Options, Watch
from dpspectra.audit.proceedings import Proceedings
from dpspectra.audit.reading.support import Support
from dpspectra.audit.result import UNREAD, AuditResult


def audit(
    mechanism: Callable[..., Any],
    pair: tuple[Any, Any],
    epsilon: float | CurveClaim,
    delta: float = 0.0,
    *,
    confidence: float = 0.999,
    draws: int = 100_000,
    seconds: float = 60.0,
    log_ratio: Callable[[Any], float] | None = None,
    statistics: Mapping[str, Callable[[Any], float]] | None = None,
    support: Callable[[Any, Any], Any] | None = None,
    classifier: Any = None,
    snap: int | None = 30,
    bits: bool = False,
    independent: bool = False,
    workers: int | None = None,
    require_power: float | str | None = None,
    accept_unread: float = UNREAD,
    resume: AuditResult | None = None,
    watch: Watch | None = None,
    rng: Any = 0,
) -> AuditResult:
    """Try to refute a privacy claim of ``mechanism`` on ``pair``, from samples, in both orders.

    ``mechanism(data)`` is any callable; what it returns may have any type: numbers, arrays, text, containers of those,
    objects. Of a `Release`, and of what holds nothing else, the attribute ``value`` is meant; coroutines are awaited.
    Exceptions, exits, NaN and other shapes are outcomes like any other; only ``KeyboardInterrupt`` and
    ``NotImplementedError`` are none. ``rng`` is given a numpy Generator, ``random_state`` or ``seed`` an integer;
    without any of these the mechanism has its own randomness, and the result is not ``seeded``. Runs must be
    independent. Each call is given a fresh copy of the data set.

    If its signature has ``size``, the mechanism is asked for that many draws in one call, along a leading axis; wrap a
    mechanism that calls this parameter by another name. The rows of a call may depend on each other, as those of
    synthetic data do: what is counted is averaged within calls, and only calls are multiplied. ``independent=True``
    (or a true attribute ``independent_rows`` of the mechanism) declares that they are independent runs, which takes
    fewer and longer calls. A test revokes the declaration where it finds them dependent, but a false one may well have
    refuted a sound mechanism before: one call can be enough for that, and dozens are needed to find out.

    ``pair`` is the two neighbouring data sets; statistics that know matrices need Hermitian ``(d, d)`` or rows
    ``(n, d)``. The claim is ``(epsilon, delta)``, in nats, or any `CurveClaim` (`PureDP`, `ApproxDP`, `GDP`, `Renyi`,
    `Profile`). At most ``draws`` draws are made on each data set, and no pair of calls is begun after ``seconds``; a
    call of the mechanism is never interrupted, except from the keyboard, which loses that call and ends the audit.

    ``statistics`` are functions of one output to bet on, by name, beside those of the auditor, and ``log_ratio`` is one
    more, ideally the log of the ratio of the two densities. ``support(output, data)`` declares which outputs are
    possible: falsy if ``output`` is possible on ``data``, else ``True`` or a certificate (a dictionary). For
    ``delta = 0`` one impossible output decides. These are asked about outputs of the most common types and shapes.
    ``classifier``, a scikit-learn classifier, replaces the built-in logistic regression on all statistics, and is also
    shown frequent labels. Statistics see numbers rounded to ``2**-snap`` of the scale of each coordinate, so that
    artefacts of floating point are not mistaken for those of the mechanism. ``bits=True`` shows numbers as they are,
    and what their bits give away: least set bits, signs of zeros, asymmetry. ``support`` always sees outputs as they
    came.

    ``workers`` makes draws in that many joblib workers (extra ``parallel``; whatever joblib backend is configured), the
    default in this process. ``resume`` goes on from an earlier result on the same mechanism, pair and claim; ``draws``
    and seed are this call's. ``watch`` is called with the result so far before the first draw and after each look; what
    is resumed must be the last such result, not one that was picked for what it showed.

    What the audit refutes is certain at the confidence. What it does not refute is ``"not refuted"`` only if it could
    have been: an audit is ``"undecided"`` if too few draws were made to refute anything, if outputs hold what cannot be
    read, numbers have no place or calls were lost in more than the share ``accept_unread``, or if ``require_power``, a
    loss in nats (``1.8``, or ``"1.8@interval"`` for events of that class), is below its `AuditResult.power_of`. Looked
    at is what calls return or raise, and not how long they take, what they print and what they leave behind.

    Returns an `AuditResult`; a sound mechanism is called violated with probability at most ``1 - confidence``. The same
    ``rng`` (a seed, a Generator or ``None``) gives the same result with any number of workers, where the mechanism is
    seeded and time does not run out. Raises ``ValueError`` for bad input before any draw.

    >>> def noisy(x, size, rng):
    ...     return x + rng.laplace(scale=0.25, size=size)
    >>> result = audit(noisy, (0.0, 1.0), 1.0, rng=0)
    >>> result.violated, 1.0 < result.epsilon_lower < 4.0
    (True, True)
    """
    arms, claim = two_different_arms(mechanism, pair), claim_of(epsilon, delta)
    options = Options(
        confidence=confidence,
        draws=draws,
        seconds=seconds,
        log_ratio=log_ratio,
        statistics=statistics,
        support=support,
        classifier=classifier,
        snap=snap,
        bits=bits,
        independent=independent,
        workers=workers,
        require_power=require_power,
        accept_unread=accept_unread,
        resume=resume,
        watch=watch,
        rng=rng,
    )
    return contest(arms, claim, options)


def contest(arms: tuple[Arm, Arm], claim: CurveClaim, options: Options) -> AuditResult:
    """Bet against the claim that the outputs of two arms are close.

    Raises ``ValueError`` if the audit that is to be resumed was about another claim.
    """
    start, resume = time.perf_counter(), options.resume
    if resume is not None and resume.claim != claim:
        raise ValueError(f"resume must be a result on the same claim, {claim}, got one on {resume.claim}")
    declared = None if options.support is None else Support(options.support, (arms[0].data, arms[1].data))
    observer = Observer(arms, options.entropy(), declared)
    with shared_out(options.workers) as pool:
        proceedings = Proceedings(observer, claim, options, pool, start)
        if resume is not None:
            proceedings.recall(resume)
        for stopped in itertools.chain(["running"], proceedings.looks()):
            if options.watch is not None:
                options.watch(found(proceedings, stopped))
    return found(proceedings, stopped)
