"""Labels in prose become links, and links between notes lead to the pages of the site."""

import re
from collections.abc import Collection, Mapping

from atlas.notes import LABEL

KEEP = re.compile(r"(^```[\s\S]*?^```|\$`[^`]+`\$|`[^`]*`|\[[^\]]*\]\([^)]*\))", re.MULTILINE)
MENTION = re.compile(rf"(?<![\w$\\/\[(-])({LABEL})(?![\w-])|(?<=\()({LABEL})(?![\w-])")
LINK = re.compile(r"\[([^\]]*)\]\(([^)]*)\)")


def with_labels(text: str, owner: Mapping[str, str], up: str = "../") -> str:
    """Return the text with a link at each label that ``owner`` knows; formulas, code and links stay as they are."""

    def to_statement(found: re.Match[str]) -> str:
        label = found[1] or found[2]
        return f"[{label}]({up}statement/{owner[label]}.md)" if label in owner else label

    pieces = KEEP.split(text)
    pieces[::2] = [MENTION.sub(to_statement, piece) for piece in pieces[::2]]
    return "".join(pieces)


def linked(text: str, owner: Mapping[str, str], pages: Collection[str], up: str = "../") -> str:
    """Return a text of the notes with links at labels; its own links to ``pages`` lead to ``up/notes``.

    Its other relative links have no page on the site and become text.
    """

    def to_note(found: re.Match[str]) -> str:
        words, target = found[1], found[2]
        file, _, part = target.partition("#")
        name = file.split("/")[-1]
        if target.startswith("http"):
            return found[0]
        return f"[{words}]({up}notes/{name}{'#' * bool(part)}{part})" if name in pages else words

    pieces = KEEP.split(text)
    pieces[1::2] = [LINK.sub(to_note, piece) if piece.startswith("[") else piece for piece in pieces[1::2]]
    return with_labels("".join(pieces), owner, up)
