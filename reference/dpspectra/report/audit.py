"""The command ``audit``: a mechanism by name on trial, or the record of an earlier trial computed again.

The record says what was known at the last look. Draws under way when an audit is interrupted are lost, and do no harm
to what follows if the interruption had nothing to do with them.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dpspectra.audit import GDP, AuditResult, CurveClaim, Profile, Renyi, audit, worst_pair
from dpspectra.audit.claims import claim_of
from dpspectra.audit.recheck import faults
from dpspectra.audit.sample import sampled
from dpspectra.progress import progress
from dpspectra.report.audit_page import audit_page
from dpspectra.report.facts import facts
from dpspectra.report.files import write_text
from dpspectra.report.junit import junit
from dpspectra.report.target import Subject, default_pair, read_pair, subject, write_pair

SEARCH = 6
"""The audit's draws over those of the search for a pair, which makes about three times as many as it is given."""
FEWEST = 512
"""Draws that the search is given at least."""


def audit_command(args: argparse.Namespace) -> int:
    """Run ``dpspectra audit``; 0 if the claim is not refuted, 1 if it is. Raises ``ValueError`` for bad usage."""
    if args.check is not None:
        return _check(args.check)
    if args.mechanism is None:
        raise ValueError("what to audit must be named package.module:callable (or a record with --check)")
    earlier = None if args.resume is None else _read(args.resume)
    claim = _claim(args, earlier)
    if args.search is not None and (args.pair or args.resume):
        raise ValueError("--search finds the pair itself and must come without --pair and --resume")
    pair = default_pair(args.dimension, args.form) if args.pair is None else read_pair(args.pair)
    on_trial = subject(args.mechanism, claim, args.arguments, pair, args.support)
    if args.resume is not None and _description(args.resume) != on_trial.description:
        raise ValueError(f"{args.resume} must be about this mechanism, its arguments, support and pair")
    _check_outputs(args)
    if args.search is not None:
        on_trial = _searched(on_trial, claim, args)
    result = _tried(on_trial, claim, earlier, args)
    _write(args, on_trial, result)
    _print(on_trial.name, facts(result))
    return int(result.violated)


def _tried(on_trial: Subject, claim: CurveClaim, earlier: AuditResult | None, args: argparse.Namespace) -> AuditResult:
    """Audit, and keep the record up to date on the way."""
    done = 0 if earlier is None else earlier.draws
    with progress(total=args.draws, description="draws") as bar:
        counted = done

        def watch(result: AuditResult) -> None:
            nonlocal counted
            if args.json is not None:
                write_text(args.json, _record(on_trial, result, args))
            bar.advance(f"log e-value {result.log_e_value:.2f}", result.draws - counted)
            counted = result.draws

        try:
            return audit(
                on_trial.mechanism,
                on_trial.pair,
                claim,
                confidence=args.confidence,
                draws=args.draws,
                seconds=args.seconds,
                support=on_trial.support,
                workers=args.workers,
                resume=earlier,
                watch=watch,
                rng=args.seed,
            )
        except NotImplementedError as problem:
            raise ValueError(
                f"{on_trial.name} must be implemented, it says {str(problem) or 'that it is not'}"
            ) from None
        except KeyboardInterrupt:
            if args.json is not None and args.json.exists():
                pair = f" --pair {_pair_path(args.json)} in place of --search" if args.search else ""
                hint = f"the same command with --resume {args.json}{pair} goes on"
                print(f"dpspectra: what was found is in {args.json}; {hint}", file=sys.stderr)
            raise


def _searched(on_trial: Subject, claim: CurveClaim, args: argparse.Namespace) -> Subject:
    """Look for the pair that shows most, on draws of its own: about half the time and draws that the audit may take.

    It is written beside the record, where ``--pair`` finds it.
    """
    found = worst_pair(
        on_trial.mechanism,
        claim,
        dimension=args.dimension,
        relation=args.search,
        form=args.form,
        draws=max(args.draws // SEARCH, FEWEST),
        seconds=args.seconds / 2,
        support=on_trial.support,
        workers=args.workers,
        rng=np.random.default_rng([args.seed, SEARCH]),
    )
    print(f"pair: {found.name}")
    if args.json is not None:
        write_pair(_pair_path(args.json), found.pair)
    return replace(on_trial, pair=found.pair)


def _pair_path(record: Path) -> Path:
    return record.with_name(record.name + ".pair.json")


def _record(on_trial: Subject, result: AuditResult, args: argparse.Namespace) -> str:
    """JSON of a result, of what it is about and of what was asked for; `AuditResult.from_json` reads it."""
    asked = {name: getattr(args, name) for name in ("draws", "seconds", "seed", "workers")}
    about = {"subject": on_trial.description, "asked": asked}
    return json.dumps(about | json.loads(result.to_json()), indent=1) + "\n"


def _check(path: Path) -> int:
    """Compute a record again; its verdict if everything agrees."""
    result = _read(path)
    if found := faults(result):
        raise ValueError(f"{path} contradicts itself: {'; '.join(found)}")
    by = "counts" if result.certificate is None else "counts and certificate"
    _print(f"{path}: {by} give the verdict again", facts(result))
    return int(result.violated)


def _read(path: Path) -> AuditResult:
    return AuditResult.from_json(path.read_text(encoding="utf-8"))


def _description(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")).get("subject")


def _claim(args: argparse.Namespace, earlier: AuditResult | None) -> CurveClaim:
    """The claim that the options make; that of the earlier result if they make none."""
    given = [name for name in ("epsilon", "mu", "renyi", "profile") if getattr(args, name) is not None]
    if earlier is not None and not given:
        return earlier.claim
    if len(given) != 1:
        raise ValueError(f"the claim must be one of --epsilon, --mu, --renyi, --profile, got {len(given)} of them")
    if args.delta and given != ["epsilon"]:
        raise ValueError(f"--delta must come with --epsilon, got --{given[0]}")
    claims: dict[str, Any] = {
        "epsilon": lambda: claim_of(args.epsilon, args.delta),
        "mu": lambda: GDP(args.mu),
        "renyi": lambda: Renyi(*args.renyi),
        "profile": lambda: _profile(args.profile),
    }
    claim: CurveClaim = claims[given[0]]()
    return claim


def _profile(path: Path) -> Profile:
    try:
        points = tuple((float(e), float(d)) for e, d in json.loads(path.read_text(encoding="utf-8")))
    except (TypeError, ValueError):
        raise ValueError(f"{path} must hold a JSON list of pairs [epsilon, delta]") from None
    return Profile(points)


def _check_outputs(args: argparse.Namespace) -> None:
    """Complain before the first draw of what would fail after the last."""
    for path in (args.json, args.junit, args.html):
        if path is not None and path.is_dir():
            raise ValueError(f"an output must be a file, got the folder {path}")
    if args.html is not None and importlib.util.find_spec("matplotlib") is None:
        raise ImportError("plots need matplotlib: install dpspectra[plot]")


def _write(args: argparse.Namespace, on_trial: Subject, result: AuditResult) -> None:
    if args.json is not None:
        write_text(args.json, _record(on_trial, result, args))
    if args.junit is not None:
        write_text(args.junit, junit(on_trial.name, result))
    if args.html is not None:
        seen = sampled(on_trial.mechanism, on_trial.pair, result)
        write_text(args.html, audit_page(on_trial.name, result, seen))


def _print(title: str, lines: Mapping[str, str]) -> None:
    print(title)
    for key, value in lines.items():
        print(f"  {key:<32}{value}")
