"""Mutation: faults are planted where they should be, and the checks are seen to notice or to miss them."""

import ast
import itertools
import json
import random
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpspectra.fast import linalg, packing
from dpspectra.ledger import all_statements, get
from dpspectra.oracle import linalg as exact_linalg
from dpspectra.oracle import packing as exact_packing
from dpspectra.report import command_output
from tools.mutation import entered_functions as recording
from tools.mutation import excuses, results, trial
from tools.mutation.campaign import PACKAGE, Mutant, lemma_mutants, room_mutants
from tools.mutation.command import MutateRequest, run
from tools.mutation.edits import SYMMETRIC, Edit, apply, edits
from tools.mutation.excuses import excuse

SOURCE = '''"""Doc 1."""
LIMIT = 2.0
"""Text 3."""


@st.composite
def cases(draw):
    return draw(st.integers(1, 2))


@decorated(4)
def face(x: "int" = 5) -> tuple:
    """Return 6."""
    if not x < LIMIT and all(x):
        raise ValueError(f"{7}")
    whole = 3 * x
    y, size = np.sqrt(x[0]) + mp.mpf(8) ** 2 + 0.0, 1 + x + whole
    with mp.workdps(2 * mp.dps):
        return AtMost(y, max(x, 9), scale=size + 1, part="a"), Equal(y, y, part="b")
'''


def planted(kind):
    return {(" ".join(edit.before.split()), edit.after) for edit in edits(SOURCE) if edit.kind == kind}


def test_every_kind_of_fault_is_found_where_it_can_be_planted():
    assert planted("constant") == {(n, f"({n} + 1)") for n in "58290"} | {
        ("2.0", "(2.0 * 1.1)"),
        ("0.0", "(0.0 + 1)"),
    }
    assert ("x < LIMIT", "(x <= LIMIT)") in planted("comparison")
    assert planted("boolean") == {
        ("not x < LIMIT", "(x < LIMIT)"),
        ("not x < LIMIT and all(x)", "((not x < LIMIT) or (all(x)))"),
    }
    assert planted("call") == {("all", "any"), ("max", "min"), ("np.sqrt(x[0])", "(x[0])")}
    assert planted("index") == {("0", "-1")}
    assert planted("right side") == {("max(x, 9)", "(max(x, 9)) * 1.1")}
    one, other = 'AtMost(y, max(x, 9), scale=size + 1, part="a")', 'Equal(y, y, part="b")'
    assert planted("refusal") == {("not x < LIMIT and all(x)", "False")}
    assert ("np.sqrt(x[0]) + mp.mpf(8) ** 2", "(mp.mpf(8) ** 2)") in planted("dropped")
    swapped = 'AtMost(max(x, 9), y, scale=size + 1, part="a")'
    assert planted("arguments") == {(one, swapped)}
    assert planted("lost part") == {(f"{one}, {other}", f"({left},)") for left in (one, other)}
    assert {edit.function for edit in edits(SOURCE)} == {"", "face"}


def test_kinds_that_weaken_what_is_claimed_or_refused():
    source = """
def face(a, epsilon):
    if epsilon < 0:
        raise ValueError("no")
    check(a)
    if not len(a):
        return
    limit = np.log(a.shape[0] / epsilon) + bound(a, epsilon)
    if limit > 1:
        yield AtMost(a, limit, part="x")
"""
    planted = defaultdict(set)
    for edit in edits(source):
        planted[edit.kind].add((edit.before, edit.after))
    assert planted["parameter"] == {("epsilon", "(0.98 * epsilon)")}
    assert planted["refusal"] == {("epsilon < 0", "False")}
    assert planted["statement"] == {("check(a)", "pass")}
    assert planted["premise"] == {("not len(a)", "False"), ("limit > 1", "True")}
    assert planted["dimension"] == {("len(a)", "(len(a) + 1)"), ("a.shape[0]", "(a.shape[0] + 1)")}
    left, right = "np.log(a.shape[0] / epsilon)", "bound(a, epsilon)"
    assert planted["logarithm"] == {(left, f"({left} / 0.6931471805599453)")}
    assert ("bound(a, epsilon)", "bound(epsilon, a)") in planted["arguments"]
    assert {(f"{left} + {right}", f"({left})"), (f"{left} + {right}", f"({right})")} <= planted["dropped"]
    for edit in edits(source):
        compile(apply(source, [edit]), str(edit), "exec")


def test_a_bound_that_one_face_calls_and_the_other_has_in_line_gets_the_fault_in_both():
    twins = [m for m in lemma_mutants([get("JXZ-T10")], 10**4, 0) if m.where == "both faces"]
    assert any(m.edits[0].function == "repeated" and m.edits[1].function == "_exactly_repeated" for m in twins)


def test_a_part_that_is_yielded_can_be_lost():
    source = """
def face(x):
    yield AtMost(x, 2, part="a")
    if x:
        yield Equal(x, x, part="b")
    yield from rest(x)
    yield x
"""
    lost = [edit for edit in edits(source) if edit.kind == "lost part"]
    assert [edit.before for edit in lost] == ['yield AtMost(x, 2, part="a")', 'yield Equal(x, x, part="b")']
    assert [edit.shape for edit in lost] == ["lost part: 'a'", "lost part: 'b'"]  # by which the two faces pair them
    scope: dict[str, Any] = {"AtMost": lambda x, y, part: part, "Equal": lambda x, y, part: part, "rest": lambda x: "c"}
    for edit, left in zip(lost, (["b", "c", 1], ["a", "c", 1]), strict=True):
        exec(apply(source, [edit]), scope)
        assert list(scope["face"](1)) == left


def test_every_fault_gives_a_source_that_compiles_and_differs():
    for edit in edits(SOURCE):
        mutated = apply(SOURCE, [edit])
        assert ast.dump(ast.parse(mutated)) != ast.dump(ast.parse(SOURCE)), edit


@pytest.mark.parametrize("pool", ["lemmas", "rooms"])
def test_drawn_mutants_compile_and_are_the_same_for_a_seed(pool):
    def draw(seed):
        entries = all_statements()
        return lemma_mutants(entries, 60, seed) if pool == "lemmas" else room_mutants(["ledger", "bounds"], 60, seed)

    first = draw(1)
    assert len(first) == 60
    assert [str(mutant) for mutant in first] == [str(mutant) for mutant in draw(1)]
    assert [str(mutant) for mutant in first] != [str(mutant) for mutant in draw(2)]
    for mutant in first:
        compile(mutant.source(), str(mutant), "exec")
    if pool == "lemmas":
        assert {mutant.where for mutant in first} == {"fast", "oracle", "both faces", "helper"}
        assert len({mutant.path for mutant in first}) > 40


def test_faults_are_planted_in_faces_and_in_helpers():
    drawn = lemma_mutants([get("HR-T4.7")], 10**4, 0)
    where = {mutant.edits[0].function: mutant.where for mutant in drawn}
    face = get("HR-T4.7").faces["fast"].__qualname__
    assert where[face] == "fast"
    assert where[face.replace("fast", "oracle")] == "oracle"
    assert {mutant.where for mutant in drawn} == {"fast", "oracle", "both faces", "helper"}
    assert all("HR-T4.7" in mutant.labels and "HR-T4.7" not in mutant.users for mutant in drawn)


def test_statements_look_at_faults_in_the_formulas_that_they_check():
    drawn = [mutant for mutant in room_mutants(["formulas"], 10**4, 0) if mutant.path.name == "leverage.py"]
    assert {mutant.edits[0].function for mutant in drawn} == {"gdp_mu", "leverage_sensitivity"}
    assert all("HR-L4.6R" in mutant.users for mutant in drawn)


def test_what_serves_only_as_a_scale_of_rounding_gets_no_fault():
    """Directly, or for another scale; a value that also enters a side, or that only a condition names, gets some."""
    source = """
def face(x):
    whole, side, limit = 3 * x, 4 * x, 5 * x
    size = whole + side
    if x < limit:
        return AtMost(side, x, scale=size)
"""
    assert {edit.before for edit in edits(source) if edit.kind == "constant"} == {"4", "5"}


def test_a_fault_in_both_faces_changes_the_same_thing_in_both():
    twins = [m for m in lemma_mutants([get("MWKTV-E20"), get("MWKTV-L7.2")], 10**4, 0) if m.where == "both faces"]
    assert {mutant.edits[0].kind for mutant in twins} >= {"right side", "operator"}
    for mutant in twins:
        one, other = mutant.edits
        assert one.shape == other.shape
        assert one.kind == other.kind
        assert one.function != other.function


def at(text, after, label):
    """A fault planted at the only place where a text stands in the module of an entry."""
    path = Path(*get(label).module.split(".")[1:]).with_suffix(".py")
    source = (PACKAGE / path).read_bytes()
    assert source.count(text.encode()) == 1
    start = source.index(text.encode())
    return Mutant(path, (Edit("test", 1, start, start + len(text), text, after, "", ""),), "fast", (label,))


def test_a_fault_is_noticed_and_a_harmless_change_is_not():
    wrong = at('labels = ("MWKTV-E20",)', 'labels = ("X",)', "MWKTV-E20")
    harmless = at('labels = ("MWKTV-E20",)', 'labels = ("MWKTV-E20", )', "MWKTV-E20")
    first, second = trial.run([wrong, harmless])
    assert first.result == "noticed"
    assert second.result == "survived", second.said


def test_a_sample_of_drawn_mutants_is_noticed(monkeypatch):
    """Ten quick modules and thirty faults in them; at most one may pass, as campaigns list 2 % that change nothing.

    `make mutants` draws 400.
    """
    monkeypatch.setattr(trial, "SECONDS", 12.0)  # some faults never end
    monkeypatch.setattr(trial, "EXAMPLES", 5)
    modules = sorted({entry.module for entry in all_statements() if entry.examples >= 50 and "oracle" in entry.faces})
    chosen = random.Random(1).sample(modules, 10)
    mutants = lemma_mutants([entry for entry in all_statements() if entry.module in chosen], 30, 1)
    assert len(mutants) == 30
    tried = [each for each in trial.run(mutants) if each.result == "survived"]
    survivors = [str(each.mutant) for each in tried if excuse(each.mutant) is None]
    assert len(survivors) <= 1, survivors


def test_checks_that_fail_without_a_fault_say_nothing(monkeypatch):
    monkeypatch.setattr(trial, "VERIFY", "raise SystemExit('red')")
    with pytest.raises(trial.ControlFailed, match="red"):
        trial.run([at('labels = ("MWKTV-E20",)', 'labels = ("X",)', "MWKTV-E20")])


SUITE = """
import functools

import pytest

from dpspectra.ground import checks
from dpspectra.ledger import notes
from dpspectra.relations import Relation, among


@functools.cache
def remembered():
    return among("replace", [Relation.REPLACE])


@pytest.fixture(scope="module")
def shared():
    return checks.positive(2, "x")


def test_entering(shared):
    assert remembered() == "replace"
    with pytest.raises(ValueError, match="relation must be one of replace, got 'row'"):
        among("row", [Relation.REPLACE])


def test_remembering():
    assert remembered() == "replace"


def test_sharing(shared):
    assert shared == 2


def test_nothing():
    assert Relation.ROW


def test_a_copy_of_a_checkout_finds_its_notes():
    assert notes.section("sensitivity.md#linear-utility")
"""


def test_what_is_compiled_elsewhere_reports_nothing():
    """The compiler knows no report, so no test of a compiled function would pass while tests are recorded."""
    assert "polynomial" in recording.compiled_elsewhere()
    source = "def polynomial(x):\n    return x\n\n\ndef other(x):\n    return x\n"
    noted = source.replace("def other(x):", "def other(x):\n    __entered__(('x.py', 'other'))")
    assert ast.unparse(recording.reporting(source, "x.py")) == ast.unparse(ast.parse(noted))


def test_a_mutant_of_a_room_is_judged_by_the_tests_that_enter_its_function(monkeypatch, tmp_path):
    """What is remembered and what is set up once counts for all that use it."""
    (tmp_path / "test_relations.py").write_text(SUITE, encoding="utf-8")
    record, recorded = [], trial._recorded
    monkeypatch.setattr(trial, "_recorded", lambda *args: record.append(recorded(*args)) or record[0])
    pool = room_mutants(["relations"], 100, 0)
    wrong = next(m for m in pool if m.edits[0].kind == "comparison" and m.edits[0].function == "among")
    harmless = Mutant(wrong.path, (Edit("test", 1, 0, 0, "", " ".strip(), "among", ""),), "relations", ())
    first, second = trial.run([wrong, harmless], tmp_path)
    assert first.result == "noticed", first.said
    assert first.said.startswith("FAILED ")
    assert second.result == "survived", second.said
    assert second.said.startswith("after 2 of 2 tests: 2 passed in ")
    entered = {name.split("::")[1]: places for name, (_, places) in record[0].tests.items()}
    among, positive = ("relations.py", "among"), ("ground/numbers.py", "positive")
    assert {name for name, places in entered.items() if among in places} == {"test_entering", "test_remembering"}
    assert {name for name, places in entered.items() if positive in places} == {"test_entering", "test_sharing"}

    def chosen(file, function):
        edits = (Edit("test", 1, 0, 0, "", "", function, ""),)
        command = record[0].concerned(Mutant(Path(file), edits, "relations", ())).arguments
        return {part.split("::")[1] for part in command if "::" in part and "{" not in part}

    assert chosen("ground/numbers.py", "positive") == {"test_entering", "test_sharing"}
    assert chosen("ground/numbers.py", "flag") == {"test_entering", "test_sharing"}, "its function is entered by none"
    assert chosen("bounds/__init__.py", "orbit_gap") == chosen("relations.py", "") == set(entered)


@pytest.mark.parametrize(
    ("file", "function", "run", "of"),
    [
        ("relations.py", "among", ["50", "70 a"], 3),
        ("relations.py", "unseen", ["20", "50"], 4),
        ("relations.py", "Relation", ["70 b", "20"], 4),
        ("relations.py", "", ["20", "50"], 7),
        ("bounds/__init__.py", "orbit_gap", ["200"], 1),
    ],
)
def test_the_quickest_tests_of_a_mutant_are_run_within_the_budget(file, function, run, of):
    """Those that enter the file of a fault at module level come first; a single test is run whatever it takes."""
    here, elsewhere = ("relations.py", "among"), ("checks.py", "positive")
    entered = {"70 a": [here], "1": [elsewhere], "50": [here, elsewhere], "20": [("relations.py", "other")]}
    entered |= {"2": [], "70 b": [here, ("relations.py", "Relation")], "200": [("bounds/__init__.py", "orbit_gap")]}
    tests = {name: (float(name.split()[0]), frozenset(places)) for name, places in entered.items()}
    edits = (Edit("test", 1, 0, 0, "", "", function, ""),)
    checks = trial.Record(tests).concerned(Mutant(Path(file), edits, "relations", ()))
    limits = json.loads(checks.arguments[checks.arguments.index("--limits") + 1])
    assert list(limits) == list(checks.arguments[-len(limits) :]) == run
    assert checks.extent == f"after {len(run)} of {of} tests: "
    assert checks.limit == trial.START + trial.SLOWER * sum(tests[name][0] for name in run)


ENDLESS = """
import itertools
from dpspectra.relations import Relation


def test_sum():
    sum(itertools.repeat(0)) if Relation.ROW != "row" else None
"""


def test_an_endless_loop_is_a_result_of_its_own_after_the_time_of_its_test(monkeypatch, tmp_path):
    """A loop in compiled code ends too; the limit on all tests together would come after a minute."""
    (tmp_path / "test_relations.py").write_text(ENDLESS, encoding="utf-8")
    concerned = trial.Record.concerned

    def hurried(record, mutant):
        checks = concerned(record, mutant)
        where = checks.arguments.index("--limits") + 1
        limits = json.dumps(dict.fromkeys(json.loads(checks.arguments[where]), 0.5))
        return replace(checks, arguments=(*checks.arguments[:where], limits, *checks.arguments[where + 1 :]))

    monkeypatch.setattr(trial.Record, "concerned", hurried)
    source = (PACKAGE / "relations.py").read_bytes()
    start = source.index(b'"row"')
    edit = Edit("test", 1, start, start + len('"row"'), "", '"rows"', "", "")
    (endless,) = trial.run([Mutant(Path("relations.py"), (edit,), "relations", ())], tmp_path)
    assert endless.result == "time-out"
    assert endless.seconds < 30
    assert endless.said == "no answer from a test"


def test_tests_that_fail_without_a_fault_say_nothing(monkeypatch, tmp_path):
    (tmp_path / "test_relations.py").write_text("def test_red():\n    assert False\n", encoding="utf-8")
    with pytest.raises(trial.ControlFailed, match="the tests of relations"):
        trial.run(room_mutants(["relations"], 1, 0), tmp_path)
    with pytest.raises(ValueError, match="tests must be the folder"):
        trial.run(room_mutants(["relations"], 1, 0))


def test_faults_known_to_change_nothing_are_still_in_the_sources():
    """Each line of the list names an edit that can still be planted, a side, and a reason."""
    listed = excuses.excuses()
    files = {file: (PACKAGE / file).read_text(encoding="utf-8") for file, _, _ in listed}
    found = {(file, edit.function, str(edit)) for file, source in files.items() for edit in edits(source)}
    assert listed.keys() <= found
    for side, reason in listed.values():
        assert side in ("", excuses.BOTH)
        assert len(reason) > 20


def test_an_excuse_for_one_face_is_none_for_both(monkeypatch):
    twins = next(m for m in lemma_mutants([get("MWKTV-L7.2")], 10**4, 0) if m.where == "both faces")
    one, other = (Mutant(twins.path, (edit,), "fast", twins.labels) for edit in twins.edits)
    place = (one.path.as_posix(), one.edits[0].function, str(one.edits[0]))
    monkeypatch.setattr(excuses, "excuses", lambda: {place: ("", "reason")})
    assert [excuse(each) for each in (one, other, twins)] == ["reason", None, None]
    monkeypatch.setattr(excuses, "excuses", lambda: {place: (excuses.BOTH, "reason")})
    assert [excuse(each) for each in (one, other, twins)] == ["reason", None, "reason"]


def asked(**changes):
    plain = {"names": ("MWKTV-E20",), "rooms": (), "number": 5, "seed": 0, "tests": Path("tests"), "jobs": 1}
    plain |= {"results": None, "survivors": False}
    return MutateRequest(**{**plain, "json": command_output.STDOUT, **changes})


def test_the_command_lists_what_survived(monkeypatch, capsys):
    def tried(mutants, tests, jobs, announce):
        results = ["survived", "time-out", *["noticed"] * 3]
        return [trial.Trial(m, trial.Result(r), 0.0, "") for m, r in zip(mutants, results, strict=True)]

    monkeypatch.setattr("tools.mutation.command.tried", tried)
    assert run(asked()) == 1
    rows = json.loads(capsys.readouterr().out)
    assert [row["result"] for row in rows] == ["survived", "time-out", "noticed", "noticed", "noticed"]
    assert {row["file"] for row in rows} <= {"lemmas/sensitivity/spectrum.py"}
    assert run(asked(json=None)) == 1
    assert capsys.readouterr().out.splitlines() == [
        "5 faults: 3 noticed, 0 known to change nothing, 1 ran out of time, 1 survived",
        "noticed of what is judged and not excused: 3 of 4, between 30.1 % and 95.4 % (Wilson, 95 %)",
        "excused of all: 0 of 5, between 0.0 % and 43.4 % (Wilson, 95 %)",
    ]


def test_a_campaign_is_resumed_and_its_survivors_are_tried_again(monkeypatch, capsys, tmp_path):
    tries = []

    def tried(mutants, tests, jobs, announce):
        tries.append(len(mutants))
        trials = []
        for number, mutant in enumerate(mutants):
            if len(tries) == 1 and number == 3:
                raise KeyboardInterrupt
            trials.append(trial.Trial(mutant, trial.Result.NOTICED if number else trial.Result.SURVIVED, 0.0, ""))
            announce(trials[-1])
        return trials

    monkeypatch.setattr("tools.mutation.command.tried", tried)
    file = tmp_path / "results.jsonl"
    with pytest.raises(KeyboardInterrupt):
        run(asked(results=file))
    assert run(asked(results=file)) == 1
    assert run(asked(results=file)) == 1
    assert len(json.loads(capsys.readouterr().out.split("]\n[")[-1].join(["[", ""]))) == 5
    assert run(asked(results=file, survivors=True)) == 1
    assert tries == [5, 2, 2], "two are left; two survived, one of each run"
    with pytest.raises(ValueError, match="results must be the file of an earlier run"):
        run(asked(survivors=True))


def test_the_intervals_are_those_of_wilson():
    """Its ends are where the share is as far off as the normal law allows; scipy is not needed for that."""
    for count, of in [(0, 5), (3, 4), (50, 80), (80, 80)]:
        for end in results.wilson(count, of):
            gap = (count / of - end) ** 2
            assert gap == pytest.approx(results.NORMAL**2 * end * (1 - end) / of, abs=1e-12)
    assert results.wilson(0, 0) == (0.0, 1.0)


def test_the_command_says_how_many_tests_a_survivor_met(monkeypatch, capsys):
    def tried(mutants, tests, jobs, announce):
        trials = [trial.Trial(m, trial.Result.SURVIVED, 0.0, "after 1 of 2 tests: 1 passed") for m in mutants]
        announce(trials[0])
        return trials

    monkeypatch.setattr("tools.mutation.command.tried", tried)
    assert run(asked(names=(), rooms=("bounds",), number=1, tests=Path(), json=None)) == 1
    captured = capsys.readouterr()
    assert ", after 1 of 2 tests: 1 passed\n" in captured.out + captured.err


def test_functions_whose_arguments_are_not_swapped_are_symmetric():
    assert {"inner", "ball_constant", "ball_measure", "principal_angles"} <= SYMMETRIC
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 3, 3)) + 1j * rng.normal(size=(2, 3, 3))
    assert linalg.inner(a, b) == pytest.approx(linalg.inner(b, a))
    exactly = exact_linalg.exact(a), exact_linalg.exact(b)
    assert exact_linalg.inner(*exactly) == pytest.approx(exact_linalg.inner(*exactly[::-1]))
    frames = np.linalg.qr(a[:, :2])[0], np.linalg.qr(b[:, :2])[0]
    assert linalg.principal_angles(*frames) == pytest.approx(linalg.principal_angles(*frames[::-1]))
    exactly = exact_linalg.exact(frames[0]), exact_linalg.exact(frames[1])
    both = exact_linalg.principal_angles(*exactly), exact_linalg.principal_angles(*exactly[::-1])
    assert both[0] == pytest.approx(both[1])
    for i, m in itertools.combinations(range(1, 5), 2):
        assert packing.ball_constant(i, m) == packing.ball_constant(m, i)
        assert exact_packing.ball_constant(i, m) == exact_packing.ball_constant(m, i)
        if i <= 2:
            assert packing.ball_measure(i, m, 0.75) == packing.ball_measure(m, i, 0.75)
            assert exact_packing.ball_measure(i, m, 0.75) == exact_packing.ball_measure(m, i, 0.75)
