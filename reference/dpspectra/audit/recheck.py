"""Compute an audit's verdict again from its record: from the counts of its bets, and from its certificate."""

import math
from collections.abc import Iterator

from dpspectra.audit.betting.bet import Bet
from dpspectra.audit.betting.events import Ratio
from dpspectra.audit.betting.power import OPENING
from dpspectra.audit.not_psd import check_certificate
from dpspectra.audit.result import AuditResult
from dpspectra.fast.betting import FRACTIONS

CLOSE = 1e-9
"""Relative difference up to which numbers computed on two machines agree."""


def faults(result: AuditResult) -> list[str]:
    """List the contradictions between a saved result and its own evidence; empty if there is none.

    The evidence is taken as a true record of draws: what is checked is that bets were within the rules of the game,
    that wealth, verdict, bound and witness follow from their counts, and that the certificate proves what it states.
    """
    return list(_faults(result))


def _faults(result: AuditResult) -> Iterator[str]:
    claim, risk = result.claim, 1 - result.confidence
    exact = all(delta == 0 for _, delta in claim.points(claim.value))
    proved = result.certificate is not None and check_certificate(result.certificate)
    if result.certificate is not None and not proved:
        yield "the certificate does not prove what it states"
    rules = [fault for epoch in result.evidence.epochs for fault in _against_the_rules(epoch, result)]
    if result.evidence.start > 0:
        rules.append(f"wealth must begin with at most 1, got e^{result.evidence.start:g}")
    bet_on = sum(max(bet.hits[2] for bet in epoch) for epoch in result.evidence.epochs if epoch)
    if bet_on > result.draws:
        rules.append(f"no more than the {result.draws} draws can have been bet on")
    rules += _unsupported(result, bet_on)
    if not all(first == 0 and second == rows for bet in result.evidence.late for rows, first, second, _ in bet.counts):
        rules.append("calls that were never finished must count as lost")
    yield from rules
    if rules:
        return
    yield from _against_the_history(result)
    yield from _against_the_best_bet(result)
    if result.log_e_value == math.inf and exact:
        if result.certificate is None:
            yield "an output was declared impossible, without a certificate that could be checked"
        violated, bound = True, math.inf
    else:
        wealth = result.evidence.against(claim)
        violated, bound = result.evidence.verdict(claim, risk)
        if not _agree(wealth, result.log_e_value):
            yield f"log_e_value is {result.log_e_value:.9g}, the counts give {wealth:.9g}"
    if result.stopped == "refuted" and not violated:  # the converse is that of an estimate, which goes on
        yield "an audit that stopped as refuted must have the evidence for that"
    if violated is not result.violated:
        yield f"violated is {result.violated}, the evidence says {violated}"
    if not _agree(bound, result.bound):
        yield f"bound is {result.bound:.9g}, the evidence gives {bound:.9g}"


def _unsupported(result: AuditResult, bet_on: int) -> Iterator[str]:
    """Yield what a record claims of draws that its counts do not show.

    Not bet on are the openings of runs, and what came before anything varied: no more than the first epoch with bets.
    """
    first = next((epoch[0].hits[2] for epoch in result.evidence.epochs if epoch), result.draws)
    unseen = result.draws - bet_on - result.runs * OPENING
    if result.evidence.start == 0 and not result.lost and unseen > first:
        yield f"{result.draws} draws were made, and only {bet_on} of them are shown to have been bet on"
    sight = result.sight
    if not 0 <= sight.blind <= sight.outputs or not 0 <= sight.placed <= sight.numbers:
        yield "more outputs cannot be unread, or numbers have a place, than there are"
    if sight.outputs < 2 * bet_on or sight.outputs > 2 * result.draws:
        yield f"{sight.outputs} outputs were read, of {result.draws} draws on each data set"
    kinds = max(sight.unread.values(), default=0)
    if (sight.blind > 0) is not bool(sight.unread) or kinds > sight.blind:
        yield "outputs that hold what cannot be read must be those of the kinds that are named"
    if not 0 <= result.accepted_unread < 1:
        yield f"a share of outputs that may be unread must be below 1, got {result.accepted_unread:g}"


def _against_the_history(result: AuditResult) -> Iterator[str]:
    if not result.history:
        return
    draws, wealth = result.history[-1]
    if draws != result.draws or not _agree(wealth, result.log_e_value):
        last = f"{draws} draws and {wealth:.9g}"
        yield f"the history ends with {last}, not with {result.draws} draws and {result.log_e_value:.9g}"


def _against_the_best_bet(result: AuditResult) -> Iterator[str]:
    all_failed = not result.violated and result.failures == 2 * result.draws > 0
    counts_little = result.log_e_value == math.inf or all_failed
    best = None if counts_little else result.evidence.best_bet(result.claim)
    if best is None:
        if result.event is not None or result.counts is not None:
            yield f"nothing was bet that makes {result.witness!r} the witness"
        return
    if str(best.event) != result.witness or (result.event is not None and result.event != best.event):
        yield f"the witness is {result.witness!r}, the best bet was on {str(best.event)!r}"
    if best.occurrences != result.counts:
        yield f"the counts of the witness are {result.counts}, the best bet has {best.occurrences}"


def _agree(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=CLOSE, abs_tol=CLOSE)


def _against_the_rules(epoch: tuple[Bet, ...], result: AuditResult) -> Iterator[str]:
    points, orders = len(result.claim.points(result.claim.value)), len(result.claim.orders)
    for bet in epoch:
        most = orders if isinstance(bet.event, Ratio) else points
        if not all(_possible(cell, bet.event.unit) for cell in bet.counts) or _pairs(bet) != _pairs(epoch[0]):
            yield f"counts must be possible, and of the same pairs of calls for all bets, got {bet.counts}"
        if bet.event.favoured not in (0, 1) or not 0 <= bet.point < most or not 0 <= bet.fraction < len(FRACTIONS):
            yield f"a bet must name a data set, a point of the claim and a fraction, got {bet}"
        if isinstance(bet.event, Ratio) and (bet.one_sided or bet.event.order not in result.claim.orders):
            yield f"a ratio must be of an order that the claim bounds, got {bet.event.order}"
        if bet.one_sided and any(second for _, _, second, _ in bet.counts):
            yield f"what is impossible on a data set must not be counted there, got {bet.counts}"
        if not 0 <= bet.share <= 1:
            yield f"shares of wealth must lie in [0, 1], got {bet.share}"
    if sum(bet.share for bet in epoch) > 1 + CLOSE:
        yield f"shares of wealth must sum to at most 1, got {sum(bet.share for bet in epoch)}"


def _possible(cell: tuple[int, int, int, int], unit: int) -> bool:
    """Whether calls can have come out so; ``unit`` is the largest grade of a row."""
    rows, first, second, calls = cell
    return all(isinstance(n, int) and n >= 0 for n in cell) and max(first, second) <= unit * rows and calls > 0


def _pairs(bet: Bet) -> dict[int, int]:
    """Pairs of calls by their rows."""
    pairs: dict[int, int] = {}
    for rows, _, _, calls in bet.counts:
        pairs[rows] = pairs.get(rows, 0) + calls
    return pairs
