"""The expression trees of certificates as LaTeX."""

from typing import Any

SUM, PRODUCT, ATOM = 0, 1, 2
"""How tightly an expression binds."""


def infix(tree: Any) -> str:
    """Write the tree as a formula, with brackets where they are needed.

    Raises ``ValueError`` for an unknown operation.
    """
    return _walk(tree)[0]


def _walk(tree: Any) -> tuple[str, int]:
    if isinstance(tree, str):
        return _number(tree)
    operation, *arguments = tree
    walked = [_walk(argument) for argument in arguments]
    plain = [text for text, _ in walked]
    match operation:
        case "add":
            return " + ".join(plain), SUM
        case "sub":
            return f"{plain[0]} - {_within(walked[1], PRODUCT)}", SUM
        case "neg":
            return f"-{_within(walked[0], PRODUCT)}", SUM
        case "mul":
            return r" \cdot ".join(_within(argument, PRODUCT) for argument in walked), PRODUCT
        case "div":
            return rf"\frac{{{plain[0]}}}{{{plain[1]}}}", ATOM
        case "sqrt":
            return rf"\sqrt{{{plain[0]}}}", ATOM
        case "exp":
            return f"e^{{{plain[0]}}}", ATOM
        case "log":
            return rf"\log\left({plain[0]}\right)", ATOM
        case "normal_cdf":
            return rf"\Phi\left({plain[0]}\right)", ATOM
        case "pi":
            return r"\pi", ATOM
        case _:
            raise ValueError(f"expected an operation of certificates, got {operation!r}")


def _number(text: str) -> tuple[str, int]:
    top, _, bottom = text.partition("/")
    sign, digits = ("-", top[1:]) if top.startswith("-") else ("", top)
    body = rf"\frac{{{digits}}}{{{bottom}}}" if bottom else digits
    return f"{sign}{body}", SUM if sign else ATOM


def _within(walked: tuple[str, int], tightness: int) -> str:
    text, binds = walked
    return text if binds >= tightness else rf"\left({text}\right)"
