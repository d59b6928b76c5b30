"""How many rows the calls of an epoch have, where a call may return several that depend on each other.

A bet counts the share of a call's rows that are in its event, so that long calls average. That costs growth where a few
rows alone would tell a lot, and saves time wherever they tell little.
"""

import math
from collections.abc import Sequence

import numpy as np

from dpspectra.audit.betting.choice_of_bets import PRUDENCE, BettingPlan, fitted
from dpspectra.audit.claims import Points

HOPE = 1.28
"""Standard deviations by which rates are moved to tell whether a bet could refute at all."""
LUCK = 3.0
"""Standard deviations that the best of many events owes to luck: calls are long if it would not grow without them."""
KEPT = 0.85
"""Share of the growth per draw that a call must keep for having several rows."""
MOST_ROWS = 1024
"""Rows of a call that is a unit of bets, at most."""


def in_calls(
    plans: Sequence[BettingPlan], points: Points, most: int, left: float = math.inf, needed: float = 0.0
) -> tuple[list[BettingPlan], int]:
    """Fit plans to calls whose rows may depend on each other, and say how many rows such calls should have.

    As many, at most ``most``, as leave the largest bet `KEPT` of its growth per draw, were the rows independent and the
    event somewhat likelier than past draws show. Nothing is lost by long calls if it would not grow even then. Once
    nothing more is learned, ``left`` draws are left: then calls are long, too, if the bet would not gain the nats that
    are ``needed`` in these, were the event much likelier, or if all its growth may be luck, which rates that are
    learned again after as many draws will tell.
    """
    if not plans:
        return [], 1
    largest = max(plans, key=lambda plan: plan.share)

    def per_draw(rows: int, deviations: float = PRUDENCE) -> float:
        return max(0.0, float(np.max(largest.growth(rows, deviations, points)))) / rows

    settled = left < math.inf and not (per_draw(1, HOPE) * left >= needed and per_draw(1, -LUCK) > 0)
    hope, rows = largest.one_sided or not settled, 1
    while 2 * rows <= min(most, MOST_ROWS) and not (hope and per_draw(2 * rows) < KEPT * per_draw(1)):
        rows *= 2
    return [fitted(plan, points, rows) for plan in plans], rows
