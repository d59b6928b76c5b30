"""``dpspectra audit --inside``: follow the noise of a Python mechanism through its code."""

import json
import shlex
import time
from typing import Any

from dpspectra.audit import CurveClaim, verdicts
from dpspectra.audit import inside as looked_inside
from dpspectra.audit.from_inside import EXPLAINED, REFUTED
from dpspectra.audit.inside_words import lines, next_step
from dpspectra.commands.subject import Subject
from dpspectra.commands.trial_options import AuditRequest
from dpspectra.report import command_output
from dpspectra.report.files import write_text
from dpspectra.report.inside_page import inside_page
from dpspectra.report.junit import junit_inside

WORDS = {EXPLAINED: verdicts.NOT_REFUTED, REFUTED: verdicts.REFUTED}
"""Verdicts of an audit by draws that say as much; any other one is undecided."""
DECIDED = frozenset(verdicts.STATUS[word] for word in WORDS.values())


def check_inside(request: AuditRequest) -> None:
    """Raise ``ValueError`` for options that do not go together."""
    if request.then_outside and not request.inside:
        raise ValueError("--then-outside must come with --inside")
    if not request.inside:
        return
    if request.then_outside and request.json == command_output.STDOUT:
        raise ValueError("--then-outside makes two reports and must come without --json -: give a file")
    for name in ("command", "resume", "search"):
        if getattr(request, name) is not None:
            raise ValueError(f"--inside follows a Python mechanism on one pair and must come without --{name}")
    if request.then_outside:
        return
    for name in ("estimate", "independent", "require_power", "support"):
        if getattr(request, name):
            option = f"--{name.replace('_', '-')}"
            raise ValueError(f"{option} is of audits that count outputs: add --then-outside, or leave --inside out")


def inside(on_trial: Subject, claim: CurveClaim, request: AuditRequest) -> tuple[int, dict[str, Any]]:
    """Look inside, print the report and write the files asked for; the exit status, and what was found."""
    share = (1 - request.confidence) / (2 if request.then_outside else 1)
    given = request.keywords(looked_inside) | {"confidence": 1 - share}
    begun = time.perf_counter()
    result = looked_inside(on_trial.mechanism, on_trial.pair, claim, **given)
    took = time.perf_counter() - begun
    by_draws = "this comes next, as --then-outside asks" if request.then_outside else _by_draws(on_trial.name, request)
    told = {"mechanism": on_trial.name} | result.to_dict() | {"next": next_step(result, by_draws)}
    command_output.put(request.json, lambda: json.dumps(told, indent=2))
    if request.html is not None:
        write_text(request.html, inside_page(on_trial.name, result))
    if request.junit is not None:
        write_text(request.junit, junit_inside(on_trial.name, result, took))
    command_output.say(request.json, "\n".join([on_trial.name, *lines(result, by_draws)]))
    return verdicts.STATUS[WORDS.get(result.verdict, verdicts.UNDECIDED)], told


def _by_draws(name: str, request: AuditRequest) -> str:
    """Return the command that audits the outputs."""
    given: dict[str, object] = {"--epsilon": request.epsilon, "--delta": request.delta or None, "--mu": request.mu}
    given |= {"--rho": request.rho, "--profile": request.profile, "--pair": request.pair}
    words = [word for option, value in given.items() if value is not None for word in (option, str(value))]
    words += ["--renyi", *map(str, request.renyi)] if request.renyi is not None else []
    words += [word for argument in request.arguments for word in ("--with", argument)]
    return f"dpspectra audit {shlex.join([name, *words])}, or this command with --then-outside"
