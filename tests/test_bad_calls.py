"""Bad calls of the auditor's doors: one line that names the requirement and the value found, and nothing is drawn."""

import functools
import inspect
import math
import re
import sys
from typing import Any

import numpy as np
import pytest

from dpspectra.audit import (
    GDP,
    ApproxDP,
    Closeness,
    Marginal,
    Neighbours,
    Profile,
    PureDP,
    Renyi,
    audit,
    audit_fixed,
    conforms,
    fits,
    worst_pair,
)
from dpspectra.cli import run
from dpspectra.ground import checks

pytest_plugins = ["pytester"]

NAN, INF = math.nan, math.inf
MARGINAL = Marginal("itself", lambda values: values, lambda values: values)


class Counted:
    """A mechanism that knows how often it was called."""

    calls = 0

    def __call__(self, x, *, size, rng):
        Counted.calls += 1
        return rng.normal(size=size)


class Mean:
    def __init__(self, x):
        self.x = x


def two(x, y):
    pytest.fail("drawn")


def none():
    pytest.fail("drawn")


def keyword(x, *, scale):
    pytest.fail("drawn")


def generated():
    yield 0.0
    yield 1.0


DOORS = {
    audit: {"mechanism": Counted(), "pair": (0.0, 1.0), "epsilon": 1.0, "draws": 10},
    audit_fixed: {"mechanism": Counted(), "pair": (0.0, 1.0), "epsilon": 1.0, "draws": 10},
    conforms: {"candidate": Counted(), "reference": Counted(), "x": 0.0},
    fits: {"candidate": Counted(), "marginals": (MARGINAL,), "x": 0.0},
    worst_pair: {"mechanism": Counted(), "epsilon": 1.0, "dimension": 2},
}
"""Functions, and arguments with which they would draw."""

NO_NUMBER = ["a", None, True, 1j, [0.5], np.bool_(True), b"1", np.datetime64("2020-01-01")]
OPTIONS: dict[str, list[Any]] = {
    "confidence": [0, 1, -0.5, 2, NAN, INF, *NO_NUMBER],
    "draws": [0, -5, 2.5, NAN, "10", INF, None, True, [100]],
    "seconds": [0, -1, NAN, INF, *NO_NUMBER],
    "epsilon": [-1, NAN, INF, 10**400, *NO_NUMBER],
    "delta": [-1, 1, 2, NAN, INF, *NO_NUMBER],
    "tv_tolerance": [-0.1, 1, NAN, *NO_NUMBER],
    "snap": [0, 53, -1, 1.5, "a", True],
    "workers": [0, -1, 1.5, "2", True],
    "bits": [0, 1, "yes", None],
    "independent": [0, 1, "yes", None],
    "resume": ["a", 3, {}, True],
    "rng": ["a", 0.5, -1, True, object()],
    "log_ratio": [1, "a", two, none],
    "support": [1, "a", none, lambda output: False, keyword],
    "watch": [1, "a", none, two],
    "classifier": ["svm", object(), type("Model", (), {"fit": two, "predict_proba": two}), Mean],
    "statistics": [3, "ab", [abs], {"a": 1}, {1: abs}, {None: abs}, {"a": two}, {"a": none}],
    "dimension": [0, -1, 1.5, "2", None, True],
    "norm_bound": [0, -1, NAN, INF, *NO_NUMBER],
    "relation": ["near", "", 3, None, ["replace"], np.zeros(2)],
    "form": ["list", 3, None, np.zeros(2)],
    "candidates": [[], (), "ab", ["a"], 3, [None], [Neighbours("b", "c", np.eye(3), np.zeros(3), None)]],
    "marginals": [(), None, "ab", 3, [abs], MARGINAL, (MARGINAL, MARGINAL)],
    "pair": [
        *(None, 3, (), (1.0,), (1.0, 2.0, 3.0), "ab", b"ab", {"a": 1, "b": 2}, {1.0, 2.0}, generated(), np.eye(2)),
        *((None, 1.0), (1.0, None), (1.0, 1.0), (np.eye(2), np.eye(2)), ([], []), ([1.0, 2.0], [])),
        *((np.eye(2), np.eye(3)), (np.zeros((0, 2)), np.eye(2)), (np.zeros((2, 0)), np.zeros((3, 0)))),
        *((np.eye(2), "a"), (np.eye(2), [1.0, 2.0]), (1.0, "a"), (np.array(["a"]), np.array([1.0]))),
        *(((np.eye(2), np.ones(2)), (np.eye(2), np.ones((2, 1)))), ((np.eye(2), 1), (np.eye(2), 1))),
        *(([[1.0, 2.0]], [[1.0]]), ({"a": 1}, {"a": 1}), (np.ones(2), np.ones((2, 2)))),
    ],
}
FUNCTIONS = [None, 3, "f", Mean, Counted, functools.partial(Mean), float, two, none, keyword, np.eye(2)]
OPTIONS |= dict.fromkeys(("mechanism", "candidate", "reference"), FUNCTIONS)
"""Values that an argument of this name must not have."""


def named(value):
    """A readable and unique name of a value."""
    return getattr(value, "__name__", re.sub(r" at 0x\w+", "", checks.shown(value)))


CALLS = [
    pytest.param(door, name, value, id=f"{door.__name__}-{name}-{named(value)}")
    for door in DOORS
    for name in inspect.signature(door).parameters
    for value in OPTIONS.get(name, [])
]


@pytest.mark.parametrize(("door", "name", "value"), CALLS)
def test_a_value_is_refused(door, name, value):
    rng = np.random.default_rng(0)
    before = repr(rng.bit_generator.state)
    Counted.calls = 0
    with pytest.raises(ValueError, match=rf"^{name}\b|^names of {name}|^the statistic a\b") as caught:
        door(**DOORS[door] | {"rng": rng} | {name: value})
    message = str(caught.value)
    assert re.search(r" must .*, got ", message)
    assert len(message.splitlines()) == 1
    assert len(message) < 300
    assert Counted.calls == 0
    assert repr(rng.bit_generator.state) == before


# ---------------------------------------------------------------- claims

CLAIMS: dict[Any, list[Any]] = {
    PureDP: [(-1,), (NAN,), (INF,), ("1",), (None,), (True,)],
    ApproxDP: [(-1, 0.1), (1, 0), (1, 1), (1, -1), (1, NAN), (1, "a"), (1, None)],
    GDP: [(0,), (-1,), (NAN,), (INF,), ("a",), (None,)],
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
}


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [pytest.param(kind, each, id=f"{kind.__name__}{each}") for kind, calls in CLAIMS.items() for each in calls],
)
def test_an_impossible_claim_is_refused(kind, arguments):
    with pytest.raises(ValueError, match=r"^\w+ must .*, got ") as caught:
        kind(*arguments)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("door", "arguments", "message"),
    [
        (audit, {"epsilon": GDP(1.0), "delta": 0.1}, "delta must be part of the claim, got 1-GDP and delta = 0.1"),
        (audit_fixed, {"epsilon": PureDP(1.0), "delta": NAN}, "delta must be part of the claim, got"),
        (worst_pair, {"epsilon": Profile(((0.0, 0.1),)), "delta": 0.1}, "delta must be part of the claim, got"),
        (audit_fixed, {"draws": 3}, "draws must be at least 4, got 3"),
        (worst_pair, {"draws": 511}, "draws must be at least 512, got 511"),
    ],
)
def test_arguments_that_do_not_go_together(door, arguments, message):
    Counted.calls = 0
    with pytest.raises(ValueError, match=message):
        door(**DOORS[door] | arguments)
    assert Counted.calls == 0


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("extra", [{"confidense": 0.9}, {"budget": 5, "draws": 5}], ids=["misspelt", "both names"])
def test_an_unknown_keyword_is_pythons_own_error(door, extra):
    with pytest.raises(TypeError, match=r"confidense|budget"):
        door(**DOORS[door] | extra)


@pytest.mark.parametrize(
    "arguments",
    [(3, abs, abs), (None, abs, abs), ("a", 3, abs), ("a", abs, None), ("a", two, abs), ("a", abs, none)],
    ids=["name 3", "name None", "statistic 3", "law None", "statistic of two", "law of none"],
)
def test_a_marginal_has_a_name_and_two_functions_of_one_argument(arguments):
    with pytest.raises(ValueError, match=r"^(name|statistic|cdf) must .*, got "):
        Marginal(*arguments)


# ---------------------------------------------------------------- commands

TOYS = """
import numpy as np

CALLS = []

def laplace(x, scale=1.0, *, size, rng):
    CALLS.append(1)
    return rng.laplace(size=size)

def gaussian(x, sigma, *, size, rng):
    CALLS.append(1)
    return rng.normal(size=size)

def both(x, y):
    CALLS.append(1)

def none():
    CALLS.append(1)

class Mean:
    def __init__(self, x):
        self.x = x
        CALLS.append(1)

class Box:
    def __call__(self, x):
        CALLS.append(1)

    def method(self, x):
        CALLS.append(1)

NUMBER = 3
"""
FILES = {
    "pair.json": '{"first": [0], "second": [1]}',
    "text.json": '{"first": [[1, "a"]], "second": [[1, 2]]}',
    "null.json": '{"first": [[1, null]], "second": [[1, 2]]}',
    "nan.json": '{"first": [[1, NaN]], "second": [[1, 2]]}',
    "inf.json": '{"first": [[1, 2]], "second": [[1, -Infinity]]}',
    "huge.json": '{"first": [[1, 2]], "second": [[1, 1e999]]}',
    "wide.json": '{"first": [[1, 2]], "second": [[1, 2, 3]]}',
    "kinds.json": '{"first": [[1, 2]], "second": {"a": 1}}',
    "mixed.json": '{"first": [1, true], "second": [1, 2]}',
    "ragged.json": '{"first": [[1, 2], [3]], "second": [[1, 2], [3, 4]]}',
    "same.json": '{"first": [[1, 2]], "second": [[1, 2]]}',
    "empty.json": '{"first": [], "second": []}',
    "nothing.json": '{"first": null, "second": [1]}',
    "three.json": '{"first": [1], "second": [2], "third": [3]}',
    "one.json": '{"first": [1]}',
    "list.json": "[[1], [2]]",
    "broken.json": "{",
    "blank.json": "",
    "pair.txt": "1 2",
    "curve.json": "[[0, 2]]",
    "no_curve.json": "[]",
    "words.json": '[["a", 0.1]]',
    "triples.json": "[[1, 0.1, 3]]",
}
TOY, EPSILON = "toy_calls:laplace", ["--epsilon", "1"]


def audits(*options, mechanism=TOY, claim=EPSILON, pair=("--pair", "pair.json")):
    return ["audit", mechanism, *pair, *claim, *options]


def compares(*options, reference="haar", candidate=TOY, field=("--with", "field=real"), at=("--at", "3")):
    return ["conform", reference, candidate, *at, *field, *options]


SHARED = {
    "--confidence": [("0", "(0, 1)"), ("1", "(0, 1)"), ("nan", "(0, 1)"), ("a", "invalid float"), ("-1", "(0, 1)")],
    "--draws": [(bad, "must be a positive integer") for bad in ("0", "-5", "2.5", "nan", "1e3", "inf", "a", "²")],
    "--seconds": [
        ("0", "positive and finite"),
        ("nan", "positive and finite"),
        ("inf", "positive and finite"),
        ("a", "invalid float"),
    ],
    "--seed": [(bad, "must be a non-negative integer") for bad in ("-1", "a", "1.5", "None")],
    "--workers": [(bad, "must be a positive integer") for bad in ("0", "-1", "1.5", "two")],
    "--with": [
        ("foo=3", "--with must name a parameter, got 'foo'"),
        ("size=3", "--with must leave size, rng, random_state, seed to the auditor, got 'size=3'"),
        ("rng=3", "to the auditor, got 'rng=3'"),
        ("seed=3", "to the auditor, got 'seed=3'"),
        ("x=3", "--with must name a parameter, got 'x'"),
        ("scale", "an argument must be given as NAME=VALUE, got 'scale'"),
        ("=3", "an argument must be given as NAME=VALUE, got '=3'"),
        ("a b=3", "an argument must be given as NAME=VALUE, got 'a b=3'"),
    ],
    "--json": [(".", "an output must be a file, got the folder .")],
    "--junit": [(".", "an output must be a file, got the folder ."), ("pair.txt/r.xml", "that can be written to")],
    "--unknown": [("3", "unrecognized arguments")],
}
"""Values of options of ``audit`` and ``conform`` that are refused, each with a part of the line."""
CALLABLES = [
    ("laplace", "got 'laplace'"),
    ("toy_calls:", "got 'toy_calls:'"),
    ("no_such:f", "no_such:f must be importable, got ModuleNotFoundError"),
    ("toy_calls:absent", "toy_calls:absent must be importable, got AttributeError"),
    ("toy_calls:NUMBER", "toy_calls:NUMBER must be callable, got int"),
    ("toy_calls:Mean", "got the class Mean: pass a function, or a method of an instance"),
    ("toy_calls:Box", "got the class Box: pass an instance of it"),
    ("toy_calls:Box.method", "must take the data set as its only other argument"),
    ("toy_calls:both", "must take the data set as its only other argument"),
    ("toy_calls:none", "must take the data set as its only other argument"),
]
PAIRS = [
    ("text.json", "first in text.json must hold values of one kind, got numbers and text"),
    ("null.json", "first in null.json must hold values of one kind, got null and numbers"),
    ("nan.json", "first in nan.json must be finite, but entry (0, 1) is not"),
    ("inf.json", "second in inf.json must be finite, but entry (0, 1) is not"),
    ("huge.json", "second in huge.json must be finite, but entry (0, 1) is not"),
    ("wide.json", "one kind and width, got ndarray of shape (n, 2) and ndarray of shape (n, 3)"),
    ("kinds.json", "one kind and width, got ndarray of shape (n, 2) and dict"),
    ("mixed.json", "first in mixed.json must hold values of one kind, got numbers and truth values"),
    ("ragged.json", "first in ragged.json must be a rectangular table"),
    ("same.json", "two different data sets, got the same one twice"),
    ("empty.json", "two different data sets, got the same one twice"),
    ("nothing.json", "first in nothing.json must hold values of one kind, got null"),
    ("three.json", "must hold first and second and nothing else, got entries: 3"),
    ("one.json", "must hold first and second and nothing else, got entries: 1"),
    ("list.json", "must hold an object with first and second, got list"),
    ("broken.json", "broken.json must be JSON, got "),
    ("blank.json", "blank.json must be JSON, got "),
    ("pair.txt", "must end in .npz, .json, got 'pair.txt'"),
    ("absent.json", "No such file or directory: absent.json"),
    (".", "must end in .npz, .json, got "),
    ("nan.npz", "first in nan.npz must be finite, but entry 0 is not"),
    ("text.npz", "first in text.npz must hold numbers, got values of type <U1"),
    ("objects.npz", "objects.npz must be an .npz archive of numeric arrays"),
    ("one.npz", "must hold first and second and nothing else, got entries: 1"),
]
INPUTS = [
    ("x", "the input must be JSON or a file that ends in .json, .npy, .npz, got neither"),
    ("", "the input must be JSON or a file"),
    ("NaN", "the input must be finite, but it is not"),
    ("[1, null]", "the input must hold values of one kind, got null and numbers"),
    ('[1, "a"]', "the input must hold values of one kind, got numbers and text"),
    ("null", "the input must hold values of one kind, got null"),
    ("[[1], [2, 3]]", "the input must be a rectangular table"),
    ("absent.json", "No such file or directory: absent.json"),
    ("broken.json", "broken.json must be JSON, got "),
    ("text.npz", "first in text.npz must hold numbers, got values of type <U1"),
    ("nan.npz", "nan.npz must hold exactly one array, got 2"),
    ("objects.npy", "objects.npy must be a plain numeric .npy file"),
]
CLAIM_OPTIONS = [
    ([], "the claim must be one of --epsilon, --mu, --renyi, --profile, got 0 of them"),
    (["--epsilon", "-1"], "epsilon must be non-negative and finite, got -1.0"),
    (["--epsilon", "nan"], "epsilon must be non-negative and finite, got nan"),
    (["--epsilon", "inf"], "epsilon must be non-negative and finite, got inf"),
    (["--epsilon", "a"], "invalid float value: 'a'"),
    (["--epsilon", "1", "--delta", "1"], "delta must lie in [0, 1), got 1.0"),
    (["--epsilon", "1", "--delta", "-1"], "delta must lie in [0, 1), got -1.0"),
    (["--epsilon", "1", "--delta", "nan"], "delta must lie in [0, 1), got nan"),
    (["--epsilon", "1", "--mu", "1"], "got 2 of them"),
    (["--mu", "1", "--delta", "0.1"], "--delta must come with --epsilon, got --mu"),
    (["--mu", "0"], "mu must be positive and finite, got 0.0"),
    (["--mu", "nan"], "mu must be positive and finite, got nan"),
    (["--renyi", "1", "1"], "alpha must be above 1, got 1.0"),
    (["--renyi", "2", "-1"], "epsilon must be non-negative and finite, got -1.0"),
    (["--renyi", "2"], "expected 2 arguments"),
    (["--profile", "curve.json"], "delta must lie in [0, 1), got 2.0"),
    (["--profile", "no_curve.json"], "curve must have a point, got none"),
    (["--profile", "words.json"], "words.json must hold a JSON list of pairs [epsilon, delta]"),
    (["--profile", "triples.json"], "triples.json must hold a JSON list of pairs [epsilon, delta]"),
    (["--profile", "absent.json"], "No such file or directory: absent.json"),
]
COMMANDS = [
    *(
        (make(option, value), text)
        for make in (audits, compares)
        for option in SHARED
        for value, text in SHARED[option]
    ),
    *((audits(mechanism=name), text) for name, text in CALLABLES),
    *((compares(candidate=name), text) for name, text in CALLABLES),
    *((compares(reference=name, field=()), text) for name, text in CALLABLES[1:]),
    *((audits(pair=("--pair", name)), text) for name, text in PAIRS),
    *((compares(at=("--at", text)), line) for text, line in INPUTS),
    *((audits(claim=claim), text) for claim, text in CLAIM_OPTIONS),
    (["audit"], "what to audit must be named package.module:callable"),
    (audits(mechanism="toy_calls:gaussian"), "missing a required argument: 'sigma'"),
    (audits("--with", "scale=1", "--with", "scale=2"), "--with must give each argument once, got scale twice"),
    (audits("--draws", "1"), "draws must be at least 2, got 1"),
    (audits("--dimension", "0"), "must be a positive integer, got '0'"),
    (audits("--form", "list", pair=()), "form must be one of rows, matrix, got 'list'"),
    (audits("--search", "near", pair=()), "relation must be one of replace, add_remove, zero_out, got 'near'"),
    (audits("--search", "replace"), "--search finds the pair itself and must come without"),
    (audits("--support", "toy_calls:none"), "support must take output and data and nothing else, got too many"),
    (audits("--support", "toy_calls:NUMBER"), "toy_calls:NUMBER must be callable, got int"),
    (audits("--support", "nothing"), "a callable must be named package.module:callable, got 'nothing'"),
    (audits("--resume", "pair.json"), "must be the JSON of an audit's result"),
    (audits("--resume", "absent.json"), "No such file or directory: absent.json"),
    (["audit", "--check", "pair.json"], "must be the JSON of an audit's result"),
    (["audit", "--check", "broken.json"], "must be the JSON of an audit's result"),
    (audits("--html", "."), "an output must be a file, got the folder ."),
    (["conform"], "the following arguments are required"),
    (["conform", "haar", TOY], "the following arguments are required: --at"),
    (compares(reference="unknown"), "package.module:callable or one of haar, bingham, orbit"),
    (compares(field=()), "haar needs --with field=VALUE"),
    (compares(field=("--with", "field=quaternion")), "field must be one of complex, real, got 'quaternion'"),
    (
        compares(reference="triangle_noise", field=("--with", "kind=cauchy", "--with", "epsilon=1")),
        "kind must be one of",
    ),
    (
        compares(reference="wishart_difference", field=("--with", "epsilon=-1")),
        "epsilon must be positive and finite, got -1",
    ),
    (
        compares(reference="centred_wishart", field=("--with", "epsilon=1", "--with", "delta=2")),
        "delta must lie in (0, 1)",
    ),
    (
        compares(reference="noisy_spectrum", field=("--with", "k=1.5", "--with", "epsilon=1")),
        "k must be an integer, got 1.5",
    ),
    (compares("--tolerance", "1"), "tv_tolerance must lie in [0, 1), got 1.0"),
    (compares("--tolerance", "nan"), "tv_tolerance must lie in [0, 1), got nan"),
    (compares("--tolerance", "a"), "invalid float value: 'a'"),
    (["attack", "--bits", "0"], "must be a positive integer, got '0'"),
    (["attack", "--bits", "10", "--k", "4"], "bits must be a multiple of k = 4, got 10"),
    (["attack", "--bits", "8", "--k", "4"], "k must be between 1 and 2, got 4"),
    (["attack", "--k", "-1"], "must be a positive integer, got '-1'"),
    (["attack", "--epsilon", "0"], "epsilon must be positive and finite, got 0.0"),
    (["attack", "--epsilon", "1", "nan"], "epsilon must be positive and finite, got nan"),
    (["attack", "--epsilon", "a"], "invalid float value: 'a'"),
    (["attack", "--epsilon"], "expected at least one argument"),
    (["attack", "--delta", "0"], "delta must lie in (0, 1), got 0.0"),
    (["attack", "--delta", "1"], "delta must lie in (0, 1), got 1.0"),
    (["attack", "--delta", "nan"], "delta must lie in (0, 1), got nan"),
    (["attack", "--seed", "-1"], "must be a non-negative integer, got '-1'"),
    (["attack", "--plot", "p.png"], "the plot file must end in .svg, got 'p.png'"),
    (["attack", "--plot", "folder.svg"], "an output must be a file, got the folder folder.svg"),
    (["attack", "--unknown"], "unrecognized arguments"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad_calls")
    for name, text in FILES.items() | {("toy_calls.py", TOYS)}:
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "folder.svg").mkdir()
    np.savez(folder / "nan.npz", first=np.array([NAN]), second=np.array([1.0]))
    np.savez(folder / "text.npz", first=np.array(["a"]), second=np.array(["b"]))
    np.savez(folder / "objects.npz", first=np.array([{}]), second=np.array([1.0]))
    np.savez(folder / "one.npz", np.ones(2))
    np.save(folder / "objects.npy", np.array([{}]))
    return folder


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.syspath_prepend(folder)
    monkeypatch.chdir(folder)
    yield folder
    sys.modules.pop("toy_calls", None)


@pytest.mark.parametrize(("words", "text"), COMMANDS, ids=[" ".join(words) for words, _ in COMMANDS])
def test_a_command_is_refused(here, capsys, words, text):
    before = {path.name for path in here.iterdir()}
    try:
        status: Any = run(words)
    except SystemExit as stop:
        status = stop.code
    printed = capsys.readouterr()
    assert status == 2
    assert printed.out == ""
    lines = printed.err.splitlines()
    assert lines[-1].startswith("dpspectra")
    assert text in lines[-1]
    assert len(lines) == 1 or lines[0].startswith("usage: ")
    assert "Traceback" not in printed.err
    assert getattr(sys.modules.get("toy_calls"), "CALLS", []) == []
    assert {path.name for path in here.iterdir()} - before <= {"__pycache__"}


# ---------------------------------------------------------------- the plugin

PLUGIN = """
import functools
import pytest

calls = []

def laplace(x, *, size, rng):
    calls.append(1)
    return rng.laplace(size=size)

def two(x, y):
    calls.append(1)

class Mean:
    def __init__(self, x):
        calls.append(1)

PAIR = 0.0, 1.0
AUDITS = {audits}
COMPARISONS = {comparisons}

@pytest.mark.dp_claim(1.0)
@pytest.mark.parametrize("change", AUDITS)
def test_audit(dp_audit, change):
    dp_audit(**(dict(mechanism=laplace, pair=PAIR) | eval(change)))

@pytest.mark.parametrize("change", COMPARISONS)
def test_conforms(dp_conforms, change):
    dp_conforms(**(dict(candidate=laplace, reference=laplace, x=0.0) | eval(change)))

{marked}

def test_nothing_was_drawn():
    assert calls == []
"""
SHARED_OPTIONS = {
    "dict(draws=0)": "draws must be at least 2, got 0",
    "dict(draws='10')": "draws must be an integer, got '10'",
    "dict(draws=2.5)": "draws must be an integer, got 2.5",
    "dict(seconds=0)": "seconds must be positive and finite, got 0",
    "dict(seconds=None)": "seconds must be a real number, got None",
    "dict(snap=53)": "snap must be between 1 and 52, got 53",
    "dict(workers=-1)": "workers must be at least 1, got -1",
    "dict(rng='a')": "rng must be a numpy Generator, a non-negative seed or None, got 'a'",
    "dict(statistics=[abs])": "statistics must be a mapping",
    "dict(statistics={1: abs})": "names of statistics must be strings, got 1",
    "dict(watch=two)": "watch must take result",
    "dict(resume='r.json')": "resume must be an AuditResult or None, got 'r.json'",
    "dict(classifier='svm')": "classifier must have the methods fit and predict_proba, got 'svm'",
    "dict(confidence=0.5)": "got confidence: fix arguments of the mechanism's own",
    "dict(drawz=5)": "unexpected keyword argument 'drawz'",
}
AUDITS = SHARED_OPTIONS | {
    "dict(mechanism=None)": "mechanism must be callable, got None",
    "dict(mechanism=Mean)": "mechanism must be a function of the data set, got the class Mean",
    "dict(pair='ab')": "pair must hold two data sets, got no tuple or list, but a str",
    "dict(pair={1: 2, 3: 4})": "pair must hold two data sets, got no tuple or list, but a dict",
    "dict(mechanism=two)": "mechanism must take the data set as its only other argument",
    "dict(epsilon=3)": "got epsilon: fix arguments of the mechanism's own",
    "dict(pair=None)": "pair must hold two data sets, got ",
    "dict(pair=(1.0,))": "pair must hold two data sets, got ",
    "dict(pair=(1.0, 1.0))": "pair must hold two different data sets, got the same one twice",
    "dict(support=len)": "support must take output and data",
    "dict(log_ratio=two)": "log_ratio must take output",
}
COMPARISONS = SHARED_OPTIONS | {
    "dict(candidate=3)": "candidate must be callable, got 3",
    "dict(candidate=Mean)": "candidate must be a function of the data set, got the class Mean",
    "dict(candidate=functools.partial(Mean))": "candidate must be a function of the data set, got the class Mean",
    "dict(candidate=two)": "candidate must take the data set as its only other argument",
    "dict(reference=None)": "reference must be callable, got None",
    "dict(reference=Mean)": "reference must be a function of the data set, got the class Mean",
    "dict(tv_tolerance=1)": "tv_tolerance must lie in [0, 1), got 1",
    "dict(tv_tolerance='a')": "tv_tolerance must be a real number, got 'a'",
    "dict(support=two)": "unexpected keyword argument 'support'",
}
MARKS = {
    "": "missing a required argument: 'epsilon'",
    "()": "missing a required argument: 'epsilon'",
    "(-1)": "epsilon must be non-negative and finite, got -1",
    "('1')": "epsilon must be a real number, got '1'",
    "(None)": "epsilon must be a real number, got None",
    "(1.0, 1)": "delta must lie in [0, 1), got 1",
    "(1.0, delta='a')": "delta must be a real number, got 'a'",
    "(1.0, 0.1, 3)": "too many positional arguments",
    "(eps=1.0)": "missing a required argument: 'epsilon'",
    "(1.0, tolerance=3)": "got an unexpected keyword argument 'tolerance'",
}


def test_the_plugin_refuses_in_one_line(pytester):
    """One inner run of many bad tests, whose reports are looked at one by one."""
    marked = "\n\n".join(
        f"@pytest.mark.dp_claim{mark}\ndef test_mark_{i}(dp_audit):\n    dp_audit(laplace, PAIR)"
        for i, mark in enumerate(MARKS)
    )
    pytester.makepyfile(PLUGIN.format(audits=[*AUDITS], comparisons=[*COMPARISONS], marked=marked))
    found = pytester.inline_run("-p", "no:cacheprovider", "-p", "no:randomly", "--tb=line")
    expected = [*AUDITS.values(), *COMPARISONS.values(), *MARKS.values()]
    reports = [report for report in found.getreports("pytest_runtest_logreport") if report.failed]
    assert len(reports) == len(expected)
    for report, text in zip(reports, expected, strict=True):
        message = report.longrepr.reprcrash.message
        kind, _, line = message.partition(": ")
        assert text in line, report.nodeid
        assert kind in ("ValueError", "TypeError", "pytest.UsageError"), message
        assert ("argument" in text and "must be" not in line) or " must " in line
        assert len(line.splitlines()) == 1
    assert found.countoutcomes() == [1, 0, len(expected)]
