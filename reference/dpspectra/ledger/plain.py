"""Formulas and Markdown of the notes as text for a terminal, as far as plain letters go."""

from __future__ import annotations

import re

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
    "mid nabla partial propto equiv quad qquad star ast otimes oplus prime wedge vee": ("| ∇ ∂ ∝ ≡ , , * * ⊗ ⊕ ' ∧ ∨"),
}
_LETTERS = {
    name: sign for names, signs in _SYMBOLS.items() for name, sign in zip(names.split(), signs.split(), strict=True)
}
_RELATIONS = frozenset("≈≠≤≥≪≫≺≼≻≽∈∉⊂⊆→↦⇒⇔∝≡")
_DROPPED = r"left|right|bigl?|bigr?|Bigl?|Bigr?|biggl?|biggr?|displaystyle|limits"
_STYLES = (
    r"mathrm|mathcal|mathbb|mathbf|mathsf|text|textit|operatorname|boldsymbol|hat|widehat|tilde|widetilde|bar|overline"
)


def formula(latex: str) -> str:
    r"""Return a formula in letters and signs: ``\tfrac{a}{b}`` as ``a/b``, Greek letters as such."""
    text = re.sub(rf"\\(?:{_DROPPED})(?![A-Za-z])", "", latex)
    text = re.sub(r"\\[,;:! ]|~", " ", text)
    for _ in range(4):  # styles and fractions within each other
        text = re.sub(rf"\\(?:{_STYLES})\s*(?:{_GROUP}|(\\?\w))", _apart, text)
        text = re.sub(rf"\\[dt]?frac\s*{_PART}\s*{_PART}", _fraction, text)
        text = re.sub(rf"\\sqrt\s*{_GROUP}", lambda m: f"√{_bracketed(m[1])}", text)
    text = re.sub(rf"([_^])\s*{_GROUP}", lambda m: m[1] + _bracketed(m[2]), text)
    text = re.sub(r"\\([A-Za-z]+|\|)\s*", _sign, text)
    text = re.sub(r"\\([{}_%&#$])", r"\1", text.replace("\\\\", ";"))
    return re.sub(r"\s+", " ", text).strip()


def _apart(found: re.Match[str]) -> str:
    """What a change of letters is about, not joined to a letter before it."""
    text = found[1] if found[1] is not None else found[2]
    return f" {text}" if found.string[: found.start()][-1:].isalpha() else text


def _fraction(found: re.Match[str]) -> str:
    """``a/b``, in brackets between letters: a function before it is of the fraction, a factor after it is above."""
    above, below = (found[i] if found[i] is not None else found[i + 1] for i in (1, 3))
    text = f"{_bracketed(above)}/{_bracketed(below)}"
    before, after = found.string[: found.start()].rstrip()[-1:], found.string[found.end() :].lstrip()[:1]
    return f"({text})" if before.isalpha() or after.isalnum() or after in ("\\", "(", "√") else text


def _sign(found: re.Match[str]) -> str:
    """The sign of a command; a name such as ``log`` stands apart from letters on both sides."""
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
    """In brackets, unless it is one sign, one number or one command, with a short index."""
    return text if re.fullmatch(r"-?[^\W_]+|\\?[A-Za-z]+_\w|\\[A-Za-z]+|.", text) else f"({text})"


def markdown(text: str) -> str:
    """Return Markdown of the notes as plain text: formulas by `formula`, no emphasis, links by their words."""
    pieces = _FORMULA.split(text)  # words, formula, words, ...
    return "".join(formula(piece) if k % 2 else _unmarked(piece) for k, piece in enumerate(pieces))


def _unmarked(words: str) -> str:
    """Words without the marks of links, code and emphasis."""
    words = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", words).replace("`", "").replace("**", "")
    return re.sub(r"(?<![\w*])\*([^*\n]+)\*(?![\w*])", r"\1", words)
