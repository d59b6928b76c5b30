"""The page of one statement, and the short pages of its further labels."""

import html
import importlib
from collections.abc import Mapping
from typing import Any

from atlas import markup as md
from atlas.book import AUTHORS, Book
from atlas.evidence import counterexample, evidence
from atlas.notes import Paragraph
from atlas.sources import pieces, read
from dpspectra.ledger import Verdict, get
from dpspectra.ledger.words import DIFFERENCE, OURS, PRINTED
from dpspectra.report import pictures

FALSE = {"refuted", "repaired", "corner"}
BROKEN = FALSE | {"open", "proof-gap"}
USABLE = {
    "refuted": "Use instead: what is true, below.",
    "repaired": "Use instead: our form below.",
    "corner": "Use instead: our form below.",
    "proof-gap": "Use the claim with our proof below instead of the printed one.",
    "open": "Use instead: what we prove, below.",
}
"""What to use of a statement that names no other one."""
CHECK = "About the check"
STATED = [lead for lead in OURS if lead != "Statement and proof"]


def statement(book: Book, name: str) -> str:
    """Return the page of an entry in MyST Markdown."""
    entry, paragraphs = book.entries[name], book.section(name).paragraphs
    about = "\n\n".join(p.text for p in paragraphs if p.lead == CHECK)
    report = book.reports.get(name)
    return md.page(
        md.escape(title(book, name)),
        header(book, name),
        f"{{.lead}}\n{book.sentence(name)}",
        picture(name),
        "## Statement",
        *forms(book, name, paragraphs),
        letters(book, name),
        calculator(name),
        *(md.fold("How we read what is printed", book.linked(p.text)) for p in paragraphs if p.lead in PRINTED),
        *failure(book, name, paragraphs),
        "## Proof",
        *(proof(book, name, paragraphs) or ["The note has no separate proof."]),
        "## Evidence",
        *evidence(entry, report, book.linked(about)),
        "## Code",
        *code(book, name),
        *support(book, name),
        neighbours(book, name),
        description=f"{name}, {md.WORDS[entry['verdict']].lower()}: {' '.join(entry['summary'].split())}",
        orphan=True,
    )


def title(book: Book, name: str) -> str:
    """Return the title of an entry, which says of a false or unproved claim that it is one."""
    verdict = book.verdict(name)
    warning = "false as printed" if verdict in FALSE else verdict if verdict in {"open", "conjecture"} else ""
    return f"{book.title(name)} ({warning})" if warning else book.title(name)


def header(book: Book, name: str) -> str:
    """Labels, paper, chapter, and the band of the verdict with what to use instead."""
    entry, label = book.entries[name], book.labels[name]
    page = entry["note"].partition(".md#")[0]
    extra = "".join(f"<span>{line}</span>" for line in advice(book, name))
    also = " ".join(entry["labels"])
    return md.raw(
        f'<p class="meta"><span class="lab">{also}</span> · <a href="../paper/{label.paper}.html">{label.paper}: '
        f'{AUTHORS[label.paper]}</a> · <a href="../notes/{page}.html">{book.notes[page + ".md"].title}</a></p>\n'
        f'<div class="verdict vb-{entry["verdict"]}" role="note"><strong>{md.WORDS[entry["verdict"]]}</strong>'
        f"<span>{entry['meaning']}</span>{extra}</div>"
    )


def picture(name: str) -> str:
    """Return the picture of an entry, if it has one."""
    drawn = pictures.html(name)
    return md.raw(drawn) if drawn else ""


def advice(book: Book, name: str) -> list[str]:
    """Return the substitute for a false statement, and the weak ground that a true one stands on, as HTML."""
    found = []
    if others := book.entries[name]["instead"]:
        links = [f'<a href="{other}.html">{other}</a> ({html.escape(book.labels[other].name)})' for other in others]
        found.append(f"Use instead: {'; '.join(links)}.")
    elif usable := USABLE.get(book.verdict(name)):
        found.append(usable)
    below = book.weakest(name)
    if below != name and Verdict(book.verdict(below)).unproved:
        weak = md.WORDS[book.verdict(below)].lower()
        found.append(f'Rests on <a href="{below}.html">{below}</a>: {weak}.')
    return found


def forms(book: Book, name: str, paragraphs: list[Paragraph]) -> list[str]:
    """Return a card for each paper's print, and one for the form that is checked here.

    For a refuted statement they are one card.
    """
    verdict = book.verdict(name)
    told = formulas(book.entries[name])
    stated = [book.linked(p.text) for p in paragraphs if p.lead in STATED]
    printed = wordings(book, name)
    if verdict == "refuted":
        true = [card("ours", "What is true", stated)] if stated else []
        return [md.box("forms", "\n\n".join([card("printed", "As printed, and false", [*printed, *told]), *true]), 5)]
    title = "Our form" if verdict in FALSE else "As checked here" if printed else "Statement"
    cards = [card("printed" if verdict in FALSE else "paper", "As printed", printed)] if printed else []
    return [md.box("forms", "\n\n".join([*cards, card("ours", title, [*told, *stated])]), 5)]


def formulas(entry: Mapping[str, Any]) -> list[str]:
    """Return what is given, and the formula of each part, under its name where there are several."""
    parts = {"given": entry["given"]} | entry["formulas"]
    named = {name[:1].upper() + name[1:]: md.display(tex) for name, tex in parts.items() if tex}
    return [f"{md.escape(name)}:\n\n{shown}" for name, shown in named.items()] if len(named) > 1 else [*named.values()]


def wordings(book: Book, name: str) -> list[str]:
    """How the papers word the statement: formula and words as printed, or that they are not at hand."""
    found = []
    for label in (book.labels[label] for label in book.entries[name]["labels"]):
        if wording := get(name).wording(label.label):
            where = f"**{md.escape(label.number)}.** " if label.number else ""
            found.append(where + book.linked(wording))
    return found


def letters(book: Book, name: str) -> str:
    """Return what each letter of the claim means, as a list of terms."""
    rows = [(sign["sign"], sign["meaning"]) for sign in book.entries[name]["symbols"]]
    told = "\n\n".join(f"${sign}$\n: {book.linked(meaning)}" for sign, meaning in rows)
    return md.box("symbols", f"### Symbols\n\n{told}") if rows else ""


def calculator(name: str) -> str:
    """Return a link to the calculator of a statement, if it has one."""
    known = importlib.import_module("plays.calculators").CALCULATORS
    places = [place for place, one in known.items() if one.statement == name]
    return "".join(f"[How large must epsilon be? Compute it.](../plays/calculators.md#{place})" for place in places)


def failure(book: Book, name: str, paragraphs: list[Paragraph]) -> list[str]:
    """Where the printed form or its proof fails: the counterexample, and in words."""
    if book.verdict(name) not in BROKEN:
        return []
    return [*differences(book, name, paragraphs), counterexample(book.entries[name])]


def differences(book: Book, name: str, paragraphs: list[Paragraph]) -> list[str]:
    """Return the best paragraph of the section that says where the printed form fails."""
    told = sorted((p for p in paragraphs if p.lead in DIFFERENCE), key=lambda p: DIFFERENCE.index(p.lead))
    return [book.linked(p.whole) for p in told[:1]] if book.verdict(name) in BROKEN else []


def card(kind: str, title: str, texts: list[str]) -> str:
    """One card with its title."""
    return md.box(f"form {kind}", "\n\n".join([f"**{title}**", *texts]))


def proof(book: Book, name: str, paragraphs: list[Paragraph]) -> list[str]:
    """Return the rest of the section, leads kept."""
    above = differences(book, name, paragraphs)
    rest = [book.linked(p.whole) for p in paragraphs if p.lead not in {*PRINTED, *STATED, CHECK}]
    return [text for text in rest if text not in above]


def code(book: Book, name: str) -> list[str]:
    """Return the sources in folds, and the commands."""
    module = book.entries[name]["module"]
    folds = [md.fold(title, md.fence(text, "python")) for title, text in pieces(read(module))]
    command = md.fence(f"dpspectra show {name}\ndpspectra verify {name}", "bash")
    return [f"Module {md.code(module)}, from top to bottom.", *folds, "In a terminal:", command]


def support(book: Book, name: str) -> list[str]:
    """Return the statements that it rests on, those that rest on it, and the mechanisms that use it."""
    weak, used = book.weakest(name), book.entries[name]["mechanisms"]
    below = f"Weakest of all below: [{weak}]({weak}.md) {md.chip(book.verdict(weak))}"
    return [
        "## What it rests on",
        listing(book, book.uses[name]),
        below if book.uses[name] and weak != name else "",
        "## What rests on it",
        listing(book, book.users[name]),
        f"Mechanisms that name it: {', '.join(f'{{py:obj}}`~dpspectra.{mechanism}`' for mechanism in used)}."
        if used
        else "",
        md.raw(f'<p><a href="../graph.html#{name}">See it in the graph</a></p>'),
    ]


def listing(book: Book, names: list[str]) -> str:
    """Entries with verdicts and names."""
    rows = [
        f"* [{name}]({name}.md) {md.chip(book.verdict(name))} {md.escape(book.labels[name].name)}" for name in names
    ]
    return "\n".join(rows) or "Nothing else in the ledger."


def neighbours(book: Book, name: str) -> str:
    """Links to the statements before and after in printed order."""
    place = book.order.index(name)
    links = []
    if place > 0:
        before = book.order[place - 1]
        links.append(f'<a rel="prev" href="{before}.html">← {before}</a>')
    if place + 1 < len(book.order):
        after = book.order[place + 1]
        links.append(f'<a rel="next" href="{after}.html">{after} →</a>')
    return md.raw(f'<nav class="steps" aria-label="In printed order">{" ".join(links)}</nav>')


def further_label(book: Book, label: str) -> str:
    """Return the page of a label that another entry owns."""
    name, number = book.owner[label], book.labels[label].number
    where = f", printed as {md.escape(number)}," if number else ""
    return md.page(
        f"{label}: {md.escape(book.labels[label].name)}",
        f"{label}{where} is the same statement as [{name}]({name}.md) {md.chip(book.verdict(name))}",
        f"{md.escape(book.title(name))}.",
        orphan=True,
    )
