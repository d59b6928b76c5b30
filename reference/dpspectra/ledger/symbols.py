"""Meanings of the letters of a claim: for all statements, for a chapter, and for one statement.

Those of a statement are its field ``where``; those of its chapter and of all chapters are the tables ``WHERE`` of the
packages in which its module stands. A key of a table is the sign as it is shown; several signs with one meaning are
separated by a comma and a space. A key with the subscript ``i`` stands for the letter with any subscript, and of two
keys that fit, the longer one does. A letter of a statement's own table has that meaning instead of the chapter's, and
the chapter's instead of the common one. Where a sign is not shown as it is found, a pair holds what is shown and the
meaning.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator, Mapping

from dpspectra.ledger.entry import Statement

SHARED = "WHERE"
"""Name of the table in a package of lemmas."""
INDICES = {"i", "j", "l", r"\ell"}
"""Letters that need no meaning where they only stand in subscripts and exponents."""
WORD = r"\mathrm"
_WORDS = {r"\operatorname", WORD, r"\rm"}
_STYLES = {r"\hat", r"\tilde", r"\bar", r"\mathcal", r"\mathbb", r"\mathbf", r"\mathfrak"}
_GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho varrho sigma tau "
    "phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega ell nabla"
)
_LETTERS = {f"\\{name}" for name in _GREEK.split()}
_TEXT = re.compile(r"\\text\{[^{}]*\}|\\(?:begin|end)\{\w+\}|\\textstyle")
_PIECE = re.compile(r"\\[A-Za-z]+|\\.|[^\s]")
TRIPLE = r"\triple"
_BARS = {r"\lVert": r"\|", r"\rVert": r"\|", r"\|": r"\|", TRIPLE: TRIPLE}


def explained(statement: Statement) -> list[tuple[str, str]]:
    """Return the signs of a claim with their meanings, in the order in which the claim first has them."""
    return list(dict.fromkeys((shown, meaning) for _, _, shown, meaning in _read(statement) if meaning))


def unexplained(statement: Statement) -> list[str]:
    """Return the letters of a claim that have no meaning in the table."""
    return list(dict.fromkeys(sign for sign, *_, meaning in _read(statement) if not meaning))


def unused(statement: Statement) -> list[str]:
    """Return the keys of a statement's own table that its claim has no use for."""
    used = {key for _, key, _, _ in _read(statement)}
    return [key for key in statement.where if key not in used]


def _read(statement: Statement) -> Iterator[tuple[str, str, str, str]]:
    """Each sign of a claim, the key that it is found under, what is shown, and the meaning, or three empty texts."""
    keys = _keys(statement)
    signs, place = signs_of(statement.formula), 0
    depths = _depths(signs)
    while place < len(signs):
        found = next((key for key in keys if _fits(key, signs, place)), None)
        if found:
            yield signs[place], *keys[found]
            place += len(found) - (found[-2:] == ("_", "i"))
            continue
        if _is_letter(signs[place]) and not (depths[place] and signs[place] in INDICES):
            yield signs[place], "", "", ""
        place += 1


def _keys(statement: Statement) -> Mapping[tuple[str, ...], tuple[str, str, str]]:
    """Return the signs that have a meaning in a statement: key, what is shown, and meaning; the longest ones first.

    Of two that are equally long the one with a certain subscript comes first.
    """
    found = dict[tuple[str, ...], tuple[str, str, str]]()
    packages = itertools.accumulate(statement.module.split(".")[:-1], "{}.{}".format)
    shared = (getattr(sys.modules.get(package), SHARED, {}) for package in packages)
    for table in (*shared, statement.where):
        for key, meaning in table.items():
            shown, told = meaning if isinstance(meaning, tuple) else (key, meaning)
            found |= {tuple(signs_of(sign, key=True)): (key, shown, told) for sign in key.split(", ")}
    return dict(sorted(found.items(), key=lambda item: (-len(item[0]), item[0][-1] == "i")))


def _fits(key: tuple[str, ...], signs: list[str], place: int) -> bool:
    fixed = key[:-1] if key[-2:] == ("_", "i") else key
    return tuple(signs[place : place + len(fixed)]) == fixed


def signs_of(tex: str, key: bool = False) -> list[str]:
    """Cut a formula into letters, words, norms and what stands between them; text is left out.

    A letter keeps its accent and its primes, and a norm is its closing bar with the subscript.
    """
    pieces = _PIECE.findall(_TEXT.sub(" ", tex).replace(r"|\!|\!|", "|||").replace("|||", f"{TRIPLE} "))
    found, opened, place = list[str](), set[str](), 0
    alike = {r"\|", TRIPLE}  # the bars that open are those that close
    while place < len(pieces):
        piece, place = pieces[place], place + 1
        if piece in _WORDS or piece in _STYLES:
            inner, place = _argument(pieces, place)
            piece = " ".join((WORD if piece in _WORDS else piece, inner))
        elif piece in _BARS:
            closes = piece == r"\rVert" or (piece in alike and piece in opened)
            opened ^= {piece} & alike
            if not closes:
                continue
            piece = _BARS[piece]
            if pieces[place : place + 1] == ["_"]:
                inner, place = _argument(pieces, place + 1)
                piece = rf"\|_{inner}"
        while pieces[place : place + 1] == ["'"]:
            piece, place = f"{piece}'", place + 1
        if not (key and piece == r"\cdot"):
            found.append(piece)
    return _without_braces(found)


def _argument(pieces: list[str], place: int) -> tuple[str, int]:
    """Return what a command is applied to, without braces, and the place behind it."""
    if pieces[place] != "{":
        return pieces[place], place + 1
    end, depth = place + 1, 1
    while depth:
        depth += {"{": 1, "}": -1}.get(pieces[end], 0)
        end += 1
    return "".join(pieces[place + 1 : end - 1]), end


def _without_braces(signs: list[str]) -> list[str]:
    """Return the signs without braces around single ones, which say nothing."""
    found = list[str]()
    for sign in signs:
        found.append(sign)
        if len(found) >= 3 and found[-3] == "{" and sign == "}" and found[-2] not in "{}":
            found[-3:] = [found[-2]]
    return found


def _depths(signs: list[str]) -> list[bool]:
    """Whether each sign stands in a subscript or an exponent."""
    found, stack, script = list[bool](), list[bool](), False
    for sign in signs:
        inside = script or any(stack)
        if sign == "{":
            stack.append(script)
        elif sign == "}":
            stack.pop()
        script = sign in {"_", "^"}
        found.append(inside)
    return found


def _is_letter(sign: str) -> bool:
    bare = sign.rstrip("'")
    styled = bare.partition(" ")[0] in {WORD, *_STYLES}
    return (len(bare) == 1 and bare.isalpha()) or bare in _LETTERS or styled or sign.startswith((r"\|", TRIPLE))
