"""Shared by the commands that make draws: their options, progress, records on the way, and how a verdict is told."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dpspectra.audit import AuditResult
from dpspectra.audit.betting.wealth import log_threshold
from dpspectra.ground.progress import progress
from dpspectra.ground.records import printable
from dpspectra.report import answers
from dpspectra.report.files import write_text


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawingRequest:
    """Options that all these commands have."""

    command: str | None
    """Program with its arguments that speaks the line protocol."""
    arguments: tuple[str, ...]
    """``NAME=VALUE`` each."""
    independent: bool
    """Whether the rows of a call are declared to be independent."""
    confidence: float
    draws: int
    """Draws on each data set, or of each sampler."""
    seconds: float
    seed: int
    workers: int | None
    accept_unread: float
    """Share of outputs that may hold what cannot be read."""
    json: Path | None
    junit: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest(DrawingRequest):
    """Options of ``dpspectra audit``."""

    mechanism: str | None
    """``package.module:callable``; this or a command is needed unless a record is to be checked."""
    epsilon: float | None
    delta: float
    mu: float | None
    renyi: tuple[float, float] | None
    """Order ``alpha`` and epsilon."""
    profile: Path | None
    pair: Path | None
    search: str | None
    """Relation of the pairs among which one is looked for."""
    domain: str | None
    """Rows of which those pairs are made."""
    dimension: int
    """Columns of a pair that is read from no file."""
    form: str
    support: str | None
    bits: bool
    html: Path | None
    resume: Path | None
    require_power: str | None
    """Loss in nats that the audit must be able to refute, if it is not to be undecided, and perhaps ``@`` a class."""
    check: Path | None
    """Record to compute again, without draws."""
    inside: bool = False
    """Whether to follow the noise through the code."""
    then_outside: bool = False
    """Whether to audit by draws, too, if the audit from inside is undecided."""


def absolute(path: Path | None) -> Path | None:
    """Return a path as it is now, wherever a mechanism goes; standard output stays."""
    return path if path is None or path == answers.STDOUT else path.absolute()


@contextmanager
def followed(
    name: str, draws: int, done: int, path: Path | None, text: Callable[[AuditResult], str]
) -> Iterator[Callable[[AuditResult], None]]:
    """Open a function that watches an audit, shows its draws after the ``done`` earlier ones, and keeps the record.

    A mechanism that is not implemented becomes a ``ValueError``; an interrupted audit ends the command once it is kept.
    """
    with progress(total=draws, description="draws") as bar:
        counted, file = done, answers.file_of(path)

        def watch(result: AuditResult) -> None:
            nonlocal counted
            if file is not None:
                write_text(file, text(result))
            needed = log_threshold(result.claim, 1 - result.confidence)
            bar.advance(f"{result.log_e_value:.2f} of {needed:.2f} nats", result.draws - counted)
            counted = result.draws
            if result.stopped == "interrupted":
                raise KeyboardInterrupt

        try:
            yield watch
        except NotImplementedError as problem:
            raise ValueError(f"{name} must be implemented, it says {str(problem) or 'that it is not'}") from None


def status(result: AuditResult) -> int:
    """Exit status of a command: 0 if the claim is not refuted, 1 if it is, 3 if it is undecided."""
    return result.judged.status


def told(title: str, lines: Mapping[str, str]) -> str:
    """Return a title, and a line for each fact."""
    return "\n".join(map(printable, [title, *(f"  {key:<32}{value}" for key, value in lines.items())]))
