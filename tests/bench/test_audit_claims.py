"""The script that audits every claim: all mechanisms are there, pairs are neighbours, and it can fail."""

import argparse
import json
from collections import Counter

import numpy as np
import pytest

import dpspectra as dps
from bench import audit_claims
from dpspectra.audit import audit
from dpspectra.mechanisms.catalogue import MECHANISMS
from dpspectra.mechanisms.mechanism_record import MATRIX
from dpspectra.mechanisms.privacy_unit import FINITE, Unit
from dpspectra.relations import Relation

CASES = list(audit_claims.cases())


def unit_of(case):
    name = "A" if case.form.startswith("matrix") else "X"
    return case.record.planned(**{name: audit_claims.starting(case)}, **case.given(1.0)).unit


def rows_apart(one, other):
    """Rows of each that are not in the other, as often as they are there."""
    counts = [Counter(row.tobytes() for row in np.asarray(x) + 0.0) for x in (one, other)]
    return [[np.frombuffer(row) for row in (a - b).elements()] for a, b in (counts, counts[::-1])]


def neighbours(unit: Unit, one, other):
    """Whether two data sets are neighbours, by the sentence of the relation."""
    if unit.relation.of_rows:
        bound = np.inf if unit.norm_bound is None else unit.norm_bound
        short = all((np.linalg.norm(x, axis=1) <= bound).all() for x in (one, other) if len(x) and np.isfinite(bound))
        gone, come = rows_apart(one, other)
        finite = FINITE not in unit.domain or all(np.isfinite(x).all() for x in (one, other))
        if unit.relation == Relation.ADD_REMOVE:
            return short and finite and len(gone) + len(come) == 1
        zero = unit.relation != Relation.ZERO_OUT or any(not row.any() for row in (*gone, *come))
        return short and finite and len(one) == len(other) and len(gone) == len(come) == 1 and zero
    if unit.relation.of_sums:
        values = [np.linalg.eigvalsh(x.read()) for x in (one, other)]
        apart = np.linalg.eigvalsh(other.read() - one.read())
        grown, fallen = (x[x > 1e-9] for x in (apart, -apart))
        size = max([*grown, *fallen]) <= unit.norm_bound**2 + 1e-9 and min(map(min, values)) > -1e-9
        most = 1 if unit.relation == Relation.MATRIX_REPLACE else len(grown) + len(fallen) == 1
        return size and len(grown) <= most and len(fallen) <= most
    apart, change = (other - one).astype(float), unit.change + 1e-12
    places = np.argwhere(apart)
    if unit.relation == Relation.ROW:
        return len({i for i, _ in places}) == 1 and np.linalg.norm(apart) <= change
    if unit.relation == Relation.ENTRY:
        return len(places) == 1 and np.abs(apart).max() <= change
    if unit.relation == Relation.PAIR:
        return (apart == apart.T).all() and len({frozenset(p.tolist()) for p in places}) == 1 and apart.max() <= change
    if unit.relation == Relation.SPECTRAL:
        return np.linalg.norm(apart, 2) <= change
    return np.linalg.matrix_rank(apart) == 1 and (apart == apart.T).all() and np.linalg.norm(apart, 2) <= change


def test_every_mechanism_and_relation_is_there():
    wanted = {
        (record.name, relation) for record in MECHANISMS.values() if record.private for relation in record.relations
    }
    assert {(case.record.name, case.relation) for case in CASES} == wanted


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_pairs_are_neighbours_by_the_sentence_of_the_claim(case):
    unit, data = unit_of(case), audit_claims.starting(case)
    square = case.form.startswith("matrix") and data.shape[0] == data.shape[1]
    found = dict(audit_claims.pairs(unit, data.shape, square, case.form.startswith("complex")))
    assert len(found) >= 2
    for name, pair in found.items():
        assert neighbours(unit, *pair), name
    if unit.relation.of_rows and unit.norm_bound is not None:
        longest = max(np.linalg.norm(rows, axis=1).max() for pair in found.values() for rows in pair if len(rows))
        assert longest == unit.norm_bound


def request(**given):
    return argparse.Namespace(**{"draws": 128, "seconds": 60.0, "epsilon": 1.0, "seed": 1, "certified": False, **given})


def test_a_claim_that_is_too_small_is_refuted(monkeypatch):
    """Noise for a quarter of epsilon is not refuted, that for four times as much is; public details count."""
    case = next(case for case in CASES if case.record.name == "private_mean")

    def louder(times):
        return lambda data, epsilon, **given: dps.private_mean(data, epsilon * times, **given)

    def telling(data, epsilon, **given):
        release = dps.private_mean(data, epsilon, **given)
        return dps.Release(release.value, release.claim, {"n": float(np.abs(data).sum())})

    for function, refuted in ((louder(0.25), False), (louder(6.0), True), (telling, True)):
        monkeypatch.setattr(type(case.record), "function", lambda self, made=function: made)
        verdicts = {trial.audit()["verdict"] for trial in audit_claims.trials(case, request())}
        assert ("refuted" in verdicts) == refuted


def test_certified_noise_is_audited_too(capsys):
    options = ["--certified", "--draws", "16", "--seconds", "5", "--cases", "private_mean", "norm_bound=0.25"]
    assert audit_claims.main(options) == 0
    assert "One row of norm at most 0.25 is replaced" in capsys.readouterr().out


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_outputs_of_every_case_are_numbers(case):
    """If a case raised instead, its audits would be undecided, and nobody would see it."""
    name = "A" if case.record.data == MATRIX else "X"
    released = case.record.function()(
        **{name: audit_claims.starting(case)}, **case.given(1.0), rng=np.random.default_rng(1)
    )
    assert np.isfinite(audit_claims.numbers(released)).any()


def test_every_mechanism_and_relation_is_judged_once_before_any_is_twice():
    found = [(trial.case, trial.pair) for trial in audit_claims.in_rounds(request(cases=[]))]
    assert len(set(found)) == len(found) > 600
    groups = [case.split(", ")[:2] for case, _ in found]
    first = len({tuple(group) for group in groups})
    assert first == len({(case.record.name, case.relation) for case in CASES}) == len(set(map(tuple, groups[:first])))


def test_a_run_goes_on_where_it_was_stopped(tmp_path, capsys, monkeypatch):
    """Pairs of a file are not audited again, a line that was not finished is; another request has its own lines."""
    file = tmp_path / "results.jsonl"
    run = ["--draws", "16", "--seconds", "5", "--cases", "private_mean", "norm_bound=0.25", "--results", str(file)]
    assert audit_claims.main([*run, "--minutes", "0"]) == 0
    left = int(capsys.readouterr().out.split(" left")[0])
    assert left > 2
    assert not file.exists()
    assert audit_claims.main(run) == 0
    whole = file.read_text(encoding="utf-8")
    assert len(whole.splitlines()) == left
    file.write_text(whole[:-20], encoding="utf-8")
    calls: list[int] = []
    monkeypatch.setattr(audit_claims, "audit", lambda *given, **options: [calls.append(1), audit(*given, **options)][1])
    first = capsys.readouterr().out
    assert audit_claims.main(run) == 0
    assert (capsys.readouterr().out, len(calls)) == (first, 1)
    assert json.loads(file.read_text(encoding="utf-8").splitlines()[-1]) == json.loads(whole.splitlines()[-1])
    assert audit_claims.main([*run, "--minutes", "0", "--seed", "2"]) == 0
    assert f"{left} left" in capsys.readouterr().out
