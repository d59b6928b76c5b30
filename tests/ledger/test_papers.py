"""What of the papers is selected by names."""

import pytest

from dpspectra.ledger import papers
from dpspectra.ledger.entry import NOT_AT_HAND, Verdict
from dpspectra.ledger.registry import all_statements, built
from dpspectra.ledger.show import described


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
    for label in papers.labels():
        wording = built()[label.label].wording(label.label)
        assert bool(wording) == (label.origin == "printed"), label.label
        assert wording == wording.strip(), label.label
        assert wording.count("$`") == wording.count("`$"), label.label
        at_hand = described(label.label)["at_hand"]
        assert at_hand or wording.startswith(f"{NOT_AT_HAND}; read as"), label.label
        assert at_hand == ("not at hand" not in wording.lower()), label.label


def test_a_wording_is_that_of_a_label_of_its_statement():
    for entry in all_statements():
        if not isinstance(entry.printed, str):
            assert entry.printed.keys() <= set(entry.labels), entry.id
            assert list(entry.printed) != [entry.id], f"{entry.id} needs no label before its wording"


def test_verdicts_on_printed_statements_are_not_those_on_ours():
    """What is printed is not new, and what is ours is judged by its proof alone."""
    of_ours = {Verdict.DEFINITION, Verdict.NEW, Verdict.CITED, Verdict.CONJECTURE}
    for label in papers.labels():
        assert (label.verdict in of_ours) if label.origin == "ours" else (label.verdict is not Verdict.NEW), label.label
