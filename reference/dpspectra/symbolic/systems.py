"""Numbers that a run looked at, as equations and inequalities in independent draws, split into independent parts."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from dpspectra.symbolic.laws import Law
from dpspectra.symbolic.rows import joined, matrix
from dpspectra.symbolic.tape import BITS, LARGEST, POINT, VALUE, Block, Floats, Rows, Tape

Integers = NDArray[np.int64]


class Unsolved(Exception):
    """A likelihood that is not known, with the reason."""


@dataclass(frozen=True)
class System:
    """Rows ``mu + B z``: the first ``equations`` of them are known to equal ``y``, the others to be positive."""

    tape: Tape
    mu: Floats
    B: sparse.csr_array
    y: Floats
    equations: int

    def block(self, draw: int) -> Block:
        """Return the block that a draw belongs to."""
        starts = [b.start for b in self.tape.blocks]
        return self.tape.blocks[int(np.searchsorted(starts, draw, side="right")) - 1]

    def law(self, draw: int) -> Law:
        """Return the law of a draw."""
        return self.block(draw).law


def system(tape: Tape, y: Floats | None = None) -> System:
    """Return the system of a tape; ``y`` are other values in place of those at the looks, in their order."""
    values = [e for e in tape.events if e.kind == VALUE]
    others = [_positive(e) for e in tape.events if e.kind in (BITS, LARGEST)]
    rows = [e.rows for e in values] + [r for r in others if len(r)]
    if not rows:
        return System(tape, np.zeros(0), sparse.csr_array((0, tape.size)), np.zeros(0), 0)
    whole = joined(rows)
    known = np.concatenate([np.asarray(e.outcome, dtype=float) for e in values]) if values else np.zeros(0)
    return System(tape, whole.mu, matrix(whole, tape.size), known if y is None else y, len(known))


def _positive(event: Any) -> Rows:
    """Rows that the outcome says are positive."""
    rows, outcome = event.rows, event.outcome
    if event.kind == BITS:
        sign = np.where(outcome, 1.0, -1.0)
        return Rows(rows.mu * sign, rows.draw, rows.coefficient * sign)
    others = [i for i in range(len(rows)) if i != outcome]
    mu = rows.mu[outcome] - rows.mu[others]
    mine = [np.repeat(part[:, [outcome]], len(others), axis=1) for part in (rows.draw, rows.coefficient)]
    draw = np.concatenate([mine[0], rows.draw[:, others]])
    return Rows(mu, draw, np.concatenate([mine[1], -rows.coefficient[:, others]]))


def points(tape: Tape) -> float:
    """Log-probability of the points of a tape."""
    events = [e for e in tape.events if e.kind == POINT]
    return float(sum(e.log_probability(e.outcome) for e in events if e.log_probability is not None))


def roots(tape: Tape, draw: int) -> list[int]:
    """Return a draw and those that it was computed from."""
    found, block = [draw], _block(tape, draw)
    while block.computed is not None:
        found.append(block.computed.root)
        block = _block(tape, block.computed.root)
    return found


def _block(tape: Tape, draw: int) -> Block:
    starts = [b.start for b in tape.blocks]
    return tape.blocks[int(np.searchsorted(starts, draw, side="right")) - 1]


def families(*systems: System) -> list[Integers]:
    """Rows that share draws, or draws of one root, in any of the systems; all of them have as many rows."""
    n = len(systems[0].mu)
    links, start = [], n
    for one in systems:
        coo = one.B.tocoo()
        links.append(np.stack([coo.row, coo.col + start], axis=1))
        computed = [b for b in one.tape.blocks if b.computed is not None]
        used = set(coo.col.tolist())
        kin = [
            (j + start, r + start)
            for b in computed
            if b.start in used
            for j in [b.start]
            for r in roots(one.tape, j)[1:]
        ]
        links.append(np.array(kin, dtype=np.int64).reshape(-1, 2))
        start += one.B.shape[1]
    pairs = np.concatenate(links)
    graph = sparse.csr_array((np.ones(len(pairs)), pairs.T), shape=(start, start))
    labels = csgraph.connected_components(graph, directed=False)[1][:n]
    order = np.argsort(labels, kind="stable")
    return [f for f in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if len(f)]
