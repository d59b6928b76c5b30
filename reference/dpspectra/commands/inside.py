"""``dpspectra audit --inside``: follow the noise of a Python mechanism through its code."""

import json

from dpspectra.audit import CurveClaim, verdicts
from dpspectra.audit import inside as looked_inside
from dpspectra.audit.from_inside import EXPLAINED, REFUTED
from dpspectra.commands.subject import Subject
from dpspectra.commands.trial_options import AuditRequest
from dpspectra.report import command_output
from dpspectra.report.files import write_text
from dpspectra.report.inside_page import inside_page

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
    for name in ("command", "resume", "search", "junit"):
        if getattr(request, name) is not None:
            raise ValueError(f"--inside follows a Python mechanism on one pair and must come without --{name}")


def inside(on_trial: Subject, claim: CurveClaim, request: AuditRequest) -> int:
    """Look inside, print the report and write the files asked for; the exit status."""
    share = (1 - request.confidence) / (2 if request.then_outside else 1)
    given = request.keywords(looked_inside) | {"confidence": 1 - share}
    result = looked_inside(on_trial.mechanism, on_trial.pair, claim, **given)
    command_output.put(request.json, lambda: json.dumps({"mechanism": on_trial.name} | result.to_dict(), indent=2))
    if request.html is not None:
        write_text(request.html, inside_page(on_trial.name, result))
    command_output.say(request.json, f"{on_trial.name}\n{result}")
    return verdicts.STATUS[WORDS.get(result.verdict, verdicts.UNDECIDED)]
