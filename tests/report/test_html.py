"""What HTML reports have in common."""

import re
from xml.etree import ElementTree

import pytest

from dpspectra.report import html

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


def test_pages_are_made_for_small_screens_and_for_the_dark():
    text = html.document("A < B", "<p>x</p>")
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in text
    assert "prefers-color-scheme: dark" in text
    assert "<title>A &lt; B</title>" in text
    named = set(re.findall(r"var\(--(\w+)\)", html.STYLE)) | set(html.THEMED.values())
    light, dark = re.findall(r":root \{([^}]*)\}", html.STYLE)
    assert named <= set(re.findall(r"--(\w+):", light)) == set(re.findall(r"--(\w+):", dark))
