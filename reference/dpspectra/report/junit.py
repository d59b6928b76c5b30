"""An audit as a JUnit file, for continuous integration."""

import re
from collections.abc import Mapping
from xml.etree import ElementTree

from dpspectra.audit import AuditResult
from dpspectra.audit.from_inside import EXPLAINED, REFUTED, InsideResult
from dpspectra.audit.inside_words import lines
from dpspectra.audit.result import SAMPLERS, facts

_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(name: str, result: AuditResult, against: str | None = None) -> str:
    """One suite of one test: it fails if the claim is refuted, and is in error if it is undecided.

    ``name`` is ``package.module:callable``; a comparison was made ``against`` a reference.
    """
    told = facts(result) if against is None else facts(result, SAMPLERS)
    promise = f"is {result.claim}" if against is None else f"conforms to {against}: {result.claim}"
    command = "dpspectra audit" if against is None else "dpspectra conform"
    refuted = f"{result.claim} is refuted" if result.violated else ""
    return _suite(command, (name, promise), result.seconds, told, refuted, result.undecided)


def junit_inside(name: str, result: InsideResult, seconds: float) -> str:
    """Return the same of an audit from inside, which took some seconds."""
    told = {"report": "\n".join(lines(result))}
    refuted = f"{result.claim} is refuted on this pair" if result.verdict == REFUTED else ""
    undecided = "" if result.verdict in (REFUTED, EXPLAINED) else next(iter(result.reasons), "nothing was compared")
    return _suite("dpspectra audit --inside", (name, f"is {result.claim}"), seconds, told, refuted, undecided)


def _suite(
    command: str, case_of: tuple[str, str], took: float, told: Mapping[str, str], refuted: str, undecided: str
) -> str:
    """Return the file; ``case_of`` is what was tried and what it promises."""
    (name, promise), seconds = case_of, f"{took:.3f}"
    counts = {"tests": "1", "failures": str(int(bool(refuted))), "errors": str(int(bool(undecided)))}
    shared = {"name": command, "time": seconds} | counts
    top = ElementTree.Element("testsuites", shared)
    suite = ElementTree.SubElement(top, "testsuite", shared | {"skipped": "0"})
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in told.items():
        ElementTree.SubElement(properties, "property", name=key, value=_clean(value))
    module, _, attribute = name.partition(":")
    case = ElementTree.SubElement(suite, "testcase", classname=module, name=f"{attribute} {promise}", time=seconds)
    if refuted:
        failure = ElementTree.SubElement(case, "failure", type="ClaimRefuted", message=_clean(refuted))
        failure.text = _clean("\n".join(f"{key}: {value}" for key, value in told.items()))
    if undecided:
        ElementTree.SubElement(case, "error", type="Undecided", message=_clean(f"undecided: {undecided}"))
    ElementTree.indent(top)
    return ElementTree.tostring(top, encoding="unicode", xml_declaration=True) + "\n"


def _clean(text: str) -> str:
    """Without characters that XML cannot hold."""
    return _UNPRINTABLE.sub("?", text)
