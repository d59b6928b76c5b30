"""Vectorised rejection sampling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

BATCH = 2**16
"""Largest number of numbers proposed at a time: few enough to stay in the cache of a processor."""

ENOUGH = 16
"""Accepted proposals that end a pilot run."""

Proposals = tuple[NDArray[Any], NDArray[np.bool_]]
"""Proposals along the first axis, and which of them are accepted."""


def accepted(
    propose: Callable[[int], Proposals],
    size: int,
    width: int,
    finish: Callable[[NDArray[Any]], NDArray[Any]] = lambda kept: kept,
) -> NDArray[Any]:
    """Collect ``size`` accepted proposals.

    ``propose(m)`` returns ``m`` proposals, of ``width`` numbers each, and which are accepted; ``finish`` is applied to
    what is kept, batch by batch. Batches grow with the acceptance seen; what is kept is the first ``size`` accepted in
    order, so batching does not change the law.
    """
    batches: list[NDArray[Any]] = []
    done = tried = hits = 0
    while done < size or not batches:
        rate = (hits + 1) / (tried + 1)
        count = int(min(max(16, 1.05 * (size - done) / rate), max(16, BATCH // width)))
        proposals, good = propose(count)
        kept = finish(proposals[good][: size - done])
        batches.append(kept)
        done, tried, hits = done + len(kept), tried + count, hits + int(good.sum())
    return np.concatenate(batches)


@dataclass(frozen=True, slots=True)
class Rejection:
    """A rejection sampler whose constants are settled."""

    propose: Callable[[int, np.random.Generator], Proposals]
    width: int
    """Numbers in a proposal."""
    finish: Callable[[NDArray[Any]], NDArray[Any]]

    def sample(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        """Return ``size`` draws along the first axis."""
        return accepted(lambda count: self.propose(count, rng), size, self.width, self.finish)

    def acceptance(self, rng: np.random.Generator, patience: int) -> float:
        """Share of accepted proposals in a pilot run, ended by `ENOUGH` of them or after ``patience`` proposals."""
        tried = hits = 0
        while tried < patience and hits < ENOUGH:
            count = min(max(16, tried), max(16, BATCH // self.width), patience - tried)
            tried, hits = tried + count, hits + int(self.propose(count, rng)[1].sum())
        return hits / tried
