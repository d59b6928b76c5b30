"""Audits as tests, loaded by pytest wherever dpspectra is installed: ``dp_audit``, ``dp_inside``, ``dp_conforms``.

As in::

    @pytest.mark.dp_claim(1.0, delta=1e-6)
    def test_my_mechanism_is_private(dp_audit):
        dp_audit(my_mechanism, (data, neighbour))

    def test_my_sampler_draws_from_its_law(dp_conforms):
        dp_conforms(my_sampler, reference, x)

``dp_inside(my_mechanism, (data, neighbour))`` follows the noise through the code in place of counting outputs, and with
``--dp-inside`` ``dp_audit`` does so first, and counts only where that does not decide.

The test fails if a claim is refuted, if an audit or a comparison is undecided (so few draws that they refute nothing,
outputs that cannot be read in more than the share ``--dp-accept-unread``, less power than ``--dp-require-power`` asks
for), and if it is marked, or asks for ``dp_conforms``, and makes none. It fails, too, if anything but ``pytest.raises``
catches the failure; tests that must refute may also be named by ``--dp-xfails``, or marked ``xfail``. All of a run
share the risk of a false alarm, ``--dp-risk``: each test that asks for one of the fixtures gets the same share, and its
``j``-th audit or comparison ``1 / (j (j + 1))`` of that.
Randomness is derived from the test's node id, so that a result can be repeated.
"""

from __future__ import annotations

import collections
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dpspectra.pytest_plugin.share import (
    BEGUN,
    FAILED,
    MARKER,
    SHARE,
    begin,
    check_search,
    claim_of,
    failed,
    inside_message,
    inside_properties,
    known_refutations,
    message,
    met_by_raises,
    told,
)

if TYPE_CHECKING:
    from dpspectra.audit import AuditedPairs, AuditResult, CurveClaim, InsideResult

EXPECTED = pytest.StashKey[dict[str, str]]()
"""Reasons of the audits that are expected to refute, by node id."""
STALE = pytest.StashKey[list[str]]()
"""Node ids that are expected to refute, and are no tests."""
FIXTURES = {"dp_audit", "dp_inside", "dp_conforms"}
SUMMED_UP = {"explained": "from inside"} | dict.fromkeys(("refuted", "exceeded", "undecided"), "as expected")
"""Verdicts that tests pass with beside "not refuted": the last three by ``pytest.raises``."""


class ClaimRefuted(AssertionError):
    """An audit refuted the claim of the test, or a comparison that two laws agree."""


class Undecided(AssertionError):
    """An audit or a comparison has seen nothing from which it could judge, or less than was required."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("dpspectra", "audits of differential privacy")
    group.addoption("--dp-draws", type=int, default=100_000, metavar="N", help="draws on each data set in an audit")
    group.addoption("--dp-seconds", type=float, default=60.0, metavar="S", help="time for the draws of an audit")
    group.addoption("--dp-risk", type=float, default=0.001, metavar="R", help="risk of a false alarm in the whole run")
    text = "follow the noise through the code before an audit counts outputs"
    group.addoption("--dp-inside", action="store_true", help=text)
    text = "smallest loss in nats an audit must refute, perhaps @ a class, as in 1.8@interval"
    group.addoption("--dp-require-power", metavar="LOSS", help=text)
    unread = "share of outputs that may hold what cannot be read (default: 0.01)"
    group.addoption("--dp-accept-unread", type=float, metavar="SHARE", help=unread)
    group.addoption("--dp-xfails", metavar="FILE", help="tests that must fail: a node id, ' # ' and a reason a line")


def pytest_configure(config: pytest.Config) -> None:
    """Read the options."""
    config.addinivalue_line("markers", f"{MARKER}: what the audits of this test try to refute")
    if not 0 < config.getoption("--dp-risk") < 1:
        raise pytest.UsageError(f"--dp-risk must lie in (0, 1), got {config.getoption('--dp-risk')}")
    if config.getoption("--dp-draws") < 2:
        raise pytest.UsageError(f"--dp-draws must be at least 2, got {config.getoption('--dp-draws')}")
    if not 0 < config.getoption("--dp-seconds") < math.inf:
        raise pytest.UsageError(f"--dp-seconds must be positive and finite, got {config.getoption('--dp-seconds')}")
    if (required := config.getoption("--dp-require-power")) is not None:
        _check_power(required)
    accepted = config.getoption("--dp-accept-unread")
    if accepted is not None and not 0 <= accepted < 1:
        raise pytest.UsageError(f"--dp-accept-unread must lie in [0, 1), got {accepted}")
    path = config.getoption("--dp-xfails")
    config.stash[EXPECTED] = {} if path is None else dict(known_refutations(Path(path)))
    config.stash[BEGUN] = {}
    config.stash[FAILED] = {}


def _check_power(required: str) -> None:
    from dpspectra.audit.betting import power_by_event_class

    try:
        power_by_event_class.required(required, "--dp-require-power")
    except ValueError as problem:
        raise pytest.UsageError(str(problem)) from None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Expect the known refutations, and nothing but refutations of those tests."""
    files = {item.nodeid.partition("::")[0] for item in items}
    gone = config.stash[EXPECTED].keys() - {item.nodeid for item in items}
    whole = not any("::" in argument for argument in config.args)
    config.stash[STALE] = sorted(node for node in gone if whole and _was_looked_at(node.partition("::")[0], files))
    for item in items:
        if reason := config.stash[EXPECTED].get(item.nodeid):
            item.add_marker(pytest.mark.xfail(reason=reason, raises=ClaimRefuted, strict=True))


def _was_looked_at(file: str, files: set[str]) -> bool:
    """Whether a test of this file would have been collected."""
    return file in files or not Path(file).exists()


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    """Name the lines of ``--dp-xfails`` that are about no test."""
    stale = config.stash.get(STALE, [])
    return [f"dpspectra: --dp-xfails names {node}, which is no test" for node in stale]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Share the risk out, over tests and not over processes: each of those has collected all tests."""
    users = sum(not FIXTURES.isdisjoint(getattr(item, "fixturenames", ())) for item in session.items)
    session.config.stash[SHARE] = session.config.getoption("--dp-risk") / max(users, 1)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail a test that passes although it has made none of the audits or comparisons that it is there for."""
    begun = item.config.stash[BEGUN].setdefault(item.nodeid, [])
    before = len(begun)
    item.config.stash[FAILED].pop(item.nodeid, None)
    with met_by_raises() as met:
        yield
    problem = item.config.stash[FAILED].pop(item.nodeid, None)
    if problem is not None and not any(each is problem for each in met):
        raise problem.with_traceback(None)  # the test has swallowed it
    if item.get_closest_marker("dp_claim") and not {"dp_audit", "dp_inside"} & set(begun[before:]):
        asked = "the test is marked dp_claim and must call the fixture dp_audit or dp_inside, got no audit"
        pytest.fail(asked, pytrace=False)
    if "dp_conforms" in getattr(item, "fixturenames", ()) and "dp_conforms" not in begun[before:]:
        pytest.fail("the test must call the fixture dp_conforms that it asks for, got no comparison", pytrace=False)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what audits and comparisons that passed would have refuted: "not refuted" is worth no more than that."""
    passed = [(report, dict(report.user_properties)) for report in terminalreporter.stats.get("passed", [])]
    for what, compares in (("audits", False), ("comparisons", True)):
        found = [x for x in passed if x[1].get("dp_claim", "").startswith("total variation") is compares]
        verdicts = collections.Counter(said.get("dp_verdict") for _, said in found)
        told = [f"{verdicts[word]} {word} {how}" for word, how in SUMMED_UP.items() if verdicts[word]]
        if counted := [(report.nodeid, said) for report, said in found if said.get("dp_verdict") == "not refuted"]:
            power, claim, node = max((said["dp_power"], said["dp_claim"], node) for node, said in counted)
            weakest = f"the weakest, {node}, would have refuted a loss of {power:.3g} nats where the claim is {claim}"
            told.append(f"{len(counted)} not refuted by draws; {weakest}")
        if told:
            terminalreporter.write_line(f"{what}: {', '.join(told)}")


@pytest.fixture
def dp_audit(request: pytest.FixtureRequest) -> Callable[..., AuditResult | AuditedPairs | InsideResult]:
    """Audit a mechanism against the test's ``dp_claim``; fail the test if it is refuted, or too little was seen.

    Returns
    -------
    function
        ``dp_audit(mechanism, pair, **options)`` returns the result, and records it as properties of the test. Several
        pairs by name, as `dpspectra.audit.text_pairs` makes them, share the risk (`dpspectra.audit.audit_pairs`).
        In place of pairs, ``search="replace"``, ``"add_remove"`` or ``"zero_out"`` with ``domain="ball"`` and
        ``dimension=3`` looks for the pair of such data sets that shows most (`dpspectra.audit.worst_pair`): the claim
        must be about it and all these rows. With ``--dp-inside`` the noise of a single pair is followed first, and a
        decision by it is not counted. Options are those of `dpspectra.audit.audit` or of the search, but the
        confidence, which is shared out.

    """
    claim = claim_of(request.node, "dp_audit")

    def run(
        mechanism: Callable[..., Any], pair: Any = None, *, search: str | None = None, **options: Any
    ) -> AuditResult | AuditedPairs | InsideResult:
        __tracebackhide__ = True
        from dpspectra.audit import audit, audit_pairs, worst_pair
        from dpspectra.audit.result import DATA_SETS

        if (pair is None) is (search is None):
            given = "neither" if pair is None else "both"
            raise ValueError(f"one of pair and search must be given, got {given}: search looks for a pair")
        confidence, settings = begin(request, "dp_audit", options)
        several = isinstance(pair, Mapping)
        if search is None and not several and request.config.getoption("--dp-inside"):
            share = (1 - confidence) / 2
            seen = _inside(request, mechanism, pair, claim, 1 - share, settings)
            if seen.verdict in ("refuted", "explained"):
                return _decided(request, seen)
            confidence = 1 - share
        settings = {"confidence": confidence} | settings
        if several:
            found = audit_pairs(mechanism, pair, claim, **settings)
            request.node.user_properties.append(("dp_pair", found.decisive))
            _passed(request, found.results[found.decisive], DATA_SETS, f"on {found.decisive}: ")
            return found
        if search is None:
            return _passed(request, audit(mechanism, pair, claim, **settings), DATA_SETS)
        declared = check_search(mechanism, search, options)
        worst = worst_pair(mechanism, claim, **(settings | declared))
        request.node.user_properties += [("dp_pair", worst.name), ("dp_domain", declared["domain"])]
        return _passed(request, worst.result, DATA_SETS)

    return told(run)


@pytest.fixture
def dp_inside(request: pytest.FixtureRequest) -> Callable[..., InsideResult]:
    """Look inside a mechanism against the ``dp_claim``; fail the test if the claim is refuted, exceeded or not decided.

    Returns
    -------
    function
        ``dp_inside(mechanism, pair)`` returns the result, and records it as properties of the test. Options are those
        of `dpspectra.audit.inside` without the confidence, which the run shares out.

    """
    claim = claim_of(request.node, "dp_inside")

    def run(mechanism: Callable[..., Any], pair: tuple[Any, Any], **options: Any) -> InsideResult:
        __tracebackhide__ = True
        confidence, settings = begin(request, "dp_inside", options)
        return _decided(request, _inside(request, mechanism, pair, claim, confidence, settings))

    return told(run)


def _inside(
    request: pytest.FixtureRequest,
    mechanism: Callable[..., Any],
    pair: tuple[Any, Any],
    claim: CurveClaim,
    confidence: float,
    settings: Mapping[str, Any],
) -> InsideResult:
    """Look inside, and record the findings."""
    from dpspectra.audit import inside

    known = {name: value for name, value in settings.items() if name in ("runs", "seconds", "bits", "rng")}
    result = inside(mechanism, pair, claim, confidence=confidence, **known)
    request.node.user_properties.extend(inside_properties(result))
    return result


def _decided(request: pytest.FixtureRequest, result: InsideResult) -> InsideResult:
    """Return the result, if the test may go on."""
    __tracebackhide__ = True
    if result.refuted:
        failed(request, ClaimRefuted(str(result)))
    if result.verdict != "explained":
        failed(request, Undecided(inside_message(result)))
    return result


@pytest.fixture
def dp_conforms(request: pytest.FixtureRequest) -> Callable[..., AuditResult]:
    """Compare a sampler with a reference on one input; fail the test if the laws differ, or nothing was seen.

    Returns
    -------
    function
        ``dp_conforms(candidate, reference, x, **options)`` returns the result, and records it as properties of the
        test. Options are those of `dpspectra.audit.conforms` without the confidence, which the run shares out.

    """

    def run(candidate: Callable[..., Any], reference: Callable[..., Any], x: Any, **options: Any) -> AuditResult:
        __tracebackhide__ = True
        from dpspectra.audit import conforms
        from dpspectra.audit.result import SAMPLERS

        confidence, settings = begin(request, "dp_conforms", options)
        result = conforms(candidate, reference, x, confidence=confidence, **settings)
        return _passed(request, result, SAMPLERS)

    return told(run)


def _passed(
    request: pytest.FixtureRequest, result: AuditResult, sides: tuple[str, str], where: str = ""
) -> AuditResult:
    """Record a result, and return it if the test may go on."""
    __tracebackhide__ = True
    from dpspectra.audit.result import role, witness

    if result.stopped == "interrupted":
        raise KeyboardInterrupt
    # what the fixture record_property does, which warns under the default family of JUnit files
    names = ("verdict", "reason", "violated", "bound", "confidence", "draws", "stopped", "power")
    found = {name: getattr(result, name) for name in (*names, "refutable_probability")}
    found[role(result).replace(" ", "_")] = witness(result, sides)
    properties = request.node.user_properties
    properties += [("dp_claim", str(result.claim)), *((f"dp_{name}", value) for name, value in found.items())]
    if result.violated:
        failed(request, ClaimRefuted(where + message(result, sides)))
    if result.undecided:
        why = f"{result.claim} is neither refuted nor tested: {result.undecided}"
        next_step = result.next_step.replace("--", "--dp-")  # each option that helps has its like here
        first = "What the call itself says comes before an option"
        failed(request, Undecided(f"{where}{why}. What to do: {next_step}. {first}."))
    return result
