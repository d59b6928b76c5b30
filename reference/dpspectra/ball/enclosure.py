"""Evaluate the expression trees of certificates in ball arithmetic: a second opinion on the rational checker."""

from typing import Any

import flint

BITS = 400


def enclose(tree: Any) -> Any:
    """Return a python-flint ``arb`` that contains the value of ``tree`` (see `dpspectra.ledger.certificate`)."""
    with flint.ctx.workprec(BITS):
        return _evaluate(tree)


def _evaluate(tree: Any) -> Any:
    if isinstance(tree, str):
        return flint.arb(flint.fmpq(*map(int, _ratio(tree))))
    operation, *arguments = tree
    values = [_evaluate(argument) for argument in arguments]
    match operation:
        case "add":
            return sum(values, flint.arb(0))
        case "mul":
            product = flint.arb(1)
            for value in values:
                product *= value
            return product
        case "sub":
            return values[0] - values[1]
        case "div":
            return values[0] / values[1]
        case "neg":
            return -values[0]
        case "normal_cdf":
            return (-values[0] / flint.arb(2).sqrt()).erfc() / 2
        case "pi":
            return flint.arb.pi()
    return getattr(values[0], operation)()


def _ratio(text: str) -> tuple[int, int]:
    from fractions import Fraction

    return Fraction(text).as_integer_ratio()
