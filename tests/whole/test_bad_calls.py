"""Bad values for every parameter of everything public: one line that names the parameter, and no randomness is spent.

The table is `tests.support.bad_calls`; a public function without a row, or a parameter without a kind, fails the test.
"""

import inspect
import multiprocessing.process  # noqa: F401 - it makes a key when it is imported first
import re
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dpspectra as dps
from dpspectra import Matrix
from dpspectra.audit import GDP, ZCDP, ApproxDP, Closeness, Marginal, Profile, PureDP, Renyi
from dpspectra.ground import checks
from dpspectra.relations import Relation
from tests.support.bad_calls import DOORS, GOOD, INF, NAN, PUBLIC, SAID, VALID, WITHOUT_ROW, Counted, calls, none, two
from tests.support.helpers import keeps


def test_everything_public_has_a_row():
    rows = {name.rpartition(".")[2] for name in [*VALID, *DOORS]}
    assert {name.rpartition(".")[2] for name in PUBLIC} - set(WITHOUT_ROW) == rows
    assert sum(len(list(calls(name))) for name in VALID) >= 4000
    assert sum(len(list(calls(name))) for name in DOORS) >= 500


@pytest.fixture
def no_entropy(monkeypatch):
    """Whoever asks the operating system for entropy fails the test."""
    monkeypatch.setattr("os.urandom", lambda count: pytest.fail("randomness was spent"))


@pytest.mark.parametrize("name", VALID)
def test_the_good_call_is_taken(name):
    function = PUBLIC[name]
    seeded = {"rng": np.random.default_rng(0)} if "rng" in inspect.signature(function).parameters else {}
    function(**VALID[name] | seeded)


@pytest.mark.parametrize("name", [*VALID, *DOORS])
def test_bad_values_are_refused(name, no_entropy):
    """All of a function's, by a generator that must not move; by a key too where arithmetic can be certified."""
    if name.startswith("ledger."):
        dps.ledger.all_statements()  # to import them takes longer than any refusal
    signature = inspect.signature(PUBLIC[name]).parameters
    sources: list[Callable[[], dict[str, Any]]] = [dict]
    if "rng" in signature:
        sources = [lambda: {"rng": np.random.default_rng(0)}]
    if "arithmetic" in signature:
        sources.append(lambda: {"rng": dps.Entropy(bytes(32))})
    for source in sources:
        for parameter, value in calls(name):
            call = f"{name}({parameter}={checks.shown(value)})"
            message = refused(PUBLIC[name], GOOD[name] | source(), {parameter: value}, call)
            for part in DOOR if name in DOORS else SENTENCE:
                assert re.search(part.format(CALLED.get(parameter, parameter)), message), (call, message)


def refused(function, arguments, changes, call):
    """Call with bad values, look at how long it took and what was drawn, and return what is said."""
    rng = (arguments | changes).get("rng")
    before, start, Counted.calls = spent(rng), time.process_time(), 0
    with pytest.raises((ValueError, KeyError) if "label" in changes else ValueError) as caught:
        print(call, function(**arguments | changes))  # shown if it was taken
    message = str(caught.value)
    assert time.process_time() - start < 1, call
    assert spent(rng) == before, call
    assert Counted.calls == 0, call
    assert len(message.splitlines()) == 1, (call, message)
    assert len(message) < 300, (call, message)
    keeps(message)
    return message


def spent(rng):
    """What shows whether a source was used."""
    return repr(rng.bit_generator.state if isinstance(rng, np.random.Generator) else getattr(rng, "_calls", None))


CALLED = {"batches": "batch(es)?", "names": "names|label or a chapter"}
"""What a message calls a parameter, where it is not its name."""
SENTENCE = r"\b({})\b", r"\b(must|expected|carries)\b", r"\b(got|but|which|label)\b"
DOOR = r"^{0}\b|^names of {0}|^the statistic a\b", r" must .*, got "
"""What a message has; one of a function that draws from what it is given begins with the parameter."""


@pytest.mark.parametrize(
    ("name", "parameters", "values", "words"),
    [(name, *row) for names, *row in SAID for name in names],
)
def test_a_message_has_these_words(name, parameters, values, words):
    function = PUBLIC[name]
    several = parameters.split(", ")
    changes = dict(zip(several, values if len(several) > 1 else [values], strict=True))
    seeded = {"rng": np.random.default_rng(0)} if "rng" in inspect.signature(function).parameters else {}
    assert re.search(words, refused(function, GOOD[name] | seeded, changes, name))


# ---------------------------------------------------------------- claims and keywords

CLAIMS: dict[Any, list[Any]] = {
    PureDP: [(-1,), (NAN,), (INF,), ("1",), (None,), (True,)],
    ApproxDP: [(-1, 0.1), (1, 0), (1, 1), (1, -1), (1, NAN), (1, "a"), (1, None)],
    GDP: [(0,), (-1,), (NAN,), (INF,), ("a",), (None,)],
    ZCDP: [(0,), (-1,), (INF,), (NAN,), ("a",), (None,), (True,)],
    Renyi: [(1, 1), (0.5, 1), (INF, 1), (NAN, 1), (2, -1), (2, NAN), ("a", 1), (None, 1), (True, 1)],
    Profile: [
        *(((),), (3,), (None,), ("ab",), (((1,),),), (((1, 0.1, 2),),), ((1, 2),)),
        *(
            (((0, 2),),),
            (((0, -0.1),),),
            (((-1, 0.1),),),
            (((NAN, 0.1),),),
            (((0, "a"),),),
            (((0, 0.1),), 1),
            (((0, 0.1),), NAN),
        ),
    ],
    Closeness: [(1,), (-0.1,), (NAN,), ("a",), (None,)],
    Marginal: [(3, abs, abs), (None, abs, abs), ("a", 3, abs), ("a", abs, None), ("a", two, abs), ("a", abs, none)],
}


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        pytest.param(kind, each, id=f"{kind.__name__}-{i}")
        for kind, calls in CLAIMS.items()
        for i, each in enumerate(calls)
    ],
)
def test_an_impossible_claim_is_refused(kind, arguments):
    field = "name|statistic|cdf" if kind is Marginal else r"\w+"
    with pytest.raises(ValueError, match=rf"^({field}) must .*, got ") as caught:
        kind(*arguments)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("extra", [{"confidense": 0.9}, {"budget": 5, "draws": 5}], ids=["misspelt", "both names"])
def test_an_unknown_keyword_is_pythons_own_error(door, extra):
    with pytest.raises(TypeError, match=r"confidense|budget"):
        PUBLIC[door](**DOORS[door] | extra)


# ---------------------------------------------------------------- what is taken


def test_fields_have_one_type():
    claim = dps.Claim("replace", 1, np.float32(0.5), labels=["JXZ-T1"])
    assert claim == dps.Claim(Relation.REPLACE, 1.0, 0.5, labels=("JXZ-T1",))
    assert [type(x) for x in (claim.relation, claim.epsilon, claim.delta)] == [Relation, float, float]
    assert type(dps.Guarantee("error", 1, 0.5).bound) is float
    assert dps.Claim("replace", 0.0).epsilon == 0.0


def test_rounding_is_forgiven_but_nothing_is_clipped():
    m = np.diag([2.0, 1.0])
    almost = np.array([[1.0 + 1e-14, 0.0]])
    dps.laplace_covariance(almost, 1.0)
    dps.private_orbit(Matrix(m + np.array([[0, 1e-15], [0, 0]])), [1.0, 0.0], 1.0)
    dps.private_orbit(Matrix(np.diag([1.0, -1e-14])), [1.0, 0.0], 1.0)
