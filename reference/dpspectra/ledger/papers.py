"""Every numbered statement of the four papers, later ones, and ours, with the verdict that each is expected to have.

The list is data (``labels.csv`` beside this module), in printed order, written by hand. It is what "nothing is missing"
is measured against: a label without an entry in the book shows as ``missing``. The chapter and the parts of an entry
come from `dpspectra.ledger.baseline`; how a paper words it stands in the entry.

Do not change lightly: the first column of ``labels.csv`` is the permanent identity of a statement.
"""

from __future__ import annotations

import difflib
import functools
import re
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from dpspectra.ground import values
from dpspectra.ledger import baseline, tables
from dpspectra.ledger.entry import Verdict

PAPERS = {
    "MWKTV": "Oren Mangoubi, Yikai Wu, Satyen Kale, Abhradeep Thakurta, Nisheeth Vishnoi, "
    "Private Matrix Approximation and Geometry of Unitary Orbits, COLT 2022, PMLR 178:3547-3588, arXiv:2207.02794",
    "JXZ": "Wuxuan Jiang, Cong Xie, Zhihua Zhang, Wishart Mechanism for Differentially Private Principal Components "
    "Analysis, AAAI 2016, doi:10.1609/aaai.v30i1.10185, arXiv:1511.05680",
    "HP": "Moritz Hardt, Eric Price, The Noisy Power Method: A Meta Algorithm with Applications, "
    "NIPS 2014, arXiv:1311.2495",
    "HR": "Moritz Hardt, Aaron Roth, Beating Randomized Response on Incoherent Matrices, STOC 2012, arXiv:1111.0623",
    "AFTER": "After the four papers, on low rank: Tran, Vishnoi, Vu, NeurIPS 2025, arXiv:2510.25670, and Mangoubi, "
    "Vishnoi, NeurIPS 2022, arXiv:2211.06418; on traces: Dong, Liang, Yi, NeurIPS 2022, arXiv:2205.14324; on Renyi "
    "divergences: Lev and others, NeurIPS 2025, arXiv:2505.24603; on nuclear norms: d'Orsi, Novikov, ALT 2026, "
    "arXiv:2510.26717; on lower bounds: Dwork, Talwar, Thakurta, Zhang, STOC 2014, doi:10.1145/2591796.2591883",
    "DPS": "Statements of this project: exact samplers and the auditor",
}
"""Full references; the keys are the first part of every label."""
LISTED = f"dpspectra paper with one of {', '.join(PAPERS)} lists them"
NEAR, ROOM = 5, 90
"""Statements that an unknown name is answered with, and letters of their names."""
WIDTH = 88
"""Columns of a line of text on a terminal."""
SYNONYMS = {
    "incoherent": "coherence",
    "incoherence": "coherence",
    "eigengap": "gap",
    "minimax": "lower bound",
    "impossible": "lower bound",
    "wrong": "refuted",
    "false": "refuted",
    "fixed": "repaired",
    "subspace": "angle",
    "sketching": "range",
    "svd": "low-rank",
    "ppm": "power",
    "npm": "power",
    "pfp": "project",
    "exponential mechanism": "orbit",
    "ldp": "private",
    "sine": "sin-theta",
    "wedin": "sin-theta",
}
"""Words that people type, and the word that statements have for them."""
SHORT = {"thm": "theorem", "lem": "lemma", "cor": "corollary", "prop": "proposition", "def": "definition"}
"""Kinds of statements as people shorten them."""
DISPLAY = re.compile(r"\b(?:eq\.?|equation) *\(?(\d+)\)?(?!\w)")
"""A displayed formula as people name it; it is printed with its number in parentheses alone."""

AFTER_PLACE = re.compile(r",? \(.*\)$|, .*")
"""Words of a printed number after the place: ``(overview)`` of ``Section 4.1 (overview)``."""
LIKE_A_LABEL = re.compile(rf"({'|'.join(PAPERS).lower()})-?[a-z]*\d\S*")
"""A name that is written as a label is."""
PAPER_LAST = re.compile(rf"^(.+?) (?:of|in|from) ({'|'.join(PAPERS).lower()})$")
"""A statement whose paper is named after it."""


def filled(text: str, indent: str = "", first: str | None = None) -> list[str]:
    """Fill lines of a terminal with the text, each after ``indent``, the first after ``first``.

    A long number or formula is cut anywhere.
    """
    return textwrap.wrap(
        text, WIDTH, initial_indent=indent if first is None else first, subsequent_indent=indent, break_on_hyphens=False
    )


def citation(paper: str) -> str:
    """Return the reference of a paper in lines for a terminal."""
    return textwrap.fill(PAPERS[paper], WIDTH)


@dataclass(frozen=True, slots=True)
class Label:
    """Hold one row of the list: a statement by its ``label``, its place in a paper, and the expected ``verdict``."""

    label: str
    kind: str
    """Such as ``theorem`` or ``equation``; ``new`` for most of ours."""
    number: str
    """As printed; empty for ours."""
    verdict: Verdict
    name: str
    """Title in a few words."""
    entry: str
    """Label of the entry that carries this one; empty while none is recorded."""
    chapter: str
    """Folder of `dpspectra.lemmas` in which the entry stands; empty while none is recorded."""
    parts: tuple[str, ...]
    """Names of the parts of the entry that are judged; none where a printed form is refuted and nothing stands."""

    @property
    def paper(self) -> str:
        """Key of the paper."""
        return self.label.partition("-")[0]

    @property
    def origin(self) -> str:
        """``printed`` or ``ours``."""
        return "printed" if self.number else "ours"


@functools.cache
def labels() -> tuple[Label, ...]:
    """Return every label in printed order.

    Returns
    -------
    tuple of Label
        Those of all papers, and ours.

    Examples
    --------
    >>> [label.label for label in labels() if label.paper == "JXZ"][:3]
    ['JXZ-D1', 'JXZ-D2', 'JXZ-D3']

    """
    return tuple(map(_label, tables.rows("labels.csv")))


def _label(row: dict[str, Any]) -> Label:
    found, verdict = baseline.of(row["label"]), Verdict(row["verdict"])
    told = {"entry": found.labels[0], "chapter": found.chapter, "parts": found.parts}
    return Label(**row | {"verdict": verdict} | told)


def resolve(name: str) -> Label:
    """Return the label that is meant: by itself, by its end (``L8.2``), or as printed (``Lemma 8.2``), if one has it.

    The case does not matter, but that an end of letters alone is in capitals: ``rank`` is a word to be looked for.
    Raises ``ValueError`` for a name that several labels or none can mean, with those that come nearest.
    """
    wanted = PAPER_LAST.sub(r"\2 \1", name.strip().lower().replace("θ", "-theta"))
    is_word = wanted.isalpha() and not name.strip().isupper()
    rules: tuple[Callable[[Label], bool], ...] = (
        lambda entry: _bare(entry.label) == _bare(wanted),
        lambda entry: not is_word and entry.label.partition("-")[2].lower() == wanted,
        lambda entry: _is_number(wanted, entry, entry.number),
        lambda entry: _is_number(wanted, entry, AFTER_PLACE.sub("", entry.number)),
    )
    found = next((some for rule in rules if (some := [*filter(rule, labels())])), [])
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(f"expected a label of the ledger, got {name!r}, which may be {_listed(found)}")
    raise ValueError(f"expected a label of the ledger such as MWKTV-L6.1, got {name!r}{near(wanted)}")


def _bare(label: str) -> str:
    return re.sub(r"[\s-]", "", label.lower())


def _is_number(wanted: str, entry: Label, number: str) -> bool:
    """Whether a name is the printed number of an entry, with or without its paper; ours have none."""
    return bool(number) and _squeezed(wanted) in (_squeezed(number), _squeezed(f"{entry.paper} {number}"))


def _squeezed(number: str) -> str:
    """Return a printed number in one form, whatever its blanks and however its kind is shortened."""
    words = DISPLAY.sub(r"(\1)", number.lower()).split()
    return "".join(SHORT.get(word.rstrip("."), word) for word in words)


def _listed(found: Iterable[Label]) -> str:
    return ", ".join(entry.label for entry in found)


def near(wanted: str) -> str:
    """Labels that are written nearly like this one, or whose printed number or name has these words."""
    if (key := wanted.upper()) in PAPERS:
        return f"; {key} is a paper: dpspectra paper {key} lists its statements, dpspectra verify takes --paper {key}"
    spelled = {key: entry for entry in labels() for key in (entry.label.lower(), entry.label.partition("-")[2].lower())}
    words = [word.strip("().,") for word in re.split(r"[\s-]+", wanted)]
    found = [spelled[wanted]] if wanted in spelled else []
    alike = [spelled[key] for key in difflib.get_close_matches(wanted, spelled, n=3, cutoff=0.7)]
    found += alike if LIKE_A_LABEL.fullmatch(wanted) else []
    found += _numbered(words) or _with_words([word for word in words if len(word) > 2])
    found += alike
    found, shown, room = list(dict.fromkeys(found)), [], ROOM
    for entry in found[:NEAR]:
        room -= len(entry.name)
        shown.append(f"{entry.label} ({entry.name})" if room >= 0 else entry.label)
    more = [f"{len(found) - NEAR} more: name a further word"] if len(found) > NEAR else []
    return f"; near it are {', '.join([*shown, *more])}" if found else f"; {LISTED}"


def _numbered(words: list[str]) -> list[Label]:
    """Labels whose printed number is among these words, by how many of the others their number and name have.

    Editions differ in the kind, seldom in the number.
    """
    found = [entry for entry in labels() if not set(words).isdisjoint(_numbers(entry.number))]
    return sorted(
        found, key=lambda entry: -sum(word in f"{entry.number} {entry.name} {entry.label}".lower() for word in words)
    )


def _numbers(number: str) -> list[str]:
    """Return the parts of a printed number with a digit, and its last part, which may be the letter of an appendix."""
    parts = [part.strip("(),") for part in number.lower().split()]
    return [part for part in parts if re.search(r"\d", part)] + parts[-1:]


def _with_words(words: list[str]) -> list[Label]:
    """Labels whose names have these words; after them, if they are few, those whose notes do."""
    from dpspectra.ledger import notes  # the list itself needs none

    def has(name: str) -> bool:
        forms = ({word, SYNONYMS.get(word, word)} for word in words)
        return all(any(form in name or form in name.replace("-", "") for form in known) for known in forms)

    named = [entry for entry in labels() if words and has(entry.name.lower())]
    told = notes.telling_of(words) if words and len(named) < NEAR else ()
    return named + [entry for entry in labels() if entry.label in told]


def select(names: list[str], paper: str | None = None) -> list[Label]:
    """Return the labels named by label or by chapter, restricted to a paper.

    Parameters
    ----------
    names
        Labels and chapters; all if there are none.
    paper
        Name of a paper; None for all.

    Returns
    -------
    list of Label
        In printed order.

    Raises
    ------
    ValueError
        For a name that is neither, or an unknown paper.

    """
    if paper is not None:
        values.choice(paper, "paper", PAPERS)
    if not isinstance(names, (list, tuple)):
        raise ValueError(f"names must be a list of labels and chapters, got {values.shown(names)}")
    known = {n for entry in labels() for n in (entry.label, entry.chapter) if n}
    for name in names:
        if not isinstance(name, str) or name not in known:
            hint = near(name.lower()) if isinstance(name, str) else ""
            raise ValueError(f"expected a label or a chapter of the ledger, got {values.shown(name)}{hint}")
    return [
        entry
        for entry in labels()
        if (not names or entry.label in names or entry.chapter in names) and paper in (None, entry.paper)
    ]
