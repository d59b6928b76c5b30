"""Command line. Exit status: 0 fine, 1 a promise broken or a claim refuted, 2 bad usage or input, 130 interrupted."""

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
from dpspectra.ledger.runner import Report, verify
from dpspectra.progress import progress

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


def _audit(args: argparse.Namespace) -> int:
    from dpspectra.report.audit import audit_command

    return audit_command(args)


def _bounds(args: argparse.Namespace) -> int:
    from dpspectra.report.bounds import bounds_command

    return bounds_command(args)


def _attack(args: argparse.Namespace) -> int:
    from dpspectra.report.attack import attack_command

    return attack_command(args)


def _vectors(args: argparse.Namespace) -> int:
    from dpspectra.report.vectors import write_vectors

    print(write_vectors(args.out))
    return OK


def _demo(args: argparse.Namespace) -> int:
    from dpspectra.report.demo import run

    return run(Path(args.out), args.seed, args.json)


def parser() -> argparse.ArgumentParser:
    """The command line's grammar."""
    top = argparse.ArgumentParser(prog="dpspectra", description=__doc__, allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"dpspectra {__version__}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def plain(name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        sub.set_defaults(run=run)
        return sub

    def command(name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        sub = plain(name, run, text)
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
    _bounds_options(command("bounds", _bounds, "what the orbit mechanism guarantees and what no mechanism can reach"))
    _audit_options(plain("audit", _audit, "try to refute a mechanism's privacy claim from its outputs"))
    vectors = plain("vectors", _vectors, "write test vectors: exact values by the oracle, for any language")
    vectors.add_argument("--out", type=Path, required=True, metavar="FILE", help="JSON with its own schema inside")
    _attack_options(command("attack", _attack, "hide random bits in a matrix, release it, and read them back"))
    return top


def _attack_options(attack: argparse.ArgumentParser) -> None:
    attack.add_argument("--bits", type=_count, default=2000, metavar="N", help="hidden bits (default 2000)")
    attack.add_argument("--k", type=_count, default=4, metavar="K", help="rows of bits, and target rank (default 4)")
    attack.add_argument(
        "--epsilon", type=float, nargs="+", default=[0.5, 1.0, 2.0, 4.0, 8.0], metavar="E", help="budgets in nats"
    )
    attack.add_argument("--delta", type=float, default=1e-9, metavar="D", help="default 1e-9")
    attack.add_argument("--seed", type=int, default=0, metavar="N", help="default 0")
    attack.add_argument("--plot", type=Path, metavar="FILE", help="bits read against epsilon and the limits, as .svg")


def _bounds_options(bounds: argparse.ArgumentParser) -> None:
    bounds.add_argument("--d", type=_count, required=True, metavar="D", help="dimension")
    bounds.add_argument("--k", type=_count, required=True, metavar="K", help="rank")
    values = bounds.add_mutually_exclusive_group(required=True)
    values.add_argument("--lambda1", type=float, metavar="L", help="all K eigenvalues that are not 0")
    values.add_argument("--eigenvalues", type=float, nargs="+", metavar="L", help="these one by one, descending")
    bounds.add_argument("--epsilon", type=float, nargs="+", required=True, metavar="E", help="budgets in nats")
    bounds.add_argument("--relation", default="replace", metavar="R", help="replace (default) or add_remove")
    bounds.add_argument("--beta", type=float, default=0.05, metavar="B", help="risk of the guarantee (default 0.05)")
    bounds.add_argument("--field", default="complex", metavar="F", help="of the matrices: complex (default) or real")
    bounds.add_argument("--plot", type=Path, metavar="FILE", help="utility lost against epsilon, as .svg")


def _audit_options(audit: argparse.ArgumentParser) -> None:
    audit.add_argument("mechanism", nargs="?", metavar="package.module:callable", help="what to audit")
    claim = audit.add_argument_group("the claim (one of)")
    claim.add_argument("--epsilon", type=float, metavar="E", help="privacy loss in nats, with --delta")
    claim.add_argument("--delta", type=float, default=0.0, metavar="D", help="default 0")
    claim.add_argument("--mu", type=float, metavar="MU", help="Gaussian differential privacy")
    claim.add_argument("--renyi", type=float, nargs=2, metavar=("ALPHA", "E"), help="Renyi differential privacy")
    claim.add_argument("--profile", type=Path, metavar="FILE", help="JSON list of pairs [epsilon, delta]")
    trial = audit.add_argument_group("the trial")
    trial.add_argument("--pair", type=Path, metavar="FILE", help="data sets first and second, .npz or .json")
    trial.add_argument("--search", metavar="RELATION", help="look for the pair: replace, add_remove or zero_out a row")
    trial.add_argument("--dimension", type=_count, default=2, metavar="D", help="columns of a pair from no file")
    trial.add_argument("--form", default="rows", help="what the mechanism takes of it: rows (default), or their matrix")
    trial.add_argument(
        "--with", dest="arguments", action="append", default=[], metavar="NAME=VALUE", help="the mechanism's argument"
    )
    trial.add_argument(
        "--support", metavar="package.module:callable", help="which outputs are impossible on which data"
    )
    trial.add_argument("--confidence", type=float, default=0.999, metavar="C", help="default 0.999")
    draws = trial.add_mutually_exclusive_group()  # the second is the old name of the first
    draws.add_argument("--draws", type=_count, default=100_000, metavar="N", help="on each data set (default 100000)")
    draws.add_argument("--budget", dest="draws", type=_count, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    trial.add_argument("--seconds", type=float, default=60.0, metavar="S", help="time for draws (default: 60)")
    trial.add_argument("--seed", type=int, default=0, metavar="N", help="default 0")
    trial.add_argument("--workers", type=_count, metavar="N", help="joblib workers (default: this process)")
    results = audit.add_argument_group("records")
    results.add_argument("--json", type=Path, metavar="FILE", help="kept up to date while the audit runs")
    results.add_argument("--junit", type=Path, metavar="FILE", help="for continuous integration")
    results.add_argument("--html", type=Path, metavar="FILE", help="one page with plots")
    results.add_argument("--resume", type=Path, metavar="FILE", help="go on from this JSON of the same audit")
    results.add_argument("--check", type=Path, metavar="FILE", help="compute this JSON's verdict again; no draws")


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
