"""The table of bad commands: command lines and words of the line that refuses them, and bad values of every option.

`COMMANDS` has command lines with words of the message. `GOOD` has one good line of every command, `KINDS` says what its
options take, and `BAD` what an option of that kind must not be given.
"""

import argparse

from dpspectra import cli
from tests.support.files import LAPLACE
from tools import new
from tools.mutation import command as mutate

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
    "good.csv": "a,b\n0.5,0.5\n0.25,0\n",
    "ragged.csv": "a,b\n0.5,0.5\n0.25\n",
    "words.csv": "a,b\n0.5,x\n",
    "empty.csv": "",
    "gap.csv": ".5,\n.1,.3\n",
    "header.csv": "a,b\n",
    "nan.csv": "a,b\n0.5,nan\n",
    "long.csv": "a,b\n3,4\n",
    **dict.fromkeys(("broken.npy", "broken.npz", "broken.csv", "broken.parquet", "no.txt"), '"not, this'),
}
TOY, EPSILON = "toy_calls:laplace", ["--epsilon", "1"]


def audits(*options, mechanism=TOY, claim=EPSILON, pair=("--pair", "pair.json")):
    return ["audit", mechanism, *pair, *claim, *options]


def releases(data, *options, out="new.npy"):
    return ["release", data, "--out", out, *options]


def compares(*options, reference="haar", candidate=TOY, field=("--with", "field=real"), at=("--at", "3")):
    return ["conform", reference, candidate, *at, *field, *options]


SHARED = {
    "--confidence": [("0", "(0, 1)"), ("1", "(0, 1)"), ("nan", "(0, 1)"), ("a", "must be a number"), ("-1", "(0, 1)")],
    "--draws": [(bad, "must be a positive integer") for bad in ("0", "-5", "2.5", "nan", "1e3", "inf", "a", "²")],
    "--seconds": [
        ("0", "positive and finite"),
        ("nan", "positive and finite"),
        ("inf", "positive and finite"),
        ("a", "must be a number"),
    ],
    "--seed": [(bad, "must be a non-negative integer") for bad in ("-1", "a", "1.5", "None")],
    "--accept-unread": [("1", "[0, 1)"), ("-0.1", "[0, 1)"), ("nan", "[0, 1)"), ("a", "must be a number")],
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
    ("three.json", "must hold first and second and nothing else, got entries: 3, nothing lacking"),
    ("one.json", "must hold first and second and nothing else, got entries: 1, second lacking"),
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
    ("x", "the input must be JSON or a file that ends in .json, .npy, .npz, got 'x'"),
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
DATA = [
    ("missing.npy", "No such file"),
    ("no.txt", "must end in .npy, .npz, .csv, .tsv, .parquet"),
    ("broken.npy", "plain numeric .npy"),
    ("broken.npz", "must be an .npz archive"),
    ("broken.parquet", "must be a file of the kind that its name says"),
    ("objects.npy", "plain numeric .npy"),
    ("two.npz", "exactly one array, got 2"),
    ("ragged.csv", "got 1 fields in line 3 instead of 2"),
    ("words.csv", "must hold numbers, but line 2 has none in "),
    ("gap.csv", "must hold names for certain: say --header or --no-header"),
    ("empty.csv", "must hold rows"),
    ("header.csv", "must not be empty"),
    ("nan.csv", "must be finite, but entry (0, 1) is not"),
    ("long.csv", "norm at most 1, but row 0 is longer"),
]
SCORES = ("--mechanism", "private_score_histogram", "--epsilon", "1")
RELEASES = [
    (("--mechanism", "wishart", "--epsilon", "1"), "mechanism must be one of"),
    (("--mechanism", "laplace_covariance", "--epsilon", "0"), "epsilon must be positive"),
    (("--mechanism", "laplace_covariance", "--epsilon", "nan"), "epsilon must be positive"),
    (("--mechanism", "gaussian_covariance", "--epsilon", "1"), "needs --delta"),
    (("--mechanism", "gaussian_covariance", "--epsilon", "1", "--delta", "1"), "delta must lie in"),
    (("--mechanism", "private_pca", "--epsilon", "1"), "needs --k"),
    (("--mechanism", "private_pca", "--epsilon", "1", "--k", "0"), "k must be between 1 and 2"),
    (("--mechanism", "private_pca", "--epsilon", "1", "--k", "9"), "k must be between 1 and 2"),
    ((*LAPLACE, "--k", "1"), "takes no --k"),
    ((*LAPLACE, "--norm-bound", "-1"), "norm_bound must be positive"),
    ((*LAPLACE, "--person", "a"), "--person must come with --per-person"),
    ((*LAPLACE, "--person", "a", "--per-person", "2"), "--person must name a column of ids that good.npy has"),
    *(
        (("--mechanism", name, *about, "--epsilon", "1", "--k", "1", "--person", "a"), "must come with --center none")
        for name in ("auto", "private_pca")
        for about in ((), ("--center", "mean"), ("--center", "pairs"))
    ),
    (("--mechanism", "laplace_covariance"), "one of the arguments --epsilon --rho --mu --renyi is required"),
    ((*LAPLACE, "--rho", "1"), "not allowed with argument --epsilon"),
    (("--mechanism", "laplace_covariance", "--rho", "1", "--delta", "1e-6"), "laplace_covariance takes no --delta"),
    (
        ("--mechanism", "wishart_covariance", "--rho", "1", "--delta", "1e-6"),
        "a claim must be pure or of Gaussian noise for rho, got delta 1e-06 and no mu",
    ),
    (("--mechanism", "gaussian_covariance", "--rho", "1"), "gaussian_covariance needs --delta"),
    (SCORES, "private_score_histogram needs --directions and --frame"),
    (
        (*SCORES, "--directions", "good.npy", "--frame", "0", "1", "0", "1"),
        "good.npy must be a release with its claim beside it, got no good.npy.claim.json",
    ),
    ((*LAPLACE, "--frame", "0", "1", "0", "1"), "laplace_covariance takes no --frame"),
    ((*LAPLACE, "--groups", "a", "--levels", "b"), "laplace_covariance takes no --groups"),
    ((*LAPLACE, "--bonds", "x"), "unrecognized arguments: --bonds x; near: --bounds"),
    ((*LAPLACE, "--per-person", "2"), "--per-person and --salt must come with --person"),
]
CLAIM_OPTIONS = [
    ([], "the claim must be one of epsilon, mu, renyi, rho, profile, got 0 of them"),
    (["--epsilon", "-1"], "epsilon must be non-negative and finite, got -1.0"),
    (["--epsilon", "nan"], "epsilon must be non-negative and finite, got nan"),
    (["--epsilon", "inf"], "epsilon must be non-negative and finite, got inf"),
    (["--epsilon", "a"], "must be a number, such as 2, 1e-6 or .1 for 10%, got 'a'"),
    (["--epsilon", "1", "--delta", "1"], "delta must lie in [0, 1), got 1.0"),
    (["--epsilon", "1", "--delta", "-1"], "delta must lie in [0, 1), got -1.0"),
    (["--epsilon", "1", "--delta", "nan"], "delta must lie in [0, 1), got nan"),
    (["--epsilon", "1", "--mu", "1"], "got 2 of them"),
    (["--mu", "1", "--delta", "0.1"], "delta must come with epsilon, got mu"),
    (["--rho", "0"], "rho must be positive and finite, got 0.0"),
    (["--mu", "0"], "mu must be positive and finite, got 0.0"),
    (["--mu", "nan"], "mu must be positive and finite, got nan"),
    (["--renyi", "1", "1"], "alpha must be an order above 1, got 1.0"),
    *((["--rho", far], f"rho must be between 2**-60 and 2**20, got {far}") for far in ("1e-170", "1e+300")),
    (["--mu", "1e300"], "mu must be between 2**-60 and 2**20, got 1e+300"),
    *((["--renyi", far, "1"], "alpha must be between 1 + 2**-20 and 2**20, got") for far in ("1e300", "1.0000000001")),
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
    *((releases(name, *LAPLACE), text) for name, text in DATA),
    *((releases("good.npy", *options), text) for options, text in RELEASES),
    (releases("good.npy", *LAPLACE, out="r.txt"), "must end in .npy, .npz, .csv"),
    (releases("good.npy", *LAPLACE, out="folder.npy"), "must be a file, got the folder"),
    (releases("good.npy", *LAPLACE, out="good.csv/r.npy"), "must lie in a folder that can be written to"),
    (["relase"], "near: release"),
    (["verify", "NO-SUCH"], "expected a label or a chapter of the ledger, got 'NO-SUCH'"),
    *(
        (["verify", name, "--paper", "HP"], f"--paper must be one that states some of '{name}', got HP: leave out one")
        for name in ("wishart", "MWKTV-L8.2")
    ),
    (["show", "NO-SUCH"], "expected a label of the ledger"),
    (["show", "Theorem", "4"], "unrecognized arguments: 4; put quotes around several words"),
    (["audit"], "what to audit must be named package.module:callable"),
    (audits(mechanism="toy_calls:gaussian"), "missing a required argument: 'sigma'"),
    (audits("--with", "scale=1", "--with", "scale=2"), "--with must give each argument once, got scale twice"),
    (audits("--draws", "1"), "draws must be at least 2, got 1"),
    (audits("--dimension", "0"), "must be a positive integer, got '0'"),
    (audits("--form", "list", pair=()), "form must be one of rows, matrix, sum, got 'list'"),
    (
        audits("--search", "near", "--domain", "ball", pair=()),
        "relation must be one of replace, add_remove, zero_out, got 'near'",
    ),
    (audits("--search", "replace", pair=()), "--search must come with --domain, the rows that the claim is about"),
    (audits("--domain", "ball"), "--search must come with --domain, the rows that the claim is about"),
    (
        audits("--search", "replace", "--domain", "disc", pair=()),
        "domain must be one of ball, box, cube, signs, one-hot, got 'disc'",
    ),
    (audits("--search", "replace"), "--search finds the pair itself and must come without"),
    (
        audits("--support", "toy_calls:none"),
        "support must take output and data and nothing else, got one that cannot: too many",
    ),
    (audits("--support", "toy_calls:NUMBER"), "toy_calls:NUMBER must be callable, got int"),
    (audits("--support", "nothing"), "a callable must be named package.module:callable, got 'nothing'"),
    (audits("--resume", "pair.json"), "must be the JSON of an audit by draws"),
    (audits("--resume", "absent.json"), "No such file or directory: absent.json"),
    (["audit", "--check", "pair.json"], "must be the JSON of an audit by draws"),
    (["audit", "--check", "broken.json"], "must be the JSON of an audit by draws"),
    (["audit", "--check", "a.json", "--epsilon", "2"], "--check takes all from the record and must come without --eps"),
    (["audit", "toy:f", "--check", "a.json", "--html", "a.html"], "and must come without mechanism, --html"),
    (audits("--then-outside"), "--then-outside must come with --inside"),
    (audits("--inside", "--then-outside", "--json", "-"), "must come without --json -"),
    (
        releases("good.npy", "--mechanism", "auto", "--epsilon", "1", "--k", "1", "--json", "good.npy"),
        "--json must be a file of its own",
    ),
    (
        releases("good.npy", "--mechanism", "auto", "--epsilon", "1", "--k", "1", "--json", "new.npy"),
        "--json must be a file of its own",
    ),
    (["claim", "good.npy", "--json", "good.npy.claim.json"], "--json must be a file of its own"),
    (audits("--inside", "--estimate"), "--estimate is of audits that count outputs: add --then-outside, or leave"),
    (audits("--inside", "--require-power", "2"), "--require-power is of audits that count outputs"),
    (audits("--html", "."), "an output must be a file, got the folder ."),
    (["conform"], "the following arguments are required"),
    (["conform", "haar", "--at", "3"], "arguments are required: package.module:callable|--command"),
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
    (compares("--tolerance", "1"), "--tolerance must lie in [0, 1), got 1.0"),
    (compares("--tolerance", "nan"), "--tolerance must lie in [0, 1), got nan"),
    (compares("--tolerance", "a"), "must be a number, such as 2, 1e-6 or .1 for 10%, got 'a'"),
]
"""Command lines, and words of the last line on standard error."""

# ---------------------------------------------------------------- every option of every command

NO_FLOAT = ["a", "", "1,5", "one", "0x1p3", "1e", "[1]"]
NO_COUNT = ["0", "-1", "1.5", "a", "", "²", "nan", "1e3", "True"]
NO_SEED = ["-1", "1.5", "a", "", "nan", "None"]
BAD = {
    "positive": ["0", "-1", "nan", "inf", "-inf", *NO_FLOAT],
    "probability": ["1", "-0.1", "2", "nan", "inf", *NO_FLOAT],
    "count": NO_COUNT,
    "rank": ["99", *NO_COUNT],
    "seed": NO_SEED,
    "word": ["nothing", "", "REPLACE", "1"],
    "title": ["", " a", "$a$", "a\nb", "`a`", "a | b", "<b>", 'a "b"', "a" * 81],
    "output": [".", "data.npy/x", "folder.svg", "no.txt"],
    "file": [".", "data.npy/x", "folder.svg"],
    "json": [".", "data.npy/x", "folder.svg", ""],
    "folder": ["data.npy", "data.npy/x"],
    "released": [".", "absent.npy", "data.npy", "data.npy/x"],
    "separator": ["", "ab", "5", "e", ".", '"'],
    "data": ["absent.npy", "no.txt", ".", "broken.npy", "broken.npz", "broken.csv", "objects.npy", "long.csv", ""],
}
"""Texts that an option of this kind must not be given."""
GOOD = {
    "demo": [],
    "verify": ["HP-D2.1"],
    "show": ["HP-D2.1"],
    "paper": ["HP"],
    "release": [
        *(
            "data.npy",
            "--mechanism",
            "private_pca",
            "--center",
            "none",
            "--epsilon",
            "1",
            "--k",
            "1",
            "--out",
            "new.npy",
        )
    ],
    "check": ["data.npy"],
    "claim": ["data.npy"],
    "denoise": ["data.npy", "--out", "new.npy"],
    "budget": ["new", "new", "--epsilon", "1"],
    "convert": ["rho", "--epsilon", "1"],
    "advise": ["pca", "--d", "4", "--k", "2", "--n", "100", "--epsilon", "1"],
    "bounds": ["--d", "4", "--k", "2", "--lambda1", "5", "--epsilon", "1"],
    "vectors": ["--out", "new.json"],
    "museum": ["fixed_seed"],
    "new": ["DPS-TRIAL", "--chapter", "orbit"],
    "mutate": ["HP-D2.1", "--rooms", "mechanisms"],
}
"""Arguments with which a command would run."""
KINDS = {
    "demo": {"out": "folder", "seed": "seed"},
    "verify": {"names": "word", "paper": "word", "examples": "count", "jobs": "count", "seed": "seed"},
    "show": {"label": "word", "plot": "output"},
    "paper": {"key": "word"},
    "release": {
        **{"data": "data", "mechanism": "word", "epsilon": "positive", "delta": "probability", "k": "rank"},
        **{"norm_bound": "positive", "out": "output", "relation": "word", "center": "word", "denoise": "word"},
        **{"separator": "separator", "columns": "word", "budget": "released", "bounds": "released", "plot": "output"},
        **{"person": "word", "per_person": "count", "salt": "word", "part": "word", "by": "word", "note": "word"},
        **{"directions": "released", "frame": "positive", "bins": "count"},
        **{"bad_rows": "word", "encoding": "word", "decimal": "word", "difference_bound": "positive"},
        **{**dict.fromkeys(("rho", "mu", "renyi"), "positive"), "groups": "word", "levels": "word"},
    },
    "check": {
        **{
            "data": "data",
            "norm_bound": "positive",
            "bad_rows": "word",
            "bounds": "released",
            "separator": "separator",
        },
        **{"encoding": "word", "decimal": "word", "columns": "word"},
        **{"person": "word", "per_person": "count", "salt": "word"},
    },
    "claim": {"file": "released", "plot": "output"},
    "denoise": {"file": "released", "method": "word", "out": "output"},
    "budget": {
        **{"action": "word", "file": "file", "epsilon": "positive", "delta": "probability", "relation": "word"},
        **{"method": "word", "norm_bound": "positive", "receipt": "word", "parts": "word", "data": "file"},
        **dict.fromkeys(("rho", "mu", "renyi"), "positive"),
    },
    "convert": {
        **{"to": "word", "epsilon": "positive", "delta": "probability", "order": "positive"},
        **dict.fromkeys(("rho", "mu", "renyi"), "positive"),
    },
    "advise": {
        **{"goal": "word", "d": "count", "k": "rank", "n": "count", "epsilon": "positive", "delta": "probability"},
        **{"norm_bound": "positive", "relation": "word", "spectrum": "positive", "plot": "output"},
        **{"rows_for": "positive", "typical_norm": "positive", "bounds": "released", "center": "word"},
    },
    "bounds": {
        **{"d": "count", "k": "rank", "lambda1": "positive", "eigenvalues": "positive", "epsilon": "positive"},
        **{"relation": "word", "beta": "probability", "field": "word", "plot": "output"},
    },
    "vectors": {"out": "file"},
    "museum": {"names": "word"},
    "new": {
        **{"label": "word", "chapter": "word", "title": "title", "number": "title", "kind": "word"},
        **{"verdict": "word", "page": "word"},
    },
    "mutate": {
        **{"names": "word", "rooms": "word", "number": "count", "seed": "seed", "jobs": "count"},
        **{"tests": "folder", "results": "file"},
    },
}
"""What the options of a command take, besides ``--json``, which is the same in all."""
ELSEWHERE = {"audit", "conform"}
"""Commands whose bad options are in `COMMANDS`."""
FINE = {
    ("release", "data", ""): "the folder itself, as '.', which has no such ending",
    ("release", "salt", ""): "the salt that is meant where none is given",
    ("check", "salt", ""): "the salt that is meant where none is given",
    ("bounds", "lambda1", "0"): "an eigenvalue may be 0",
    ("check", "data", "long.csv"): "rows are not looked at",
    **{("budget", "parts", name): "parts have any names" for name in ("nothing", "REPLACE", "1")},
    ("bounds", "eigenvalues", "0"): "an eigenvalue may be 0",
}


INSTEAD = {
    "--eigenvalues": "--lambda1",
    "--rows-for": "--n",
    **dict.fromkeys(("--rho", "--mu", "--renyi"), "--epsilon"),
}
"""Options that stand in the place of another one."""


TOOLS = {"mutate": mutate, "new": new}
"""Modules of `tools` that are commands of contributors, by a name that the program could have for them."""


def run(words):
    """Run a command of the program, or a tool."""
    tool = TOOLS.get(words[0])
    return tool.main(words[1:]) if tool else cli.run(words)


def commands():
    """The parsers of the commands and of the tools, by name."""
    own = next(a for a in cli.parser()._actions if isinstance(a, argparse._SubParsersAction)).choices
    return {**own, **{name: tool.parser() for name, tool in TOOLS.items()}}


def values(command):
    """The actions of a command that take a value."""
    return [a for a in commands()[command]._actions if a.nargs != 0 and a.help != argparse.SUPPRESS]


def kind(command, name):
    """What an option takes."""
    return "json" if name == "json" else KINDS[command].get(name, "count")


def bad():
    """Words of a command line in which one value is bad."""
    for command, good in GOOD.items():
        for action in values(command):
            for text in BAD[kind(command, action.dest)]:
                yield command, action, text, [command, *words(action, good, text)]


def words(action, good, text):
    """Good arguments with one value in the place of what was there."""
    if not action.option_strings:
        return [text, *good[1:]]
    option = action.option_strings[0]
    rest = list(good)
    for name in {option, INSTEAD.get(option, option)}:
        if name in rest:
            del rest[rest.index(name) : rest.index(name) + 2]
    return [*rest, f"{option}={text}"]
