"""The command ``budget``: only ``new`` makes a file, and ``show`` changes nothing."""

import json
import re
from pathlib import Path

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


def test_a_budget_in_another_measure_with_parts_is_paid_and_listed(here, capsys):
    (here / "x.csv").write_text("a,b\n0.6,0.8\n0,0.5\n", encoding="utf-8")
    assert run(["budget", "new", "b", "--rho", "0.5", "--parts", "north", "south"]) == 0
    paid = ["release", "x.csv", "--mechanism", "laplace_covariance", "--budget", "b"]
    words = ["--part", "north", "--by", "Ann", "--note", "a\x1b[2J trial"]
    assert run([*paid, "--epsilon", "1", "--out", "one.npy", *words]) == 0
    assert run([*paid, "--epsilon", "1", "--out", "two.npy", "--part", "south"]) == 0
    assert run([*paid, "--epsilon", "0.1", "--out", "three.npy"]) == 2
    assert "the budget of rho 0.5 must not be exceeded, got 0.505 with this release" in capsys.readouterr().err
    assert run([*paid, "--epsilon", "0.1", "--out", "three.npy", "--part", "east"]) == 2
    assert "part must be one of north, south, got 'east'" in capsys.readouterr().err
    assert run([*paid[:-2], "--epsilon", "0.1", "--out", "three.npy", "--part", "north", "--by", "Ann"]) == 2
    assert "--part and --by must come with --budget, got no budget" in capsys.readouterr().err
    assert run(["budget", "show", "b"]) == 0
    head, receipt, *charges = capsys.readouterr().out.splitlines()
    assert head == "Budget(rho=0.5, relation=replace, parts=north, south): 2 claims, rho 0.5 spent, rho 0 left"
    assert receipt.startswith("receipt 4:")
    digest = dps.Budget.open("b").entries[0].trail.data[0][:12]
    when, told = charges[0].split("  ", 1)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", when)
    assert told == f"rho 0.5  laplace_covariance  part north  data {digest}  by Ann  note a\\u001b[2J trial"
    assert charges[1].endswith(f"rho 0.5  laplace_covariance  part south  data {digest}")
    Path("y.csv").write_text("0.5,0.5\n", encoding="utf-8")
    assert run(["budget", "show", "b", "--data", "y.csv", "x.csv"]) == 0
    assert capsys.readouterr().out.splitlines()[3].endswith("laplace_covariance  part south  data x.csv")
    assert run(["budget", "show", "b", "--data", "y.csv"]) == 0
    assert capsys.readouterr().out.splitlines()[3].endswith(f"data {digest}")
    assert run(["budget", "new", "c", "--rho", "1", "--data", "x.csv"]) == 2
    assert "budget new takes no --data" in capsys.readouterr().err
    assert run(["budget", "show", "b", "--json", "-"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["epsilon"], told["rho"], told["parts"]) == (None, 0.5, ["north", "south"])
    assert (told["spent"], told["left"]) == ({"rho": 0.5}, {"rho": 0.0})
    assert [(each["part"], each["by"], each["mechanism"]) for each in told["trail"]] == [
        ("north", "Ann", "laplace_covariance"),
        ("south", None, "laplace_covariance"),
    ]


def test_divergences_and_mu_are_given_in_words_of_the_command(here, capsys):
    assert run(["budget", "new", "b", "--renyi", "8:0.5", "2:0.1"]) == 0
    assert dps.Budget.open("b").renyi == {2.0: 0.1, 8.0: 0.5}
    assert run(["budget", "new", "c", "--mu", "1"]) == 0
    assert dps.Budget.open("c").mu == 1.0
    capsys.readouterr()
    assert run(["budget", "new", "d", "--mu", "1", "--rho", "1"]) == 2
    assert "a budget must have one of epsilon, rho, mu, renyi, got rho and mu" in capsys.readouterr().err


def test_a_release_of_gaussian_noise_is_paid_from_rho(here, capsys):
    (here / "x.csv").write_text("a,b\n0.6,0.8\n0,0.5\n", encoding="utf-8")
    assert run(["budget", "new", "b", "--rho", "0.5"]) == 0
    words = ["--mechanism", "gaussian_covariance", "--epsilon", "0.5", "--delta", "1e-6", "--budget", "b"]
    assert run(["release", "x.csv", *words, "--out", "one.npy"]) == 0
    (claim,) = dps.Budget.open("b").claims
    assert dps.Budget.open("b").spent.rho == dps.convert("rho", mu=claim.gdp_mu)
    capsys.readouterr()
    assert run(["claim", "one.npy"]) == 0
    assert f"in other measures: rho {claim.gdp_mu**2 / 2:g} of zCDP, mu {claim.gdp_mu:g} of" in capsys.readouterr().out
