"""The options of commands that put a mechanism or a sampler on trial."""

from dataclasses import dataclass
from pathlib import Path

from dpspectra.commands import offers
from dpspectra.commands.arguments import Instead, argument, count, option, seed
from dpspectra.commands.options import Told

CLAIM, TRIAL = ("the claim (one of)",), ("the trial",)
AUDITED = ("records", "The file of --json is kept up to date while the audit runs.")
COMPARED = ("records", "The file of --json is kept up to date while draws are made.")
"""Groups of options."""
PROGRAM = "in its place: a program that speaks the line protocol (its page: protocol)"
JUNIT = "for continuous integration"


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawingRequest(Told):
    """Options of commands that make draws."""

    confidence: float = option("of a refutation (default: %(default)g)", "C", group=TRIAL, default=0.999)
    draws: int = option("on each side (default: %(default)d)", "N", group=TRIAL, type=count, default=100_000)
    seconds: float = option("time for draws (default: %(default)g)", "S", group=TRIAL, default=60.0)
    seed: int = option("default: %(default)d", "N", group=TRIAL, type=seed, default=0, keyword="rng")
    workers: int | None = option("joblib workers that draw (default: this process)", "N", group=TRIAL, type=count)
    accept_unread: float = option(
        "exit with 3 if more of the outputs hold what cannot be read, or more calls are lost (default: %(default)g)",
        "SHARE",
        group=TRIAL,
        default=0.01,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest(DrawingRequest):
    """Options of ``dpspectra audit``."""

    mechanism: str | None = argument("what to audit", "package.module:callable")
    command: str | None = option(PROGRAM, "PROGRAM")
    epsilon: float | None = option("privacy loss in nats, with --delta", "E", group=CLAIM)
    delta: float = option("default: %(default)g", "D", group=CLAIM, default=0.0)
    mu: float | None = option("Gaussian differential privacy", "MU", group=CLAIM)
    renyi: tuple[float, float] | None = option("Renyi differential privacy", ("ALPHA", "E"), group=CLAIM)
    rho: float | None = option("zero-concentrated differential privacy", "RHO", group=CLAIM)
    profile: Path | None = option("JSON list of pairs [epsilon, delta]", "FILE", group=CLAIM)
    pair: Path | None = option(
        "data sets called first and second, .npz or .json (default: the rows (1, 0, ...) and (..., 0, 1), "
        "where the last becomes zero in the second data set)",
        "FILE",
        group=TRIAL,
    )
    search: str | None = option("look for the pair: replace, add_remove or zero_out a row", "RELATION", group=TRIAL)
    domain: str | None = option(
        "with --search: rows that the claim is about: ball (norm at most 1), box, cube, signs, one-hot",
        "ROWS",
        group=TRIAL,
    )
    dimension: int = option("columns, without --pair (default: %(default)d)", "D", group=TRIAL, type=count, default=2)
    form: str = option(
        "%(default)s (default), or what the mechanism takes of them: their sum, or the matrix that is the sum of x x'",
        group=TRIAL,
        default="rows",
    )
    arguments: tuple[str, ...] = option(
        "argument of the mechanism, may be repeated",
        "NAME=VALUE",
        flag="--with",
        group=TRIAL,
        action="append",
        default=(),
    )
    support: str | None = option(
        "function of an output and a data set: is it impossible?", "package.module:callable", group=TRIAL
    )
    bits: bool = option(
        "look at all bits of numbers, which are rounded by default, and exact with --inside", group=TRIAL
    )
    independent: bool = option("rows that one call returns are independent runs", group=TRIAL)
    estimate: bool = option("go on after a refutation: how much is lost at least?", group=TRIAL)
    inside: bool = option(
        "follow the noise through the code instead; exit 0 if the loss is explained, 1 refuted, 3 not decided",
        group=TRIAL,
    )
    then_outside: bool = option(
        "with --inside: audit what is not decided by draws, too, with half of the risk; files are of what decides",
        group=TRIAL,
    )
    require_power: str | None = option(
        "exit with 3 if a loss of so many nats on half of the outputs would not have been refuted, or a loss by events "
        "that the auditor has to find: LOSS@CLASS, one of prespecified, threshold, interval, residue, place, member",
        "LOSS",
        group=TRIAL,
    )
    junit: Path | None = option(JUNIT, "FILE", group=AUDITED)
    html: Path | None = option("one page with plots", "FILE", group=AUDITED)
    resume: Path | None = option("go on from this JSON of the same audit", "FILE", group=AUDITED)
    check: Path | None = option("compute this JSON's verdict again; no draws", "FILE", group=AUDITED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConformRequest(DrawingRequest):
    """Options of ``dpspectra conform``."""

    EPILOG = f"references, each with its arguments:\n{offers.listed_references()}"
    reference: str = argument("one of those below, or package.module:callable", "REFERENCE")
    candidate: str | None = argument(
        "the sampler that should draw from it", "package.module:callable|--command", nargs=None
    )
    command: str | None = option(PROGRAM, "PROGRAM", action=Instead, replaced="candidate")
    at: str = option(
        "input of both: a .json, .npy or .npz file, or JSON itself, such as 3 or [[2, 0], [0, 1]]", "INPUT", group=TRIAL
    )
    arguments: tuple[str, ...] = option(
        "argument of the reference, the candidate or both, may be repeated",
        "NAME=VALUE",
        flag="--with",
        group=TRIAL,
        action="append",
        default=(),
    )
    tolerance: float = option(
        "total variation distance that is allowed (default: %(default)g)",
        "TV",
        group=TRIAL,
        default=0.0,
        keyword="tv_tolerance",
    )
    bits: bool = option("look at all bits of numbers, which are rounded by default", group=TRIAL)
    independent: bool = option("rows that one call returns are independent, and ought to be", group=TRIAL)
    junit: Path | None = option(JUNIT, "FILE", group=COMPARED)


@dataclass(frozen=True, slots=True, kw_only=True)
class MuseumRequest(Told):
    """Options of ``dpspectra museum``."""

    names: tuple[str, ...] = argument("cases to judge (default: all)", "CASE", default=())
    list: bool = option("list the cases with their threads, and judge none")
    outside: bool = option("judge by draws, too: 20,000 on each data set at most")
