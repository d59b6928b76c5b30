"""The Markdown pages: formulas in the form GitHub renders, whole table cells, one sentence a line in the notes."""

import re

import pytest

from tests.support.helpers import ROOT

NOTES = sorted((ROOT / "proofs_notes").rglob("*.md"))
PAGES = [*(ROOT / name for name in ("README.md", "examples/README.md", "CONTRIBUTING.md", "CHANGELOG.md")), *NOTES]

INLINE = re.compile(r"\$`([^`]*)`\$")
CODE = re.compile(r"`[^`]*`")
LABEL = re.compile(r"(\*\*?)[^*]+[.:]\1(?!\*)")  # **Statement.** or *Ties.* before a sentence
MARKER = re.compile(r"^\s*(?:[*+-]|\d+\.)\s")
TWO_SENTENCES = re.compile(r"(\S*[.!?])[)\"”\]]*\s+(?=[(\[\"“*]*[A-Z]|\([a-z]+\)|\*[a-z])")
ABBREVIATIONS = {"e.g.", "i.e.", "cf.", "resp.", "J.", "C.", "E.", "S."}  # the capitals are initials of authors


def outside_fences(text):
    """The numbered lines outside fenced blocks, the formulas of the math blocks, and the fences that are wrong."""
    lines, formulas, faults = [], [], []
    opened = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip().startswith("```"):
            info = line.strip()[3:]
            if opened is not None and info:
                faults.append((number, f"```{info} inside an open fence"))
            opened = None if opened is not None and not info else info
        elif opened is None:
            lines.append((number, line))
        elif opened == "math":
            formulas.append((number, line))
    if opened is not None:
        faults.append((number, "fence without end"))
    return lines, formulas, faults


def faults_of_formula(number, formula):
    found = []
    if r"\operatorname" in formula:
        found.append((number, r"\operatorname is not allowed on GitHub"))
    if r"\|" in formula:
        found.append((number, r"\| in a formula: write \lVert, \rVert or \Vert"))
    return found


def faults_of_line(number, line):
    """What GitHub would not render as meant in one line of Markdown outside fences."""
    found = [fault for formula in INLINE.findall(line) for fault in faults_of_formula(number, formula)]
    if line.startswith("|") and any("|" in formula for formula in INLINE.findall(line)):
        found.append((number, "| in a formula of a table"))
    if line.startswith("#") and INLINE.search(line):
        found.append((number, "formula in a heading"))
    if re.search(r"[\w-]\$`", line) or re.search(r"`\$\w", line):
        found.append((number, "formula without a space or a bracket beside it"))
    rest = CODE.sub("", INLINE.sub("", line))
    if "$" in rest:
        found.append((number, "bare $"))
    if r"\operatorname" in rest:
        found.append((number, r"\operatorname is not allowed on GitHub"))
    return found


def uneven_rows(lines):
    """Rows of tables that have another number of cells than the row above."""
    bars = {number: len(re.findall(r"(?<!\\)\|", line)) for number, line in lines if line.startswith("|")}
    return [
        (number, "row with another number of cells")
        for number in bars
        if bars.get(number - 1, bars[number]) != bars[number]
    ]


def rendering_faults(text):
    """Pairs of line number and fault of a whole page."""
    lines, formulas, found = outside_fences(text)
    found += uneven_rows(lines)
    found += [fault for number, formula in formulas for fault in faults_of_formula(number, formula)]
    return found + [fault for number, line in lines for fault in faults_of_line(number, line)]


def has_two_sentences(line):
    """Whether a full stop and a new sentence are found in the line; formulas count as capitals, labels do not count."""
    plain = INLINE.sub(lambda formula: "X." if formula[1].endswith(".") else "X", line.replace(r"$`\square`$", ""))
    plain = LABEL.sub("", MARKER.sub("", CODE.sub("X", plain)))
    return any(end.lstrip('(["“') not in ABBREVIATIONS for end in TWO_SENTENCES.findall(plain))


def crowded_lines(text):
    """Numbers of the lines of prose that hold more than one sentence."""
    lines, _, _ = outside_fences(text)
    return [number for number, line in lines if not line.startswith(("|", "#")) and has_two_sentences(line)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_formulas_of_a_page_render(page):
    assert rendering_faults(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", NOTES, ids=lambda page: page.name)
def test_a_line_of_the_notes_holds_one_sentence(page):
    assert crowded_lines(page.read_text(encoding="utf-8")) == []


GOOD = r"""# Page

**Proof.** Let $`x`$ be, i.e. $`\lVert x\rVert=\lvert y\rvert`$ (for $`x`$), `cost $5 | 6`.
*Ties.* Done. $`\square`$

```math
\mathrm{tr}\,A=|b|
```

| a | $`\lvert x\rvert`$ |
|---|---|
| \|\|a\|\| | b |

1. Item of one sentence.

```bash
echo $HOME
```
"""


def test_a_page_without_faults_has_none():
    assert rendering_faults(GOOD) == []
    assert crowded_lines(GOOD) == []


@pytest.mark.parametrize(
    ("planted", "fault"),
    [
        (r"Let $`\operatorname{tr}A`$.", r"\operatorname is not allowed on GitHub"),
        ("```math\n\\operatorname{tr}A\n```", r"\operatorname is not allowed on GitHub"),
        ("Let $x$ be.", "bare $"),
        ("$$x$$", "bare $"),
        ("Let $`x$ be.", "bare $"),
        (r"Let $`\|x\|`$ be.", r"\| in a formula: write \lVert, \rVert or \Vert"),
        ("```math\n\\|x\\|\n```", r"\| in a formula: write \lVert, \rVert or \Vert"),
        ("| a | $`|x|`$ |", "| in a formula of a table"),
        ("| a | b |\n|---|---|\n| norm ||A|| | b |", "row with another number of cells"),
        ("```math\nx", "fence without end"),
        ("```math\nx\n```math\ny\n```", "```math inside an open fence"),
        ("## The case $`x`$", "formula in a heading"),
        ("The top-$`k`$ space.", "formula without a space or a bracket beside it"),
        ("The $`k`$th place.", "formula without a space or a bracket beside it"),
    ],
)
def test_a_planted_form_is_seen(planted, fault):
    assert {name for _, name in rendering_faults(f"{GOOD}\n{planted}\n")} == {fault}


@pytest.mark.parametrize(
    "planted",
    [
        "It holds. The other too.",
        "It holds for $`x`$. $`Y`$ is next.",
        "It holds for $`x=y.`$ The other too.",
        "It holds. *entry*: one number.",
        "* It holds (see above). (b) The other too.",
        "**Proof.** It holds! The other too.",
        "   It holds. `Code` does, e.g. this.",
    ],
)
def test_two_planted_sentences_are_seen(planted):
    number = len(GOOD.splitlines()) + 2
    assert crowded_lines(f"{GOOD}\n{planted}\n") == [number]
