"""JUnit files as continuous integration reads them."""

import dataclasses
import re
from xml.etree import ElementTree

import pytest

from dpspectra.audit import PureDP, audit
from dpspectra.cli import run
from dpspectra.commands.subject import default_pair, subject
from dpspectra.report.junit import junit
from tests.support.toys import WISHART, toy

JUNIT = {
    "testsuites": ({"testsuite"}, set(), {"name", "time", "tests", "failures", "errors"}),
    "testsuite": (
        {"properties", "testcase"},
        {"name", "tests", "failures", "errors"},
        {"name", "tests", "failures", "errors", "time", "skipped"},
    ),
    "properties": ({"property"}, set(), set()),
    "property": (set(), {"name", "value"}, {"name", "value"}),
    "testcase": ({"failure"}, {"name"}, {"name", "classname", "time"}),
    "failure": (set(), set(), {"type", "message"}),
}
"""Elements of the schema by which Jenkins reads JUnit files: children allowed, attributes required and allowed."""


def valid_junit(element):
    children, required, allowed = JUNIT[element.tag]
    assert required <= set(element.keys()) <= allowed, element.tag
    assert {child.tag for child in element} <= children, element.tag
    for child in element:
        valid_junit(child)
    return element


@pytest.mark.parametrize(("epsilon", "failures"), [("1", 0), ("0.5", 1)])
def test_junit_is_as_ci_reads_it(workshop, epsilon, failures):
    assert run(toy("laplace", "--epsilon", epsilon, "--draws", "3000", "--junit", "r.xml")) == failures
    top = valid_junit(ElementTree.parse("r.xml").getroot())
    suite = top.find("testsuite")
    for element in (top, suite):
        assert (element.get("tests"), element.get("failures"), element.get("errors")) == ("1", str(failures), "0")
        assert re.fullmatch(r"\d+\.\d+", element.get("time"))
    (case,) = suite.findall("testcase")
    assert case.get("classname") == "toy_mechanisms"
    assert case.get("name") == f"laplace is {epsilon}-DP"
    assert len(case.findall("failure")) == failures
    verdict = {p.get("name"): p.get("value") for p in suite.iter("property")}["verdict"]
    assert verdict == ("refuted" if failures else "not refuted")


@pytest.mark.parametrize(("name", "options", "status"), [("laplace", (), 0), ("laplace", ("--epsilon", "0.5"), 1)])
def test_junit_of_a_look_inside(workshop, name, options, status):
    assert run([*toy(name, "--epsilon", "1", "--inside", "--junit", "r.xml"), *options]) == status
    top = valid_junit(ElementTree.parse("r.xml").getroot())
    assert (top.get("name"), top.get("failures"), top.get("errors")) == ("dpspectra audit --inside", str(status), "0")
    assert ("is refuted on this pair" in top.find(".//property").get("value")) == bool(status)


def test_junit_is_of_what_decides(workshop):
    command = toy("laplace", "--epsilon", "1", "--inside", "--junit", "r.xml")
    undecided = "outputs are drawn by os.urandom"
    (workshop / "os_noise.py").write_text(
        "import os\ndef noisy(x):\n    return x + int.from_bytes(os.urandom(1), 'big') % 2\n", encoding="utf-8"
    )
    command[command.index("toy_mechanisms:laplace")] = "os_noise:noisy"
    assert run(command) == 3, undecided
    assert ElementTree.parse("r.xml").getroot().get("errors") == "1"
    assert run([*command, "--then-outside", "--draws", "500"]) in (0, 1)
    assert ElementTree.parse("r.xml").getroot().get("name") == "dpspectra audit"


def test_junit_survives_what_xml_cannot_hold():
    wishart = subject(WISHART, PureDP(1.0), [], default_pair(2), None)
    strange = dataclasses.replace(
        audit(wishart.mechanism, wishart.pair, 1.0), witness="\x00\x1b[31m <&> \ud800 \ufffe é"
    )
    top = valid_junit(ElementTree.fromstring(junit("a.b:c", strange).encode("utf-8")))
    assert "??[31m <&> ? ? é" in top.find(".//failure").text
