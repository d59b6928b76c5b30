"""The command line: grammar, exit status and error messages.

Exit status: 0 fine, 1 a promise broken or a claim refuted, 2 bad usage or input, 3 an audit that saw too little, 130
interrupted. Each command imports what it needs when it runs, and gets its options as one record.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from dpspectra import __version__
from dpspectra.commands import budget_options, options, trial_options
from dpspectra.commands.arguments import Parser, Request
from dpspectra.ground import records
from dpspectra.ground.unheard import bear_no_reader, forget_unwritten

Run = Callable[[argparse.Namespace], int]
COMMANDS: dict[str, tuple[type[Request], str]] = {
    "demo": (options.DemoRequest, "the main job end to end on real data; writes a report folder"),
    "verify": (options.VerifyRequest, "recompute the verdicts of statements"),
    "show": (options.ShowRequest, "one statement with its evidence in numbers"),
    "paper": (options.PaperRequest, "a paper's statements in printed order, built or missing"),
    "release": (options.ReleaseRequest, "release a statistic of a data file privately, its claim beside it"),
    "check": (options.CheckRequest, "whether data files go with the options by which a release reads rows, at no cost"),
    "claim": (options.ClaimRequest, "what a release claims, in words, and whether the file is the claimed one"),
    "denoise": (options.DenoiseRequest, "bring released second moments nearer to the truth, at no privacy cost"),
    "budget": (budget_options.BudgetRequest, "make the file of a budget that releases are paid from, or show it"),
    "convert": (budget_options.ConvertRequest, "privacy loss in another measure: epsilon, mu, rho, Renyi divergences"),
    "advise": (options.AdviseRequest, "which mechanism to use, by public numbers, and the error to expect"),
    "bounds": (options.BoundsRequest, "what the orbit mechanism guarantees and what no mechanism can reach"),
    "audit": (trial_options.AuditRequest, "try to refute a mechanism's privacy claim from its outputs"),
    "conform": (trial_options.ConformRequest, "try to show that a sampler draws from another law than a reference"),
    "museum": (trial_options.MuseumRequest, "list public faults beside their sound twins, or judge them from inside"),
    "vectors": (options.VectorsRequest, "write test vectors: exact values by the oracle, for any language"),
}
"""Commands, each with its options and a line of help."""
LEDGER = ("verify", "show", "paper")
"""Commands that one module has, each as a function of its name."""
TRIALS = ("audit", "conform")
"""Commands that run code of users, and whose status is a verdict."""
DESCRIPTION = "Differentially private spectral methods: verified statements, mechanisms, and an auditor."
STATUS = (
    "Exit status: 0 fine, 1 a promise broken or a claim refuted, 2 bad usage or input, 3 an audit that saw too little "
    "to judge from, 130 interrupted."
)


def _declared(name: str, kind: type[Request]) -> Run:
    """Return a function that runs a command with its options as a record."""
    home, function = ("statements", name) if name in LEDGER else (name, "run")

    def run(args: argparse.Namespace) -> int:
        return int(getattr(importlib.import_module(f"dpspectra.commands.{home}"), function)(kind.of(args)))

    return run


def parser() -> Parser:
    """Return the command line's grammar."""
    top = Parser(prog="dpspectra", description=DESCRIPTION, epilog=STATUS, allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"dpspectra {__version__}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")

    for name, (kind, text) in COMMANDS.items():
        sub = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False)
        sub.set_defaults(run=_declared(name, kind), called=name)
        kind.declare(sub)
    return top


def _check_json(args: argparse.Namespace) -> None:
    """Raise ``ValueError`` for JSON that could not be written, or would replace a file that the command is about."""
    file = getattr(args, "json", None)
    if file in (None, Path("-")):
        return
    from dpspectra.report.files import check_outputs, claim_path

    check_outputs(file)
    given = [(name, v) for name, value in vars(args).items() for v in (value or () if name == "data" else [value])]
    for name, path in given:
        if isinstance(path, Path) and name not in ("json", "resume"):
            for other in (path, claim_path(path)):
                if other.absolute() == file.absolute() or (other.exists() and file.exists() and other.samefile(file)):
                    raise ValueError(f"--json must be a file of its own, got {file}, which the command reads or writes")


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    return answer(parser().parse_args(argv))


def answer(args: argparse.Namespace) -> int:
    """Run what the options say, and return its exit status; bad input becomes one line on standard error."""
    try:
        _check_json(args)
        status = int(args.run(args))
        sys.stdout.flush()  # a disk that is full is an error, too
        return status
    except (ValueError, OSError, ImportError, MemoryError) as error:
        message = f"{error.strerror}: {error.filename}" if isinstance(error, OSError) and error.filename else str(error)
        line = records.printable(" ".join(message.split()))
        print(f"dpspectra: {line or 'out of memory'}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("dpspectra: interrupted", file=sys.stderr)
        return 130
    except Exception:
        if args.called not in TRIALS:
            raise
        traceback.print_exc()  # not by a status of 1, which says that a claim is refuted
        return 2


def main() -> None:
    """Entry point. No reader who leaves changes the status, nor a module on trial by what it does at the end."""
    bear_no_reader()
    status = run()
    forget_unwritten()
    if sys.argv[1:2] and sys.argv[1] in TRIALS:
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)
