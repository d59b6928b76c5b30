"""Releases in rho, mu and Renyi divergences: what was asked for follows from the claim, and is nearly spent."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

import dpspectra as dps
from dpspectra import cli
from dpspectra.accounting.limits import Limit
from dpspectra.certified import measures
from dpspectra.commands import asked_loss
from dpspectra.commands.options import ReleaseRequest
from dpspectra.mechanisms.catalogue import OFFERED

ASKED = {"rho": ("0.5", None, 0.5), "mu": ("1", None, 1.0), "renyi": ("8:0.5", 8.0, 0.5)}
FIT = {name: record for name, record in OFFERED.items() if "directions" not in record.needs}


def release(*options):
    return cli.run(["release", "x.npy", "--out", "r.npy", *options])


@pytest.mark.parametrize("measure", ASKED)
@pytest.mark.parametrize("name", [*FIT, "auto"])
@pytest.mark.parametrize("delta", [None, "1e-6"])
def test_what_was_asked_for_follows_and_little_is_wasted(here, capsys, name, measure, delta):
    """From a delta without Gaussian noise nothing does, and it is refused, as a wrong option is."""
    text, order, amount = ASKED[measure]
    limit = Limit(measure, order, amount)
    needs, known = (FIT[name].needs, FIT[name].known) if name in FIT else ((), ("delta",))
    given = [*(["--k", "1"] if "k" in needs else []), *([] if delta is None else ["--delta", delta])]
    fits = "delta" not in needs if delta is None else "delta" in known and name != "wishart_covariance"
    assert release("--mechanism", name, f"--{measure}", text, *given) == (0 if fits else 2)
    assert Path("r.npy").exists() == fits
    if not fits:
        return
    claim = dps.Claim.read(json.loads(Path("r.npy.claim.json").read_text(encoding="utf-8"))["claim"])
    assert limit.whole * Fraction(9999, 10_000) < limit.cost(claim) <= limit.whole
    assert (claim.gdp_mu is None) == (delta is None)
    assert f" {limit.amount_of(limit.cost(claim)):g}" in capsys.readouterr().out
    loss = claim.epsilon if claim.gdp_mu is None else claim.gdp_mu
    assert (claim.rho is not None and claim.rho >= measures.half_square(loss)) == (measure == "rho")
    assert ("DPS-MEASURES" in claim.labels) == (measure == "rho")


def test_a_budget_is_charged_what_was_asked_for(here):
    budget = dps.Budget(rho=0.5, file="b.budget")
    given = ("--mechanism", "private_pca", "--k", "1", "--delta", "1e-6", "--budget", "b.budget", "--force")
    assert release(*given, "--rho", "0.25") == 0
    assert release(*given, "--rho", "0.251") == 2
    assert release(*given, "--rho", "0.25") == 0
    assert budget.spent.rho == pytest.approx(0.5, rel=1e-6)


def test_a_claim_that_does_not_keep_to_it_is_refused():
    """No mechanism makes one now; a choice of noise by public numbers could."""
    given = ["release", "x.npy", "--out", "r.npy", "--mechanism", "laplace_covariance", "--rho", "0.5"]
    request = ReleaseRequest.of(cli.parser().parse_args(given))
    asked_loss.require_kept(request, dps.Claim("replace", 1.0))
    with pytest.raises(ValueError, match=r"--rho must follow from the claim, got one of rho 0\.605"):
        asked_loss.require_kept(request, dps.Claim("replace", 1.1))
