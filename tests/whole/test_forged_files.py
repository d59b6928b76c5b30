"""Files of anybody: whatever stands in a field, a file is taken whole or refused in one line, without a traceback.

Each field of each kind of file gets each hostile value. What is taken must be written again as it was read.
"""

import copy
import functools
import hashlib
import json
import sqlite3
import struct
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.accounting.budget_file import TERMS, _digest
from dpspectra.audit import AuditResult
from dpspectra.certified.moments_file import LENGTH, MAGIC
from dpspectra.cli import run
from dpspectra.ground import records
from dpspectra.report import claim_file
from tests.support.files import GOLDEN, release

NAN, INFINITY = float("nan"), float("inf")
HOSTILE = [
    *(None, True, False, 0, 1, -1, 2**63, 2**64, 10**400, 0.0, -0.0, 1.5, 1e308, -1e308, 5e-324, NAN, INFINITY),
    *("", "x", "\x1b[31m", "a\nverdict: fine", "\ud800", "1e999999999", "0x1p+9999", "9" * 5000, "inf", "nan"),
    *([], [None], [[]], [1, 2], ["x"], {}, {"": None}, {"kind": "x"}, {"left": None, "right": None}),
    *({"values": [10**400], "dtype": "<i8", "shape": [1]}, {"values": [1], "dtype": "O", "shape": [-1]}),
    *({"values": [], "dtype": "<f8", "shape": [0, 2**62, 2**62]}, {"guarantee": {}}, {"dtype": "V9"}),
]
"""Values that no field expects, or that some do."""
DEEP = "[" * 200_000


def places(data, path=()):
    """All fields, with what holds them."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for name, value in items:
        yield (*path, name)
        yield from places(value, (*path, name))


def forgeries(data, number, seed):
    """Return so many forgeries, each with its name: a field of another value, without it, or with one more."""
    rng, found = np.random.default_rng(seed), []
    fields = list(places(data))
    every = [(path, value) for path in fields for value in HOSTILE]
    for index in rng.permutation(len(every))[:number].tolist():
        path, value = every[index]
        found.append((f"{path} = {value!r:.40}", changed(data, path, value)))
    for path in fields:
        if isinstance(path[-1], str):
            found.append((f"{path} left out", changed(data, path, None, leave_out=True)))
    return [*found, ("one more", {**data, "more": 1}), *((f"all {value!r:.40}", value) for value in HOSTILE)]


def changed(data, path, value, leave_out=False):
    forged = copy.deepcopy(data)
    inner = functools.reduce(lambda each, name: each[name], path[:-1], forged)
    if leave_out:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return forged


def refused_or(read, again):
    """Read; whether it was taken. What is taken must be the same when it is written and read once more."""
    try:
        found = read()
    except (ValueError, OSError) as problem:
        refusal = problem
    else:
        again(found)
        return True
    assert type(refusal) in (ValueError, OSError)
    assert str(refusal).isprintable()
    return False


@pytest.fixture
def released(tmp_path, monkeypatch):
    """Claim file of noisy second moments, with all kinds of details."""
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.full((30, 3), 0.3))
    assert release("x.npy", "--mechanism", "symmetric_wishart_covariance") == 0
    return json.loads(Path("r.npy.claim.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("golden", [None, "claim-0.csv.claim.json", "claim-1.csv.claim.json"])
def test_forged_claims(released, capsys, golden):
    """`claim` and `denoise` end with 0, 1 or 2, and print no escape."""
    good = released if golden is None else json.loads((GOLDEN / golden).read_text(encoding="utf-8"))
    taken = 0
    for name, forged in forgeries(good, 120 if golden is None else 40, 1):
        Path("r.npy.claim.json").write_text(json.dumps(forged), encoding="utf-8")
        said = [run(["claim", "r.npy"]), run(["claim", "r.npy", "--json", "-"])]
        said += [run(["denoise", "r.npy", "--method", way, "--out", "d.npy", "--force"]) for way in ("psd", "shrink")]
        printed = capsys.readouterr()
        assert set(said) <= {0, 1, 2}, name
        assert said[0] == said[1], name
        assert printed.out.replace("\n", "").isprintable(), name
        assert printed.err.replace("\n", "").isprintable(), name
        if said[0] != 2:
            taken += 1
            read = claim_file.read(Path("r.npy"))
            Path("s.npy.claim.json").write_text(json.dumps(read.asdict()), encoding="utf-8")
            assert read.format == 0 or repr(claim_file.read(Path("s.npy"))) == repr(read), name
    assert taken >= 5


def sums(head, body):
    text = head if isinstance(head, bytes) else json.dumps(head, sort_keys=True).encode()
    whole = MAGIC + struct.pack("<Q", len(text)) + text + body
    return whole + hashlib.sha256(whole).digest()


BOUNDS = dps.ColumnBounds([0, 0], [1, 2])
MOMENTS = {
    "plain": lambda: dps.Moments.of([[0.6, 0.8], [0.1, 0.2]], columns=["a", "b"]),
    "bounded": lambda: dps.Moments.of([[0.6, 0.8]], order=1, rows="clip", bounds=BOUNDS, part="monday"),
    "people": lambda: dps.Moments.of([[0.6, 0.8]], rows="clip", person=["a"], per_person=2, salt="s"),
    "empty": lambda: dps.Moments.empty(2),
}


@pytest.mark.parametrize("name", MOMENTS)
def test_forged_sums(name):
    """`Moments.from_bytes` takes only what `to_bytes` has written."""
    whole = MOMENTS[name]().to_bytes()
    (size,) = LENGTH.unpack(whole[len(MAGIC) : len(MAGIC) + LENGTH.size])
    begin = len(MAGIC) + LENGTH.size + size
    head, body = json.loads(whole[begin - size : begin]), whole[begin:-32]
    assert sums(head, body) == whole

    def again(data, moments):
        assert moments.to_bytes() == data

    taken = 0
    for _, forged in forgeries(head, 300, 2):
        data = sums(forged, body)
        taken += refused_or(partial(dps.Moments.from_bytes, data), partial(again, data))
    assert taken  # the salt of other people, say
    text = json.dumps(head, sort_keys=True).encode()
    for bad in (text + b" ", text.replace(b"{", b'{"count": 1, ', 1), DEEP.encode(), b"\xff", text[:-1]):
        with pytest.raises(ValueError, match="data must be bytes of Moments"):
            dps.Moments.from_bytes(sums(bad, body))
    for wrong in (2**62, -(2**62), -1):
        other = struct.pack("<q", wrong) * (len(body) // 8)
        with pytest.raises(ValueError, match="data must be bytes of Moments"):
            dps.Moments.from_bytes(sums(head, other))


def test_forged_runs(tmp_path):
    """A file of the power method, signed again by whoever changed it."""
    states = []
    dps.private_power_method(np.diag([9.0, 1.0, 0.25]), 1, 1.0, 1e-6, iterations=2, width=1, checkpoint=states.append)
    good = tmp_path / "good.state"
    states[0].save(good)
    content = json.loads(good.read_text(encoding="ascii").splitlines()[1])
    paths = iter(range(10**6))

    def read(text):
        path = tmp_path / str(next(paths))
        path.write_text(json.dumps({"sha256": hashlib.sha256(text.encode()).hexdigest()}) + "\n" + text + "\n")
        return dps.PowerState.load(path)

    def again(state):
        path = tmp_path / str(next(paths))
        state.save(path)
        other = dps.PowerState.load(path)
        assert (repr(other), other.claim) == (repr(state), state.claim)
        assert np.array_equal(other.iterate, state.iterate)

    assert refused_or(lambda: read(json.dumps(content)), again)
    for _, forged in forgeries(content, 300, 3):
        refused_or(lambda forged=forged: read(json.dumps(forged)), again)
    assert not refused_or(lambda: read(DEEP), again)


@pytest.mark.parametrize("number", [1, 2])
def test_forged_budgets(tmp_path, capsys, number):
    """A chain written anew by whoever changed an entry of it."""
    with closing(sqlite3.connect(GOLDEN / f"budget-{number}.db")) as golden:
        texts = [json.loads(text) for (text,) in golden.execute("SELECT entry FROM budget ORDER BY number")]
    paths = iter(range(10**6))

    def written(entries):
        path, before = tmp_path / f"{next(paths)}.db", ""
        with closing(sqlite3.connect(path, isolation_level=None)) as file:
            file.execute("CREATE TABLE budget (number INTEGER PRIMARY KEY, entry TEXT NOT NULL, digest TEXT NOT NULL)")
            for number, entry in enumerate(entries):
                text = entry if isinstance(entry, bytes) or entry in (DEEP, "", "\x00") else json.dumps(entry)
                before = _digest(before, text)
                file.execute("INSERT INTO budget VALUES (?, ?, ?)", (number, text, before))
        return path

    def again(budget):
        terms = {name: getattr(budget, name) for name in TERMS} | (
            {} if budget.measure == "epsilon" else {"epsilon": None}
        )
        other = dps.Budget(**terms, file=budget._account.path)
        assert (repr(other), other.claims) == (repr(budget), budget.claims)

    assert refused_or(lambda: dps.Budget.open(written(texts)), again)
    for place, entry in enumerate(texts[:3]):
        for name, forged in forgeries(entry, 30, 4 + place):
            path = written([*texts[:place], forged, *texts[place + 1 :]])
            refused_or(lambda path=path: dps.Budget.open(path), again)
            assert run(["budget", "show", str(path)]) in (0, 2), name
            printed = capsys.readouterr()
            assert (printed.out + printed.err).replace("\n", "").isprintable(), name
    for entry in (DEEP, "", "\x00", json.dumps(texts[0]).encode()):
        assert not refused_or(lambda entry=entry: dps.Budget.open(written([entry])), again)


def test_forged_records(tmp_path, capsys):
    """``audit --check`` ends with a verdict, or with 2 and a line for each fault; results are written as they were."""
    good = json.loads((GOLDEN / "audit-1.json").read_text(encoding="utf-8"))
    path = tmp_path / "r.json"

    def again(result):
        assert repr(AuditResult.from_json(result.to_json())) == repr(result)

    good["evidence"]["epochs"][0][2:] = []  # of each kind of field a few
    for name, forged in forgeries(good, 250, 7):
        refused_or(lambda forged=forged: AuditResult.from_json(json.dumps(forged)), again)
        path.write_text(json.dumps(forged), encoding="utf-8")
        assert run(["audit", "--check", str(path)]) in (0, 1, 2, 3), name
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err, name
        assert (printed.out + printed.err).replace("\n", "").isprintable(), name
    path.write_text(DEEP, encoding="utf-8")
    assert run(["audit", "--check", str(path)]) == 2


@pytest.mark.parametrize(
    "text",
    [DEEP, "", "[[1e999, 1]]", "[[NaN, 1]]", f"[[{10**400}, 1]]", '{"a": [0, 1], "a": [0, 9]}', "\ud800", "[[1]]"],
)
def test_bounds_and_profiles_are_strict_json(tmp_path, text, capsys):
    """One line and 2, for files that a user writes: a name that stands twice has no bounds that anybody could know."""
    data, path = tmp_path / "x.csv", tmp_path / "f.json"
    data.write_text("a\n0.5\n0.25\n")
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    out = ["--out", str(tmp_path / "r.npy")]
    assert (
        run(["release", str(data), "--mechanism", "private_mean", "--epsilon", "1", "--bounds", str(path), *out]) == 2
    )
    assert run(["audit", "dpspectra.audit.specimens:wishart_one_sided", "--profile", str(path)]) == 2
    printed = capsys.readouterr()
    assert len(printed.err.splitlines()) == 2
    assert "Traceback" not in printed.err


def test_escapes_are_shown_and_not_sent():
    assert records.printable("a\x1b[31m\nb\u202e ä") == "a\\u001b[31m\\u000ab\\u202e ä"
