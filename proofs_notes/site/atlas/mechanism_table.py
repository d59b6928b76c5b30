"""The page of all mechanisms: what each releases, with which noise, for which neighbours, and on what it rests."""

from collections.abc import Iterable, Iterator

from atlas import api
from atlas import markup as md
from atlas.book import Book, rank
from dpspectra.advice import GOALS, Advice, advise
from dpspectra.mechanisms.catalogue import MECHANISMS
from dpspectra.mechanisms.choice import ORBIT
from dpspectra.mechanisms.mechanism_record import Mechanism

INTRODUCTION = """Each mechanism names the statements that make its claim true.
The last column has the weakest verdict among these and all that they rest on in turn.

Which one serves your sizes best: ask {py:obj}`dpspectra.advise`, or read {doc}`guides/choose`."""
HEAD = ("mechanism", "releases", "noise", "neighbours", "rests on", "weakest below")
N = 10_000
"""Number of rows of the examples."""
DELTAS = (0.0, 1e-6)
DIMENSIONS = (2, 4, 8, 32)
WHEN = f"""{{py:obj}}`dpspectra.advise` lists the ways to a goal by their expected error.
Here is what comes first, and its error, for {N} rows of d columns, k = 1 and epsilon 1, without a spectrum.
Where a mechanism chooses its noise, it is named by the covariance whose noise it is.
The errors of different goals do not compare: each measures its own."""
COST = f"""All ways for d = {DIMENSIONS[-1]} and delta = {DELTAS[-1]:g}, by their expected error.
Memory is what a call takes besides the data."""


def page(book: Book) -> str:
    """Return the page in MyST Markdown."""
    table = md.table(HEAD, [row(book, record) for record in MECHANISMS.values() if record.private])
    heads = ("goal", "delta", *(f"d = {d}" for d in DIMENSIONS))
    return md.page(
        "Mechanisms and what they rest on",
        INTRODUCTION,
        md.box("mechanisms", table),
        "## When to use which",
        WHEN,
        md.table(heads, [(goal, f"{delta:g}", *firsts(goal, delta)) for goal in GOALS for delta in DELTAS]),
        "## What it costs",
        COST,
        md.table(("goal", "mechanism", "expected error", "exceeded with probability 0.05", "memory"), costs()),
    )


def row(book: Book, record: Mechanism) -> tuple[str, ...]:
    """Return the row of one mechanism."""
    entries = sorted({book.owner[label] for label in record.labels if label in book.owner}, key=book.order.index)
    return (
        f"{{py:obj}}`~dpspectra.{record.name}`",
        md.escape(record.text),
        noise(record),
        md.escape(", ".join(record.relations)),
        ", ".join(f"[{name}](statement/{name}.md)" for name in entries),
        weakest(book, entries),
    )


def noise(record: Mechanism) -> str:
    """Return what is known of a mechanism's noise: the words of the functions that say how much its claim needs."""
    if record.chooses:
        return "that of a covariance above, by its name"
    scales = [md.plain(api.summary(f"dpspectra.oracle.noise_scales.{name}")) for name in record.scales]
    return "; or ".join(scales) or "as its statements say"


def weakest(book: Book, entries: Iterable[str]) -> str:
    """Return the weakest verdict below some entries, with the entry that has it."""
    below = min((book.weakest(name) for name in entries), key=lambda name: rank(book.verdict(name)), default=None)
    return f"[{below}](statement/{below}.md) {md.chip(book.verdict(below))}" if below else ""


def firsts(goal: str, delta: float) -> Iterator[str]:
    """Say what is advised first for a goal, for each dimension."""
    for d in DIMENSIONS:
        best = advise(goal, d=d, k=1, n=N, epsilon=1.0, delta=delta)[0]
        yield f"{way(best)}, {best.expected_error:.2g}"


def costs() -> Iterator[tuple[str, ...]]:
    """All ways to all goals, with their errors and memory."""
    for goal in GOALS:
        for one in advise(goal, d=DIMENSIONS[-1], k=1, n=N, epsilon=1.0, delta=DELTAS[-1]):
            most = "not known" if one.guaranteed_error is None else f"{one.guaranteed_error:.2g}"
            yield goal, way(one), f"{one.expected_error:.2g}", most, f"{one.memory / 1e6:.2g} MB"


def way(advice: Advice) -> str:
    """Return the mechanism of an advice as a link, or that whose noise it is to choose."""
    chosen = advice.arguments.get("mechanism", advice.mechanism)
    return f"{{py:obj}}`~dpspectra.{'private_orbit' if chosen == ORBIT else chosen}`"
