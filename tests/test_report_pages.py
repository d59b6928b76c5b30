"""What HTML reports have in common, and what the demonstration's page says of its findings."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from dpspectra.ledger import Report, labels
from dpspectra.mechanisms import Claim
from dpspectra.relations import Relation
from dpspectra.report import html
from dpspectra.report.findings import Draw, Row

CLAIM = Claim(Relation.REPLACE, 1.0, labels=("JXZ-T1", "MWKTV-L6.1"))
SITE = "https://example.org/atlas"


@pytest.fixture
def with_site(monkeypatch):
    """The package says where its documentation is."""
    html.site.cache_clear()
    monkeypatch.setattr("importlib.metadata.metadata", lambda name: Metadata(f"Documentation, {SITE}"))
    yield
    html.site.cache_clear()


class Metadata:
    def __init__(self, *urls):
        self.urls = list(urls)

    def get_all(self, name):
        return self.urls if name == "Project-URL" else None


def row(*draws, impossible=None):
    return Row.of("mechanism", "error", [Draw(CLAIM, promise, true, impossible) for promise, true in draws], 7.0)


def report(label, verdict, ok=True):
    return Report(label, verdict, ok, module=f"dpspectra.lemmas.chapter.{label.lower()}", cases=3, closest=0.5)


def test_a_row_sums_up_its_releases():
    summed = row((1.0, 0.5), (2.0, 3.0), (3.0, 0.25), impossible=0.125)
    assert (summed.guaranteed, summed.true, summed.errors) == (2.0, 0.5, (0.25, 0.5, 3.0))
    assert (summed.exceeded, summed.zero, summed.impossible) == (1, 7.0, 0.125)
    assert (summed.epsilon, summed.relation, summed.labels) == (1.0, "replace", CLAIM.labels)


def page(rows, reports):
    pytest.importorskip("matplotlib")
    from dpspectra.report.page import page as render

    return render(rows, reports, [], np.eye(2))


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
    assert "1 of them did not come out" in first
    assert '<a href="#MWKTV-L6.1">' in first
    assert ">JXZ-T1<" not in first, "no link to a row that is not there"


def test_labels_link_to_the_site_where_the_package_names_it(with_site):
    assert html.statement("JXZ-T4").startswith(f'<a href="{SITE}/statement/JXZ-T4.html">')


@pytest.mark.parametrize("urls", [[], ["Source, https://example.org"]])
def test_labels_stand_alone_where_it_does_not(monkeypatch, urls):
    html.site.cache_clear()
    monkeypatch.setattr("importlib.metadata.metadata", lambda name: Metadata(*urls))
    assert "<a " not in html.statement("JXZ-T4")
    html.site.cache_clear()


def test_tables_scroll_and_align_their_numbers():
    grid = ElementTree.fromstring(html.table("A name", ["a", "b"], [["x", "1"]], {"b"}, ["row"]))
    assert (grid.get("tabindex"), grid.get("role"), grid.get("aria-label")) == ("0", "region", "A name")
    assert [cell.get("class") for cell in grid.iter("td")] == [None, "number"]
    assert [line.get("id") for line in grid.iter("tr")] == [None, "row"]


def test_plots_take_the_colours_of_the_page_and_no_id_twice():
    text = page([row((1.0, 0.5), impossible=0.1), Row.of("m", "other", [Draw(CLAIM, 1.0, 0.5)], 2.0)], [])
    assert text.count("<svg") == 3
    pictures = "".join(re.findall(r"<svg.*?</svg>", text, re.DOTALL))
    assert not re.findall(r"(?:fill|stroke): #\w+", pictures)
    kept = re.findall(r' id="((?!DejaVu|Cmsy|m[0-9a-f]|p[0-9a-f])[^"]+)"', pictures)
    assert kept == []
    assert pictures.count('role="img"') == 3


def test_pages_are_made_for_small_screens_and_for_the_dark():
    text = html.document("A < B", "<p>x</p>")
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in text
    assert "prefers-color-scheme: dark" in text
    assert "<title>A &lt; B</title>" in text
    named = set(re.findall(r"var\(--(\w+)\)", html.STYLE)) | set(html.THEMED.values())
    light, dark = re.findall(r":root \{([^}]*)\}", html.STYLE)
    assert named <= set(re.findall(r"--(\w+):", light)) == set(re.findall(r"--(\w+):", dark))
