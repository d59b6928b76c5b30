"""The options of commands about budgets: a record for each."""

from dataclasses import dataclass
from pathlib import Path

from dpspectra.commands.arguments import argument, option, point
from dpspectra.commands.options import Told
from dpspectra.relations import Relation

MEASURES = ("epsilon", "mu", "rho", "renyi")


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRequest(Told):
    """Options of ``dpspectra budget``."""

    action: str = argument("make a file, or read one", "new|show", choices=("new", "show"))
    file: Path = argument("the file of the budget, on a local disk", "FILE")
    epsilon: float | None = option("new: privacy loss in nats that may be spent", "E")
    delta: float | None = option("new: delta that may be spent (default: 0)", "D")
    rho: float | None = option("new, in place of epsilon and delta: rho of zCDP that may be spent", "RHO")
    mu: float | None = option("new, in their place: mu of Gaussian privacy", "MU")
    renyi: tuple[tuple[float, float], ...] | None = option(
        "new, in their place: Renyi divergences by their orders, such as 8:0.5", "ORDER:NATS", type=point
    )
    parts: tuple[str, ...] | None = option("new: names of parts of the data that share no people", "NAME")
    relation: str | None = option("new: neighbours of all releases (default: replace)", f"{{{','.join(Relation)}}}")
    norm_bound: str | None = option(
        "new: bound on rows that claims must reach: a number, or any (default: that of the first claim)", "B"
    )
    method: str | None = option("new: how claims add up (default: basic)", "{best,basic,optimal,gaussian,pld}")
    receipt: str | None = option(
        "show: a receipt printed before; a file that is older, or another one, is refused", "TEXT"
    )
    data: tuple[Path, ...] | None = option(
        "show: data files, which the list then names where a charge is about them (else by their digests)", "FILE"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertRequest(Told):
    """Options of ``dpspectra convert``."""

    to: str = argument("the measure that is asked for", f"{{{','.join(MEASURES)}}}", choices=MEASURES)
    epsilon: float | None = option("the known amount: privacy loss in nats", "E")
    mu: float | None = option("in its place: mu of Gaussian privacy", "MU")
    rho: float | None = option("in its place: rho of zCDP", "RHO")
    renyi: tuple[tuple[float, float], ...] | None = option(
        "in its place: Renyi divergences by their orders, such as 8:0.5", "ORDER:NATS", type=point
    )
    delta: float = option("that goes with an epsilon (default: %(default)g)", "D", default=0.0)
    order: float | None = option("order of the divergence that is asked for", "A")
    largest: bool = option("the largest amount from which the known one follows (else: the smallest that follows)")
