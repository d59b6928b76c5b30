"""Numbers that a run looked at, as equations and inequalities in independent draws, split into independent parts."""

import bisect
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from dpspectra.ground.array_types import Floats, Integers
from dpspectra.symbolic.convolutions import combined
from dpspectra.symbolic.laws import Law
from dpspectra.symbolic.noisy_rows import joined, matrix, picked
from dpspectra.symbolic.roots_of_functions import of_functions
from dpspectra.symbolic.rounded_laws import EXACT, RoundedLaw, half_integer
from dpspectra.symbolic.tape import BITS, LARGEST, POINT, VALUE, WHOLE, Block, Event, Rows, Tape

FAR = 1e300
"""An edge beyond which no draw lies."""


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
    blocks: list[Block]
    """Draws of the tape, and behind them those that stand for a sum of others."""

    def block(self, draw: int) -> Block:
        """Return the block that a draw belongs to."""
        return block_of(self.blocks, draw)

    def law(self, draw: int) -> Law:
        """Return the law of a draw."""
        return self.block(draw).law


def system(tape: Tape, y: Floats | None = None, *, plain: bool = False) -> System:
    """Return the system of a tape; ``y`` are other values in place of those at the looks, in their order.

    Functions of noise are left out: what they are computed from is among the values.

    If it is plain, its draws are those of the tape; else one draw may stand for a sum, and inequalities of computed
    draws are told of their roots.
    """
    values = [e for e in tape.events if e.kind == VALUE]
    kept = [~of_functions(e.rows, tape)[0] for e in values]
    others = [positive(e) for e in tape.events if e.kind in (BITS, LARGEST, WHOLE)]
    rows = [picked(e.rows, some) for e, some in zip(values, kept, strict=True)] + [r for r in others if len(r)]
    if not rows:
        return System(tape, np.zeros(0), sparse.csr_array((0, tape.size)), np.zeros(0), 0, tape.blocks)
    whole = joined(rows)
    outcomes = [np.asarray(e.outcome, dtype=float) for e in values]
    known = (np.concatenate(outcomes) if y is None else y)[np.concatenate(kept)] if values else np.zeros(0)
    mu, B, blocks = whole.mu, matrix(whole, tape.size), tape.blocks
    if not plain:
        B, blocks = combined(B, blocks)
        mu, B = of_roots(mu, B, blocks, len(known))
    return System(tape, mu, B, known, len(known), blocks)


def of_roots(mu: Floats, B: sparse.csr_array, blocks: list[Block], equations: int) -> tuple[Floats, sparse.csr_array]:
    """Turn inequalities of one computed draw that is in no equation into inequalities of what it was computed from."""
    if not any(b.computed is not None for b in blocks) or equations == len(mu):
        return mu, B
    kept = set(B.indices[: B.indptr[equations]].tolist())
    mu, B = mu.copy(), B.copy()
    for i in range(equations, len(mu)):
        at = slice(B.indptr[i], B.indptr[i + 1])
        if at.stop - at.start != 1 or int(B.indices[at][0]) in kept:
            continue
        draw, edge, above = root_of(blocks, int(B.indices[at][0]), -mu[i] / B.data[at][0], bool(B.data[at][0] > 0))
        if draw != int(B.indices[at][0]) and draw not in kept:
            B.indices[at], B.data[at], mu[i] = draw, (1.0 if above else -1.0), (-edge if above else edge)
    return mu, B


def root_of(blocks: list[Block], draw: int, edge: float, above: bool) -> tuple[int, float, bool]:
    """Return the draw, the edge and the side of it that a draw on one side of an edge says of its last root."""
    block = block_of(blocks, draw)
    if isinstance(block.law, RoundedLaw) and not half_integer(edge) and abs(edge) < EXACT:
        raise Unsolved("a comparison of a rounded number may be a tie")
    while block.computed is not None and block.computed.rising is not None:
        origin = block.computed
        (draw,) = origin.roots
        outside = edge <= origin.image[0] or edge >= origin.image[1]
        if outside:  # always or never: no root is beyond
            edge = FAR if (edge >= origin.image[1]) == origin.rising else -FAR
        else:
            edge = float(np.clip(origin.backward(edge)[0], -FAR, FAR))
        above = above == origin.rising
        block = block_of(blocks, draw)
    return draw, edge, above


def positive(event: Event) -> Rows:
    """Rows that the outcome says are positive."""
    rows, outcome = event.rows, event.outcome
    if event.kind == WHOLE:
        assert event.edges is not None
        low, high = event.edges(int(outcome))
        sign = np.array([1.0, -1.0])
        both = np.repeat(rows.draw, 2, axis=1), np.repeat(rows.coefficient, 2, axis=1) * sign
        return Rows(np.array([rows.mu[0] - low, high - rows.mu[0]]), *both)
    if event.kind == BITS:
        sign = np.where(outcome, 1.0, -1.0)
        return Rows(rows.mu * sign, rows.draw, rows.coefficient * sign)
    others = [i for i in range(len(rows)) if i != outcome]
    mu = rows.mu[outcome] - rows.mu[others]
    mine = [np.repeat(part[:, [outcome]], len(others), axis=1) for part in (rows.draw, rows.coefficient)]
    draw = np.concatenate([mine[0], rows.draw[:, others]])
    return Rows(mu, draw, np.concatenate([mine[1], -rows.coefficient[:, others]]))


def points(tape: Tape) -> float:
    """Log-probability of the points of a tape, and what rejected rounds add to it."""
    events = [e for e in tape.events if e.kind == POINT]
    return tape.rounds.log + float(sum(e.log_probability(e.outcome) for e in events if e.log_probability is not None))


def roots(blocks: list[Block], draw: int) -> list[int]:
    """Return a draw and those that it was computed from, directly or not."""
    computed = block_of(blocks, draw).computed
    return [draw, *(r for root in (computed.roots if computed is not None else ()) for r in roots(blocks, root))]


def together_alike(first: System, second: System, draws: list[int]) -> bool:
    """Whether draws of the same laws have one law together: they are independent, or the same functions of others."""
    found = [[r for j in draws for r in roots(one.blocks, j)] for one in (first, second)]
    if all(len(set(several)) == len(several) for several in found):
        return True
    return found[0] == found[1] and all(_origin(first, r) == _origin(second, r) for r in set(found[0]))


def _origin(one: System, draw: int) -> object:
    block = one.block(draw)
    return block.law.key, block.computed and (block.computed.key, block.computed.roots, draw - block.start)


def block_of(blocks: list[Block], draw: int) -> Block:
    """Return the block that a draw belongs to."""
    return blocks[bisect.bisect_right(blocks, draw, key=lambda b: b.start) - 1]


def families(*systems: System) -> list[Integers]:
    """Rows that share draws, or draws of one root, in any of the systems; all of them have as many rows."""
    n = len(systems[0].mu)
    links, start = [], n
    for one in systems:
        coo = one.B.tocoo()
        links.append(np.stack([coo.row, coo.col + start], axis=1))
        computed = [b for b in one.blocks if b.computed is not None]
        used = set(coo.col.tolist())
        kin = [
            (j + start, r + start)
            for b in computed
            if b.start in used
            for j in [b.start]
            for r in roots(one.blocks, j)[1:]
        ]
        kin += [
            (b.start + start, j + start)
            for b in one.blocks
            if b.law.joint is not None
            for j in used.intersection(range(b.start, b.start + len(b.values)))
        ]
        links.append(np.array(kin, dtype=np.int64).reshape(-1, 2))
        start += one.B.shape[1]
    pairs = np.concatenate(links)
    graph = sparse.csr_array((np.ones(len(pairs)), pairs.T), shape=(start, start))
    labels = csgraph.connected_components(graph, directed=False)[1][:n]
    order = np.argsort(labels, kind="stable")
    return [f for f in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if len(f)]
