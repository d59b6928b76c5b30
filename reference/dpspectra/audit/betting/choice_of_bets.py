"""Choose what to bet on: events, points of the claimed curve and stakes, from draws that never settle the bets.

For a claim ``(epsilon, delta)`` the event that shows most is a set on which the likelihood ratio is large (Neyman and
Pearson). Of a real statistic half-lines are tried; of labels, the sets that the ranking by likelihood ratio cuts off.
Against a claim that bounds moments the ratio itself is bet on (`dpspectra.audit.betting.choice_of_ratios`).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.betting.bet import Bet
from dpspectra.audit.betting.choice_of_ratios import Gain, Source, ratios
from dpspectra.audit.betting.counting import Cells, counted, summed
from dpspectra.audit.betting.events import Event, HalfLine, Ratio
from dpspectra.audit.betting.lens import SETS, Lens
from dpspectra.audit.betting.quantiles import thresholds
from dpspectra.audit.betting.ranking import Ranking, listed, repeating, spelled_out
from dpspectra.audit.betting.score import LEARNED, Score
from dpspectra.audit.claims import Points
from dpspectra.audit.reading.features import IMPOSSIBLE, Table
from dpspectra.audit.reading.labels import as_labels
from dpspectra.fast.betting import growth, log_wealth_one_sided
from dpspectra.ground.array_types import Bits

LEVELS = 129
"""Quantiles tried as thresholds of one statistic; they crowd towards both ends, where rare events are."""
CUTS, STEPS = 33, 24
"""Levels and even steps of the likelihood ratio tried as cuts of one set of labels."""
CAUTION = (1.0, 4.0)
"""Standard deviations by which the excess and the loss that past draws show are discounted."""
PRUDENCE = 0.5
"""Standard deviations by which rates are moved to plan with: down for stakes, up for rows of a call."""
MOST = (3, 2)
"""Events recommended by the largest excess over the claim, and by the largest loss."""
SHARES = (0.9, 0.1)
"""Shares of the wealth of the two kinds of events."""
SLIGHT = 1e-3
"""Smallest merit of an event, for its share of the wealth."""
Column = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Rates:
    """How often an event occurred in past draws, on the favoured data set and on the other."""

    p: float
    q: float
    draws: int

    def shifted(self, deviations: float) -> tuple[float, float]:
        """Return the rates moved apart by so many standard deviations; moved together if negative."""
        p = self.p + deviations * math.sqrt(self.p * (1 - self.p) / self.draws)
        q = self.q - deviations * math.sqrt(self.q * (1 - self.q) / self.draws)
        return min(1.0, max(0.0, p)), min(1.0, max(0.0, q))

    def growth(self, deviations: float, rows: int, point: tuple[float, float]) -> NDArray[np.float64]:
        """Mean growth of a bet by each fraction, for calls of so many rows, with rates that are shifted."""
        return growth(*self.shifted(deviations), rows, *point)


@dataclass(frozen=True, slots=True)
class BettingPlan:
    """A bet to make: the event, the point of the claimed curve, the share of wealth, the best fraction's index."""

    event: Event
    point: int
    share: float
    fraction: int
    rates: Rates | Gain
    one_sided: bool = False

    def growth(self, rows: int, deviations: float, points: Points) -> NDArray[np.float64]:
        """Mean growth by each fraction, for calls of so many rows, were the event so much likelier."""
        point = (0.0, 0.0) if isinstance(self.event, Ratio) else points[self.point]
        return self.rates.growth(deviations, rows, point)

    def settled(self, tables: Sequence[tuple[Table, Table]], rows: int, lost: int = 0) -> Bet:
        """Count the event in pairs of calls of so many rows, which had no part in choosing it, beside lost ones."""
        cells: Cells = {(0, 0, 0): lost} if lost else {}
        if not tables:
            return self._bet(cells)
        sides = (self.event.favoured, 1 - self.event.favoured)
        if isinstance(self.event, Ratio):
            won, paid = ([self.event.grades(pair[i], favoured=i == sides[0]) for pair in tables] for i in sides)
            return self._bet(cells | summed(won, paid, rows))
        one, other = ([self.event.hits(pair[side]) for pair in tables] for side in sides)
        if self.one_sided:
            other = [np.zeros_like(hits) for hits in one]
        return self._bet(cells | counted(one, other, rows))

    def lost(self, calls: int) -> Bet:
        """Return the bet if so many pairs of calls are lost."""
        return self.settled((), 1, calls)

    def _bet(self, cells: Cells) -> Bet:
        return Bet.of(self.event, self.point, self.share, self.fraction, cells, self.one_sided)


@dataclass(frozen=True, slots=True)
class _Offer:
    value: float
    event: Event
    point: int
    rates: Rates | Gain


Offers = tuple[list[_Offer], list[_Offer]]


def select(
    past: tuple[Table, Table], points: Points, score: Score | None, lenses: Sequence[Lens] = (), moments: Points = ()
) -> list[BettingPlan]:
    """Bets that past draws recommend against a claim that implies ``points`` and ``moments``; for calls of one row.

    Two measures recommend: one looks for the soonest refutation of the claim, the other for the largest bound on the
    loss. To each of them, each statistic offers its best event, at its best point, in each order of the data sets.
    """
    offers: Offers = ([], [])
    for name in past[0]:
        if name == IMPOSSIBLE or name not in past[1] or past[0][name].ndim > 1:
            continue
        both = past[0][name], past[1][name]
        if both[0].dtype == np.uint64:
            _offer_sets(name, both, points, offers)
        else:
            _offer_half_lines(name, both, points, offers)
    for name in repeating(past):
        _offer_sets(name, (as_labels(past[0][name]), as_labels(past[1][name])), points, offers)
    if score is not None:  # the half that the score was not fitted to judges it
        first, second = (score({name: table[name][1::2] for name in score.names}) for table in past)
        _offer_half_lines(LEARNED, (first, second), points, offers, score)
    for lens in lenses:
        _offer_seen(lens, past, points, offers)
    if moments:
        seen = _real(past, score, lenses)
        offers[0].extend(_Offer(*each) for each in ratios(past, seen, moments))
    plans = []
    for offer, most, share in zip(offers, MOST, SHARES, strict=True):
        chosen = _different(sorted(offer, key=lambda o: -o.value))[:most]  # stable: of equals, the first
        merits = np.maximum([o.value for o in chosen], SLIGHT) ** 2  # growth is about half the square of the excess
        shares = share * merits / merits.sum()
        plans += [_plan(o, float(own), points) for o, own in zip(chosen, shares, strict=True)]
    return [replace(plan, event=spelled_out(plan.event, past)) for plan in plans]


def fitted(plan: BettingPlan, points: Points, rows: int) -> BettingPlan:
    """Return the plan with the fraction that grows fastest for calls of so many independent rows.

    Rates are taken a little less extreme than seen.
    """
    if plan.one_sided:
        return plan
    return replace(plan, fraction=int(np.argmax(plan.growth(rows, -PRUDENCE, points))))


def learned_again(plan: BettingPlan, bets: Sequence[Bet], points: Points, rows: int) -> BettingPlan:
    """Return the plan with rates from all that has been counted of its event."""
    hits = np.array([bet.hits for bet in bets if bet.event == plan.event and not bet.one_sided], dtype=float)
    if plan.one_sided or isinstance(plan.event, Ratio) or len(hits) == 0 or hits[:, 2].sum() == 0:
        return plan
    total = hits.sum(axis=0)
    favoured = plan.event.favoured
    rates = Rates(total[favoured] / total[2], total[1 - favoured] / total[2], int(total[2]))
    return fitted(replace(plan, rates=rates), points, rows)


def with_impossible(
    plans: Sequence[BettingPlan], side: int, past: tuple[Table, Table], points: Points
) -> list[BettingPlan]:
    """Give half of the wealth to outputs on data set ``side`` that the declared support rules out on the other."""
    j = min(range(len(points)), key=lambda i: points[i][1])
    rate = float(np.mean(past[side][IMPOSSIBLE]))
    fraction = int(np.argmax(log_wealth_one_sided(rate, 1.0, points[j][1])))
    rates = Rates(rate, 0.0, len(past[side][IMPOSSIBLE]))
    own = BettingPlan(HalfLine(IMPOSSIBLE, side, 0.5, True), j, 0.5, fraction, rates, one_sided=True)
    return [own, *(replace(plan, share=plan.share / 2) for plan in plans)]


def _offer_seen(lens: Lens, past: tuple[Table, Table], points: Points, offers: Offers) -> None:
    """Offer the best events that are seen through a lens."""
    both = lens(past[0]), lens(past[1])
    if lens.kind in SETS:
        _offer_sets(lens.statistic, both, points, offers, lens)
    else:
        _offer_half_lines(lens.statistic, both, points, offers, None, lens)


def _real(past: tuple[Table, Table], score: Score | None, lenses: Sequence[Lens]) -> list[Source]:
    """Return the statistics that are real numbers: columns, the score, and what is seen through lenses."""
    plain = [name for name in past[0] if name != IMPOSSIBLE and name in past[1] and past[0][name].ndim == 1]
    found = [Source(name) for name in plain if past[0][name].dtype != np.uint64]
    found += [] if score is None else [Source(LEARNED, score)]
    return found + [Source(lens.statistic, None, lens) for lens in lenses if lens.kind not in SETS]


def _merit(measured: float, both: tuple[Column | Bits, Column | Bits], lens: Lens | None) -> float:
    """Return what was measured, less what the best of many lenses owes to luck."""
    return measured if lens is None else measured - lens.luck / math.sqrt(min(map(len, both)))


def _offer_half_lines(
    name: str,
    both: tuple[Column, Column],
    points: Points,
    offers: Offers,
    score: Score | None = None,
    lens: Lens | None = None,
) -> None:
    ordered = [np.sort(column[~np.isnan(column)]) for column in both]
    tried = thresholds(np.sort(np.concatenate(ordered)), LEVELS)
    if len(tried) < 2:
        return
    below = np.array([[np.searchsorted(values, tried, end) for values in ordered] for end in ("left", "right")])
    below[0] = [[len(values)] for values in ordered] - below[0]  # at the threshold or above
    # half a count more, so that what has not been seen is not taken to be impossible
    rates = (below + 0.5) / [[len(column) + 1] for column in both]
    kinds = [(above, favoured) for above in (True, False) for favoured in (0, 1)]
    p, q = rates.reshape(4, -1), rates[:, ::-1].reshape(4, -1)
    for i, offer, j, best, value in _best(p, q, len(both[0]), points, offers):
        above, favoured = kinds[i]
        event = HalfLine(name, favoured, float(tried[best]), above, score, lens)
        seen = Rates(float(p[i, best]), float(q[i, best]), min(map(len, both)))
        offer.append(_Offer(_merit(value, both, lens), event, j, seen))


def _offer_sets(name: str, both: tuple[Bits, Bits], points: Points, offers: Offers, lens: Lens | None = None) -> None:
    """Offer the best cut of the ranking of labels: each half of the past judges the ranking of the other half."""
    labels, places = listed(both)
    whole = Ranking.of(labels, places)
    if whole is None:
        return
    spread = np.rint((len(whole.ratios) - 1) * np.linspace(0, 1, CUTS)).astype(int)
    ordered = np.sort(whole.ratios)
    steps = np.linspace(ordered[0], ordered[-1], STEPS)  # for few labels that stand out among many
    levels = np.unique(np.concatenate([ordered[spread], steps, [0.0]]))
    counts = np.zeros((2, 2, len(levels)))  # above or below the level; data set
    for fold in (0, 1):
        ranking = Ranking.of(labels, (places[0][fold::2], places[1][fold::2]))
        for side, column in enumerate(places):
            rest = column[1 - fold :: 2]
            values = np.sort(np.zeros(len(rest)) if ranking is None else ranking.of_place[rest])
            counts[0, side] += len(values) - np.searchsorted(values, levels, side="left")
            counts[1, side] += np.searchsorted(values, levels, side="right")
    rates = (counts + 0.5) / [[len(column) + 1] for column in both]
    p, q = rates[[0, 1], [0, 1]], rates[[0, 1], [1, 0]]
    for favoured, offer, j, best, value in _best(p, q, min(map(len, both)), points, offers):
        inside = whole.ratios >= levels[best] if favoured == 0 else whole.ratios <= levels[best]
        event = whole.event(name, favoured, inside, lens)
        seen = Rates(float(p[favoured, best]), float(q[favoured, best]), min(map(len, both)))
        offer.append(_Offer(_merit(value, both, lens), event, j, seen))


def _best(
    p: Column, q: Column, n: int, points: Points, offers: Offers
) -> Iterator[tuple[int, list[_Offer], int, int, float]]:
    """For each row of rates and each measure, where offers go: the best point, the best event, and its measure."""
    measures = _measures(p[:, None], q[:, None], n, points)
    flat = [measured.reshape(len(p), -1) for measured in measures]
    found = [np.argmax(measured, axis=1).tolist() for measured in flat]
    for i in range(len(p)):
        for offer, measured, best in zip(offers, flat, found, strict=True):
            yield i, offer, *divmod(best[i], p.shape[1]), float(measured[i, best[i]])


def _measures(p: Column, q: Column, n: int, points: Points) -> tuple[Column, Column]:
    """At each point: excess ``p - e^epsilon q - delta`` in standard deviations; log loss less some of its own."""
    epsilon, delta = np.array(points).T[:, :, None]
    factor = np.exp(np.minimum(epsilon, 700.0))
    spread_p, spread_q = np.sqrt(p * (1 - p)), np.sqrt(q * (1 - q))
    excess = (p - factor * q - delta) / np.hypot(spread_p, factor * spread_q) - CAUTION[0] / math.sqrt(n)
    there = p > delta
    margin = np.where(there, p - delta, 1.0)
    loss = np.log(margin / q) - CAUTION[1] * np.hypot(spread_p / margin, spread_q / q) / math.sqrt(n)
    return excess, np.where(there, loss, -np.inf)


def _plan(offer: _Offer, share: float, points: Points) -> BettingPlan:
    return fitted(BettingPlan(offer.event, offer.point, share, 0, offer.rates), points, 1)


def _different(ranked: Sequence[_Offer]) -> list[_Offer]:
    """Leave out an event that is most likely there twice: the same statistic again, or one with the very same rates."""
    chosen: list[_Offer] = []
    seen = set[tuple[object, ...]]()
    for offer in ranked:
        what = type(offer.event), offer.event.statistic
        keys = {(*what, offer.event.favoured, offer.point), (offer.value, offer.event.favoured)}
        if not keys & seen:
            chosen.append(offer)
            seen |= keys
    return chosen
