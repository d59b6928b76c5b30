"""An audit as a JUnit file, for continuous integration."""

import re
from xml.etree import ElementTree

from dpspectra.audit import AuditResult
from dpspectra.audit.result import SAMPLERS, facts

_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(name: str, result: AuditResult, against: str | None = None) -> str:
    """One suite of one test: it fails if the claim is refuted, and is in error if it is undecided.

    ``name`` is ``package.module:callable``; a comparison was made ``against`` a reference.
    """
    told = facts(result) if against is None else facts(result, SAMPLERS)
    promise = f"is {result.claim}" if against is None else f"conforms to {against}: {result.claim}"
    seconds = f"{result.seconds:.3f}"
    counts = {"tests": "1", "failures": str(int(result.violated)), "errors": str(int(bool(result.undecided)))}
    command = "dpspectra audit" if against is None else "dpspectra conform"
    shared = {"name": command, "time": seconds} | counts
    top = ElementTree.Element("testsuites", shared)
    suite = ElementTree.SubElement(top, "testsuite", shared | {"skipped": "0"})
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in told.items():
        ElementTree.SubElement(properties, "property", name=key, value=_clean(value))
    module, _, attribute = name.partition(":")
    case = ElementTree.SubElement(suite, "testcase", classname=module, name=f"{attribute} {promise}", time=seconds)
    if result.violated:
        failure = ElementTree.SubElement(case, "failure", type="ClaimRefuted", message=f"{result.claim} is refuted")
        failure.text = _clean("\n".join(f"{key}: {value}" for key, value in told.items()))
    if result.undecided:
        ElementTree.SubElement(case, "error", type="Undecided", message=f"undecided: {result.undecided}")
    ElementTree.indent(top)
    return ElementTree.tostring(top, encoding="unicode", xml_declaration=True) + "\n"


def _clean(text: str) -> str:
    """Without characters that XML cannot hold."""
    return _UNPRINTABLE.sub("?", text)
