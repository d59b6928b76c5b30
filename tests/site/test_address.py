"""The public address of the site: one place to write it, and what follows from it; here with a made-up one."""

import tomllib
import types
from xml.etree import ElementTree

import pytest

from atlas import address, citing, front
from tests.support.helpers import ROOT

MADE_UP = "https://example.org/atlas"


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch):
    monkeypatch.delenv(address.VARIABLE, raising=False)


@pytest.fixture
def published(monkeypatch, tmp_path):
    """A project whose addresses are public."""
    file = tmp_path / "pyproject.toml"
    file.write_text(f'[project.urls]\nDocumentation = "{MADE_UP}"\nRepository = "https://example.org/source"\n')
    monkeypatch.setattr(address, "PROJECT", file)


def app(folder, base):
    return types.SimpleNamespace(outdir=str(folder), config=types.SimpleNamespace(html_baseurl=base))


def test_the_address_is_that_of_the_project(published):
    assert address.address() == f"{MADE_UP}/"
    assert "from [its source](https://example.org/source)" in front.build()
    assert f"  url = {{{MADE_UP}}}" in citing.page()


def test_a_workflow_may_publish_elsewhere(published, monkeypatch):
    monkeypatch.setenv(address.VARIABLE, "https://fork.example/")
    assert address.address() == "https://fork.example/"


def test_without_an_address_nothing_is_said(monkeypatch, tmp_path):
    file = tmp_path / "pyproject.toml"
    file.write_text("[project]\n")
    monkeypatch.setattr(address, "PROJECT", file)
    assert address.address() == ""
    assert front.build().endswith(".")
    assert "http" not in front.build()
    assert "url =" not in citing.page()
    address._written(app(tmp_path, ""), None)
    assert not (tmp_path / "sitemap.xml").exists()


@pytest.mark.parametrize("wrong", ["example.org", "ftp://example.org", "https://", "https://example.org/?a=b"])
def test_what_is_no_address_is_refused(monkeypatch, wrong):
    monkeypatch.setenv(address.VARIABLE, wrong)
    with pytest.raises(ValueError, match="must be like https://"):
        address.address()


def test_the_sitemap_has_every_page_but_that_for_lost_addresses(tmp_path):
    for place in ("index.html", "404.html", "statement/A&B.html", "_static/a.css"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text("")
    address._written(app(tmp_path, f"{MADE_UP}/"), None)
    tree = ElementTree.parse(tmp_path / "sitemap.xml")
    places = [node.text for node in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    assert places == [f"{MADE_UP}/index.html", f"{MADE_UP}/statement/A%26B.html"]


def test_the_page_for_lost_addresses_leads_to_the_site_from_anywhere(tmp_path):
    for page, base, wanted in (
        ("404", f"{MADE_UP}/", f'<base href="{MADE_UP}/"><meta>'),
        ("404", "", "<meta>"),
        ("index", f"{MADE_UP}/", "<meta>"),
    ):
        context = {"metatags": "<meta>"}
        address.rooted(app(tmp_path, base), page, "page.html", context, None)
        assert context["metatags"] == wanted


def test_workflows_set_the_variable_that_is_read():
    for file in (".github/workflows/pages.yml", ".readthedocs.yaml"):
        assert address.VARIABLE in (ROOT / file).read_text(encoding="utf-8")


def test_the_addresses_of_the_package_are_whole():
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    assert set(urls) <= {"Documentation", "Repository", "Changelog", "Issues"}
    assert all(url.startswith("https://") for url in urls.values())
