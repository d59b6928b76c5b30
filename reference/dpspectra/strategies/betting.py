"""Laws of pairs of draws that meet a privacy claim, and stakes to bet against it."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from dpspectra.strategies.lazy import st
from dpspectra.strategies.numbers import deltas, dyadics, epsilons
from dpspectra.strategies.probability_vectors import TINY, distributions


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


class CallLaw(NamedTuple):
    """The joint law of the rows that a call on each side returns, with as much dependence as one likes."""

    masses: NDArray[Any]
    """Probabilities of the outcomes."""
    kinds: tuple[tuple[int, ...], ...]
    """For each outcome and row: 0 if both draws are in the event, 1 the first, 2 the second, 3 neither."""


def call_laws(rows: int) -> st.SearchStrategy[CallLaw]:
    """Laws of calls of some rows with six outcomes at most.

    The mean of wealth is linear in the law, and the claim puts one condition on each row, so that laws with few
    outcomes are the extreme ones.
    """
    outcome = st.tuples(*[st.integers(0, 3)] * rows)
    return st.builds(CallLaw, distributions(6), st.tuples(*[outcome] * 6))


def fractions() -> st.SearchStrategy[float]:
    """Fractions of the stake, below 1."""
    return dyadics(0, 1 - 2.0**-6) | st.sampled_from([0.5, 2.0**-8, 1 - 2.0**-20])


def levels() -> st.SearchStrategy[float]:
    """Draw logs of levels of wealth.

    They are dyadic numbers above 0: wealth of dyadic stakes at dyadic epsilon never equals one.
    """
    return dyadics(2.0**-6, 2.5)
