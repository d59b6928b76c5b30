"""Layout of the graph of what rests on what: lanes are chapters, columns are the longest chain of supports below."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 118, 24
"""Size of a node, in pixels."""
BESIDE, BELOW, PAD, LEFT, TOP = 10, 6, 16, 128, 8
"""Gaps between nodes of a cell, padding of a lane, room for the lanes' names, and above the first lane."""
COLUMN_GAP = 46
TALLEST = 9
"""A cell with more nodes goes on in a second column."""
ROUNDS = 12

Links = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Layout:
    """Places of the nodes (top left corner), and of the lanes (name, top, height)."""

    places: dict[str, tuple[int, int]]
    lanes: list[tuple[str, int, int]]
    width: int
    height: int


def depths(uses: Links, users: Links) -> dict[str, int]:
    """Longest chain of supports below each node; a foundation stands just left of its first user."""
    found: dict[str, int] = {}

    def depth(name: str) -> int:
        if name not in found:
            found[name] = 1 + max(map(depth, uses[name]), default=-1)
        return found[name]

    for name in uses:
        depth(name)
    near = {name: min(found[user] for user in users[name]) - 1 for name in uses if not uses[name] and users[name]}
    return found | near


def layout(uses: Links, users: Links, chapter: Mapping[str, str], also: Collection[str] = ()) -> Layout:
    """Place every node that has a link, and those of ``also``."""
    depth = depths(uses, users)
    nodes = [name for name in uses if uses[name] or users[name] or name in also]
    members = defaultdict(list)
    for name in nodes:
        members[chapter[name]].append(depth[name])
    lanes = sorted(members, key=lambda lane: (sum(members[lane]) / len(members[lane]), lane))
    columns = range(max(depth[name] for name in nodes) + 1)
    cells: dict[tuple[str, int], list[str]] = {(lane, column): [] for lane in lanes for column in columns}
    for name in nodes:
        cells[chapter[name], depth[name]].append(name)
    _untangle(cells, lanes, uses, users)
    return _place(cells, lanes, columns)


def _untangle(cells: dict[tuple[str, int], list[str]], lanes: list[str], uses: Links, users: Links) -> None:
    """Sort each cell by the mean place of its nodes' neighbours, a few times over."""
    place = {name: (lanes.index(lane), i) for (lane, _), cell in cells.items() for i, name in enumerate(cell)}

    def mean(name: str) -> float:
        near = [place[other] for other in (*uses[name], *users[name])]
        return sum(100 * lane + i for lane, i in near) / max(1, len(near))

    for _ in range(ROUNDS):
        for (lane, _), cell in cells.items():
            cell.sort(key=mean)
            place |= {name: (lanes.index(lane), i) for i, name in enumerate(cell)}


def _place(cells: dict[tuple[str, int], list[str]], lanes: list[str], columns: range) -> Layout:
    breadth = {column: max([1, *(-(-len(cells[lane, column]) // TALLEST) for lane in lanes)]) for column in columns}
    left = [LEFT]
    for column in columns:
        left.append(left[-1] + breadth[column] * (WIDTH + BESIDE) + COLUMN_GAP)
    places, drawn, top = {}, [], TOP
    for lane in lanes:
        rows = 1
        for column in columns:
            cell = cells[lane, column]
            tall = -(-len(cell) // max(1, -(-len(cell) // TALLEST)))
            rows = max(rows, tall)
            for i, name in enumerate(cell):
                x = left[column] + (i // tall) * (WIDTH + BESIDE)
                places[name] = (x, top + PAD + (i % tall) * (HEIGHT + BELOW))
        height = rows * (HEIGHT + BELOW) - BELOW + 2 * PAD
        drawn.append((lane, top, height))
        top += height
    return Layout(places, drawn, left[-1] - COLUMN_GAP + PAD, top + TOP)
