"""Laws of pairs of draws that meet a privacy claim, and stakes to bet against it."""

from __future__ import annotations

from typing import NamedTuple

from dpspectra.strategies.laws import TINY
from dpspectra.strategies.lazy import st
from dpspectra.strategies.numbers import deltas, dyadics, epsilons


class Game(NamedTuple):
    """The law of a pair of draws under a privacy claim, as `dpspectra.fast.betting.pair_law` reads it."""

    q: float
    """Probability of the event under the second law."""
    epsilon: float
    delta: float
    share: float
    """Probability of the event under the first law, as a fraction of the largest that the claim allows."""
    coupling: float
    """Position between the smallest and the largest probability that both draws are in the event."""


def games(delta: st.SearchStrategy[float] | None = None) -> st.SearchStrategy[Game]:
    """Games, mostly on the boundary of the claim (``share = 1``).

    Events that are impossible, certain or rare under the second law occur, and pairs as dependent as possible.
    """
    unit = dyadics(0, 1)
    return st.builds(
        Game,
        unit | st.sampled_from([0.0, TINY, 2.0**-4]),
        epsilons(2.0**-7, 4.0) | st.just(0.0),
        st.just(0.0) | deltas(2.0**-12, 0.5) if delta is None else delta,
        st.just(1.0) | unit,
        unit | st.sampled_from([0.0, 1.0]),
    )


def fractions() -> st.SearchStrategy[float]:
    """Fractions of the stake, below 1."""
    return dyadics(0, 1 - 2.0**-6) | st.sampled_from([0.5, 2.0**-8, 1 - 2.0**-20])


def levels() -> st.SearchStrategy[float]:
    """Logs of levels of wealth. Dyadic numbers above 0: wealth of dyadic stakes at dyadic epsilon never equals one."""
    return dyadics(2.0**-6, 2.5)
