"""The commands ``verify``, ``show`` and ``paper``: the ledger on a terminal."""

import json
import sys
from pathlib import Path

from dpspectra.commands.options import PaperRequest, ShowRequest, VerifyRequest
from dpspectra.ground import checks
from dpspectra.ground.progress import progress
from dpspectra.ledger import papers
from dpspectra.ledger.registry import modules
from dpspectra.report import command_output


def verify(request: VerifyRequest) -> int:
    """Recompute verdicts and print them; 1 if one is broken. Raises ``ValueError`` for names that are unknown."""
    from dpspectra.ledger import Report, runner, views

    wanted = papers.select(list(request.names), request.paper)
    if not wanted:
        named = checks.shown(", ".join(request.names))
        raise ValueError(f"--paper must be one that states some of {named}, got {request.paper}: leave out one")
    with progress(total=len(wanted), description="verify") as bar:

        def announce(report: Report) -> None:
            bar.advance(report.label)
            if request.json != command_output.STDOUT:
                bar.write(views.table_row(report))
                for fault in report.faults:
                    bar.write(f"    {fault}")

        command_output.say(request.json, views.HEADER)
        reports = runner.verify(wanted, request.examples, request.challenge, announce, request.jobs, request.seed)
    command_output.say(request.json, views.summary(reports))
    command_output.put(request.json, lambda: views.to_json(reports))
    return int(any(report.ok is False for report in reports))


def show(request: ShowRequest) -> int:
    """Print one statement, and its evidence as it is computed.

    Raises ``ValueError`` for a label that is unknown, and for a plot of a statement without a picture.
    """
    from dpspectra.ledger.show import describe, described
    from dpspectra.ledger.terminal import blocks

    if request.plot:
        _draw(request.label, request.plot, request.force)
        command_output.say(request.json, f"picture: {request.plot}")
    command_output.put(request.json, lambda: json.dumps(describe(request.label), indent=1))
    if request.json == command_output.STDOUT:
        return 0
    between = ""
    for block in blocks(described(request.label)):
        _say(between + block)
        between = "\n"
    return 0


def _draw(label: str, path: Path, force: bool) -> None:
    from dpspectra.report import pictures
    from dpspectra.report.files import check_new, write_figure
    from dpspectra.report.pictures.plotted import plotted

    check_new(path, force)
    drawn = pictures.of(label)
    whole = f"{drawn.caption} Statement {papers.resolve(label).label} of dpspectra."
    write_figure(path, plotted(drawn._replace(caption=whole)))


def _say(text: str) -> None:
    """Print at once; a sign that the terminal's encoding does not have becomes a question mark."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), flush=True)


def paper(request: PaperRequest) -> int:
    """Print a paper's statements in printed order, built or missing."""
    built = modules()
    rows = [(label, built.get(label.label, "")) for label in papers.labels() if label.paper == request.key]
    listed = [
        {
            "label": label.label,
            "number": label.number,
            "kind": label.kind,
            "name": label.name,
            "chapter": label.chapter,
            "verdict": label.verdict.value if module else "missing",
            "module": module,
        }
        for label, module in rows
    ]
    command_output.put(request.json, lambda: json.dumps(listed, indent=1))
    if request.json == command_output.STDOUT:
        return 0
    lines = [papers.citation(request.key)]
    for label, module in rows:
        head = f"{label.label:<16}{label.verdict.value if module else 'missing':<12}"
        title = label.name if not label.number else f"{label.number}: {label.name}"
        lines += papers.filled(title, " " * 28, head)
    _say("\n".join([*lines, f"{sum(bool(module) for _, module in rows)} of {len(rows)} built"]))
    return 0
