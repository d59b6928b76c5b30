"""Pages of a demonstration that found this or that."""

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.ledger import Report
from dpspectra.mechanisms import Claim
from dpspectra.relations import Relation
from dpspectra.report.demo_findings import Directions, Measured, TableRow

CLAIM = Claim(Relation.REPLACE, 1.0, labels=("JXZ-T1", "MWKTV-L6.1"))


def row(*draws, impossible=None):
    return TableRow.of(
        "mechanism", "error", [Measured(CLAIM, promise, true, impossible) for promise, true in draws], 7.0
    )


def report(label, verdict, ok=True):
    return Report(label, verdict, ok, module=f"dpspectra.lemmas.chapter.{label.lower()}", cases=3, closest=0.5)


def page(rows, reports):
    pytest.importorskip("matplotlib")
    from dpspectra.report.demo_page import page as render

    return render([("released", "a <b>")], directions(), rows, reports, [])


def directions(seed=0):
    """Two released directions of rows of length 1 in four dimensions, of which two matter."""
    rng = np.random.default_rng(seed)
    x = dps.unit_rows(rng.normal(size=(4000, 4)) * [4, 2, 0.1, 0.1])
    return Directions.of(dps.private_pca(x, 2, 1.0, center="none", rng=seed), x)
