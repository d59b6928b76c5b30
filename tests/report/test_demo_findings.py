"""What the demonstration says of its findings."""

import numpy as np
import pytest

from dpspectra.report.demo_findings import in_short
from tests.support.pages import CLAIM, directions, report, row


def test_a_row_sums_up_its_releases():
    summed = row((1.0, 0.5), (2.0, 3.0), (3.0, 0.25), impossible=0.125)
    assert (summed.guaranteed, summed.true, summed.errors) == (2.0, 0.5, (0.25, 0.5, 3.0))
    assert (summed.exceeded, summed.zero, summed.impossible) == (1, 7.0, 0.125)
    assert (summed.epsilon, summed.relation, summed.labels) == (1.0, "replace", CLAIM.labels)


def test_releases_without_a_guarantee_exceed_none():
    summed = row((None, 0.5), (None, 3.0))
    assert (summed.guaranteed, summed.exceeded) == (None, 0)


def test_directions_are_compared_with_the_best_and_with_chance():
    found = directions()
    values = np.linalg.eigvalsh(found.gram)[::-1]
    held = np.trace(found.release.value.T @ found.gram @ found.release.value)
    assert found.kept == pytest.approx(held / values[:2].sum())
    assert found.by_chance == pytest.approx(0.5 / values[:2].sum())  # the rows have norm 1
    assert np.abs(found.best[0, 0]) > 0.99


def test_the_last_screen_says_what_how_good_and_where():
    found = directions()
    told = dict(in_short(found, [], [report("JXZ-T4", "refuted"), report("MWKTV-L6.1", "verified", ok=False)], [], "x"))
    assert told["released"].startswith(
        "2 directions about zero of 4000 people with 4 columns by private_pca, epsilon 1,"
    )
    assert told["released"].endswith("ideal arithmetic")
    assert f"{found.kept:.1%} of the variance" in told["how good"]
    assert "2 of 2 stand out" in told["noise"]
    assert told["statements"] == "1 checked in two arithmetics, 1 broken"
    assert told["pictures"] == "x"
