"""People with several rows: whoever is replaced, nobody else's rows change, and all numbers are of people."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps
from dpspectra import Moments
from dpspectra.certified.exact_moments import sums_of
from dpspectra.matrices.people import id_of, listed, places, turns
from tests.support.contracts import TITLED
from tests.support.releases import ARGUMENTS, DEFAULTS

RNG = np.random.default_rng(5)
ROWS = RNG.normal(size=(60, 3)) / 4
IDS = [int(i) for i in RNG.integers(0, 12, 60)]
WANTED = {"per_person": 2, "rows": "clip"}


def integers(moments):
    """All sums, and the number of people."""
    sums = sums_of(moments, empty=True)
    return sums.upper.integers().tolist(), sums.first.integers().tolist(), sums.count


def people(ids, rows=ROWS, chosen=lambda name: True, **options):
    """Sums of the rows of these people, or of those that are chosen."""
    kept = [place for place, name in enumerate(ids) if chosen(name)]
    return Moments.of(rows[kept], person=[ids[place] for place in kept], **(WANTED | options))


def ten(**options):
    """Ten people with a row each."""
    return people(list("abcdefghij"), **options)


@pytest.mark.parametrize("number", [1, 2, 3, 9])
@pytest.mark.parametrize("name", sorted(set(IDS))[:4])
def test_others_keep_their_rows_whoever_is_replaced(name, number):
    """One person's rows never push out another's, wherever they stand."""
    rng, ids, data = np.random.default_rng(number), [i for i in IDS if i != name], ROWS[np.array(IDS) != name]
    for row in rng.normal(size=(number, 3)):
        place = int(rng.integers(0, len(ids) + 1))
        ids.insert(place, name)
        data = np.insert(data, place, row, axis=0)
    rest, alone = people(ids, data, lambda i: i != name), people(ids, data, lambda i: i == name)
    assert integers(rest) == integers(people(IDS, ROWS, lambda i: i != name))
    assert integers(rest + alone) == integers(people(ids, data))
    assert np.trace(sums_of(alone).total) <= min(number, 2) * 2**40


OF_PEOPLE = [
    (title, relation)
    for title, (record, _) in TITLED.items()
    for relation in record.relations
    if record.of_rows and record.moments
]
"""Modes of all mechanisms that release sums of rows, with their neighbours."""
REFUSED = {
    "wishart_covariance": "must be of people with one row each",
    "private_scaler": "must be of people with one row each",
    "private_scaler, normal": "must be of people with one row each",
    "private_pca, about a mean": "center must be 'none' for Moments",
    "private_pca, of pairs": "center must be 'none' for Moments",
    "private_covariance, of pairs": "center must be 'mean' for Moments",
}


def released(title, relation, moments):
    record, mode = TITLED[title]
    given = {name: ARGUMENTS[name] for name in record.needs} | DEFAULTS.get(record.name, {})
    given |= {name: value for name, value in mode.items() if name != "form"}
    if "eigenvalues" in given:
        given["eigenvalues"] = [1.0, 0.0, 0.0]
    return record.function()(moments, **{"epsilon": 1.0, **given, "relation": relation})


def scales(release):
    return {name: value for name, value in release.details.items() if name.endswith("scale")}


@pytest.mark.parametrize(("title", "relation"), [case for case in OF_PEOPLE if case[0] not in REFUSED])
def test_what_is_public_does_not_tell_how_many_rows_a_person_has(title, relation):
    """A person of 3 rows replaced by one of 1 row moved the scale from .2872 to .3590 once."""
    three, one = people([0, 0, 0, *range(1, 8)]), people([0, *range(1, 8)], ROWS[2:])
    assert three.terms == one.terms
    first, second = (released(title, relation, moments) for moments in (three, one))
    assert first.claim == second.claim
    assert scales(first) == scales(second)
    assert "of which 2 count" in first.claim.neighbours


@pytest.mark.parametrize(("title", "relation"), OF_PEOPLE)
def test_noise_hides_all_rows_of_a_person_at_once(title, relation):
    """``m`` times the noise for ``m`` rows, at the same epsilon; an orbit has units of a person's largest square."""
    if title in REFUSED:
        with pytest.raises(ValueError, match=REFUSED[title]):
            released(title, relation, ten(per_person=2))
        return
    found = [released(title, relation, ten(per_person=m)) for m in (1, 2, 3)]
    plain = released(title, relation, Moments.of(ROWS[:10], rows="clip"))
    assert scales(found[0]) == scales(plain)
    if title.startswith("private_low_rank, orbit"):  # its temperature is that of a spectrum with noise
        assert scales(plain) == {}
    elif not scales(plain):
        assert found[0].details["kappa"] == found[1].details["kappa"] == found[2].details["kappa"]
        if relation == "replace":  # otherwise it is private how many people there are
            assert found[1].details["guarantee"].bound > found[0].details["guarantee"].bound
    for times, release in enumerate(found, 1):
        assert scales(release) == pytest.approx({name: times * one for name, one in scales(plain).items()}, rel=1e-12)


def test_the_largest_mean_and_second_moments_are_those_of_all_rows_of_a_person():
    moments = ten(per_person=3, norm_bound=2.0)
    assert dps.private_mean(moments, 1.0).details["largest_possible"] == 6
    assert dps.laplace_covariance(moments, 1.0).details["largest_possible"] == 12


def test_ids_are_the_same_whatever_type_a_column_has():
    """One id that is missing or a text makes floats or objects of a column of integers."""
    pandas = pytest.importorskip("pandas")
    frame, ids = pandas.DataFrame(ROWS[:6], columns=list("abc")), [1, 1, 1, 20, 20]
    wanted = integers(people(ids, salt="s"))
    whole = pandas.array([*ids, None], dtype="Int64")
    given = {"columns": [[*ids, None], ["1", "1", "1", "20", "20", ""], whole, [*ids, math.nan],
                         pandas.Series([*ids, None], dtype=object)],
             "masked": [np.ma.array([*ids, 7], mask=[0, 0, 0, 0, 0, 1])]}  # fmt: skip
    forms = [(ROWS[:6], person) for person in given["columns"] + given["masked"]]
    forms += [(frame.assign(who=person), "who") for person in given["columns"]]
    forms += [(pytest.importorskip("pyarrow").table(frame.assign(who=whole)), "who"), (sparse.csr_array(ROWS[:5]), ids)]
    for data, person in forms:
        assert integers(Moments.of(data, person=person, salt="s", **WANTED)) == wanted


def test_which_rows_count_is_a_matter_of_salt_id_and_place():
    kept, count = places(IDS, 2, "salt")
    assert count == len(set(IDS))
    assert kept.sum() == sum(min(2, IDS.count(name)) for name in set(IDS))
    chosen = {tuple(turns("a", 9, 2, str(salt))) for salt in range(40)}
    assert len(chosen) > 15
    assert {place for pair in chosen for place in pair} == set(range(9))
    assert list(turns("a", 2, 3, "")) == [0, 1]


def test_parts_hold_whole_people_and_the_claim_says_so():
    """A person on both sides of a cut keeps two rows in each."""
    first, second = people([0] * 5), people([5] * 5, ROWS[5:])
    for sums, several in ((first, False), (first + second, True)):
        assumed = dps.laplace_covariance(sums, epsilon=1.0).claim.assumptions
        assert ("each person has rows in one part of the data only" in assumed) == several
    zero = Moments.empty(3, **WANTED)
    assert integers(zero.with_rows(ROWS[:5], person=[0] * 5)) == integers(first)
    assert integers(Moments.from_bytes(first.to_bytes()) + second)[2] == 2
    for other in ({"per_person": 3}, {"salt": "b"}):
        with pytest.raises(ValueError, match=f"got other {next(iter(other))}"):
            first + people([0] * 5, **other)
    with pytest.raises(ValueError, match="person must be given if and only if"):
        zero.with_rows(ROWS[:5])


def test_bad_rows_and_long_rows_of_people_are_read_by_the_same_rules():
    data = np.array([[math.nan, 1.0, 1.0], [3.0, 0.0, 4.0], [0.1, 0.2, 0.3]])
    assert integers(people([1, 1, 2], data, bad_rows="zero")) == (*integers(Moments.of(data[1:], rows="clip"))[:2], 2)


def write(folder, ending, ids):
    """A file of the rows and ids, and what names the ids."""
    pandas = pytest.importorskip("pandas")
    path, frame = folder / f"rows.{ending}", pandas.DataFrame(ROWS, columns=["x", "y", "z"])
    frame.insert(1, "who", ids)
    if ending == "npy":
        np.save(path, ROWS)
        return path, ids
    if ending in ("csv", "tsv"):
        frame.to_csv(path, sep=",\t"[ending == "tsv"], index=False)
    elif ending == "parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(path)
    else:
        pytest.importorskip("pyarrow")
        frame.to_feather(path, compression="uncompressed")
    return path, "who"


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow", "npy"])
def test_people_of_a_file_are_those_of_its_table(ending, tmp_path, monkeypatch):
    """Rows of a person are apart in it, and it is read in batches; ids are texts, numbers, or missing."""
    ids = [["a", "7", "", "c7"][i * i % 4] for i in range(len(ROWS))]
    path, person = write(tmp_path, ending, ids)
    monkeypatch.setattr("dpspectra.matrices.row_files.BATCH", 9)
    found, wanted = Moments.read(path, person=person, salt="s", **WANTED), people(ids, salt="s")
    assert integers(found) == integers(wanted)
    assert found.terms.agreed(wanted.terms)
    assert found.terms.columns == (None if ending == "npy" else ("x", "y", "z"))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"person": [1] * 59}, "person must be ids, one for each row, got another number"),
        ({"person": "who"}, "person must be ids, one for each row, unless X is a table in memory, got a name"),
        ({"person": None}, "per_person and salt must be left out without person"),
        ({"per_person": None}, "per_person must be given with person"),
        ({"X": iter([ROWS])}, "X must be rows in memory with person: .* got an iterator"),
        ({"columns": ["a"]}, "columns must be 1 names|columns must be 3 names|one width"),
    ],
)
def test_other_people_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        Moments.of(**({"X": ROWS, "person": IDS} | WANTED | given))


def test_people_are_refused_by_one_sided_noise_and_from_files_that_do_not_fit(tmp_path):
    with pytest.raises(ValueError, match="X must be of people with one row each for one-sided noise"):
        dps.wishart_covariance(people(IDS), 1.0, 1e-3)
    np.save(tmp_path / "rows.npy", ROWS)
    (tmp_path / "rows.csv").write_text("x,who\n1,a\n.5\n0.25,a\n")
    for name, person, given, message in (
        ("rows.npy", "who", {}, "person must be ids, one for each row, for a file without names, got 'rows.npy'"),
        ("rows.npy", [1] * (len(ROWS) - 1), {}, "another number of them"),
        ("rows.npy", [1] * (len(ROWS) + 1), {}, "another number of them"),
        ("rows.csv", "whom", {}, "by a name of its own, got 'whom'"),
        ("rows.csv", "who", {}, "fields in line 3"),
        ("rows.csv", "who", {"bad_rows": "zero"}, "columns must be named"),
    ):
        with pytest.raises(ValueError, match=message):
            Moments.read(tmp_path / name, person=person, **given, **WANTED)
    sums = Moments.read(tmp_path / "rows.csv", person="who", columns=["x"], bad_rows="zero", **WANTED)
    assert integers(sums) == integers(Moments.of([[1.0], [0.25]], person=["a", "a"], bad_rows="zero", **WANTED))


def test_no_message_tells_an_id():
    with pytest.raises(ValueError, match="rows of norm at most 1, but row 1 is longer") as caught:
        Moments.of([[0.1, 0.1], [9.0, 9.0]], person=["secret-1", "secret-2"], per_person=1)
    assert "secret" not in str(caught.value)
    assert "secret" not in repr(Moments.of([[0.1]], person=["secret"], per_person=1))


DIFFERENT = [
    *(1, 2, 2**53, 2**53 + 1, 2**64, 2**64 + 1, 10**700, 10**700 + 1, -1),
    *("01", "1.0", " 1", "1 ", "1e0", "+1", "1_0", "x", "X", "nan", "NaN", "none", "None", "null", "NA", "<NA>", "NaT"),
    *("true", "True", "inf", "0x1", "٣", "3", "ⅲ", "é", "e\u0301", "a\0", "a", "\0a", "\0bytes 61", "\udcff", "\udcfe"),
    *(b"1", b"a", b"\0"),
]
"""Ids of people who are all different."""


def test_different_ids_are_different_people():
    """Texts that look like one number, and words for missing, were one person or nobody (promises 07)."""
    names = [id_of(entry) for entry in DIFFERENT]
    assert None not in names
    assert len(set(names)) == len(DIFFERENT)
    assert integers(Moments.of(np.zeros((len(DIFFERENT), 1)), person=DIFFERENT, per_person=1))[2] == len(DIFFERENT)
    rng = np.random.default_rng(3)
    texts = {"".join(rng.choice(list("01 .e+-_nNaA\t"), rng.integers(1, 7))) for _ in range(5000)}
    assert len({id_of(text) for text in texts}) == len(texts)
    numbers = rng.integers(-(2**62), 2**62, 5000)
    assert len({id_of(entry) for entry in numbers}) == len(set(numbers.tolist()))


@pytest.mark.parametrize(
    "entry", [None, math.nan, "", 7.5, 2.0**53, math.inf, 1 + 2j, (1, 2), object(), np.float32(0.5)]
)
def test_what_is_no_id_is_nobody(entry):
    assert id_of(entry) is None


def test_numbers_of_any_type_are_the_integers_that_they_are():
    for entry in (7, 7.0, "7", np.int8(7), np.uint64(7), np.float32(7), Decimal(7), Decimal("7.0"), Fraction(7)):
        assert id_of(entry) == "7"


def test_typed_columns_of_ids():
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    big = 2**60 + 1
    for column, wanted in (
        (pandas.Series([big, None], dtype="Int64"), [str(big), None]),
        (pandas.Series(["nan", None], dtype="string"), ["nan", None]),
        (pandas.Series(["a", None], dtype="category"), ["a", None]),
        (pandas.Series([big, None], dtype="int64[pyarrow]"), [str(big), None]),
        (arrow.array([2**30, None], type=arrow.date32()), [str(2**30), None]),
        (arrow.array(["a", None]).dictionary_encode(), ["a", None]),
        (arrow.chunked_array([["a"], [None]]), ["a", None]),
        (np.array(["2020-01-01", "NaT"], dtype="M8[D]"), ["18262", None]),
        (np.ma.array([1, 2], mask=[0, 1]), ["1", None]),
    ):
        assert [id_of(entry) for entry in listed(column)] == wanted
    for bad in (np.zeros((2, 2)), np.array([1j])):
        with pytest.raises(ValueError, match="person must be ids, one for each row, got 'ndarray'"):
            listed(bad)
