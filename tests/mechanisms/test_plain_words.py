"""The paragraph at the top of a release: what was computed and of which rows, for whom, and how sure it is."""

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.mechanisms.plain_words import COMPUTED, paragraph

X = np.random.default_rng(0).uniform(-0.3, 0.3, size=(200, 3))
BOUNDS = dps.ColumnBounds(-np.ones(3), np.ones(3))
SAID = {
    "pairs": (lambda: dps.private_pca(X, 2, 1.0, rng=0), "2 directions of largest variance about the mean", "pairs"),
    "mean": (lambda: dps.private_pca(X, 1, 1.0, center="mean", rng=0), "one direction", "a noisy mean"),
    "zero": (lambda: dps.private_pca(X, 1, 1.0, center="none", rng=0), "about zero, which is not", "longer than 1"),
    "middle": (
        lambda: dps.private_pca(X, 1, 1.0, center="none", bounds=BOUNDS, rng=0),
        "the middle of the bounds",
        "one unit by their public bounds",
    ),
    "covariance": (
        lambda: dps.private_covariance(X, 1.0, norm_bound=0.5, rows="clip", rng=0),
        "covariance of the rows about their mean",
        "rows longer than 0.5 shortened",
    ),
    "covariance by pairs": (
        lambda: dps.private_covariance(X, 1.0, center="pairs", difference_bound=0.5, rng=0),
        "covariance of the rows about their mean",
        "those longer than 0.5 shortened to it",
    ),
    "unit": (lambda: dps.laplace_covariance(X, 1.0, rows="unit", rng=0), "second moments", "divided by their lengths"),
    "sums": (
        lambda: dps.laplace_covariance(dps.Moments.of(X, rows="clip"), 1.0, rng=0),
        "second moments of the rows about zero",
        "as they were when their sums were made",
    ),
}


@pytest.mark.parametrize(("release", "what", "which"), SAID.values(), ids=SAID)
def test_a_summary_begins_with_what_was_computed_of_which_rows(release, what, which):
    made = release()
    first, *_ = made.summary().splitlines()
    assert first.startswith("in short: Released: ")
    assert what in first
    assert which in first
    assert "2.72 times as likely" in first
    assert "lambda" not in first  # formulas are for the line of the guarantee
    assert dps.Release.from_json(made.to_json()).summary() == made.summary()


def test_who_is_protected_and_how_far_follows_from_the_claim():
    def said(**claim):
        return paragraph(dps.Claim(**{"relation": "replace", "epsilon": 1.0} | claim), {})

    assert "all of the data but one row can hardly tell what was there" in said()
    assert "whether they were there" in said(relation="add_remove")
    assert "the change that is protected" in said(relation="entry")
    assert "the rows of one person" in said(people="'row' means all rows of one person")
    assert "except with probability 1e-06" in said(delta=1e-6)
    assert "this promise is hardly one" in said(epsilon=7.0)
    assert "times as likely" in said(epsilon=6.9)


def test_what_was_computed_is_said_once():
    release = dps.private_pca(X, 2, 1.0, rng=0)
    assert release.summary().count(release.details[COMPUTED]) == 1
