"""Audit a mechanism: the front door, where arguments are read and checked."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from typing import Any

from dpspectra.audit.calling.arms import Arm, two_different_arms
from dpspectra.audit.calling.observe import Observer
from dpspectra.audit.calling.pool import shared_out
from dpspectra.audit.claim_arguments import claim_of
from dpspectra.audit.claims import CurveClaim
from dpspectra.audit.findings import found
from dpspectra.audit.options import Options, Watch
from dpspectra.audit.proceedings import Proceedings
from dpspectra.audit.reading.impossible_outputs import Support
from dpspectra.audit.result import UNREAD, AuditResult
from dpspectra.ground.exits import raised_exits


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
    snap: int = 30,
    bits: bool = False,
    independent: bool = False,
    workers: int | None = None,
    require_power: float | str | None = None,
    accept_unread: float = UNREAD,
    resume: AuditResult | None = None,
    estimate: bool = False,
    watch: Watch | None = None,
    rng: Any = 0,
) -> AuditResult:
    """Try to refute a privacy claim of ``mechanism`` on ``pair``, from samples, in both orders.

    Parameters
    ----------
    mechanism
        Any callable of one data set; each call is given a fresh copy of it. It may return any type: numbers, arrays,
        text, containers of those, objects. See Notes.
    pair
        The two neighbouring data sets. Statistics that know matrices need Hermitian ``(d, d)`` or rows ``(n, d)``.
    epsilon, delta
        The claim, in nats; or any `CurveClaim` (`PureDP`, `ApproxDP`, `GDP`, `Renyi`, `ZCDP`, `Profile`) as
        ``epsilon``. For ``delta = 0`` one impossible output decides.
    confidence
        A sound mechanism is called violated with probability at most ``1 - confidence``.
    draws
        Largest number of draws on each data set.
    seconds
        No pair of calls is begun after this time. A call that is not over a second later is interrupted as it would be
        from the keyboard: that call is lost, and the audit ends. The first call on each data set, which may load or
        compile, does not count, if it is over within this time.
    log_ratio
        One more statistic, ideally the log of the ratio of the two densities.
    statistics
        Functions of one output to bet on, by name, beside those of the auditor. They and ``log_ratio`` are asked about
        outputs of the most common types and shapes.
    support
        Function ``support(output, data)`` that declares which outputs are possible: falsy if ``output`` is possible on
        ``data``, else ``True`` or a certificate (a dictionary). It always sees outputs as they came.
    classifier
        A scikit-learn classifier in place of the built-in logistic regression on all statistics; it is also shown
        frequent labels.
    snap
        Statistics see numbers rounded to ``2**-snap`` of the scale of each coordinate, so that artefacts of floating
        point are not mistaken for those of the mechanism.
    bits
        Whether statistics see numbers as they are, and what their bits give away: least set bits, signs of zeros,
        asymmetry.
    independent
        Declares that the rows of a call are independent runs, which takes fewer and longer calls; so does a true
        attribute ``independent_rows`` of the mechanism. A test revokes the declaration where it finds them dependent,
        but a false one may well have refuted a sound mechanism before: one call can be enough for that, and dozens are
        needed to find out.
    workers
        Number of joblib workers that make draws (extra ``parallel``; whatever joblib backend is configured); by default
        this process does.
    require_power
        A loss in nats (``1.8``, or ``"1.8@interval"`` for events of that class). The audit is undecided if it is below
        its `AuditResult.power_of`.
    accept_unread
        Largest share of outputs that cannot be read, numbers that have no place, or lost calls; beyond it the audit is
        undecided.
    resume
        An earlier result on the same mechanism, pair and claim to go on from; ``draws`` and seed are this call's. It
        must be the last result that ``watch`` saw, not one that was picked for what it showed.
    estimate
        Whether to go on after a refutation, to find how much is lost: ``bound`` is then as large as the draws allow.
        Without it the audit stops at the refutation, and its bound is hardly more than the claim.
    watch
        Function that is called with the result so far before the first draw and after each look.
    rng
        A seed, a Generator or None. It gives the same result with any number of workers, where the mechanism is seeded
        and time does not run out.

    Returns
    -------
    AuditResult
        A refutation is certain at the confidence. Without one the verdict is ``"not refuted"`` only if the claim could
        have been refuted: it is ``"undecided"`` if too few draws were made to refute anything, or by ``accept_unread``
        or ``require_power``. The audit looks at what calls return or raise, and not at how long they take, what they
        print and what they leave behind.

    Raises
    ------
    ValueError
        For bad arguments, before any draw.

    Notes
    -----
    Of a `Release`, and of an object that holds nothing else, the attribute ``value`` is meant; coroutines are awaited.
    Exceptions, exits, NaN and other shapes are outcomes like any other; only ``KeyboardInterrupt`` and
    ``NotImplementedError`` are none. ``rng`` is given a numpy Generator, ``random_state`` or ``seed`` an integer.
    Without any of these the mechanism has its own randomness, and the result is not ``seeded``. Runs must be
    independent.

    If its signature has ``size``, the mechanism is asked for that many draws in one call, along a leading axis; wrap a
    mechanism that calls this parameter by another name. The rows of a call may depend on each other, as those of
    synthetic data do: counts are averaged within calls, and only calls are multiplied.

    Examples
    --------
    >>> def noisy(x, size, rng):
    ...     return x + rng.laplace(scale=0.25, size=size)
    >>> result = audit(noisy, (0.0, 1.0), 1.0, rng=0)
    >>> result.violated, 1.0 < result.epsilon_lower < 4.0
    (True, True)
    >>> 3.5 < audit(noisy, (0.0, 1.0), 1.0, draws=20_000, estimate=True, rng=0).epsilon_lower < 4.0
    True

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
        estimate=estimate,
        watch=watch,
        rng=rng,
    )
    return contest(arms, claim, options, first_calls_count=False)


def contest(
    arms: tuple[Arm, Arm], claim: CurveClaim, options: Options, *, first_calls_count: bool = True
) -> AuditResult:
    """Bet against the claim that the outputs of two arms are close; say whether the first call of each takes time.

    Raises ``ValueError`` if the audit that is to be resumed was about another claim.
    """
    start, resume = time.perf_counter(), options.resume
    if resume is not None and resume.claim != claim:
        raise ValueError(f"resume must be a result on the same claim, {claim}, got one on {resume.claim}")
    declared = None if options.support is None else Support(options.support, (arms[0].data, arms[1].data))
    observer = Observer(arms, options.entropy(), declared, first_calls_count=first_calls_count)
    with shared_out(options.workers) as pool, raised_exits():
        proceedings = Proceedings(observer, claim, options, pool, start)
        if resume is not None:
            proceedings.recall(resume)
        for stopped in itertools.chain(["running"], proceedings.looks()):
            if options.watch is not None:
                options.watch(found(proceedings, stopped))
    return found(proceedings, stopped)
