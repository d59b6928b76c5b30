"""The command ``audit``: a mechanism by name, or a program, on trial, or the record of an earlier trial computed again.

The record says what was known at the last look. Draws under way when an audit is interrupted are lost, and do no harm
to what follows if the interruption had nothing to do with them.
"""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from dpspectra.audit import AuditResult, CurveClaim, Profile, audit, worst_pair
from dpspectra.audit.betting import power_by_event_class
from dpspectra.audit.claim_arguments import claim_by
from dpspectra.audit.draws_for_picture import sampled
from dpspectra.audit.result import facts
from dpspectra.commands.inputs import read_pair
from dpspectra.commands.inside import DECIDED, check_inside, inside
from dpspectra.commands.record import contradictions, record, recorded
from dpspectra.commands.subject import Subject, default_pair, program_subject, subject, write_pair
from dpspectra.commands.trial_options import AuditRequest
from dpspectra.commands.verdict import absolute, followed, status, told
from dpspectra.ground import checks, extras, records
from dpspectra.report import command_output
from dpspectra.report.audit_page import audit_page
from dpspectra.report.files import check_outputs, write_text
from dpspectra.report.junit import junit

SEARCH = 6
"""The audit's draws over those of the search for a pair, which makes about three times as many as it is given."""
UNCHECKED = "that the draws were made as counted, and what could not be read of their outputs"
"""Facts that no record proves."""
FEWEST = 512
"""Draws that the search is given at least."""


def run(request: AuditRequest) -> int:
    """Run ``dpspectra audit``; 0 if the claim is not refuted, 1 if it is, 3 if too little was seen to judge from.

    Raises ``ValueError`` for bad usage.
    """
    if request.check is not None:
        if others := [name for name in request.changed() if name not in {"--check", "--json"}]:
            raise ValueError(f"--check takes all from the record and must come without {', '.join(others)}")
        return _check(request.check, request.json)
    _check_subject(request)
    check_inside(request)
    check_outputs(request.junit, request.html)  # before any code of the user can go elsewhere
    json_at, junit_at, html_at = map(absolute, (request.json, request.junit, request.html))
    request = replace(request, json=json_at, junit=junit_at, html=html_at)
    earlier = None if request.resume is None else _resumable(request.resume)
    claim = _claim(request, earlier)
    with _on_trial(request, claim) as on_trial:
        if request.resume is not None and _description(request.resume) != on_trial.description:
            raise ValueError(f"{request.resume} must be about this mechanism, its arguments, support and pair")
        seen: dict[str, Any] = {}
        if request.inside:
            decided, found = inside(on_trial, claim, request)
            if not request.then_outside or decided in DECIDED:
                return decided
            request, seen = replace(request, confidence=(1 + request.confidence) / 2), {"inside": found}
        if request.html is not None:
            extras.load("matplotlib", "plot", "plots")
        if request.search is not None:
            on_trial = _searched(on_trial, claim, request.search, request)

        def text(result: AuditResult) -> str:
            """Record what is known, beside what was seen inside."""
            data = recorded(on_trial.pair, _made(request))
            return record(on_trial.description, _asked(request), result, data, seen)

        result = _tried(on_trial, claim, earlier, request, text)
        command_output.put(request.json, lambda: text(result))
        _write(request, on_trial, result)
        command_output.say(request.json, told(on_trial.name, {"data sets": _made(request)} | facts(result)))
        return status(result)


def _check_subject(request: AuditRequest) -> None:
    if request.command is None and request.mechanism is None:
        raise ValueError("what to audit must be named package.module:callable (or --command, or a record with --check)")
    if request.command is not None and (request.mechanism is not None or request.arguments):
        raise ValueError("--command names a program with its arguments and must come without a mechanism and --with")
    if request.command is not None and request.pair is None:
        raise ValueError("--command must come with --pair FILE: only you know which data the program reads")
    if request.require_power is not None:
        power_by_event_class.required(request.require_power, "--require-power")
    if request.search is not None and (request.pair or request.resume):
        raise ValueError("--search finds the pair itself and must come without --pair and --resume")
    if (request.search is None) is not (request.domain is None):
        raise ValueError(
            "--search must come with --domain, the rows that the claim is about, and --domain with --search"
        )


def _on_trial(request: AuditRequest, claim: CurveClaim) -> AbstractContextManager[Subject]:
    if request.mechanism is not None:
        pair = default_pair(request.dimension, request.form) if request.pair is None else read_pair(request.pair)
        return nullcontext(subject(request.mechanism, claim, request.arguments, pair, request.support))
    assert request.command is not None
    assert request.pair is not None
    checks.positive(request.seconds, "--seconds")
    return program_subject(request.command, read_pair(request.pair, arrays=False), request.support, request.seconds)


def _tried(
    on_trial: Subject,
    claim: CurveClaim,
    earlier: AuditResult | None,
    request: AuditRequest,
    text: Callable[[AuditResult], str],
) -> AuditResult:
    """Audit, and keep the record up to date on the way."""
    done = 0 if earlier is None else earlier.draws
    try:
        with followed(on_trial.name, request.draws, done, request.json, text) as watch:
            given = request.keywords(audit) | {"support": on_trial.support, "resume": earlier, "watch": watch}
            return audit(on_trial.mechanism, on_trial.pair, claim, **given)
    except KeyboardInterrupt:
        file = command_output.file_of(request.json)
        if file is not None and file.exists():
            pair = f" --pair {_pair_path(file)} in place of --search" if request.search else ""
            alone = f" --confidence {request.confidence!r} and no --inside --then-outside" if request.inside else ""
            hint = f"the same command with --resume {file}{pair}{alone} goes on"
            print(f"dpspectra: what was found is in {file}; {hint}", file=sys.stderr)
        raise


def _searched(on_trial: Subject, claim: CurveClaim, relation: str, request: AuditRequest) -> Subject:
    """Look for the pair that shows most, on draws of its own: about half the time and draws that the audit may take.

    It is written beside the record, where ``--pair`` finds it.
    """
    worst = worst_pair(
        on_trial.mechanism,
        claim,
        dimension=request.dimension,
        relation=relation,
        domain=request.domain or "",
        form=request.form,
        draws=max(request.draws // SEARCH, FEWEST),
        seconds=request.seconds / 2,
        support=on_trial.support,
        bits=request.bits,
        workers=request.workers,
        rng=np.random.default_rng([request.seed, SEARCH]),
    )
    command_output.say(request.json, f"pair: {worst.name}")
    if (file := command_output.file_of(request.json)) is not None:
        write_pair(_pair_path(file), worst.pair)
    return replace(on_trial, pair=worst.pair)


def _pair_path(record: Path) -> Path:
    return record.with_name(record.name + ".pair.json")


def _asked(request: AuditRequest) -> dict[str, Any]:
    """Return the options, without those that say where reports go."""
    return {name: value for name, value in asdict(request).items() if name not in ("json", "junit", "html", "check")}


def _made(request: AuditRequest) -> str:
    """Where the two data sets come from, in words of the command line."""
    if request.pair is not None:
        return f"--pair {request.pair}"
    source = "the default pair" if request.search is None else f"--search {request.search} --domain {request.domain}"
    return f"{source}, --dimension {request.dimension} --form {request.form}"


def _check(path: Path, to: Path | None) -> int:
    """Compute a record again; its verdict if everything agrees, else each contradiction in a line of its own."""
    result, found = _recorded(path)
    for contradiction in found:
        print(records.printable(f"dpspectra: {path} contradicts itself: {contradiction}"), file=sys.stderr)
    if found:
        return 2
    by = "counts" if result.certificate is None else "counts and certificate"
    command_output.say(
        to, told(f"{path}: {by} give the verdict again", facts(result) | {"taken as recorded": UNCHECKED})
    )
    command_output.put(to, result.to_json)
    return status(result)


def _resumable(path: Path) -> AuditResult:
    """Read a record to go on from; raises ``ValueError`` if it contradicts itself."""
    result, found = _recorded(path)
    if found:
        raise ValueError(f"{path} must not contradict itself, but {found[0]}. Audit anew without --resume.")
    return result


def _recorded(path: Path) -> tuple[AuditResult, list[str]]:
    """Read a record and what contradicts itself there; raises ``ValueError`` if it is none."""
    try:
        text = path.read_text(encoding="utf-8")
        return AuditResult.from_json(text), contradictions(text)
    except ValueError as problem:
        raise ValueError(f"{path}: {problem}") from None


def _description(path: Path) -> Any:
    return records.parsed(path.read_text(encoding="utf-8")).get("subject")


def _claim(request: AuditRequest, earlier: AuditResult | None) -> CurveClaim:
    """Return the claim that the options make; that of the earlier result if they make none."""
    given = {name: getattr(request, name) for name in ("epsilon", "mu", "renyi", "rho")}
    given["profile"] = None if request.profile is None else _profile(request.profile)
    if earlier is not None and all(value is None for value in given.values()):
        return earlier.claim
    return claim_by(delta=request.delta, **given)


def _profile(path: Path) -> Profile:
    pairs = records.listed(records.tupled(records.number(), records.number()))
    return Profile(records.read(path.read_bytes(), pairs, f"{path} must hold a JSON list of pairs [epsilon, delta]"))


def _write(request: AuditRequest, on_trial: Subject, result: AuditResult) -> None:
    if request.junit is not None:
        write_text(request.junit, junit(on_trial.name, result))
    if request.html is not None:
        seen = sampled(on_trial.mechanism, on_trial.pair, result, on_trial.support)
        write_text(request.html, audit_page(on_trial.name, result, seen))
