"""The command line: grammar, exit status and error messages.

Exit status: 0 fine, 1 a promise broken or a claim refuted, 2 bad usage or input, 3 an audit that saw too little, 130
interrupted. Each command imports what it needs when it runs. It gets its options as one record, or as arguments.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dpspectra import __version__
from dpspectra.commands import options
from dpspectra.commands.arguments import count, seed
from dpspectra.ground import records
from dpspectra.ledger.papers import PAPERS

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    R = TypeVar("R", bound=DataclassInstance)

Run = Callable[[argparse.Namespace], int]
TRIALS = ("audit", "conform")
"""Commands that run code of users, and whose status is a verdict."""
DESCRIPTION = "Differentially private spectral methods: verified statements, mechanisms, and an auditor."
STATUS = (
    "Exit status: 0 fine, 1 a promise broken or a claim refuted, 2 bad usage or input, 3 an audit that saw too little "
    "to judge from, 130 interrupted."
)


def _request(kind: type[R], args: argparse.Namespace) -> R:
    """Read the options into the record of a command, whose fields have their names; lists become tuples."""
    given = {field.name: getattr(args, field.name) for field in fields(kind)}
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})


def _reported(name: str) -> Run:
    """Return a function that calls ``run`` of the module with the command's name, with the options as its record."""

    def run(args: argparse.Namespace) -> int:
        module = importlib.import_module(f"dpspectra.commands.{name}")
        return int(module.run(_request(getattr(module, f"{name.capitalize()}Request"), args)))

    return run


def _demo(args: argparse.Namespace) -> int:
    from dpspectra.commands import demo

    return demo.run(args.out, args.seed, args.json)


def _verify(args: argparse.Namespace) -> int:
    from dpspectra.commands import statements

    return statements.verify(_request(statements.VerifyRequest, args))


def _show(args: argparse.Namespace) -> int:
    from dpspectra.commands import statements

    return statements.show(args.label, args.json)


def _paper(args: argparse.Namespace) -> int:
    from dpspectra.commands import statements

    return statements.paper(args.key, args.json)


def _vectors(args: argparse.Namespace) -> int:
    from dpspectra.commands import vectors

    return vectors.run(args.out)


def _mutate(args: argparse.Namespace) -> int:
    from dpspectra.mutation import command

    return command.run(_request(command.MutateRequest, args))


def _completion(args: argparse.Namespace) -> int:
    from dpspectra.commands import completion

    print(completion.script(args.shell, parser()), end="")
    return 0


@contextmanager
def _logged(args: argparse.Namespace) -> Iterator[None]:
    """With ``--verbose``: write what the logger ``dpspectra`` says to standard error, and the time at the end."""
    if not args.verbose:
        yield
        return
    logger, handler, start = logging.getLogger("dpspectra"), logging.StreamHandler(), time.perf_counter()
    handler.setFormatter(logging.Formatter("dpspectra: %(message)s"))
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
        logger.info("%s took %.3g s", args.called, time.perf_counter() - start)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


def parser() -> argparse.ArgumentParser:
    """Return the command line's grammar."""
    top = argparse.ArgumentParser(prog="dpspectra", description=DESCRIPTION, epilog=STATUS, allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"dpspectra {__version__}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def plain(name: str, text: str, run: Run | None = None) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False)
        sub.set_defaults(run=run or _reported(name), called=name)
        log = "log method and time to standard error; they may depend on the data: do not publish them"
        sub.add_argument("--verbose", action="store_true", help=log)
        return sub

    def command(name: str, text: str, run: Run | None = None) -> argparse.ArgumentParser:
        sub = plain(name, text, run)
        sub.add_argument("--json", type=Path, metavar="FILE", help="write JSON, too; - prints it in place of the text")
        return sub

    demo = command("demo", "the main job end to end on real data; writes a report folder", _demo)
    demo.add_argument(
        "--out", type=Path, default=Path("report"), metavar="FOLDER", help="of the report (default: report)"
    )
    demo.add_argument(
        "--seed", type=seed, metavar="N", help="for a repeatable demonstration (default: fresh randomness)"
    )

    check = command("verify", "recompute the verdicts of statements", _verify)
    check.add_argument("names", nargs="*", metavar="LABEL|CHAPTER", help="what to verify (default: everything)")
    check.add_argument("--paper", choices=PAPERS, help="only this paper's labels")
    check.add_argument("--challenge", action="store_true", help="also tighten every bound at its tight instances")
    check.add_argument("--examples", type=count, metavar="N", help="cases per entry (default: each entry's own)")
    check.add_argument("--jobs", type=count, default=1, metavar="N", help="processes (default: 1)")
    check.add_argument("--seed", type=seed, metavar="N", help="draw other cases (default: the same ones every time)")

    page = command("show", "one statement with its evidence in numbers", _show)
    page.add_argument("label", metavar="LABEL", help="MWKTV-L6.1, say, or L6.1 if unique; dpspectra paper lists them")

    paper = command("paper", "a paper's statements in printed order, built or missing", _paper)
    paper.add_argument("key", choices=PAPERS, metavar="PAPER", help=", ".join(PAPERS))

    options.new_options(command("new", "start a statement in a checkout: its module, its row in the list, its note"))
    options.release_options(command("release", "release a statistic of a data file privately, its claim beside it"))
    options.check_options(command("check", "whether data files go with the options of a release, at no cost"))
    options.claim_options(command("claim", "what a release claims, in words, and whether the file is the claimed one"))
    options.denoise_options(command("denoise", "bring released second moments nearer to the truth, at no privacy cost"))
    options.budget_options(command("budget", "make the file of a budget that releases are paid from, or show it"))
    options.advise_options(command("advise", "which mechanism to use, by public numbers, and the error to expect"))
    options.bounds_options(command("bounds", "what the orbit mechanism guarantees and what no mechanism can reach"))
    options.audit_options(command("audit", "try to refute a mechanism's privacy claim from its outputs"))
    options.conform_options(command("conform", "try to show that a sampler draws from another law than a reference"))
    options.museum_options(command("museum", "list public faults beside their sound twins, or judge them from inside"))
    vectors = plain("vectors", "write test vectors: exact values by the oracle, for any language", _vectors)
    vectors.add_argument("--out", type=Path, required=True, metavar="FILE", help="JSON with its own schema inside")
    options.mutate_options(
        command("mutate", "plant small faults in the sources and see whether the checks notice", _mutate)
    )
    completion = plain("completion", "print the script that completes this program's words in a shell", _completion)
    completion.add_argument("shell", choices=("bash", "zsh", "fish"), metavar="SHELL", help="bash, zsh or fish")
    options.attack_options(command("attack", "hide random bits in a matrix, release it, and read them back"))
    return top


def _check_json(args: argparse.Namespace) -> None:
    """Raise ``ValueError`` for JSON that could not be written, or would replace a file that the command is about."""
    file = getattr(args, "json", None)
    if file in (None, Path("-")):
        return
    from dpspectra.report.files import check_outputs, claim_path

    check_outputs(file)
    given = [(name, each) for name, value in vars(args).items() for each in (value if name == "data" else [value])]
    for name, path in given:
        if isinstance(path, Path) and name not in ("json", "resume"):
            for other in (path, claim_path(path)):
                if other.absolute() == file.absolute() or (other.exists() and file.exists() and other.samefile(file)):
                    raise ValueError(f"--json must be a file of its own, got {file}, which the command reads or writes")


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; bad input becomes one line on standard error."""
    args: Any = parser().parse_args(argv)
    try:
        with _logged(args):
            _check_json(args)
            return int(args.run(args))
    except BrokenPipeError:  # the reader of standard output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
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
    """Entry point. A module on trial cannot change the status of its verdict by what it does at the end."""
    status = run()
    if sys.argv[1:2] and sys.argv[1] in TRIALS:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)
