"""The command ``conform``: a sampler by name against a reference, on one input."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpspectra.audit import AuditResult, conforms, references
from dpspectra.audit.facts import SAMPLERS, facts
from dpspectra.audit.given import checked_function
from dpspectra.report.files import write_text
from dpspectra.report.inputs import read_input
from dpspectra.report.junit import junit
from dpspectra.report.offers import REFERENCES
from dpspectra.report.record import record
from dpspectra.report.target import accepted, check_names, fingerprint, given_arguments, imported
from dpspectra.report.trial import check_outputs, followed, status, tell


@dataclass(frozen=True, slots=True, kw_only=True)
class ConformRequest:
    """What ``dpspectra conform`` was asked for."""

    reference: str
    """One of `REFERENCES`, or ``package.module:callable``."""
    candidate: str
    """``package.module:callable``."""
    at: str
    """Input: a file, or JSON."""
    arguments: tuple[str, ...]
    """``NAME=VALUE`` each."""
    tolerance: float
    """Total variation distance that is allowed."""
    confidence: float
    draws: int
    """Draws of each."""
    seconds: float
    seed: int
    workers: int | None
    json: Path | None
    junit: Path | None


def run(request: ConformRequest) -> int:
    """Run ``dpspectra conform``; 0 if no difference was shown, 1 if one was, 2 if nothing was seen to judge from.

    Raises ``ValueError`` for bad usage, and for a reference that fails.
    """
    candidate, reference, given = _samplers(request)
    x = read_input(request.at)
    check_outputs(request.json, request.junit)
    names = {"reference": request.reference, "candidate": request.candidate}
    about = names | {"arguments": given, "input": fingerprint(x)}
    asked = {name: getattr(request, name) for name in ("draws", "seconds", "seed", "workers")}

    def text(result: AuditResult) -> str:
        return record(about, asked, result)

    with followed(request.candidate, request.draws, 0, request.json, text) as watch:
        result = conforms(
            candidate,
            reference,
            x,
            tv_tolerance=request.tolerance,
            confidence=request.confidence,
            draws=request.draws,
            seconds=request.seconds,
            workers=request.workers,
            watch=watch,
            rng=request.seed,
        )
    if request.json is not None:
        write_text(request.json, text(result))
    if request.junit is not None:
        write_text(request.junit, junit(request.candidate, result, request.reference))
    tell(f"{request.candidate} against {request.reference}", facts(result, SAMPLERS))
    return status(result)


def _samplers(request: ConformRequest) -> tuple[Callable[..., Any], Callable[..., Any], dict[str, Any]]:
    """Candidate and reference, each with those of the given arguments that it takes."""
    given = given_arguments(request.arguments)
    sampler, law = checked_function(imported(request.candidate), request.candidate), _law(request.reference)
    taken, wanted = accepted(sampler), _wanted(request.reference, law)
    check_names(given, {request.reference: wanted, request.candidate: taken})
    reference = _reference(request.reference, law, _share(given, wanted))
    return functools.partial(sampler, **_share(given, taken)), reference, given


def _law(name: str) -> Callable[..., Any]:
    """What a reference's name stands for: a maker of references, or a callable that is one."""
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
