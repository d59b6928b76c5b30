"""Every page of the site at three widths, with all folds open: nothing wrapped, cut or over another, and axe is silent.

``layout.js`` looks at the layout; axe looks at a narrow light page and at a wide dark one, since that takes a second a
page. Each page is opened once. Links are checked when the site is built (``atlas.check``).
"""

import pathlib

import pytest

LAYOUT = (pathlib.Path(__file__).parent / "layout.js").read_text(encoding="utf-8").partition("() =>")
OPEN = "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })"


def laid_out(page):
    """Faults of a page as it is laid out now."""
    return page.evaluate("".join(LAYOUT[1:]))


SHARES = 16
"""Shares of the pages, which workers take in turns."""
WIDTHS = {360: "light", 768: None, 1440: "dark"}
"""The scheme in which axe looks at a page of this width, if it does."""


def looked_at(page, by_axe):
    """What is wrong with a page at any width."""
    for width, scheme in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": 900})
        yield from (f"at {width}: {fault}" for fault in laid_out(page))
        if scheme:
            page.emulate_media(color_scheme=scheme)
            yield from (f"axe at {width}: {fault}" for fault in by_axe(page))


@pytest.mark.parametrize("share", range(SHARES))
def test_every_page_is_sound_at_every_width(visit, site, by_axe, share):
    page, faults = visit(site / "index.html"), []
    for path in sorted(site.rglob("*.html"))[share::SHARES]:
        page.goto(path.as_uri())
        page.evaluate(OPEN)
        faults += [f"{path.relative_to(site)} {fault}" for fault in looked_at(page, by_axe)]
    assert faults + page.faults == []


def test_a_faulty_formula_is_found(visit, site):
    page = visit(site / "statement" / "JXZ-T4.html", 360)
    assert laid_out(page) == []
    page.add_style_tag(content=".tex, .tex .katex-display > .katex { white-space: normal !important; width: 3em; }")
    assert [fault for fault in laid_out(page) if fault.startswith("wrapped")]
    page.add_style_tag(content=".tex.math-block { height: 5px; }")
    assert [fault for fault in laid_out(page) if fault.startswith("cut")]


FAULTY = {
    "px too wide": '<div style="width: 2000px">x</div>',
    "text over text": '<p>first words</p><p style="margin-top: -2em">second words</p>',
    "cut at the side": '<main><div style="overflow: hidden; width: 5em; white-space: pre">many long words</div></main>',
    "cut below": '<main><div style="overflow: hidden; height: 5px">many long words</div></main>',
}


@pytest.mark.parametrize("fault", FAULTY)
def test_a_planted_fault_is_found(visit, tmp_path, fault):
    (tmp_path / "bad.html").write_text(f'<!doctype html><html lang="en"><title>x</title><body>{FAULTY[fault]}</body>')
    assert [found for found in laid_out(visit(tmp_path / "bad.html", 390)) if fault in found]


def test_a_missing_file_is_found(visit, tmp_path):
    (tmp_path / "bad.html").write_text('<!doctype html><html lang="en"><title>x</title><body><img src="none.png">')
    page = visit(tmp_path / "bad.html")
    page.wait_for_load_state("networkidle")
    assert any(fault.startswith("failed: ") and fault.endswith("net::ERR_FILE_NOT_FOUND") for fault in page.faults)


def test_what_scrolls_or_is_folded_is_no_fault(visit, tmp_path):
    (tmp_path / "good.html").write_text(
        '<!doctype html><html lang="en"><title>x</title><body><main><div style="overflow: auto; height: 2em">'
        "<p>one</p><p>two</p><p>three</p></div><details><summary>fold</summary><p>folded</p></details><p>below</p>"
        "</main></body>"
    )
    assert laid_out(visit(tmp_path / "good.html", 390)) == []
