"""Claims of tests, the share of the run's risk that each of their audits and comparisons gets, and failing messages."""

from __future__ import annotations

import hashlib
import inspect
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from dpspectra.audit import AuditResult, CurveClaim, InsideResult

MARKER = "dp_claim(epsilon, delta=0.0, mu=None, renyi=None, rho=None)"
SHARE = pytest.StashKey[float]()
"""Risk of one test of this run."""
FAILED = pytest.StashKey[dict[str, Exception]]()
"""First verdict that a test must not pass with, by node id."""
BEGUN = pytest.StashKey[dict[str, list[str]]]()
"""Fixtures by which audits and comparisons were begun so far, by node id; a test that is run again goes on counting."""


def claim_of(node: pytest.Item, fixture: str) -> CurveClaim:
    """Return the claim of the test's marker; a mistake there is an error that says what to write."""
    from dpspectra.audit.claim_arguments import claim_by

    marker = node.get_closest_marker("dp_claim")
    if marker is None:
        pytest.fail(f"{node.nodeid} uses {fixture} and must be marked {MARKER}", pytrace=False)

    try:
        return claim_by(*marker.args, **marker.kwargs)
    except (TypeError, ValueError) as problem:
        pytest.fail(f"{node.nodeid} must be marked {MARKER}: {problem}", pytrace=False)


def begin(request: pytest.FixtureRequest, fixture: str, options: Mapping[str, Any]) -> tuple[float, dict[str, Any]]:
    """Confidence of the test's next audit or comparison, and its options: the caller's, then those of the run."""
    config, node = request.config, request.node.nodeid
    begun = config.stash[BEGUN].setdefault(node, [])
    begun.append(fixture)
    count = len(begun)
    if settled := sorted({"epsilon", "delta", "confidence"} & options.keys()):
        own = "fix arguments of the mechanism's own beforehand, by functools.partial"
        raise ValueError(f"options must hold neither a claim nor a confidence, got {settled[0]}: {own}")
    draws, seconds = config.getoption("--dp-draws"), config.getoption("--dp-seconds")
    required = config.getoption("--dp-require-power")
    settings = {"draws": draws, "seconds": seconds, "require_power": required, "rng": _seed(node, count)}
    if (accepted := config.getoption("--dp-accept-unread")) is not None:
        settings["accept_unread"] = accepted
    return 1 - config.stash[SHARE] / (count * (count + 1)), settings | dict(options)


def check_search(mechanism: Callable[..., Any], relation: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Say in which domain to search; ``ValueError`` where the mechanism does not take its rows, or nobody said it.

    A bound on the norm declares a ball.
    """
    from dpspectra.audit.pairs.domain import refusal
    from dpspectra.audit.pairs.neighbours import structured_pairs

    if "dimension" not in options:
        raise ValueError("search must come with dimension, the number of columns, got none")
    domain, bound = options.get("domain", "ball" if "norm_bound" in options else None), options.get("norm_bound", 1.0)
    pair = structured_pairs(options["dimension"], relation, domain, bound)[0].pair(options.get("form", "rows"))
    if problem := refusal(mechanism, pair):
        which = f"norm at most {bound:g}, or have another norm_bound" if domain == "ball" else f"the domain {domain}"
        raise ValueError(f"mechanism must take rows of {which}, got {problem}")
    return {"relation": relation, "domain": domain}


def _seed(node: str, count: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{node} {count}".encode()).digest()[:8], "big")


def message(result: AuditResult, sides: tuple[str, str]) -> str:
    """Say by what a claim is refuted."""
    from dpspectra.audit.result import DATA_SETS, counted, witness

    each = "on each data set" if sides == DATA_SETS else "of each"
    return (
        f"{result.claim} is refuted: {result.claim.parameter} is at least {result.bound:.6g} "
        f"with confidence {result.confidence:.9g}, after {result.draws} draws {each}\n"
        f"witness: {witness(result, sides)}{counted(result, sides)}"
    )


def inside_message(result: InsideResult) -> str:
    """Say what is not decided from inside, and which fixture goes on."""
    from dpspectra.audit.inside_words import lines

    return "\n".join(lines(result, "dp_audit(mechanism, pair) in place of dp_inside"))


def inside_properties(result: InsideResult) -> list[tuple[str, object]]:
    """Return the findings of an audit from inside as properties of a test."""
    from dpspectra.audit.inside_words import shown_witness

    names = ("verdict", "loss", "bound", "how", "confidence")
    found = {"dp_claim": str(result.claim)} | {f"dp_{name}": getattr(result, name) for name in names}
    found |= {"dp_lines": ", ".join(call.place for call in result.calls)} if result.calls else {}
    found |= {"dp_witness": shown_witness(result.witness)} if result.witness is not None else {}
    return list(found.items())


def failed(request: pytest.FixtureRequest, problem: Exception) -> NoReturn:
    """Raise a verdict that no test may pass with, and remember it, as a test may swallow what is raised."""
    __tracebackhide__ = True
    request.config.stash[FAILED].setdefault(request.node.nodeid, problem)
    raise problem


def told(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose wrong arguments are told without the frames of this package, which are not the test's.

    ``call`` is a function within the fixture that it is for.
    """
    taken = inspect.signature(call)
    names = [x.name for x in taken.parameters.values() if x.kind == x.POSITIONAL_OR_KEYWORD]
    form = f"{call.__qualname__.partition('.')[0]}({', '.join(names)})"

    def called(*args: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        try:
            taken.bind(*args, **options)
        except TypeError as problem:
            raise TypeError(f"the call must be {form}, options by name, but it has a fault: {problem}") from None
        try:
            return call(*args, **options)
        except ValueError as problem:
            *_, (frame, _) = traceback.walk_tb(problem.__traceback__)
            if str(frame.f_globals.get("__name__")).startswith("dpspectra."):
                raise problem.with_traceback(None) from None
            raise

    return called


@contextmanager
def met_by_raises() -> Iterator[list[BaseException]]:
    """Collect what ``pytest.raises`` meets: a test that expects a refutation in so many words swallows none."""
    met: list[BaseException] = []
    raises: Any = type(pytest.raises(Exception))  # noqa: PT011 - only its type is wanted
    leave = raises.__exit__

    def left(self: Any, kind: Any, value: Any, trace: Any) -> Any:
        expected = leave(self, kind, value, trace)
        if expected and value is not None:
            met.append(value)
        return expected

    raises.__exit__ = left
    try:
        yield met
    finally:
        raises.__exit__ = leave


def known_refutations(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the node ids in a file of ``--dp-xfails`` with their reasons; ``pytest.UsageError`` for another file."""
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
