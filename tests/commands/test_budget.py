"""The command ``budget``: only ``new`` makes a file, and ``show`` changes nothing."""

import json

import dpspectra as dps
from dpspectra.cli import run
from tests.support.files import contents


def test_a_budget_is_made_shown_and_paid_from(here, capsys):
    assert run(["budget", "new", "b", "--epsilon", "2", "--delta", "1e-5", "--relation", "add_remove"]) == 0
    assert capsys.readouterr().out.startswith("Budget(epsilon=2, delta=1e-05, relation=add_remove, method=basic): 0 cl")
    budget = dps.Budget.open("b")
    budget.spend(dps.Claim("add_remove", 0.5))
    assert run(["budget", "show", "b", "--json", "-"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["spent"] == {"epsilon": 0.5, "delta": 0.0}
    assert told["left"] == {"epsilon": 1.5, "delta": 1e-5}
    assert [claim["epsilon"] for claim in told["claims"]] == [0.5]
    assert told["receipt"] == budget.receipt
    assert run(["budget", "show", "b", "--receipt", told["receipt"]]) == 0


def test_an_older_file_is_refused(here, capsys):
    assert run(["budget", "new", "b", "--epsilon", "2"]) == 0
    old = (here / "b").read_bytes()
    budget = dps.Budget.open("b")
    budget.spend(dps.Claim("replace", 0.5))
    receipt = budget.receipt
    (here / "b").write_bytes(old)
    assert run(["budget", "show", "b", "--receipt", receipt]) == 2
    assert "as it was seen, found an older or another file of 1 entries" in capsys.readouterr().err


def test_nothing_is_made_again_or_by_showing(here, capsys):
    assert run(["budget", "new", "b", "--epsilon", "2"]) == 0
    before = contents()
    for words, message in {
        ("new", "b", "--epsilon", "9"): "the file of a new budget must be new, got b, which exists",
        ("new", "c"): "budget new needs --epsilon",
        ("new", "c", "--epsilon", "1", "--receipt", "0"): "budget new takes no --receipt",
        ("show", "c"): "must be usable",
        ("show", "x.npy"): "must be usable",
        ("show", "b", "--epsilon", "2"): "budget show takes no --epsilon",
        ("show", "b", "--receipt", "7"): "receipt must be that of a budget",
    }.items():
        assert run(["budget", *words]) == 2
        assert message in capsys.readouterr().err
    assert contents() == before
