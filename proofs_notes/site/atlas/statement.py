"""The page of one statement, and the short pages of its further labels."""

from atlas import markup as md
from atlas.book import AUTHORS, Book, rank
from atlas.evidence import evidence
from atlas.notes import Paragraph
from atlas.sources import pieces, read
from dpspectra.ledger.words import DIFFERENCE, OURS, PRINTED

BROKEN = {"refuted", "repaired", "corner", "open", "proof-gap"}
CHECK = "About the check"
STATED = [lead for lead in OURS if lead != "Statement and proof"]


def statement(book: Book, name: str) -> str:
    """The page of an entry in MyST Markdown."""
    entry, paragraphs = book.entries[name], book.section(name).paragraphs
    about = "\n\n".join(p.text for p in paragraphs if p.lead == CHECK)
    report = book.reports.get(name)
    return md.page(
        md.escape(book.title(name)),
        header(book, name),
        f"{{.lead}}\n{book.sentence(name)}",
        *forms(book, name, paragraphs),
        "## Evidence",
        *evidence(entry, report, book.linked(about)),
        "## Proof",
        *(proof(book, name, paragraphs) or ["The note has no separate proof."]),
        "## Code",
        *code(book, name),
        *support(book, name),
        neighbours(book, name),
        description=f"{name}: {book.labels[name].name}",
        orphan=True,
    )


def header(book: Book, name: str) -> str:
    """Labels, paper, chapter, and the band of the verdict."""
    entry, label = book.entries[name], book.labels[name]
    page = entry["note"].partition(".md#")[0]
    extra = ""
    below = book.weakest(name)
    if rank(book.verdict(below)) < rank(entry["verdict"]) and below != name:
        weak = md.WORDS[book.verdict(below)].lower()
        extra = f'<span>Rests on <a href="{below}.html">{below}</a>, which is only <em>{weak}</em>.</span>'
    also = " ".join(entry["labels"])
    return md.raw(
        f'<p class="meta"><span class="lab">{also}</span> · <a href="../paper/{label.paper}.html">{label.paper}: '
        f'{AUTHORS[label.paper]}</a> · <a href="../notes/{page}.html">{book.notes[page + ".md"].title}</a></p>\n'
        f'<div class="verdict vb-{entry["verdict"]}" role="note"><strong>{md.WORDS[entry["verdict"]]}</strong>'
        f"<span>{entry['meaning']}</span>{extra}</div>"
    )


def forms(book: Book, name: str, paragraphs: list[Paragraph]) -> list[str]:
    """The statement: two cards where the printed form is not ours, else one."""
    entry = book.entries[name]
    verdict = entry["verdict"]
    printed = [book.linked(p.text) for p in paragraphs if p.lead in PRINTED]
    stated = [md.display(entry["claim"]), *(book.linked(p.text) for p in paragraphs if p.lead in STATED)]
    if verdict in BROKEN and printed:
        title = "In one formula" if verdict == "refuted" else "Our form"
        cards = [card("printed", "As printed", printed), card("ours", title, stated)]
        return ["## The two forms", md.box("forms", "\n\n".join(cards), 5), *differences(book, name, paragraphs)]
    title = "As printed" if book.labels[name].origin == "printed" else "Ours"
    return ["## Statement", md.box("forms one", card("ours", title, [*stated, *printed]), 5)]


def differences(book: Book, name: str, paragraphs: list[Paragraph]) -> list[str]:
    """Where the printed form is wrong, in words: the best paragraph of the section that says so."""
    if book.verdict(name) not in BROKEN:
        return []
    told = sorted((p for p in paragraphs if p.lead in DIFFERENCE), key=lambda p: DIFFERENCE.index(p.lead))
    return [book.linked(p.whole) for p in told[:1]]


def card(kind: str, title: str, texts: list[str]) -> str:
    """One card with its title."""
    return md.box(f"form {kind}", "\n\n".join([f"**{title}**", *texts]))


def proof(book: Book, name: str, paragraphs: list[Paragraph]) -> list[str]:
    """What the section says besides what stands above, leads kept."""
    above = differences(book, name, paragraphs)
    rest = [book.linked(p.whole) for p in paragraphs if p.lead not in {*PRINTED, *STATED, CHECK}]
    return [text for text in rest if text not in above]


def code(book: Book, name: str) -> list[str]:
    """The sources in folds, and the commands."""
    told = []
    for module in book.entries[name]["sources"]:
        folds = [md.fold(title, md.fence(text, "python")) for title, text in pieces(read(module))]
        told += [f"Module {md.code(module)}, from top to bottom.", *folds]
    command = md.fence(f"dpspectra show {name}\ndpspectra verify {name}", "bash")
    return [*told, "In a terminal:", command]


def support(book: Book, name: str) -> list[str]:
    """What it rests on, what rests on it, and where mechanisms use it."""
    weak, used = book.weakest(name), book.entries[name]["mechanisms"]
    below = f"Weakest of all below: [{weak}]({weak}.md) {md.chip(book.verdict(weak))}"
    return [
        "## What it rests on",
        listing(book, book.uses[name]),
        below if book.uses[name] else "",
        "## What rests on it",
        listing(book, book.users[name]),
        f"Mechanisms that name it: {', '.join(md.code(f'dpspectra.{mechanism}') for mechanism in used)}."
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
    """The page of a label that another entry owns."""
    name, number = book.owner[label], book.labels[label].number
    where = f" (printed as {md.escape(number)})" if number else ""
    return md.page(
        f"{label}: {md.escape(book.labels[label].name)}",
        f"{label}{where} is the same statement as [{name}]({name}.md) {md.chip(book.verdict(name))}",
        f"{md.escape(book.title(name))}.",
        orphan=True,
    )
