"""Formulas and Markdown of the notes as text for a terminal, as far as plain letters go."""

from __future__ import annotations

import re
import unicodedata

_FORMULA = re.compile(r"\$`([^`]*)`\$")
_GROUP = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"  # braces within braces, twice
_PART = rf"(?:{_GROUP}|(\w|\\[A-Za-z]+))"  # of a fraction: braces, one letter or digit, or a command
_SYMBOLS = {
    "alpha beta gamma delta varepsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau varphi chi psi omega": (
        "α β γ δ ε ζ η θ κ λ μ ν ξ π ρ σ τ φ χ ψ ω"
    ),
    "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega": "Γ Δ Θ Λ Ξ Π Σ Φ Ψ Ω",
    "epsilon phi ell infty cdot cdots dots ldots times pm sim approx ne neq le leq ge geq ll gg prec preceq succ": (
        "ε φ ℓ ∞ · ... ... ... × ± ~ ≈ ≠ ≠ ≤ ≤ ≥ ≥ ≪ ≫ ≺ ≼ ≻"
    ),
    "succeq in notin subset subseteq cup cap setminus to mapsto Rightarrow iff forall exists sum prod int sqrt": (
        "≽ ∈ ∉ ⊂ ⊆ ∪ ∩ \\ → ↦ ⇒ ⇔ ∀ ∃ Σ Π ∫ √"
    ),
    "lVert rVert Vert | lvert rvert langle rangle lfloor rfloor lceil rceil perp top dagger circ emptyset square": (
        "‖ ‖ ‖ ‖ | | ⟨ ⟩ ⌊ ⌋ ⌈ ⌉ ⊥ ᵀ † ∘ ∅ □"
    ),
    "mid nabla partial propto equiv star ast otimes oplus ominus prime wedge vee lesssim gtrsim varrho downarrow": (
        "| ∇ ∂ ∝ ≡ * * ⊗ ⊕ ⊖ ' ∧ ∨ ≲ ≳ ρ ↓"
    ),
}
_LETTERS = {
    name: sign for names, signs in _SYMBOLS.items() for name, sign in zip(names.split(), signs.split(), strict=True)
}
_RELATIONS = frozenset("≈≠≤≥≲≳≪≫≺≼≻≽∈∉⊂⊆→↦⇒⇔∝≡")
_DROPPED = r"left|right|bigl?|bigr?|Bigl?|Bigr?|biggl?|biggr?|displaystyle|textstyle|limits"
_STYLES = r"mathrm|mathcal|mathbb|mathbf|mathsf|mathfrak|rm|text|textit|operatorname|boldsymbol"
_MARKS = {"hat": "\u0302", "tilde": "\u0303", "bar": "\u0304", "overline": "\u0304"}
"""Accents as marks that join the letter before them."""


def formula(latex: str) -> str:
    r"""Return a formula in letters and signs: ``\tfrac{a}{b}`` as ``a/b``, Greek letters as such."""
    text = re.sub(rf"\\(?:{_DROPPED})(?![A-Za-z])", "", latex.replace("\\\\", "; "))
    text = re.sub(r"\\(begin|end)\{(?:pmatrix|smallmatrix|cases)\}", lambda m: "(" if m[1] == "begin" else ")", text)
    text = re.sub(r"\\ |~|(?<!\\)&", "\n", re.sub(r"\\[,;:!]", " ", text))
    text = re.sub(r"(\\text\{[^{}]*\})\s*\\qq?uad(?![A-Za-z])", r"\1\n", text)
    text = re.sub(r"([,;.:]?)\s*\\qq?uad(?![A-Za-z])\s*(?=(\\text|\()?)", _gap, text)
    for _ in range(4):  # styles, fractions and indices within each other
        text = re.sub(rf"\\(?:{_STYLES})\s*(?:{_GROUP}|(\\?\w))", _apart, text)
        text = re.sub(rf"\\(?:wide)?({'|'.join(_MARKS)})\s*{_PART}", _marked, text)
        text = re.sub(rf"\\[dt]?binom\s*{_PART}\s*{_PART}", lambda m: f"binom({m[1] or m[2]}, {m[3] or m[4]})", text)
        text = re.sub(rf"\\[dt]?frac\s*{_PART}\s*{_PART}", _fraction, text)
        text = re.sub(rf"\\sqrt\s*{_GROUP}", lambda m: f"√{_product(m[1])}", text)
        text = re.sub(r"([_^])\s*\{((?:[^{}\\]|\\.)*)\}(?=(\s*[A-Za-z0-9])?)", _index, text)
    text = re.sub(r"\\([A-Za-z]+|\|) *", _sign, text)
    text = re.sub(r"\\([{}_%&#$])", r"\1", text)
    text = re.sub(r"\s*([<>])\s*", r"\1", text)
    text = re.sub(r"(?<=[(\[])\s|\s(?=[)\]]|[,;.](?:\s|$))", "", re.sub(r"\s+", " ", text)).strip()
    return unicodedata.normalize("NFC", text)


def _gap(found: re.Match[str]) -> str:
    """Return a wide gap: a comma, unless there is punctuation already, or words or a condition in brackets follow."""
    return f"{found[1] or ('' if found[2] else ',')}\n"


def _apart(found: re.Match[str]) -> str:
    """Return a name in another type, with a blank between it and the letters beside it."""
    text = found[1] if found[1] is not None else found[2]
    before, after = found.string[: found.start()][-1:], found.string[found.end() :][:1]
    gap = "\n" * (before.isalpha() or text.startswith(" "))  # a blank would go with the command before it
    return f"{gap}{text}{' ' * (after.isalpha() and text[-1:].isalpha())}"


def _marked(found: re.Match[str]) -> str:
    """Return a letter, or brackets, with an accent; not joined to a command before it."""
    command = re.search(r"\\[A-Za-z]+$", found.string[: found.start()])
    return f"{' ' * bool(command)}{_bracketed(found[2] or found[3])}{_MARKS[found[1]]}"


def _index(found: re.Match[str]) -> str:
    """Return an index or exponent, not joined to the factor that follows."""
    text = _product(found[2]) if found[1] == "^" else _bracketed(found[2])
    return f"{found[1]}{text}{' ' * (found[3] is not None and text[-1:].isalnum())}"


def _fraction(found: re.Match[str]) -> str:
    """``a/b``, in brackets between letters: a function before it is of the fraction, a factor after it is above."""
    above, below = (found[i] if found[i] is not None else found[i + 1] for i in (1, 3))
    text = f"{_bracketed(above)}/{_bracketed(below)}"
    before, after = found.string[: found.start()].rstrip()[-1:], found.string[found.end() :].lstrip()[:1]
    return (
        f"({text})" if before.isalpha() or before == "/" or after.isalnum() or after in ("\\", "(", "√", "/") else text
    )


def _sign(found: re.Match[str]) -> str:
    """Return the sign of a command; a name such as ``log`` stands apart from letters on both sides."""
    name = found[1]
    sign = _LETTERS.get(name, name)
    if sign in _RELATIONS:
        return f" {sign} "
    if name in _LETTERS:
        return sign
    before, after = found.string[: found.start()][-1:], found.string[found.end() :][:1]
    left = " " if before.isalnum() or before == ")" else ""
    right = " " if after.isalnum() or after == "\\" else ""
    return f"{left}{name}{right}"


def _bracketed(text: str) -> str:
    """In brackets, unless it is one sign, one number or one command, with a short index, or is in brackets already."""
    alone = r"-?[^\W_]+|\\?[A-Za-z]+_\w|(?:\\[A-Za-z]+|.)[\u0302-\u0304]?|\([^()]*\)"
    return text if re.fullmatch(alone, text) else f"({text})"


def _product(text: str) -> str:
    """In brackets if it is several letters, or as `_bracketed` says."""
    return f"({text})" if re.fullmatch(r"\d*[A-Za-z]+", text) and len(text) > 1 else _bracketed(text)


def markdown(text: str) -> str:
    """Return Markdown of the notes as plain text: formulas by `formula`, no emphasis, links by their words."""
    pieces = _FORMULA.split(text)  # words, formula, words, ...
    return "".join(formula(piece) if k % 2 else _unmarked(piece) for k, piece in enumerate(pieces))


def _unmarked(words: str) -> str:
    """Words without the marks of links, code and emphasis."""
    words = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", words).replace("`", "").replace("**", "")
    return re.sub(r"(?<![\w*])\*([^*\n]+)\*(?![\w*])", r"\1", words)
