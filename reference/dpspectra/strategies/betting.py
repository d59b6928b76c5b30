"""Laws of pairs of draws that meet a privacy claim, and stakes to bet against it."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from dpspectra.strategies.laws import TINY
from dpspectra.strategies.numbers import deltas, dyadics, epsilons

Game = tuple[float, float, float, float, float]


def games(delta: SearchStrategy[float] | None = None) -> SearchStrategy[Game]:
    """``(q, epsilon, delta, share, coupling)``, as `dpspectra.fast.betting.pair_law` reads them.

    Most lie on the boundary of the claim (``share = 1``); events that are impossible, certain or rare under the second
    law occur, and pairs as far from independent as can be.
    """
    unit = dyadics(0, 1)
    return st.tuples(
        unit | st.sampled_from([0.0, TINY, 2.0**-4]),
        epsilons(2.0**-7, 4.0) | st.just(0.0),
        st.just(0.0) | deltas(2.0**-12, 0.5) if delta is None else delta,
        st.just(1.0) | unit,
        unit | st.sampled_from([0.0, 1.0]),
    )


def fractions() -> SearchStrategy[float]:
    """Fractions of the stake, below 1."""
    return dyadics(0, 1 - 2.0**-6) | st.sampled_from([0.5, 2.0**-8, 1 - 2.0**-20])


def levels() -> SearchStrategy[float]:
    """Logs of levels of wealth. Dyadic numbers above 0: wealth of dyadic stakes at dyadic epsilon never equals one."""
    return dyadics(2.0**-6, 2.5)
