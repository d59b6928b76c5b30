"""Reports and interactive pages, and those of the site where it is built, in a browser without a network.

No page has a script error, asks for anything but files, is wider than the window, or is at fault by axe (WCAG 2 A and
AA). Sliders move what they should, by the keyboard alone.
"""

import importlib
import pathlib
import random

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.audit import audit
from dpspectra.audit.draws_for_picture import sampled
from dpspectra.ledger import labels, verify

ROOT = pathlib.Path(__file__).parents[2]
STATEMENTS = sorted(random.Random(19).sample([label.label for label in labels()], 20))
"""Statements that are looked at, chosen by seed."""
SITE_PAGES = [
    *("index.html", "search.html", "graph.html", "glossary.html", "statement/MWKTV-T2.4.html", "paper/JXZ.html"),
    *("guides/release.html", "guides/audit.html", "guides/read.html", "guides/oracle.html"),
    *("api/mechanisms.html", "api/audit.html"),
    *("plays/profiles.html", "plays/covariance_error.html", "plays/audit_region.html"),
]
"""Pages of the site, from its root, that are looked at where it is built."""
REPORTS = ["demo", "audit"]
PLAYS = ["profiles", "covariance_error", "audit_region"]
LOOKS = [(width, scheme) for width in (390, 1440) for scheme in ("light", "dark")]


def laplace(x, size, rng):
    return x + rng.laplace(scale=0.5, size=size)


def demo_page():
    """The demonstration with little work: few epsilons, few statements."""
    from dpspectra.commands import demo
    from dpspectra.report import demo_page as page
    from dpspectra.report.demo_findings import Directions, in_short

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "EPSILONS", (0.5, 1.0))
        patch.setattr(demo, "DRAWS", 3)
        patch.setattr(demo, "RANK", 1)
        x = demo.digits()
        rows = demo.releases(x, np.random.default_rng(1))
    some = [label for label in labels() if label.label in ("JXZ-T1", "JXZ-T4", "MWKTV-L6.1", "MWKTV-L8.2")]
    found, reports, audits = (
        Directions.of(dps.private_pca(x, 3, 1.0, center="none", rng=1), x),
        verify(some, 1),
        demo.audits(1),
    )
    return page.page(in_short(found, rows, reports, audits, ""), found, rows, reports, audits)


def audit_page():
    from dpspectra.report import audit_page as module

    pair = (0.0, 1.0)
    result = audit(laplace, pair, 1.0, rng=1)
    return module.audit_page("laplace", result, sampled(laplace, pair, result))


def play_page(name):
    """An interactive page without its site: the figure alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "proofs_notes" / "site")
        plays = importlib.import_module("plays")
        patch.setattr(plays.covariance_error, "EPSILONS", (0.2, 1.0, 5.0))
        patch.setattr(plays.covariance_error, "EXPONENTS", (-6, -8))
        patch.setattr(plays.audit_region, "DRAWS", (256, 1024, 4096))
        text = plays.PAGES[name]()
    title, _, rest = text.partition("\n")
    figure = rest.split("```{raw} html\n")[1].split("\n```\n")[0]
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width"><style>:root {{color-scheme: light dark}}</style></head>
<body><main><h1>{title.lstrip("# ")}</h1>{figure}</main></body></html>"""


@pytest.fixture(scope="session")
def report(browser, tmp_path_factory):
    """The file of a page by its name, rendered once."""
    folder, made = tmp_path_factory.mktemp("pages"), {"demo": demo_page, "audit": audit_page}

    def path(name):
        file = folder / f"{name}.html"
        if not file.exists():
            file.write_text(made[name]() if name in made else play_page(name), encoding="utf-8")
        return file

    pytest.importorskip("matplotlib")
    pytest.importorskip("sklearn")
    return path


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
@pytest.mark.parametrize("name", [*REPORTS, *PLAYS])
def test_a_page_is_sound(visit, is_sound, report, name, width, scheme):
    assert is_sound(visit(report(name), width, scheme)) == []


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
@pytest.mark.parametrize("name", SITE_PAGES)
def test_a_page_of_the_site_is_sound(visit, is_sound, site, name, width, scheme):
    assert is_sound(visit(site / name, width, scheme)) == []


@pytest.mark.parametrize("number", range(len(STATEMENTS)))
def test_a_statement_is_sound_and_shows_its_formulas(visit, is_sound, site, number):
    page = visit(site / "statement" / f"{STATEMENTS[number]}.html", *LOOKS[number % len(LOOKS)])
    assert is_sound(page) == []
    raw = r"[...document.querySelectorAll('main p, article p, article li')].map(p => p.innerText)"
    assert not [text for text in page.evaluate(raw) if "\\lambda" in text or "$`" in text]


QUESTIONS = {
    "T2.4": "MWKTV-T2.4",
    "wishart mechanism private": "JXZ-T4",
    "hp-t1.3": "HP-T1.3",
    "sin-theta": "MWKTV-L8.2",
    "spectral norm changes": "HP-L4.5",
    "eq 14": "MWKTV-E14",
    "Lemma 2.2": "HP-K2.2",
    "eigengap": "MWKTV-L6.4",
    "refuted": "JXZ-T5",
    "minimax": "MWKTV-T2.4R",
    "AFTER-DLY": "AFTER-DLY",
    "Claim 2.2": "HP-K2.2",
    "trace": "AFTER-DLY",
}
"""What a student types, and a statement that must be among those found."""


@pytest.mark.parametrize("words", QUESTIONS)
def test_a_statement_is_found_from_the_start_page(visit, site, words):
    page = visit(site / "index.html")
    field = page.get_by_placeholder("Search").first
    field.fill(words)
    field.press("Enter")
    found = page.locator(f'#found-labels a[href="statement/{QUESTIONS[words]}.html"]')
    found.wait_for()
    found.click()
    assert page.url.endswith(f"statement/{QUESTIONS[words]}.html")
    page.locator("h1").wait_for()
    assert page.faults == []


def test_the_graph_is_filtered_and_searched(visit, site):
    page = visit(site / "graph.html")
    nodes, hidden = page.locator("#graph .n"), page.locator("#graph .n.off")
    assert nodes.count() > 200
    assert hidden.count() == 0
    page.locator('.gctl input[name=p][value="HP"]').uncheck()
    assert 20 < hidden.count() < nodes.count()
    page.locator('.gctl input[name=p][value="HP"]').check()
    assert hidden.count() == 0
    page.locator("#gfind").fill("MWKTV-T2.4S")
    assert page.locator("#gout").text_content().startswith("MWKTV-T2.4S: rests on ")
    assert 1 < page.locator("#graph .n.on").count() < nodes.count()
    assert page.faults == []


@pytest.mark.parametrize("place", ["graph.html", "statement/JXZ-T4.html"])
def test_words_that_were_searched_for_do_no_harm_to_drawings(visit, site, place):
    page = visit(site / "search.html")
    page.goto((site / "search.html").as_uri() + "?q=wishart&check_keywords=yes&area=default")
    page.wait_for_function("localStorage.getItem('sphinx_highlight_terms')")
    page.goto((site / place).as_uri())
    page.locator("article .highlighted").last.wait_for(state="attached")
    assert page.faults == []


@pytest.mark.parametrize("name", PLAYS)
def test_every_slider_is_reached_and_moved_by_the_keyboard(visit, report, name):
    page = visit(report(name))
    drawn = 'JSON.stringify([...document.querySelectorAll("[data-part]")].map(p => [p.outerHTML, p.textContent]))'
    sliders = page.locator("input[type=range]")
    for number in range(sliders.count()):
        page.keyboard.press("Tab")
        assert page.evaluate(f"document.activeElement === document.querySelectorAll('input')[{number}]")
        before = page.evaluate(drawn)
        page.keyboard.press("ArrowRight" if sliders.nth(number).input_value() == "0" else "ArrowLeft")
        assert page.evaluate(drawn) != before
        words = sliders.nth(number).get_attribute("aria-valuetext")
        assert page.locator(f"[data-part=value-{number}]").text_content() == words
    assert page.faults == []


@pytest.mark.parametrize("name", PLAYS)
def test_the_script_draws_what_is_drawn_without_it(browser, visit, report, name):
    parts = "[...document.querySelectorAll('[data-part]')].map(p => [p.getAttribute('d'), p.textContent].join())"
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report(name).as_uri())
    still = [
        ",".join([part.get_attribute("d") or "", part.text_content()]) for part in page.locator("[data-part]").all()
    ]
    context.close()
    assert visit(report(name)).evaluate(parts) == still


def test_a_fault_is_found(visit, is_sound, tmp_path):
    (tmp_path / "bad.html").write_text(
        '<title>x</title><img src="https://example.org/a.png"><div style="width:2000px">x</div><script>oops()</script>'
    )
    faults = " ".join(is_sound(visit(tmp_path / "bad.html", 390)))
    for words in ("oops", "example.org", "px too wide", "image-alt", "html-has-lang"):
        assert words in faults
