"""Command line. Exit status: 0 fine, 1 a promise is broken or a claim refuted, 2 bad usage or bad input."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dpspectra import __version__
from dpspectra.ledger import show as entry_page
from dpspectra.ledger import views
from dpspectra.ledger.papers import PAPERS, select
from dpspectra.ledger.progress import progress
from dpspectra.ledger.runner import Report, verify

OK, BROKEN, BAD = 0, 1, 2


def _verify(args: argparse.Namespace) -> int:
    wanted = select(args.names, args.paper)
    if not wanted:
        raise ValueError("nothing to verify: no label is in the named chapter and the named paper")
    with progress(total=len(wanted), description="verify") as bar:

        def announce(report: Report) -> None:
            bar.advance(report.label)
            if not args.json:
                bar.write(views.table_row(report))
                for fault in report.faults:
                    bar.write(f"    {fault}")

        if not args.json:
            print(views.HEADER)
        reports = verify(wanted, args.examples, args.challenge, announce, args.jobs)
    print(views.to_json(reports) if args.json else views.summary(reports))
    return BROKEN if any(report.ok is False for report in reports) else OK


def _show(args: argparse.Namespace) -> int:
    data = entry_page.describe(args.label)
    print(json.dumps(data, indent=1) if args.json else entry_page.render(data))
    return OK


def _paper(args: argparse.Namespace) -> int:
    rows = views.paper_rows(args.key)
    if args.json:
        listed = [
            {
                "label": label.label,
                "number": label.number,
                "kind": label.kind,
                "name": label.name,
                "chapter": label.chapter,
                "verdict": entry.verdict.value if entry else "missing",
                "module": entry.module if entry else "",
            }
            for label, entry in rows
        ]
        print(json.dumps(listed, indent=1))
        return OK
    print(PAPERS[args.key])
    for label, entry in rows:
        verdict = entry.verdict.value if entry else "missing"
        print(f"{label.label:<14}{verdict:<12}{(label.number or '(ours)')[:22]:<24}{label.name[:50]}")
    print(f"{sum(entry is not None for _, entry in rows)} of {len(rows)} built")
    return OK


def _release(args: argparse.Namespace) -> int:
    from dpspectra.report.release import release_file

    print(release_file(args))
    return OK


def _demo(args: argparse.Namespace) -> int:
    from dpspectra.report.demo import run

    return run(Path(args.out), args.seed, args.json)


def parser() -> argparse.ArgumentParser:
    """The command line's grammar."""
    top = argparse.ArgumentParser(prog="dpspectra", description=__doc__, allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"dpspectra {__version__}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        sub.set_defaults(run=run)
        sub.add_argument("--json", action="store_true", help="print JSON instead of text")
        return sub

    demo = command("demo", _demo, "the main job end to end on real data; writes a report folder")
    demo.add_argument("--out", default="report", help="folder of the report (default: report)")
    demo.add_argument("--seed", type=int, default=None, help="seed, for a repeatable demonstration")

    check = command("verify", _verify, "recompute verdicts")
    check.add_argument("names", nargs="*", metavar="LABEL|CHAPTER", help="what to verify (default: everything)")
    check.add_argument("--paper", choices=PAPERS, help="only this paper's labels")
    check.add_argument("--challenge", action="store_true", help="also tighten every bound at its tight instances")
    check.add_argument("--examples", type=_count, metavar="N", help="cases per entry (default: each entry's own)")

    check.add_argument("--jobs", type=_count, default=1, metavar="N", help="processes (default: 1)")

    page = command("show", _show, "one statement with its evidence in numbers")
    page.add_argument("label", metavar="LABEL")

    paper = command("paper", _paper, "a paper's statements in printed order, built or missing")
    paper.add_argument("key", choices=PAPERS, metavar="PAPER", help=", ".join(PAPERS))

    release = command("release", _release, "release a statistic of a data file privately, with its claim beside it")
    release.add_argument("data", type=Path, metavar="DATA", help="rows as .npy, .npz, .csv or .parquet")
    release.add_argument("--mechanism", required=True, metavar="NAME", help="which mechanism (see the README)")
    release.add_argument("--epsilon", type=float, required=True, metavar="E", help="privacy budget in nats")
    release.add_argument("--delta", type=float, metavar="D", help="failure probability, where the mechanism has one")
    release.add_argument("--k", type=int, metavar="K", help="target rank, where the mechanism has one")
    release.add_argument("--norm-bound", type=float, default=1.0, metavar="B", help="public bound on a row's norm")
    release.add_argument("--clip", action="store_true", help="scale longer rows down to the bound (else: an error)")
    release.add_argument("--out", type=Path, required=True, metavar="FILE", help=".npy, .npz or .csv")
    return top


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a positive integer, got {text!r}")
    return int(text)


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; bad input becomes one line on standard error."""
    args: Any = parser().parse_args(argv)
    try:
        return int(args.run(args))
    except BrokenPipeError:  # whoever read our output has seen enough; nothing is left to say
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except (ValueError, OSError, ImportError) as error:
        message = f"{error.strerror}: {error.filename}" if isinstance(error, OSError) and error.filename else str(error)
        print(f"dpspectra: {' '.join(message.split())}", file=sys.stderr)
        return BAD
    except KeyboardInterrupt:
        print("dpspectra: interrupted", file=sys.stderr)
        return 130


def main() -> None:
    """Entry point."""
    sys.exit(run())
