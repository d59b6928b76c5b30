"""Audits as tests, loaded by pytest wherever dpspectra is installed: marker ``dp_claim``, fixture ``dp_audit``.

    @pytest.mark.dp_claim(1.0, delta=1e-6)
    def test_my_mechanism_is_private(dp_audit):
        dp_audit(my_mechanism, (data, neighbour))

The test fails if the claim is refuted, if an audit has seen nothing to judge from, and if it is marked and makes no
audit. All audits of a run share the risk of a false alarm, ``--dp-risk``: each test that uses the fixture gets the same
share, and its ``j``-th audit ``1 / (j (j + 1))`` of that. Randomness is derived from the test's node id, so that a
result can be repeated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from dpspectra.audit import AuditResult

SHARE = pytest.StashKey[float]()
"""Risk of one test of this run."""
AUDITS = pytest.StashKey[dict[str, int]]()
"""Audits begun so far, by node id; a test that is run again goes on counting."""
EXPECTED = pytest.StashKey[dict[str, str]]()
"""Reasons of the audits that are expected to refute, by node id."""


class ClaimRefuted(AssertionError):
    """An audit refuted the claim of the test."""


class Undecided(AssertionError):
    """An audit has seen nothing from which it could judge."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("dpspectra", "audits of differential privacy")
    names = ("--dp-draws", "--dp-budget")  # the second is the first's old name
    group.addoption(*names, type=int, default=100_000, metavar="N", help="draws on each data set in an audit")
    group.addoption("--dp-seconds", type=float, default=60.0, metavar="S", help="time for the draws of an audit")
    group.addoption("--dp-risk", type=float, default=0.001, metavar="R", help="risk of a false alarm in the whole run")
    group.addoption("--dp-xfails", metavar="FILE", help="tests that must fail: a node id, ' # ' and a reason a line")


def pytest_configure(config: pytest.Config) -> None:
    """Read the options."""
    config.addinivalue_line("markers", "dp_claim(epsilon, delta=0.0): what the audits of this test try to refute")
    if not 0 < config.getoption("--dp-risk") < 1:
        raise pytest.UsageError(f"--dp-risk must lie in (0, 1), got {config.getoption('--dp-risk')}")
    path = config.getoption("--dp-xfails")
    config.stash[EXPECTED] = {} if path is None else dict(_expected(Path(path)))
    config.stash[AUDITS] = {}


def _expected(path: Path) -> Iterator[tuple[str, str]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as problem:
        raise pytest.UsageError(f"--dp-xfails must be a readable file, got {path}: {problem.strerror}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        node, _, reason = (part.strip() for part in line.partition(" # "))
        if not reason:
            raise pytest.UsageError(f"{path}:{number} must give a reason after ' # ', got {line!r}")
        yield node, reason


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Expect the known refutations, and nothing but refutations of those tests."""
    for item in items:
        if reason := config.stash[EXPECTED].get(item.nodeid):
            item.add_marker(pytest.mark.xfail(reason=reason, raises=ClaimRefuted, strict=True))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Share the risk out, over tests and not over processes: each of those has collected all tests."""
    audits = sum("dp_audit" in getattr(item, "fixturenames", ()) for item in session.items)
    session.config.stash[SHARE] = session.config.getoption("--dp-risk") / max(audits, 1)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail a test that is marked with a claim, passes and has audited nothing."""
    before = item.config.stash[AUDITS].get(item.nodeid, 0)
    yield
    if item.get_closest_marker("dp_claim") and item.config.stash[AUDITS].get(item.nodeid, 0) == before:
        pytest.fail("the test is marked dp_claim and must call the fixture dp_audit, got no audit", pytrace=False)


@pytest.fixture
def dp_audit(request: pytest.FixtureRequest) -> Callable[..., AuditResult]:
    """Audit a mechanism on a pair against the test's ``dp_claim``: a function ``dp_audit(mechanism, pair, **options)``.

    Options are those of `dpspectra.audit.audit` without the confidence, which the run shares out. Returns the
    result, and records it as properties of the test. Fails the test if the claim is refuted, or nothing was seen.
    """
    marker = request.node.get_closest_marker("dp_claim")
    if marker is None:
        raise pytest.UsageError(f"{request.node.nodeid} uses dp_audit and must be marked dp_claim(epsilon, delta=0.0)")
    claim = _claim(*marker.args, **marker.kwargs)
    config, node = request.config, request.node.nodeid

    def run(mechanism: Callable[..., Any], pair: tuple[Any, Any], **options: Any) -> AuditResult:
        __tracebackhide__ = True
        from dpspectra.audit import audit

        count = config.stash[AUDITS][node] = config.stash[AUDITS].get(node, 0) + 1
        confidence = 1 - config.stash[SHARE] / (count * (count + 1))
        settings = {"seconds": config.getoption("--dp-seconds"), "rng": _seed(node, count)}
        if "budget" not in options:  # its old name
            settings["draws"] = config.getoption("--dp-draws")
        result = audit(mechanism, pair, *claim, confidence=confidence, **(settings | options))
        if result.stopped == "interrupted":
            raise KeyboardInterrupt
        # what the fixture record_property does, which warns under the default family of JUnit files
        names = ("violated", "bound", "confidence", "draws", "witness", "stopped")
        properties = request.node.user_properties
        properties += [("dp_claim", str(result.claim)), *((f"dp_{name}", getattr(result, name)) for name in names)]
        if result.violated:
            raise ClaimRefuted(_message(result))
        if result.undecided:
            raise Undecided(f"{result.claim} is neither refuted nor tested: {result.undecided}")
        return result

    return run


def _claim(epsilon: Any, delta: float = 0.0) -> tuple[Any, float]:
    return epsilon, delta


def _seed(node: str, count: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{node} {count}".encode()).digest()[:8], "big")


def _message(result: AuditResult) -> str:
    counted = ""
    if result.counts is not None:
        counted = " ({} times on the first data set, {} on the second, in {} draws of each)".format(*result.counts)
    return (
        f"{result.claim} is refuted: {result.claim.parameter} is at least {result.bound:.6g} "
        f"with confidence {result.confidence:.9g}, after {result.draws} draws on each data set\n"
        f"witness: {result.witness}{counted}"
    )
