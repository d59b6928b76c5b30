"""Pages of a demonstration that found this or that."""

import numpy as np
import pytest

from dpspectra.ledger import Report
from dpspectra.mechanisms import Claim
from dpspectra.relations import Relation
from dpspectra.report.demo_findings import Measured, TableRow

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

    return render(rows, reports, [], np.eye(2))
