"""The site, as far as it needs no Sphinx: pages of statements, links, the graph's layout, and the check of a site."""

import dataclasses
import hashlib
import inspect
import itertools
import re
import types
from typing import Any

import pytest
import yaml

import dpspectra
from atlas import (
    check,
    citing,
    evidence,
    front,
    graph,
    graph_page,
    interface,
    kernel_page,
    lines,
    links,
    markup,
    mechanism_table,
    museum_page,
    navigation,
    notes,
    root_pages,
    slim,
    sources,
    statement,
    tables,
)
from atlas.book import Book
from atlas.expressions import infix
from atlas.katex import rendered
from atlas.notes import read_notes
from dpspectra.audit.calling.program import Greeting
from dpspectra.audit.subjects.museum import cases
from dpspectra.commands.trial_options import PROGRAM
from dpspectra.ledger import Verdict, all_statements, coq_stamps, get, labels, words
from dpspectra.ledger.show import describe
from dpspectra.mechanisms.catalogue import MECHANISMS
from tests.support.helpers import ROOT

VENDOR = ROOT / "proofs_notes" / "site" / "vendor" / "katex-0.19.1"
NOTES = notes.read_notes(ROOT / "proofs_notes")
SOME = ("MWKTV-T2.4", "MWKTV-L8.2", "JXZ-D5", "HP-D2.1")


@pytest.fixture(scope="module")
def book():
    entries = {name: describe(name) for name in SOME}
    for name, entry in entries.items():
        entry |= {"mechanisms": [], "uses": {}}
        entry["weakest_below"] = {"label": name, "verdict": entry["verdict"]}
    return Book(entries, {}, [], NOTES)


def test_the_line_protocol_is_a_page_that_guides_and_help_name(book):
    page = root_pages.pages(book)["protocol.md"]
    assert re.findall("^#+ .*", page, re.MULTILINE)[:2] == [f"# {root_pages.PROTOCOL}", "## The protocol, version 1"]
    told = [field.name for field in dataclasses.fields(Greeting)] + ["id", "side", "size", "seed"]
    assert all(f"| `{key}` |" in page for key in told)
    assert '{"bye":1}' in page
    assert "](" not in page, "other files of the examples have no page"
    assert "protocol" in front.EVERYTHING
    assert "page: protocol" in PROGRAM
    for name in ("guides/audit", "guides/oracle", "commands"):
        place = ROOT / "proofs_notes" / "site" / f"{name}.md"
        assert re.search(r"\{doc\}`[^`]*<(/)?protocol>`", place.read_text(encoding="utf-8")), name


def test_katex_is_as_published():
    sums = dict(reversed(line.split()) for line in (VENDOR / "SHA512SUMS").read_text().splitlines())
    found = {p.relative_to(VENDOR).as_posix(): p for p in VENDOR.rglob("*") if p.is_file() and p.name != "SHA512SUMS"}
    assert {name: hashlib.sha512(path.read_bytes()).hexdigest() for name, path in found.items()} == sums
    fonts = set(re.findall(r"url\(([^)]*)\)", (VENDOR / "katex.min.css").read_text()))
    assert fonts == {name for name in found if name.startswith("fonts/")}


def test_katex_renders_every_claim():
    pytest.importorskip("py_mini_racer")
    entries = all_statements()
    answers = rendered([(entry.formula, True) for entry in entries])
    faults = {str(entry): answer for entry, answer in zip(entries, answers, strict=True) if answer[0] == "-"}
    assert faults == {}
    assert rendered([(r"\quadn", False)])[0].startswith("-")


@pytest.mark.parametrize("entry", all_statements(), ids=str)
def test_a_section_is_cut_without_loss(entry):
    page, _, place = entry.note.partition("#")
    section = NOTES[page].sections[place]
    kept = [block for block in section.body.split("\n\n") if not re.match(rf"\*\*{notes.LABEL}", block)]
    assert " ".join(p.whole for p in section.paragraphs).split() == " ".join(kept).split()
    assert all(p.text in p.whole and not p.text.startswith((":", "**")) for p in section.paragraphs)


@pytest.mark.parametrize("module", sorted({entry.module for entry in all_statements()}))
def test_the_pieces_of_a_module_are_the_module(module):
    text = sources.read(module)
    pieces = sources.pieces(text)
    assert [line for _, body in pieces for line in body.splitlines() if line] == [x for x in text.splitlines() if x]
    assert pieces[0][0] == sources.HEAD
    assert len({name for name, _ in pieces} - {sources.HEAD, sources.HELPERS}) >= 2


def test_a_page_holds_every_part(book):
    page = statement.statement(book, "MWKTV-T2.4")
    headings = re.findall(r"^##+ (.*)$", page, re.MULTILINE)
    parts = [
        "Statement",
        "Symbols",
        "Counterexample",
        "Proof",
        "Evidence",
        "Certificate",
        "Closest instances",
        "Without a hypothesis",
    ]
    assert headings == [*parts, "Code", "What it rests on", "What rests on it"]
    assert "# Theorem 2.4: error lower bound" in page
    assert words.MEANING[Verdict.REFUTED] in page
    assert "| `share` | `9.5367431640625e-7` |" in page, "parameters are named"
    assert page.index("**It fails for large") < page.index("## Proof"), "the difference stands beside the forms"
    assert page.count("**It fails for large") == 1
    assert "5.96046447753906e-8 ≤ 1.01313324392754e-13" in page
    assert "not run for this build" in page
    run = Book(book.entries, {"MWKTV-T2.4": REPORT}, [], NOTES)
    assert "in two arithmetics" in statement.statement(run, "MWKTV-T2.4")
    assert "## Statement" in statement.statement(book, "JXZ-D5")
    assert "is the same statement as [MWKTV-T2.4]" in statement.further_label(book, "MWKTV-E61")


def test_a_false_statement_is_never_shown_as_ours(book):
    page = statement.statement(book, "MWKTV-T2.4")
    printed = page[page.index("**As printed, and false**") :]
    assert next(line for line in page.splitlines() if line.startswith("# ")).endswith("(false as printed)")
    assert "MWKTV-T2.4, refuted:" in page.split("---")[1], "the description says so, too"
    assert get("MWKTV-T2.4").wording("MWKTV-T2.4").split("`")[1] in printed
    assert "form ours" not in page
    assert 'Use instead: <a href="MWKTV-T2.4R.html">' in page


def test_what_is_printed_is_what_the_ledger_holds(book):
    for name in ("MWKTV-L8.2", "HP-D2.1"):
        page, wording = statement.statement(book, name), get(name).wording(name)
        assert "**As printed**" in page
        assert wording.split("$`")[0].strip() in page
    assert not any(get(label.label).wording(label.label) for label in labels() if label.paper == "DPS")


def test_tight_and_closest_instances_are_told_apart():
    sides = {"kind": "AtMost", "part": "a", "left": "0.999", "right": "1"}
    row = {"part": "a", "instance": 2, "tight": True, "fast": sides, "oracle": sides}
    entry = {"digits": 50, "parts": [row], "tight": [{"parameters": {"x": "1"}}, {"parameters": {"x": "2"}}]}
    text = evidence.tight(entry)
    assert "### Tight instances" in text
    assert "| a | 2 | `0.999 ≤ 1` | `0.999 ≤ 1` |" in text
    assert "1. x = 1\n2. x = 2" in text
    assert "### Closest instances" in evidence.tight(entry | {"parts": [row, row | {"tight": False}]})
    above = sides | {"left": "1.0000000000000002"}
    assert "`, up to rounding | `0.999 ≤ 1` |" in evidence.tight(entry | {"parts": [row | {"fast": above}]})
    assert evidence.tight({"digits": 50, "parts": [], "tight": []}) == ""


def test_a_wide_display_is_cut_where_a_reader_pauses():
    assert lines.broken("a=b") == "a=b"
    assert lines.broken(r"\begin{cases}a\end{cases}" + "x" * 99).startswith(r"\begin{cases}")
    long = "abcdefghij" * 4
    assert lines.broken(rf"{long}\le {long};{long}={long}").split("\n&")[1:] == [
        rf"{long}\\",
        rf"\quad{{}}\le {long};\\",
        rf"{long}\\",
        rf"\quad{{}}={long}" + "\n\\end{aligned}",
    ]
    assert lines.broken(f"({long}={long})") == f"({long}={long})", "nothing is cut inside a bracket"
    assert lines.width(r"\frac{aa}{b}x^{22}\log y") == pytest.approx(2 + 1 + 1.4 + 2.5 + 1)


@pytest.mark.parametrize("entry", all_statements(), ids=str)
def test_a_cut_display_has_the_same_letters(entry):
    kept = re.sub(
        r"\\begin\{aligned\}|\\end\{aligned\}|\\\\|&|\n|\{\}|\\quad|\\qquad|\s", "", lines.broken(entry.formula)
    )
    assert kept == re.sub(r"&|\n|\{\}|\\\\|\\quad|\\qquad|\s", "", entry.formula)


def test_a_page_loses_its_indentation_but_what_shows_spaces_keeps_them():
    assert slim.slim('<li class="toctree-l1"><a class="reference internal" href="../a.html">a</a></li>') == (
        '<li><a href="../a.html">a</a></li>'
    )
    contents = '<a class="reference internal" href="#a">a</a>'
    assert slim.slim(contents) == contents
    code = '<code class="docutils literal notranslate"><span class="pre">a.b</span> <span class="pre">--c</span></code>'
    assert slim.slim(code) == '<code class="literal">a.b <span class="pre">--c</span></code>'
    page = "<p>\n    a  b\n\n  <b>c</b> </p>\n<pre>\n  d\n\n  e</pre>\n  <script>\n  f\n</script>\n"
    assert slim.slim(page) == "<p>\na  b\n<b>c</b> </p>\n<pre>\n  d\n\n  e</pre>\n<script>\n  f\n</script>\n"


def test_every_mechanism_and_every_theorem_has_a_row():
    entries: dict[str, Any] = {
        e.id: {"labels": e.labels, "verdict": e.verdict.value, "coq": coq_stamps.checked(e)} for e in all_statements()
    }
    for name, entry in entries.items():
        entry["weakest_below"] = {"label": name}
    whole = Book(entries, {}, [], NOTES)
    table = mechanism_table.page(whole)
    assert all(f"`~dpspectra.{name}`" in table for name, record in MECHANISMS.items() if record.private)
    assert "[JXZ-T1](statement/JXZ-T1.md)" in table
    best = dpspectra.advise("covariance", d=4, n=10_000, epsilon=1.0)[0]
    (line,) = re.findall(r"^\| covariance \| 0 \|.*$", table, re.MULTILINE)
    assert f"`~dpspectra.{best.mechanism}`, {best.expected_error:.2g}" in line
    assert all(name in table for name in ("Scale c of noise", "K-norm", "MB |"))
    page = kernel_page.page(whole)
    ties = [tie for entry in entries.values() for tie in entry["coq"]["statements"] if tie["checked"]]
    assert page.count("](coq/") == len(ties) > 0
    assert all(f"coq/{tie['file'].rpartition('/')[2]}" in kernel_page.proofs() for tie in ties)


def test_a_public_fault_has_a_row_with_both_verdicts():
    name, case = next(iter(cases().items()))
    row = museum_page.judged(name)
    assert row[0] == case.name
    assert row[3].startswith(case.expected[0])
    assert row[5] == case.expected[1]
    assert f"| {row[0]} |" in museum_page.page([row])


def test_citations_are_bibtex():
    page = citing.page()
    keys = re.findall(r"@inproceedings\{(\w+),", page)
    assert len(set(keys)) == len(keys) == 10
    assert "@software{dpspectra," in page
    assert "author = {Hardt, Moritz and Price, Eric}" in page
    assert "eprint = {1311.2495}" in page
    assert dpspectra.__version__ in page


def test_a_page_tells_what_a_kernel_has_checked(book):
    assert "One inequality checked, by Coq" in statement.statement(book, "MWKTV-T2.4")
    tie = {"labels": ["A", "B"], "theorem": "a", "coverage": "real", "file": "coq/A.v"}
    for kind, checked, told in (
        ("proves", True, "Proved, by Coq 8"),
        ("refutes", True, "Refuted in the kernel, by Coq 8"),
        ("refutes", False, "Not checked as it is now"),
    ):
        page = evidence.theorems({"coq": "8", "statements": [tie | {"kind": kind, "checked": checked}]})
        assert f"* {told}, for A, B (real): theorem `a` in [`proofs_notes/coq/A.v`](../coq/A.v)." in page
    assert evidence.theorems(coq_stamps.checked(get("JXZ-T4"))).count("Refuted in the kernel") >= 1
    assert evidence.theorems({"coq": "8", "statements": []}) == ""


REPORT = {"cases": 11, "vacuous": 0, "undecided": 0, "closest": 0.5, "parts": []}


def test_lists_hold_every_label(book):
    assert re.findall(r"\[(HP-[\w.-]+)\]\(", tables.paper(book, "HP")) == ["HP-D2.1"]
    assert "[1311.2495](https://arxiv.org/abs/1311.2495)" in tables.paper(book, "HP")
    assert {"MWKTV-T2.4", "MWKTV-E61"} <= set(re.findall(r"\[([\w.-]+)\]\(", tables.paper(book, "MWKTV")))
    assert "[MWKTV-T2.4](../statement/MWKTV-T2.4.md)" in tables.chapter(book, "lower_bounds.md")
    headings = re.findall(r"^## (.*)$", tables.chapter(book, "lower_bounds.md"), re.MULTILINE)
    assert headings == [section.title for section in NOTES["lower_bounds.md"].sections.values()]
    text = front.index(book, "# T\n@REFUTED@ @LABELS@", ["guides/a"], [], [])
    assert "[MWKTV-T2.4](statement/MWKTV-T2.4.md)" in text
    assert "guides/a" in text
    assert "@" not in text


def test_every_chapter_is_read_in_the_order_of_the_front_page():
    assert next(iter(NOTES)) == "privacy.md"
    assert {label.chapter for label in labels()} <= {name.removesuffix(".md") for name in NOTES}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("see X-T1 and MWKTV-T2.4.", "see X-T1 and [MWKTV-T2.4](../statement/MWKTV-T2.4.md)."),
        ("(MWKTV-E61)", "([MWKTV-E61](../statement/MWKTV-T2.4.md))"),
        ("`MWKTV-T2.4` $`MWKTV-T2.4`$", "`MWKTV-T2.4` $`MWKTV-T2.4`$"),
        ("[MWKTV-T2.4](orbit.md#a)", "[MWKTV-T2.4](../notes/orbit.md#a)"),
        ("[x](../reference/a.py)", "x"),
        ("```math\nMWKTV-T2.4\n```", "```math\nMWKTV-T2.4\n```"),
        ("MWKTV-T2.4R", "MWKTV-T2.4R"),
    ],
)
def test_labels_in_prose_become_links(text, wanted):
    owner = {"MWKTV-T2.4": "MWKTV-T2.4", "MWKTV-E61": "MWKTV-T2.4"}
    assert links.linked(text, owner, {"orbit.md"}) == wanted


def test_labels_in_docstrings_become_links_but_not_in_examples():
    lines = ["As in HR-T2.6R, not ``HR-T2.6R``.", "", ">>> 1  # HR-T2.6R", "HR-T2.6R", "", "(HR-NONE)"]
    assert interface.with_labels(lines) == [
        "As in :doc:`HR-T2.6R </statement/HR-T2.6R>`, not ``HR-T2.6R``.",
        *lines[1:],
    ]
    array = "ndarray[tuple[Any, ...], dtype[float64]]"
    long = "~numpy.ndarray[tuple[~typing.Any, ...], ~numpy.dtype[~numpy.float64]]"
    assert interface.short(long) == interface.short(array) == "NDArray[float64]"
    assert interface.short("A[TypeAliasForwardRef('B'), ndarray[tuple[Any, ...], dtype[float64]]]") == (
        "A[B, NDArray[float64]]"
    )


def test_pages_hold_no_docstring_of_another_package():
    estimators = pytest.importorskip("dpspectra.estimators")
    listed = {}
    for name in estimators.__all__:
        kind = getattr(estimators, name)
        if not inspect.isclass(kind):
            continue
        members = {member: getattr(kind, member) for member in dir(kind) if not member.startswith("_")}
        listed[name] = {member for member, thing in members.items() if not interface.is_foreign(thing)}
        written_here = [vars(base) for base in kind.__mro__ if base.__module__.startswith("dpspectra.")]
        assert listed[name] == {member for member in members if any(member in names for names in written_here)}
    assert {"fit", "transform", "claim_", "explained_variance_"} <= listed["PrivatePCA"]
    assert interface.is_foreign(str.upper)


def test_links_of_other_pages_stay():
    assert links.with_labels("[x](../y.md), MWKTV-T2.4", {"MWKTV-T2.4": "MWKTV-T2.4"}, "") == (
        "[x](../y.md), [MWKTV-T2.4](statement/MWKTV-T2.4.md)"
    )


@pytest.fixture(scope="module")
def whole():
    """All entries, with what pages of lists and the graph need."""
    entries: dict[str, Any] = {
        e.id: {"labels": e.labels, "verdict": e.verdict.value, "uses": e.uses, "instead": e.instead}
        for e in all_statements()
    }
    for name, entry in entries.items():
        entry["weakest_below"] = {"label": name}
    return Book(entries, {}, [], NOTES)


def test_the_graph_leads_from_a_false_statement_to_what_to_use_instead(whole):
    assert ("MWKTV-T2.4", "MWKTV-T2.4R") in graph_page.instead(whole)
    page = graph_page.page(whole)
    drawn = page.partition('<g class="swaps"')[2].partition("</g>")[0]
    found = set(re.findall(r'data-a="([^"]*)" data-b="([^"]*)"', drawn))
    assert found == set(graph_page.instead(whole))


def test_lists_mark_verdicts_on_a_reading_of_ours(whole):
    page = tables.rows(whole, ["HP-J1.5", "HP-L4.12"])
    first, second = (
        next(line for line in page.splitlines() if f"[{label}]" in line) for label in ("HP-J1.5", "HP-L4.12")
    )
    assert "†" in first
    assert "†" not in second
    assert page.endswith("† The printed formula is not at hand: the verdict is on the reading that is quoted.")
    assert "†" not in tables.rows(whole, ["HP-L4.12"])


def test_every_statement_that_is_not_to_be_relied_on_says_what_to_use(whole):
    weak = {"refuted", "repaired", "corner", "open", "proof-gap"}
    for name, entry in whole.entries.items():
        assert entry["verdict"] not in weak or statement.advice(whole, name)[0].startswith("Use "), name


def test_no_node_of_the_graph_covers_another_and_links_lead_to_the_right():
    owner = {label: entry.id for entry in all_statements() for label in entry.labels}
    uses = {entry.id: sorted({owner[u] for u in entry.uses} - {entry.id}) for entry in all_statements()}
    users = {name: [other for other in uses if name in uses[other]] for name in uses}
    lone = {name for name in uses if not uses[name] and not users[name]}
    chapters = {entry.label: entry.chapter for entry in labels()}
    assert set(graph.layout(uses, users, chapters).places) == uses.keys() - lone
    plan = graph.layout(uses, users, chapters, {min(lone)})
    assert set(plan.places) == (uses.keys() - lone) | {min(lone)}
    for (x, y), (u, v) in itertools.combinations(plan.places.values(), 2):
        assert abs(x - u) >= graph.WIDTH or abs(y - v) >= graph.HEIGHT
    for name, (x, _) in plan.places.items():
        assert all(plan.places[below][0] + graph.WIDTH < x for below in uses[name])
    assert all(0 < x < plan.width - graph.WIDTH and 0 < y < plan.height for x, y in plan.places.values())


@pytest.mark.parametrize(
    ("tree", "wanted"),
    [
        (["mul", "2", ["sub", "1", "x"]], r"2 \cdot \left(1 - x\right)"),
        (["sub", "1", ["add", "1", "-2"]], r"1 - \left(1 + -2\right)"),
        (["div", ["add", "1", "2"], ["exp", "-1/2"]], r"\frac{1 + 2}{e^{-\frac{1}{2}}}"),
        (["mul", "-3", ["sqrt", "2"]], r"\left(-3\right) \cdot \sqrt{2}"),
    ],
)
def test_a_certificate_is_read_as_a_formula(tree, wanted):
    assert infix(tree) == wanted


def test_an_unknown_operation_is_refused():
    with pytest.raises(ValueError, match="operation"):
        infix(["power", "2", "3"])


def test_a_description_is_said_as_it_is():
    page = markup.page("T", description='The sum ``X\'X / n`` says "no".')
    assert yaml.safe_load(page.split("---")[1])["myst"]["html_meta"]["description"] == 'The sum X\'X / n says "no".'


def test_plain_text_stays_plain():
    assert markup.escape("a_b*c <d> |x| $5 [e]") == r"a\_b\*c \<d> \|x\| \$5 \[e\]"
    assert markup.plain("the ``x_1`` of *y*, as `z` does") == r"the `x_1` of \*y\*, as `z` does"
    assert markup.code("a`b|c") == "``a`b|c``"
    assert markup.table(("x",), [["`a|b`"], [r"a\|b"]]).splitlines()[2:] == [r"| `a\|b` |", r"| a\|b |"]
    assert markup.short("abcd", 2) == "ab …"


PLANTED = {
    '<a href="two.html">': [],
    '<a href="two.html#here">': [],
    '<a href="https://example.org/">': [],
    '<a href="three.html">': ["three.html does not exist"],
    '<a href="two.html#there">': ["two.html#there has no such anchor"],
    '<script src="https://example.org/a.js">': ["loads https://example.org/a.js"],
    '<link rel="stylesheet" href="a.css">': ["a.css is missing"],
    "<pre>&lt;Figure size 600x260 with 1 Axes&gt;</pre>": ["1 figures are not drawn"],
    '<code class="bad">': ["1 formulas are not rendered"],
}


@pytest.mark.parametrize("tag", PLANTED)
def test_a_planted_fault_of_a_site_is_seen(tmp_path, tag):
    (tmp_path / "one.html").write_text(tag)
    (tmp_path / "two.html").write_text('<p id="here">')
    found = [fault for fault in check.faults(tmp_path) if "has no page" not in fault]
    assert found == [f"one.html: {fault}" for fault in PLANTED[tag]]


def test_a_label_without_a_page_is_seen(tmp_path):
    (tmp_path / "statement").mkdir()
    (tmp_path / "statement" / "MWKTV-T2.4.html").write_text("")
    missing = {fault.split()[0] for fault in check.faults(tmp_path)}
    assert missing == {label.label for label in labels()} - {"MWKTV-T2.4"}


def test_a_page_shows_its_picture_between_lead_and_statement():
    entry = describe("MWKTV-L8.2") | {"mechanisms": [], "uses": {}}
    entry["weakest_below"] = {"label": "MWKTV-L8.2", "verdict": entry["verdict"]}
    book = Book({"MWKTV-L8.2": entry}, {}, [], read_notes(ROOT / "proofs_notes"))
    page = statement.statement(book, "MWKTV-L8.2")
    places = [page.index(part) for part in ("{.lead}", '<figure class="drawing picture">', "</figure>", "## Statement")]
    assert places == sorted(places)
    assert statement.picture("HP-D2.1") == ""


def test_a_page_says_what_no_instance_would_notice():
    told = evidence.unnoticed(describe("DPS-CFTP"))
    assert told.startswith("### What no instance would notice\n")
    for numbers in describe("DPS-CFTP")["unnoticed"].values():
        assert all(markup.escape(number) in told and markup.escape(why) in told for number, why in numbers.items())
    assert evidence.unnoticed(describe("MWKTV-L8.2")) == ""


@pytest.mark.parametrize(("here", "opened"), [("a", ["Guides"]), ("b", ["Papers"]), ("", ["Guides", "Everything"])])
def test_the_navigation_is_folded_but_for_the_kind_of_the_page(here, opened):
    pages = {"Guides": "a", "Papers": "b", "Everything": "c"}
    tree = "".join(
        f'<p class="caption" role="heading"><span class="caption-text">{kind}</span></p>\n'
        f'<ul><li class="toctree-l1{" current" * (page == here)}"><a href="#">{page}</a></li></ul>\n'
        for kind, page in pages.items()
    )
    folds = re.findall(
        r"<details( open)?><summary.*?text\">(\w+)</span></summary>\s*<ul>.*?>(\w)</a>", navigation.folded(tree)
    )
    assert [(kind, page) for _, kind, page in folds] == list(pages.items())
    assert [kind for is_open, kind, _ in folds if is_open] == opened


def test_pages_of_a_folder_share_a_navigation_that_does_not_name_them():
    app = types.SimpleNamespace(env=types.SimpleNamespace(toctree_includes={"index": ["guides/a"]}))
    shared = navigation.Shared()

    def shown(page):
        context = {"toctree": lambda **options: f"that of {page}"}
        shared(app, page, "page.html", context, None)
        return context["toctree"](collapse=False)

    made_for = {"statement/A": "statement/A", "statement/B": "statement/A", "guides/b": "guides/b", "search": "search"}
    assert {page: shown(page) for page in made_for} == {page: f"that of {other}" for page, other in made_for.items()}
    assert shown("guides/a") == "that of guides/a", "it is marked where it stands"
