"""The page of the demonstration."""

import re

from dpspectra.ledger import labels
from dpspectra.report.demo_findings import Measured, TableRow
from tests.support.pages import CLAIM, page, report, row


def test_a_guarantee_that_is_exceeded_is_explained():
    text = page([row((1.0, 2.0), (1.0, 0.5))], [])
    assert "<br>exceeded by 1 of 2" in text
    assert "In 1 of 2 releases here it does; up to about 1 would" in " ".join(text.split())
    text = page([row((1.0, 0.5))], [])
    assert "exceeded by" not in text
    assert "In none of 1 releases here it does" in text


def test_statements_have_titles_and_those_that_do_not_stand_come_first():
    given = [report("MWKTV-L6.1", "verified"), report("JXZ-T4", "refuted"), report("MWKTV-L6.2", "verified", ok=False)]
    text = page([row((1.0, 0.5))], given)
    first, rest = text.split("<details>")
    assert re.findall(r'<tr id="([^"]+)">', first) == ["MWKTV-L6.2", "JXZ-T4"]
    assert re.findall(r'<tr id="([^"]+)">', rest) == ["MWKTV-L6.1"]
    (title,) = (label.name for label in labels() if label.label == "JXZ-T4")
    assert f"Theorem 4: {title}" in first
    assert "1 came out otherwise than the ledger says" in first
    assert '<a href="#MWKTV-L6.1">' in first
    assert ">JXZ-T1<" not in first, "no link to a row that is not there"


def test_plots_take_the_colours_of_the_page_and_no_id_twice():
    text = page([row((1.0, 0.5), impossible=0.1), TableRow.of("m", "other", [Measured(CLAIM, 1.0, 0.5)], 2.0)], [])
    assert text.count("<svg") == 4
    assert "a &lt;b&gt;" in text
    pictures = "".join(re.findall(r"<svg.*?</svg>", text, re.DOTALL))
    assert not re.findall(r"(?:fill|stroke): #\w+", pictures)
    kept = re.findall(r' id="((?!DejaVu|Cmsy|m[0-9a-f]|p[0-9a-f])[^"]+)"', pictures)
    assert kept == []
    assert pictures.count('role="img"') == 4
