"""What of the papers is selected by names."""

import tomllib
from importlib import resources

import pytest

from dpspectra.ledger import papers
from dpspectra.ledger.entry import Verdict


@pytest.mark.parametrize("paper", [None, "MWKTV"])
def test_names_and_paper_both_restrict_what_is_selected(paper):
    every = papers.labels()
    chapter = every[0].chapter
    chosen = papers.select([chapter, "HP-C4.3"], paper)
    wanted = [e for e in every if (e.chapter == chapter or e.label == "HP-C4.3") and (not paper or e.paper == paper)]
    assert chosen == wanted != []
    assert papers.select([], paper) == [e for e in every if not paper or e.paper == paper]
    with pytest.raises(ValueError, match="expected a label or a chapter of the ledger, got 'nothing'"):
        papers.select(["nothing"])
    with pytest.raises(ValueError, match="paper must be one of"):
        papers.select([], "XYZ")


def test_every_printed_statement_has_its_wording_or_says_that_it_is_not_at_hand():
    text = resources.files("dpspectra.ledger").joinpath("wording.toml").read_text(encoding="utf-8")
    printed = [label for label in papers.labels() if label.origin == "printed"]
    assert list(tomllib.loads(text)) == [label.label for label in printed]
    for label in printed:
        assert label.wording, label.label
        assert label.wording.count("$`") == label.wording.count("`$"), label.label
        assert label.at_hand or label.wording.startswith(f"{papers.NOT_AT_HAND}; read as"), label.label
        assert label.at_hand == ("not at hand" not in label.wording.lower()), label.label
    assert not [label.label for label in papers.labels() if label.origin == "ours" and label.wording]


def test_verdicts_on_printed_statements_are_not_those_on_ours():
    """What is printed is not new, and what is ours is judged by its proof alone."""
    of_ours = {Verdict.DEFINITION, Verdict.NEW, Verdict.CITED, Verdict.CONJECTURE}
    for label in papers.labels():
        assert (label.verdict in of_ours) if label.origin == "ours" else (label.verdict is not Verdict.NEW), label.label
