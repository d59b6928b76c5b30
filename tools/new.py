"""``python -m tools.new``: start a statement: its module, row and section of the notes, to be filled in."""

import argparse
import csv
import io
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import dpspectra
from dpspectra import cli
from dpspectra.commands.arguments import argument, option
from dpspectra.commands.options import Told
from dpspectra.ground import values
from dpspectra.ledger import notes
from dpspectra.ledger.baseline import recorded
from dpspectra.ledger.entry import Verdict
from dpspectra.ledger.papers import PAPERS, Label, labels
from dpspectra.ledger.registry import modules
from dpspectra.report import command_output
from dpspectra.report.files import write_texts
from tools import template

FORM = re.compile(rf"({'|'.join(PAPERS)})-[A-Z](?:[A-Za-z0-9.]*[A-Za-z0-9])?")
"""A label: the key of a paper, a capital letter, then letters, digits and dots."""
TITLE = re.compile(r"[A-Za-z][\w ,.;:()'/+-]*")
"""A title: it becomes the name of a module and a heading."""
GUARDS = "pytest tests/site/test_notes.py tests/whole/test_definitions.py tests/whole/test_shape.py"
"""Tests that see what no run of one statement does, such as a definition that now has two users and no known value."""
LONGEST = 80
"""Characters of a title."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRequest(Told):
    """Options of ``python -m tools.new``."""

    label: str = argument("such as DPS-EXAMPLE, or MWKTV-L6.1 for what is printed", "LABEL")
    chapter: str = option("folder of the lemmas, such as orbit", "CHAPTER")
    page: str | None = option("page of the notes, such as orbit_large.md (default: CHAPTER.md)", "PAGE")
    title: str | None = option("what it says, in a few words (default: the end of the label)", "WORDS")
    number: str | None = option("as printed, such as 'Lemma 6.1' (default: it is ours)", "WORDS")
    kind: str | None = option("such as lemma (default: by the number; new if it is ours)", "KIND")
    verdict: str | None = option("default: verified for what is printed, new for what is ours", "VERDICT")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the list, as it stands in the file."""

    label: str
    kind: str
    number: str
    verdict: Verdict
    name: str


def parser() -> argparse.ArgumentParser:
    """Return the grammar of the command."""
    text = "Start a statement in this checkout: its module, its row in the list, its note."
    new = argparse.ArgumentParser("python -m tools.new", description=text, allow_abbrev=False)
    new.set_defaults(run=lambda args: run(NewRequest.of(args)), called="new")
    NewRequest.declare(new)
    return new


def main(argv: Sequence[str] | None = None) -> int:
    """Read the command line, run, and return the exit status."""
    return cli.answer(parser().parse_args(argv))


def run(request: NewRequest) -> int:
    """Write the files and say what to do next. Raises ``ValueError`` for bad input; then nothing is written."""
    root = checkout()
    values.choice(request.chapter, "--chapter", chapters())
    page = f"{request.chapter}.md" if request.page is None else request.page
    values.choice(page, "--page", pages(root, request.chapter))
    listed = _listed(request.label)
    row = _row(request) if listed is None else _known(listed, request)
    texts = _files(root, row, request.chapter, page, request.title or row.name, listed is None)
    write_texts(texts)
    wrote = [path.relative_to(root).as_posix() for path in texts]
    then = [f"dpspectra verify {row.label}", "make notes", f"dpspectra verify {row.label} --challenge", GUARDS]
    last = f"Fill in what `{then[0]}` names, run `{then[1]}`, then `{then[2]}`, at last `{GUARDS}`."
    command_output.say(request.json, "\n".join([*(f"wrote  {path}" for path in wrote), last]))
    command_output.put(request.json, lambda: json.dumps({"label": row.label, "wrote": wrote, "then": then}, indent=1))
    return 0


def checkout() -> Path:
    """Return the top of this checkout; raise ``ValueError`` if the package is imported from elsewhere."""
    root, package = Path(__file__).parents[1], Path(dpspectra.__file__).parent
    if package.parents[1] != root or notes.folder() != root / "proofs_notes":
        raise ValueError(
            f"dpspectra must be imported from this checkout to start a statement in it, got {package}: "
            "run `pip install --editable .` here"
        )
    return root


def chapters() -> list[str]:
    """Return the chapters, by name."""
    return sorted({each.chapter for each in recorded().values()})


def pages(root: Path, chapter: str) -> list[str]:
    """Return the pages of the notes of a chapter, the main one first."""
    folder = root / "proofs_notes"
    return [f"{chapter}.md", *sorted(path.name for path in folder.glob(f"{chapter}_*.md"))]


def kinds() -> list[str]:
    """Return the kinds of statement that the list knows, by name."""
    return sorted({label.kind for label in labels()})


def _listed(name: str) -> Label | None:
    """Return the row of a label that the list has and no module carries; ``None`` if the label is new."""
    if not FORM.fullmatch(name):
        raise ValueError(
            f"the label must be one of {', '.join(PAPERS)}, a hyphen, a capital letter and then letters, digits or "
            f"dots, such as DPS-EXAMPLE, got {values.shown(name)}"
        )
    found = next((label for label in labels() if label.label.lower() == name.lower()), None)
    label = found.label if found else name
    if label in modules():
        raise ValueError(f"the label must be new, got {label}: it is carried by {modules()[label]}; say another one")
    return found


def _known(listed: Label, request: NewRequest) -> Row:
    """Return the row that the list has already; nothing but the title may be said of it."""
    for name in ("kind", "number", "verdict"):
        if getattr(request, name) is not None:
            raise ValueError(f"--{name} must be left out, as {listed.label} is in labels.csv: change its row there")
    return Row(listed.label, listed.kind, listed.number, listed.verdict, listed.name)


def _row(request: NewRequest) -> Row:
    number = "" if request.number is None else _plain(request.number, "--number", re.compile(r"[\w(][\w ,.()'-]*"))
    verdict = Verdict.VERIFIED if number else Verdict.NEW
    if request.verdict is not None:
        verdict = Verdict(values.choice(request.verdict, "--verdict", list(Verdict)))
    name = request.label.partition("-")[2].lower() if request.title is None else request.title
    return Row(request.label, _kind(request.kind, number), number, verdict, _plain(name, "--title", TITLE))


def _kind(kind: str | None, number: str) -> str:
    if kind is None:
        kind = "equation" if number.startswith("(") else number.partition(" ")[0].lower() if number else "new"
    return values.choice(kind, "--kind", kinds())


def _plain(text: str, option: str, form: re.Pattern[str]) -> str:
    if not form.fullmatch(text) or len(text) > LONGEST:
        raise ValueError(
            f"{option} must be at most {LONGEST} letters, digits, spaces and marks such as , . ( ) ' -, "
            f"and begin with a letter, got {values.shown(text)}"
        )
    return text


def _files(root: Path, row: Row, chapter: str, name: str, title: str, new: bool) -> dict[Path, str]:
    """Return the files to write, with their texts."""
    title = _plain(title, "--title", TITLE)
    stem = "_".join(re.findall(r"[a-z0-9]+", title.lower()))
    book, page = root / "reference" / "dpspectra" / "lemmas", root / "proofs_notes" / name
    same = [path for path in book.glob("*/*.py") if path.stem == stem]
    heading, text = title[0].upper() + title[1:], page.read_text(encoding="utf-8")
    if same or notes.anchor(heading) in {notes.anchor(line[3:]) for line in text.splitlines() if line[:3] == "## "}:
        taken = same[0].relative_to(root) if same else f"a section of {page.relative_to(root)}"
        raise ValueError(f"--title must name something new, got {title!r}, as {taken} is called: say another one")
    note = f"{page.name}#{notes.anchor(heading)}"
    found = {
        book / chapter / f"{stem}.py": template.module(
            stem, row.label, title, row.verdict, note, printed=bool(row.number)
        ),
        page: f"{text}\n{template.section(row.label, heading, row.number, row.verdict)}",
    }
    return found | (_list(root, row) if new else {})


def _list(root: Path, row: Row) -> dict[Path, str]:
    """Return the list with one more row, the last of its paper, or of all if it is the first one."""
    file = root / "reference" / "dpspectra" / "ledger" / "labels.csv"
    lines, out = file.read_text(encoding="utf-8").splitlines(), io.StringIO()
    csv.writer(out, lineterminator="").writerow((row.label, row.kind, row.number, row.verdict, row.name))
    paper = f"{row.label.partition('-')[0]}-"
    last = max((place for place, line in enumerate(lines) if line.startswith(paper)), default=len(lines) - 1)
    return {file: "\n".join([*lines[: last + 1], out.getvalue(), *lines[last + 1 :], ""])}


if __name__ == "__main__":
    sys.exit(main())
