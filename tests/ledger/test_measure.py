"""A run is compared with what was measured before: names of parts, coverage of premises, ratios at tight instances."""

import csv
import dataclasses

import pytest
from hypothesis import strategies as st
from mpmath import mp

from dpspectra.ledger import baseline, examine, get, labels, measure
from dpspectra.ledger.baseline import Baseline, Row, of, recorded
from dpspectra.ledger.judgement import Judgement, Seen, outcomes
from dpspectra.ledger.measure import changed, uncovered, unexplained

SOME = ("MWKTV-L6.1", "MWKTV-L8.2", "MWKTV-T2.4", "JXZ-D5", "HR-L6.1", "DPS-KNORM")
LIPSCHITZ = "Lipschitz constant in spectral norm"


@pytest.fixture
def planted(monkeypatch):
    """Record other things of a statement than the file does."""

    labels()  # it keeps what it read, which must not be the plant

    def plant(rows, label="X-1"):
        monkeypatch.setattr(baseline, "recorded", lambda: {label: Baseline((label,), "", rows)})

    return plant


@pytest.mark.parametrize("label", SOME)
def test_the_parts_that_are_written_are_those_of_the_tight_instances(label):
    assert measure.parts(get(label)) == of(label).parts


@pytest.mark.parametrize("label", ["MWKTV-D1.1", "DPS-ROOT", "HP-F1", "HP-F2", "MWKTV-ADJ", "MWKTV-L6.3X", "HP-C3.4"])
def test_the_file_holds_what_is_measured(label):
    found, rows = measure.measured(get(label)), of(label).rows
    assert {part: row for part, row in found.items() if part or row != Row()}.keys() == rows.keys()
    for part, row in rows.items():
        assert found[part].coverage == row.coverage
        assert found[part].ratios == pytest.approx([x if x is None else pytest.approx(x, rel=1e-4) for x in row.ratios])
        assert found[part].insensitive.keys() == row.insensitive.keys()


def test_new_parts_are_measured_and_known_ones_only_if_that_is_asked_for(tmp_path, monkeypatch, planted):
    """Reasons of the numbers that are still unnoticed are kept."""
    entry = get("DPS-CP")
    (tmp_path / "reference" / "dpspectra" / "ledger").mkdir(parents=True)
    monkeypatch.setattr("dpspectra.ledger.registry.all_statements", lambda: [entry])
    true = dict(of(entry.id).rows)
    first, *others = of(entry.id).parts
    known = {part: Row(1, formula=true[part].formula) for part in others}
    known |= {"": Row(None, (), {"m": "planted", "gone": "planted"})}

    def written(*again):
        measure.write(tmp_path, again)
        text = (tmp_path / "reference" / "dpspectra" / "ledger" / baseline.FILE).read_text(encoding="utf-8")
        monkeypatch.setattr("dpspectra.ledger.tables.rows", lambda file: list(csv.DictReader(text.splitlines())))
        return recorded.__wrapped__()[entry.id].rows

    planted(known, entry.id)
    assert written() == known | {first: true[first]}
    assert written(entry.id) == true | {"": Row(None, (), {"m": "planted", "n": ""})}


def run_of(entry, **faces):
    """A run of the entry with other faces on its first tight instance."""
    case = entry.faces["tight"]()[0]
    faces = {face: function for face, function in {**entry.faces, **faces}.items() if face != "beyond"}
    return examine(dataclasses.replace(entry, faces=faces, cases=lambda: st.just(case)), 1)


def altered(entry, *faces, change):
    """The entry with other outcomes in these faces."""

    def of(face):
        return lambda *case: tuple(change(outcome, case) for outcome in outcomes(entry, face, case))

    return dataclasses.replace(entry, faces={**entry.faces, **{face: of(face) for face in faces}})


def test_a_renamed_part_is_at_fault():
    def renamed(outcome, case):
        return dataclasses.replace(outcome, part="utility")

    assert run_of(altered(get("MWKTV-L6.1"), "fast", "oracle", change=renamed)).faults == [
        "its parts are not those of baseline.csv: it lost change of the utility; it gained utility; "
        "run `make notes` if that is meant"
    ]


def test_a_listed_statement_that_is_not_recorded_is_told_what_to_run(planted):
    planted({})
    assert run_of(get("MWKTV-L6.1")).faults == ["its parts are not recorded yet: run `make notes`"]


def test_a_part_whose_premise_holds_too_rarely_is_named(planted):
    planted({"": Row(), "a": Row(40), "b": Row(80)})
    assert uncovered("X-1", {"a": 4, "b": 8}, 10) == []
    assert uncovered("X-1", {"a": 3}, 10) == [
        "the part 'a' is evaluated in 3 of 10 drawn cases, baseline.csv demands 40 %",
        "the part 'b' is evaluated in 0 of 10 drawn cases, baseline.csv demands 80 %",
    ]
    assert uncovered("X-2", {}, 10) == []


def test_the_coverage_of_a_run_of_the_usual_cases_is_compared(planted):
    """Those of other seeds and other numbers of cases are not: their shares vary."""
    planted({"privacy loss": Row(100), "absent": Row(1)}, "MWKTV-D1.1")
    entry = get("MWKTV-D1.1")
    assert examine(entry).faults == ["the part 'absent' is evaluated in 0 of 100 drawn cases, baseline.csv demands 1 %"]
    others = examine(entry, 10).faults + examine(entry, seed=3).faults
    assert not any("drawn cases" in fault for fault in others)


FOUR = {"a": Row(80, (0.5, None, 0.0, 1.0))}


@pytest.mark.parametrize(
    ("label", "closest", "faults"),
    [
        ("X-1", (0.5004, 7.0, 1e-10, 0.9991), []),
        ("X-2", (0.5,), []),
        ("X-1", (0.5, None, 0.0), ["the face tight has 3 instances, baseline.csv has 4"]),
        (
            "X-1",
            (0.4994, None, 1e-8, None),
            [
                f"the part 'a' comes to {ratio} of its right side at instance {place} of the face tight, "
                f"baseline.csv has {before}"
                for ratio, place, before in ((0.4994, 1, 0.5), (1e-8, 3, 0.0), (None, 4, 1.0))
            ],
        ),
    ],
)
def test_a_part_that_is_looser_or_closer_or_gone_at_some_instance_is_named(planted, label, closest, faults):
    planted(FOUR)
    judged = [Judgement({"a": Seen(ratios=[one])} if one is not None else {}) for one in closest]
    assert changed(label, judged) == faults


def test_a_right_side_that_is_loose_only_where_others_are_tight_is_noticed():
    """At a right angle the difference of two frames may be left out: every face holds, and some instance is tight."""
    entry = get("MWKTV-L6.3X")

    def loose(outcome, case):
        return dataclasses.replace(outcome, right=case[1][0]) if outcome.part == LIPSCHITZ else outcome

    faults = examine(altered(entry, "fast", "oracle", change=loose), 1, challenged=True).faults
    assert faults
    assert all(fault.startswith(f"the part '{LIPSCHITZ}' comes to") for fault in faults)
    assert examine(entry, 1, challenged=True).faults == []


def test_a_ratio_of_rounding_errors_is_not_recorded():
    def rounded(outcome, case):
        last = mp.ldexp(mp.sqrt(2), mp.prec - 1) % 97  # of no meaning, and others with more digits
        return dataclasses.replace(outcome, left=last * mp.eps, right=97 * mp.eps)

    def ratios(entry):
        return [x for row in measure.measured(entry).values() for x in row.ratios]

    assert any(x not in (None, 0) for x in ratios(get("MWKTV-L6.3X")))
    assert ratios(altered(get("MWKTV-L6.3X"), "oracle", change=rounded)) == []


def test_numbers_that_are_unnoticed_and_those_recorded_with_a_reason_must_agree(planted, monkeypatch):
    monkeypatch.setattr("dpspectra.ledger.input_sensitivity.unnoticed", lambda entry, tight: {("a", "share")})
    entry = dataclasses.replace(get("MWKTV-L6.1"), labels=("X-1",))
    new = "challenge: no tight instance notices that the right side of the part 'a' depends on share, and baseline.csv "
    gone = "baseline.csv: no longer true: k is 1 at every tight instance, and not in drawn cases"
    for rows, faults in (
        ({}, [f"{new}does not say why"]),
        ({"a": Row(insensitive={"share": ""})}, [f"{new}does not say why"]),
        ({"a": Row(insensitive={"share": "why"})}, []),
        ({"a": Row(insensitive={"share": "why"}), "": Row(insensitive={"k": "why"})}, [gone]),
    ):
        planted(rows)
        assert unexplained(entry, []) == faults
