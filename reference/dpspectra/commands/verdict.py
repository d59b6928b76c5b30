"""Shared by the commands that make draws: progress, records on the way, and how a verdict is told."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dpspectra.audit import AuditResult
from dpspectra.audit.betting.wealth import log_threshold
from dpspectra.ground.progress import progress
from dpspectra.ground.records import printable
from dpspectra.report import command_output
from dpspectra.report.files import write_text


def absolute(path: Path | None) -> Path | None:
    """Return a path as it is now, wherever a mechanism goes; standard output stays."""
    return path if path is None or path == command_output.STDOUT else path.absolute()


@contextmanager
def followed(
    name: str, draws: int, done: int, path: Path | None, text: Callable[[AuditResult], str]
) -> Iterator[Callable[[AuditResult], None]]:
    """Open a function that watches an audit, shows its draws after the ``done`` earlier ones, and keeps the record.

    A mechanism that is not implemented becomes a ``ValueError``; an interrupted audit ends the command once it is kept.
    """
    with progress(total=draws, description="draws") as bar:
        counted, file = done, command_output.file_of(path)

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
