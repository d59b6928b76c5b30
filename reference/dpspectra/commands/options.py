"""The options of the commands that have many."""

import argparse
from pathlib import Path

from dpspectra.commands import offers
from dpspectra.commands.arguments import Instead, count, seed


def mutate_options(mutate: argparse.ArgumentParser) -> None:
    """Add those of ``mutate``."""
    mutate.add_argument("names", nargs="*", metavar="LABEL|CHAPTER", help="statements that get faults (default: all)")
    mutate.add_argument(
        "--rooms",
        nargs="+",
        default=[],
        metavar="ROOM",
        help="rooms that get faults, such as mechanisms; each fault meets two minutes of tests at most, the quickest",
    )
    mutate.add_argument("--number", type=count, default=30, metavar="N", help="faults (default: 30)")
    mutate.add_argument("--seed", type=seed, default=0, metavar="N", help="which faults (default: 0)")
    mutate.add_argument("--jobs", type=count, default=1, metavar="N", help="faults tried at a time (default: 1)")
    mutate.add_argument("--results", type=Path, metavar="FILE", help="adds results, takes those it holds, to resume")
    mutate.add_argument("--survivors", action="store_true", help="try again what no check of --results noticed")
    mutate.add_argument(
        "--tests", type=Path, default=Path("tests"), metavar="FOLDER", help="the test suite, for rooms (default: tests)"
    )


def new_options(new: argparse.ArgumentParser) -> None:
    """Add those of ``new``."""
    new.add_argument("label", metavar="LABEL", help="such as DPS-EXAMPLE, or MWKTV-L6.1 for what is printed")
    new.add_argument("--chapter", required=True, metavar="CHAPTER", help="folder of the lemmas, such as orbit")
    new.add_argument("--title", metavar="WORDS", help="what it says, in a few words (default: the end of the label)")
    new.add_argument("--number", metavar="WORDS", help="as printed, such as 'Lemma 6.1' (default: it is ours)")
    new.add_argument("--kind", metavar="KIND", help="such as lemma (default: by the number; new if it is ours)")
    text = "default: verified for what is printed, new for what is ours"
    new.add_argument("--verdict", metavar="VERDICT", help=text)


def release_options(release: argparse.ArgumentParser) -> None:
    """Add those of ``release``."""
    release.formatter_class = argparse.RawDescriptionHelpFormatter
    release.epilog = (
        f"mechanisms, for rows X of norm at most B; neighbours differ in one row, which is replaced:\n{offers.listed()}"
    )
    text = (
        "rows as .npy, .npz with one array or a sparse matrix of scipy, .csv, .tsv (or with .gz; - reads text from "
        "standard input), .parquet, .arrow or .feather; refused if they would not fit four times in the free memory; "
        "or files of Moments.save, as .moments, which are added, and say themselves how rows were read"
    )
    release.add_argument("data", type=Path, nargs="+", metavar="DATA", help=text)
    release.add_argument("--mechanism", required=True, metavar="NAME", help="auto, or one of those below")
    release.add_argument("--epsilon", type=float, required=True, metavar="E", help="privacy loss in nats")
    release.add_argument("--delta", type=float, metavar="D", help="delta, where the mechanism has one")
    release.add_argument("--k", type=int, metavar="K", help="target rank, where the mechanism has one")
    text = "neighbours, where the mechanism has several: replace (default of most), add_remove, zero_out"
    release.add_argument("--relation", metavar="R", help=text)
    text = "what directions are taken about: none (default), mean or pairs; for private_pca"
    release.add_argument("--center", metavar="WORD", help=text)
    text = "psd or shrink: make second moments better at no cost in privacy, as dpspectra denoise does later"
    release.add_argument("--denoise", metavar="WORD", help=text)
    text = "column of ids, in a file of rows with names, where people have several rows: noise hides all of a person"
    release.add_argument("--person", metavar="COLUMN", help=text)
    text = "rows that each person counts as, with --person: missing ones are zero, and of more a public rule takes some"
    release.add_argument("--per-person", type=count, metavar="M", help=text)
    text = "public text that decides, with --person, which rows of a person count (default: empty)"
    release.add_argument("--salt", default="", metavar="TEXT", help=text)
    text = "file of a budget, made by dpspectra budget new, that the release is paid from; exit 2 if it is too little"
    release.add_argument("--budget", type=Path, metavar="FILE", help=text)
    reading_options(release)
    release.add_argument("--out", type=Path, required=True, metavar="FILE", help=".npy, .npz or .csv")
    release.add_argument("--force", action="store_true", help="replace an older release (else: an error)")


def reading_options(command: argparse.ArgumentParser) -> None:
    """Add those that say how rows are read."""
    command.add_argument("--norm-bound", type=float, default=1.0, metavar="B", help="public bound on rows (default: 1)")
    command.add_argument("--clip", action="store_true", help="scale longer rows down to the bound (else: an error)")
    text = "rows with an entry that is no finite number: refuse (default: an error), or zero, which takes them as zeros"
    command.add_argument("--bad-rows", default="refuse", metavar="{refuse,zero}", help=text)
    text = 'bounds of columns in JSON, {"age": [0, 100], ..} or [[0, 100], ..]: maps rows to norm 1; implies --clip'
    command.add_argument("--bounds", type=Path, metavar="FILE", help=text)
    text = (
        "whether the first line of a text file holds names (default: it must for certain, with fields that differ, "
        "begin with a letter, have no full stop and stand for no value, as NA does)"
    )
    command.add_argument("--header", action=argparse.BooleanOptionalAction, help=text)
    text = "between the fields of a text file: one character, or tab (default: a comma in .csv, a tab in .tsv)"
    command.add_argument("--separator", metavar="CHAR", help=text)
    text = "of a text file: utf-8 (default), cp1252, utf-16 or another that Python knows"
    command.add_argument("--encoding", default="utf-8", metavar="NAME", help=text)
    text = "character before the fraction of a number in a text file: a full stop (default) or a comma"
    command.add_argument("--decimal", default=".", metavar="{.,','}", help=text)
    text = "columns to read, by name, or by number from 1 in a text file without names (default: all)"
    command.add_argument("--columns", nargs="+", default=[], metavar="NAME", help=text)


def check_options(check: argparse.ArgumentParser) -> None:
    """Add those of ``check``."""
    text = "files of rows, as those of dpspectra release"
    check.add_argument("data", type=Path, nargs="+", metavar="DATA", help=text)
    reading_options(check)
    text = "look at the rows, too: what is then printed is private, for the owner of the data alone"
    check.add_argument("--owner", action="store_true", help=text)


def budget_options(budget: argparse.ArgumentParser) -> None:
    """Add those of ``budget``."""
    budget.add_argument("action", choices=("new", "show"), metavar="new|show", help="make a file, or read one")
    budget.add_argument("file", type=Path, metavar="FILE", help="the file of the budget, on a local disk")
    budget.add_argument("--epsilon", type=float, metavar="E", help="new: privacy loss in nats that may be spent")
    budget.add_argument("--delta", type=float, metavar="D", help="new: delta that may be spent (default: 0)")
    budget.add_argument("--relation", metavar="R", help="new: neighbours of all releases (default: replace)")
    text = "new: bound on rows that claims must reach: a number, or any (default: that of the first claim)"
    budget.add_argument("--norm-bound", metavar="B", help=text)
    budget.add_argument("--method", metavar="WORD", help="new: how claims add up (default: basic)")
    text = "show: a receipt printed before; a file that is older, or another one, is refused"
    budget.add_argument("--receipt", metavar="TEXT", help=text)


def claim_options(claim: argparse.ArgumentParser) -> None:
    """Add those of ``claim``."""
    claim.add_argument("file", type=Path, metavar="FILE", help="the release; its claim lies beside it")


def denoise_options(denoise: argparse.ArgumentParser) -> None:
    """Add those of ``denoise``."""
    denoise.add_argument("file", type=Path, metavar="FILE", help="the release; its claim lies beside it")
    text = "shrink (default): eigenvalues by the spectrum of the noise; psd: the nearest positive semidefinite matrix"
    denoise.add_argument("--method", default="shrink", metavar="WORD", help=text)
    denoise.add_argument("--out", type=Path, required=True, metavar="FILE", help=".npy, .npz or .csv")
    denoise.add_argument("--force", action="store_true", help="replace an older release (else: an error)")


def attack_options(attack: argparse.ArgumentParser) -> None:
    """Add those of ``attack``."""
    attack.add_argument("--bits", type=count, default=2000, metavar="N", help="hidden bits (default: 2000)")
    attack.add_argument("--k", type=count, default=4, metavar="K", help="rows of bits, and target rank (default: 4)")
    losses = [0.5, 1.0, 2.0, 4.0, 8.0]
    text = "privacy losses in nats (default: 0.5 1 2 4 8)"
    attack.add_argument("--epsilon", type=float, nargs="+", default=losses, metavar="E", help=text)
    attack.add_argument("--delta", type=float, default=1e-9, metavar="D", help="default: 1e-9")
    attack.add_argument("--seed", type=seed, default=0, metavar="N", help="default: 0")
    attack.add_argument("--plot", type=Path, metavar="FILE", help="bits read against epsilon and the limits, as .svg")


def advise_options(advise: argparse.ArgumentParser) -> None:
    """Add those of ``advise``."""
    advise.add_argument("goal", choices=offers.GOALS, help="what is to be released")
    advise.add_argument("--d", type=count, required=True, metavar="D", help="numbers in a row")
    advise.add_argument("--k", type=count, metavar="K", help="rank; not needed for a covariance")
    rows = advise.add_mutually_exclusive_group(required=True)
    rows.add_argument("--n", type=count, metavar="N", help="rows")
    text = "in its place: an error, such as 0.1, for which the smallest number of rows is sought"
    rows.add_argument("--rows-for", type=float, metavar="LOSS", help=text)
    advise.add_argument("--epsilon", type=float, required=True, metavar="E", help="privacy loss in nats")
    advise.add_argument("--delta", type=float, default=0.0, metavar="D", help="default: 0")
    advise.add_argument("--norm-bound", type=float, default=1.0, metavar="B", help="of rows (default: 1)")
    advise.add_argument("--relation", default="replace", metavar="R", help="replace (default) or add_remove a row")
    advise.add_argument(
        "--spectrum", type=float, nargs="+", metavar="X", help="public guess of the eigenvalues of X'X/n, descending"
    )
    text = "in its place: public guess of the norm of most rows (default: all are at the bound)"
    advise.add_argument("--typical-norm", type=float, metavar="R", help=text)
    advise.add_argument("--plot", type=Path, metavar="FILE", help="draw expected errors against epsilon, as .svg")


def bounds_options(bounds: argparse.ArgumentParser) -> None:
    """Add those of ``bounds``."""
    bounds.add_argument("--d", type=count, required=True, metavar="D", help="dimension")
    bounds.add_argument("--k", type=count, required=True, metavar="K", help="rank")
    values = bounds.add_mutually_exclusive_group(required=True)
    values.add_argument("--lambda1", type=float, metavar="L", help="value of all K eigenvalues that are not 0")
    values.add_argument("--eigenvalues", type=float, nargs="+", metavar="L", help="the eigenvalues, descending")
    bounds.add_argument("--epsilon", type=float, nargs="+", required=True, metavar="E", help="privacy losses in nats")
    bounds.add_argument("--relation", default="replace", metavar="R", help="replace (default) or add_remove a row")
    bounds.add_argument("--beta", type=float, default=0.05, metavar="B", help="risk of the guarantee (default: 0.05)")
    bounds.add_argument("--field", default="complex", metavar="F", help="complex (default) or real matrices")
    bounds.add_argument("--plot", type=Path, metavar="FILE", help="utility lost against epsilon, as .svg")


def audit_options(audit: argparse.ArgumentParser) -> None:
    """Add those of ``audit``."""
    audit.add_argument("mechanism", nargs="?", metavar="package.module:callable", help="what to audit")
    audit.add_argument("--command", metavar="PROGRAM", help="in its place: a program that speaks the line protocol")
    claim = audit.add_argument_group("the claim (one of)")
    claim.add_argument("--epsilon", type=float, metavar="E", help="privacy loss in nats, with --delta")
    claim.add_argument("--delta", type=float, default=0.0, metavar="D", help="default: 0")
    claim.add_argument("--mu", type=float, metavar="MU", help="Gaussian differential privacy")
    claim.add_argument("--renyi", type=float, nargs=2, metavar=("ALPHA", "E"), help="Renyi differential privacy")
    claim.add_argument("--profile", type=Path, metavar="FILE", help="JSON list of pairs [epsilon, delta]")
    trial = audit.add_argument_group("the trial")
    trial.add_argument(
        "--pair",
        type=Path,
        metavar="FILE",
        help="data sets called first and second, .npz or .json (default: the rows (1, 0, ...) and (..., 0, 1), "
        "where the last becomes zero in the second data set)",
    )
    trial.add_argument("--search", metavar="RELATION", help="look for the pair: replace, add_remove or zero_out a row")
    text = "with --search: rows that the claim is about: ball (norm at most 1), box, cube, signs, one-hot"
    trial.add_argument("--domain", metavar="ROWS", help=text)
    trial.add_argument("--dimension", type=count, default=2, metavar="D", help="columns, without --pair (default: 2)")
    trial.add_argument(
        "--form",
        default="rows",
        help="rows (default), or what the mechanism takes of them: their sum, or the matrix that is the sum of x x'",
    )
    _argument_options(trial, "argument of the mechanism, may be repeated")
    trial.add_argument(
        "--support", metavar="package.module:callable", help="function of an output and a data set: is it impossible?"
    )
    text = "look at all bits of numbers, which are rounded by default, and exact with --inside"
    trial.add_argument("--bits", action="store_true", help=text)
    trial.add_argument("--independent", action="store_true", help="rows that one call returns are independent runs")
    _draw_options(trial)
    text = "follow the noise through the code instead; exit 0 if the loss is explained, 1 refuted, 3 not decided"
    trial.add_argument("--inside", action="store_true", help=text)
    text = "with --inside: audit what is not decided by draws, too, with half of the risk"
    trial.add_argument("--then-outside", action="store_true", help=text)
    text = (
        "exit with 3 if a loss of so many nats on half of the outputs would not have been refuted, or a loss by events "
        "that the auditor has to find: LOSS@CLASS, one of told, threshold, interval, residue, place, member"
    )
    trial.add_argument("--require-power", metavar="LOSS", help=text)
    results = audit.add_argument_group("records", "The file of --json is kept up to date while the audit runs.")
    results.add_argument("--junit", type=Path, metavar="FILE", help="for continuous integration")
    results.add_argument("--html", type=Path, metavar="FILE", help="one page with plots")
    results.add_argument("--resume", type=Path, metavar="FILE", help="go on from this JSON of the same audit")
    results.add_argument("--check", type=Path, metavar="FILE", help="compute this JSON's verdict again; no draws")


def museum_options(museum: argparse.ArgumentParser) -> None:
    """Add those of ``museum``."""
    museum.add_argument("names", nargs="*", metavar="CASE", help="cases to judge (default: all)")
    museum.add_argument("--list", action="store_true", help="list the cases with their threads, and judge none")
    museum.add_argument("--outside", action="store_true", help="judge by draws, too: 20,000 on each data set at most")
    museum.add_argument("--seed", type=seed, default=0, metavar="N", help="of the audits (default: 0)")


def conform_options(conform: argparse.ArgumentParser) -> None:
    """Add those of ``conform``."""
    conform.formatter_class = argparse.RawDescriptionHelpFormatter
    conform.epilog = f"references, each with its arguments:\n{offers.listed_references()}"
    text = "one of those below, or package.module:callable"
    conform.add_argument("reference", metavar="REFERENCE", help=text)
    text = "the sampler that should draw from it"
    candidate = conform.add_argument("candidate", metavar="package.module:callable", help=text)
    text = "in its place: a program that speaks the line protocol"
    conform.add_argument("--command", action=Instead, replaced=candidate, metavar="PROGRAM", help=text)
    trial = conform.add_argument_group("the trial")
    text = "input of both: a .json, .npy or .npz file, or JSON itself, such as 3 or [[2, 0], [0, 1]]"
    trial.add_argument("--at", required=True, metavar="INPUT", help=text)
    _argument_options(trial, "argument of the reference, the candidate or both, may be repeated")
    text = "total variation distance that is allowed (default: 0)"
    trial.add_argument("--tolerance", type=float, default=0.0, metavar="TV", help=text)
    text = "rows that one call returns are independent, and ought to be"
    trial.add_argument("--independent", action="store_true", help=text)
    _draw_options(trial)
    results = conform.add_argument_group("records", "The file of --json is kept up to date while draws are made.")
    results.add_argument("--junit", type=Path, metavar="FILE", help="for continuous integration")


def _argument_options(trial: argparse._ArgumentGroup, text: str) -> None:
    """Add those of ``argument``."""
    trial.add_argument("--with", dest="arguments", action="append", default=[], metavar="NAME=VALUE", help=text)


def _draw_options(trial: argparse._ArgumentGroup) -> None:
    """Add those of ``draw``."""
    trial.add_argument("--confidence", type=float, default=0.999, metavar="C", help="of a refutation (default: 0.999)")
    trial.add_argument("--draws", type=count, default=100_000, metavar="N", help="on each side (default: 100000)")
    trial.add_argument("--seconds", type=float, default=60.0, metavar="S", help="time for draws (default: 60)")
    trial.add_argument("--seed", type=seed, default=0, metavar="N", help="default: 0")
    trial.add_argument("--workers", type=count, metavar="N", help="joblib workers that draw (default: this process)")
    text = "exit with 3 if more of the outputs hold what cannot be read, or more calls are lost (default: 0.01)"
    trial.add_argument("--accept-unread", type=float, default=0.01, metavar="SHARE", help=text)
