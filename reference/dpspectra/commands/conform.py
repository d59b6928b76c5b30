"""The command ``conform``: a sampler by name against a reference, on one input."""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dpspectra.audit import AuditResult, conforms, references
from dpspectra.audit.adapters import from_command
from dpspectra.audit.calling.arguments import checked_function
from dpspectra.audit.result import SAMPLERS, facts
from dpspectra.commands.inputs import read_input
from dpspectra.commands.offers import REFERENCES
from dpspectra.commands.record import record
from dpspectra.commands.subject import accepted, check_names, fingerprint, given_arguments, imported
from dpspectra.commands.trial_options import ConformRequest
from dpspectra.commands.verdict import absolute, followed, status, told
from dpspectra.ground import checks
from dpspectra.report import command_output
from dpspectra.report.files import check_outputs, write_text
from dpspectra.report.junit import junit


def run(request: ConformRequest) -> int:
    """Run ``dpspectra conform``; 0 if no difference was shown, 1 if one was, 3 if too little was seen to judge from.

    Raises ``ValueError`` for bad usage, and for a reference that fails.
    """
    name = _candidate(request)
    check_outputs(request.junit)  # before any code of the user can go elsewhere
    request = replace(request, json=absolute(request.json), junit=absolute(request.junit))
    checks.probability(request.tolerance, "--tolerance", zero=True)
    candidate, reference, given = _samplers(request)
    x = read_input(request.at)
    names = {"reference": request.reference, "candidate" if request.command is None else "command": name}
    about = names | {"arguments": given, "input": fingerprint(x)}
    asked = {name: getattr(request, name) for name in ("draws", "seconds", "seed", "workers", "bits", "independent")}

    def text(result: AuditResult) -> str:
        return record(about, asked, result)

    with followed(name, request.draws, 0, request.json, text) as watch:
        result = conforms(candidate, reference, x, **request.keywords(conforms), watch=watch)
    command_output.put(request.json, lambda: text(result))
    if request.junit is not None:
        write_text(request.junit, junit(name, result, request.reference))
    command_output.say(request.json, told(f"{name} against {request.reference}", facts(result, SAMPLERS)))
    return status(result)


def _samplers(request: ConformRequest) -> tuple[Callable[..., Any], Callable[..., Any], dict[str, Any]]:
    """Candidate and reference, each with those of the given arguments that it takes."""
    given, name, law = given_arguments(request.arguments), _candidate(request), _law(request.reference)
    wanted = _wanted(request.reference, law)
    taken: Sequence[str] | None = []
    sampler: Callable[..., Any] | None = None
    if request.command is None:
        sampler = checked_function(imported(name), name)
        taken = accepted(sampler)
    check_names(given, {request.reference: wanted, name: taken})
    reference = _reference(request.reference, law, _share(given, wanted))
    if sampler is None:
        return from_command(name), reference, given
    return functools.partial(sampler, **_share(given, taken)), reference, given


def _candidate(request: ConformRequest) -> str:
    """Name of the candidate."""
    named = [name for name in (request.candidate, request.command) if name is not None]
    if len(named) != 1:
        raise ValueError(f"the candidate must be package.module:callable or --command, got {len(named)} of them")
    return named[0]


def _law(name: str) -> Callable[..., Any]:
    """Look up a reference by its name: a maker of references, or a callable that is one."""
    if name in REFERENCES:
        return getattr(references, name)
    if ":" not in name:
        known = ", ".join(REFERENCES)
        raise ValueError(f"the reference must be package.module:callable or one of {known}, got {name!r}")
    return checked_function(imported(name), name)


def _wanted(name: str, law: Callable[..., Any]) -> Sequence[str] | None:
    return list(inspect.signature(law).parameters) if name in REFERENCES else accepted(law)


def _reference(name: str, law: Callable[..., Any], arguments: Mapping[str, Any]) -> Callable[..., Any]:
    if name not in REFERENCES:
        return functools.partial(law, **arguments)
    for needed, parameter in inspect.signature(law).parameters.items():
        if parameter.default is inspect.Parameter.empty and needed not in arguments:
            raise ValueError(f"{name} needs --with {needed}=VALUE")
    return law(**arguments)


def _share(given: Mapping[str, Any], taken: Sequence[str] | None) -> dict[str, Any]:
    return {name: value for name, value in given.items() if taken is None or name in taken}
