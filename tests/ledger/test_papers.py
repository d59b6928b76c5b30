"""What of the papers is selected by names."""

import pytest

from dpspectra.ledger import papers


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
