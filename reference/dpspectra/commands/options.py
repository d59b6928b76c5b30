"""The options of all commands: a record for each command, in which an option is declared once.

Nothing here loads arithmetic, so that help and bad usage are quick.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpspectra.commands import offers
from dpspectra.commands.arguments import Request, argument, count, option, point, seed
from dpspectra.ground import figures
from dpspectra.ledger.papers import PAPERS

RELEASED = "the release; its claim lies beside it"
OLDER = "replace an older release (else: an error)"
OLDER_FILE = "replace an older file (else: an error)"
DRAWN = "a picture of the release, as .svg, .png or .pdf: eigenvalues beside noise, loadings by name"
OLDER_PLOT = f"with --plot: {OLDER_FILE}"


def svg(path: Path) -> None:
    """Raise ``ValueError`` for a plot in another form."""
    figures.kind_of(path.name, ("svg",))


def picture(path: Path) -> None:
    """Raise ``ValueError`` for a picture in a form that is not written."""
    figures.kind_of(path.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told(Request):
    """Option of commands that answer."""

    json: Path | None = option("write JSON, too; - prints it in place of the text", "FILE")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoRequest(Told):
    """Options of ``dpspectra demo``."""

    out: Path = option("of the report (default: %(default)s)", "FOLDER", default=Path("report"))
    seed: int | None = option("for a repeatable demonstration (default: fresh randomness)", "N", type=seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyRequest(Told):
    """Options of ``dpspectra verify``."""

    names: tuple[str, ...] = argument("what to verify (default: everything)", "LABEL|CHAPTER", default=())
    paper: str | None = option("only this paper's labels", type=str.upper, choices=tuple(PAPERS))
    challenge: bool = option("also tighten every bound at its tight instances")
    examples: int | None = option("cases per entry (default: each entry's own)", "N", type=count)
    jobs: int = option("processes (default: %(default)d)", "N", type=count, default=1)
    seed: int | None = option("draw other cases (default: the same ones every time)", "N", type=seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowRequest(Told):
    """Options of ``dpspectra show``."""

    label: str = argument(
        "MWKTV-L8.2, say, L8.2 if unique, or 'Lemma 8.2'; a word finds those near it; dpspectra paper lists all",
        "LABEL",
    )
    plot: Path | None = option("the picture of the statement, as .svg, .png or .pdf", "FILE", check=picture)
    force: bool = option(OLDER_PLOT)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperRequest(Told):
    """Options of ``dpspectra paper``."""

    key: str = argument(", ".join(PAPERS), "PAPER", type=str.upper, choices=tuple(PAPERS))


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsRequest(Told):
    """Options that say how rows are read."""

    norm_bound: float = option("public bound on rows (default: %(default)g)", "B", default=1.0)
    clip: bool = option("scale longer rows down to the bound (else: an error)")
    bad_rows: str = option(
        "rows with an entry that is no finite number: refuse (default: an error), or zero, which takes them as zeros "
        "and of a text file wants --columns",
        "{refuse,zero}",
        default="refuse",
    )
    bounds: Path | None = option(
        'bounds of columns in JSON, {"age": [0, 100], ..} or [[0, 100], ..]: maps rows to norm 1; implies --clip',
        "FILE",
    )
    header: bool | None = option(
        "whether the first line of a text file holds names (default: it must for certain, with fields that differ, "
        "begin with a letter, have no full stop and stand for no value, as NA does)",
        action=argparse.BooleanOptionalAction,
    )
    separator: str | None = option(
        "between the fields of a text file: one character, or tab (default: a comma in .csv, a tab in .tsv)", "CHAR"
    )
    encoding: str = option(
        "of a text file: %(default)s (default), cp1252, utf-16 or another that Python knows", "NAME", default="utf-8"
    )
    decimal: str = option(
        "character before the fraction of a number in a text file: a full stop (default) or a comma",
        "{.,','}",
        default=".",
    )
    columns: tuple[str, ...] = option(
        "columns to read, by name, or by number from 1 in a text file without names (default: all)", "NAME", default=()
    )
    person: str | None = option(
        "column of ids, in a file of rows with names, where people have several rows: noise hides all of a person",
        "COLUMN",
    )
    per_person: int | None = option(
        "rows that each person counts as, with --person: missing ones are zero, and of more a public rule takes some",
        "M",
        type=count,
    )
    salt: str = option(
        "public text that decides, with --person, which rows of a person count (default: empty)", "TEXT", default=""
    )

    @property
    def rule(self) -> dict[str, Any]:
        """Arguments that say what becomes of long and of bad rows."""
        rows = "clip" if self.clip else "refuse"
        return {"norm_bound": self.norm_bound, "rows": rows, "bad_rows": self.bad_rows}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRequest(RowsRequest):
    """Options of ``dpspectra release``."""

    EPILOG = (
        f"mechanisms, for rows X of norm at most B; neighbours differ in one row, which is replaced:\n{offers.listed()}"
    )
    data: tuple[Path, ...] = argument(
        "rows as .npy, .npz with one array or a sparse matrix of scipy, .csv, .tsv (or with .gz; - reads text from "
        "standard input), .parquet, .arrow or .feather; refused if they would not fit four times in the free memory; "
        "or files of Moments.save, as .moments, which are added, and say themselves how rows were read",
        "DATA",
    )
    mechanism: str = option("auto, or one of those below", "NAME")
    epsilon: float | None = option("privacy loss in nats", "E", group="loss")
    rho: float | None = option(
        "in its place: rho of zCDP; with --delta, which the claim then quotes its epsilon at, by Gaussian noise",
        "RHO",
        group="loss",
    )
    mu: float | None = option("in its place: mu of Gaussian privacy, alike", "MU", group="loss")
    renyi: tuple[tuple[float, float], ...] | None = option(
        "in its place: Renyi divergences by their orders, such as 8:0.5, alike", "ORDER:NATS", type=point, group="loss"
    )
    delta: float | None = option("delta, where the mechanism has one", "D")
    k: int | None = option("target rank, where the mechanism has one", "K")
    relation: str | None = option(
        "neighbours, where the mechanism has several (default of most: replace)", "{replace,add_remove,zero_out}"
    )
    center: str | None = option(
        "what directions are about, for private_pca: pairs (the mean, by differences of rows), mean (one with noise), "
        "none (zero, or the middle of --bounds; needed by --person and .moments), or auto (default: pairs where rows "
        "can be paired); for private_covariance: mean (default) or pairs",
        "{auto,none,mean,pairs}",
    )
    difference_bound: float | None = option("bound on differences by --center pairs (default: --norm-bound)", "B")
    denoise: str | None = option(
        "make second moments better at no cost in privacy, as dpspectra denoise does later", "{psd,shrink}"
    )
    directions: Path | None = option(
        "two released directions, for private_score_histogram: the file of a private_pca with --k 2, its claim beside "
        "it, of the same columns and --bounds",
        "FILE",
    )
    frame: tuple[float, float, float, float] | None = option(
        "public scores between which it counts, on the first direction and on the second",
        ("LEFT", "RIGHT", "BOTTOM", "TOP"),
    )
    bins: int | None = option("its cells along each direction (default: 12)", "N", type=count)
    groups: str | None = option("column of labels: it counts the rows of each apart, for the same loss", "COLUMN")
    levels: tuple[str, ...] | None = option("labels that --groups counts, as they are public; no others are", "LABEL")
    budget: Path | None = option(
        "file of a budget, made by dpspectra budget new, that the release is paid from; exit 2 if it is too little",
        "FILE",
    )
    part: str | None = option("with --budget: the part of the people that the data are of", "NAME")
    by: str | None = option("with --budget: who releases, for its trail", "NAME")
    note: str | None = option("with --budget: words for its trail", "TEXT")
    out: Path = option(".npy, .npz or .csv", "FILE")
    plot: Path | None = option(DRAWN, "FILE", check=picture)
    force: bool = option("replace an older release, and an older picture (else: an error)")
    verbose: bool = option("log method and time to standard error; they may depend on the data: do not publish them")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest(RowsRequest):
    """Options of ``dpspectra check``."""

    data: tuple[Path, ...] = argument("files of rows, as those of dpspectra release", "DATA")
    owner: bool = option("look at the rows, too: what is then printed is private, for the owner of the data alone")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRequest(Told):
    """Options of ``dpspectra claim``."""

    file: Path = argument(RELEASED, "FILE")
    plot: Path | None = option(DRAWN, "FILE", check=picture)
    force: bool = option(OLDER_PLOT)


@dataclass(frozen=True, slots=True, kw_only=True)
class DenoiseRequest(Told):
    """Options of ``dpspectra denoise``."""

    file: Path = argument(RELEASED, "FILE")
    method: str = option(
        "shrink (default): eigenvalues by the spectrum of the noise; psd: the nearest positive semidefinite matrix",
        "{psd,shrink}",
        default="shrink",
    )
    out: Path = option(".npy, .npz or .csv", "FILE")
    force: bool = option(OLDER)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviseRequest(Told):
    """Options of ``dpspectra advise``."""

    goal: str = argument("what is to be released", choices=offers.GOALS)
    d: int | None = option("numbers in a row, where --bounds do not tell", "D", type=count)
    k: int | None = option("rank; not needed for a covariance", "K", type=count)
    n: int | None = option("rows", "N", type=count, group="n")
    rows_for: float | None = option(
        "in its place: an error, such as 0.1, for which the smallest number of rows is sought",
        "LOSS",
        group="n",
        keyword="loss",
    )
    epsilon: float = option("privacy loss in nats", "E")
    delta: float = option("default: %(default)g", "D", default=0.0)
    norm_bound: float = option("of rows (default: %(default)g)", "B", default=1.0)
    bounds: Path | None = option("bounds of columns in JSON, as for dpspectra release", "FILE")
    center: str = option(
        "what directions are about, for pca: auto (default: pairs, but none under add_remove), pairs or none",
        "{auto,none,pairs}",
        default="auto",
    )
    relation: str = option("neighbours (default: %(default)s)", "{replace,add_remove}", default="replace")
    spectrum: tuple[float, ...] | None = option(
        "public guess of the eigenvalues of X'X/n, with pairs of the covariance, descending; zeros after them may be "
        "left out",
        "X",
    )
    typical_norm: float | None = option(
        "in its place, but not with pairs: public guess of the norm of most rows (default: all are at the bound; with "
        "--bounds a third of it)",
        "R",
    )
    plot: Path | None = option("draw expected errors against epsilon, as .svg", "FILE", check=svg)
    force: bool = option(OLDER_PLOT)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundsRequest(Told):
    """Options of ``dpspectra bounds``."""

    d: int = option("dimension", "D", type=count)
    k: int = option("rank", "K", type=count)
    lambda1: float | None = option("value of all K eigenvalues that are not 0", "L", group="values")
    eigenvalues: tuple[float, ...] | None = option("the eigenvalues, descending", "L", group="values")
    epsilon: tuple[float, ...] = option("privacy losses in nats", "E")
    relation: str = option("neighbours (default: %(default)s)", "{replace,add_remove}", default="replace")
    beta: float = option("risk of the guarantee (default: %(default)g)", "B", default=0.05)
    field: str = option("of the matrices (default: %(default)s)", "{complex,real}", default="complex")
    plot: Path | None = option("utility lost against epsilon, as .svg", "FILE", check=svg)
    force: bool = option(OLDER_PLOT)

    @property
    def values(self) -> list[float]:
        """The eigenvalues that are not 0, descending."""
        return list(self.eigenvalues or ()) if self.lambda1 is None else [self.lambda1] * self.k


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorsRequest(Request):
    """Options of ``dpspectra vectors``."""

    out: Path = option("JSON with its own schema inside", "FILE")
    force: bool = option(OLDER_FILE)
