"""Check certificates in exact rational interval arithmetic, with nothing but Python's integers.

A certificate is JSON: a strict inequality ``greater > lesser`` between two expression trees. A tree is a rational
written as a string (``"3/4"``) or a list ``[operation, tree, ...]``. The checker encloses both trees between rationals
and accepts only if the enclosures are disjoint in the claimed order. `dpspectra.ball` evaluates the same trees with
python-flint; the two share no code.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

from dpspectra.ground import values

BITS = 384
"""Every bound is rounded outwards to a multiple of ``2**-BITS``."""
LIMITS = {"exp": 2**20, "normal_cdf": 100}
"""Largest sizes of arguments: beyond them an enclosure would take minutes, or hours."""

Tree = str | list[Any]


@dataclass(frozen=True, slots=True)
class Interval:
    """All reals between two rationals."""

    low: Fraction
    high: Fraction

    def rounded(self) -> Interval:
        """Widen to the grid, so that numerators stay short."""
        unit = 1 << BITS
        return Interval(Fraction(int(self.low * unit // 1), unit), Fraction(-int(-self.high * unit // 1), unit))


@dataclass(frozen=True, slots=True)
class Checked:
    """Result of a check: whether the inequality is proved, and the enclosures it was decided on."""

    accepted: bool
    greater: Interval
    lesser: Interval


def inequality(label: str, reason: str, greater: Tree, lesser: Tree) -> dict[str, Any]:
    """Return a certificate that ``greater > lesser``.

    Parameters
    ----------
    label
        Label of the statement.
    reason
        Why this breaks the printed statement.
    greater, lesser
        Expression trees.

    Returns
    -------
    dict
        Data that `check` proves.

    Raises
    ------
    ValueError
        For texts that are empty, and for anything but an expression tree.

    """
    values.text(label, "label")
    values.text(reason, "reason")
    _check_tree(greater, "greater")
    _check_tree(lesser, "lesser")
    return {"kind": "inequality", "label": label, "reason": reason, "greater": greater, "lesser": lesser}


def check(certificate: Mapping[str, Any]) -> Checked:
    """Prove or reject a certificate.

    Parameters
    ----------
    certificate
        Data as `inequality` returns them.

    Returns
    -------
    Checked
        Whether it is proved, and how.

    Raises
    ------
    ValueError
        If it is no certificate.

    """
    values.instance(certificate, "certificate", Mapping)
    if certificate.get("kind") != "inequality":
        raise ValueError(f"certificate kind must be 'inequality', got {values.shown(certificate.get('kind'))}")
    for side in ("greater", "lesser"):
        _check_tree(certificate.get(side), f"certificate {side}")
    greater, lesser = enclose(certificate["greater"]), enclose(certificate["lesser"])
    return Checked(greater.low > lesser.high, greater, lesser)


def _check_tree(tree: Any, name: str) -> None:
    """Raise ``ValueError`` unless it is an expression tree, whatever its value."""
    if isinstance(tree, str):
        try:
            Fraction(tree)
        except (ValueError, ZeroDivisionError):
            raise ValueError(f"{name} must hold rationals such as '3/4', got {values.shown(tree)}") from None
    elif isinstance(tree, (list, tuple)) and tree and isinstance(tree[0], str) and tree[0] in _OPERATIONS:
        try:
            inspect.signature(_OPERATIONS[tree[0]]).bind(*tree[1:])
        except TypeError:
            raise ValueError(f"{name} must give {tree[0]} its number of trees, got {values.shown(tree)}") from None
        for part in tree[1:]:
            _check_tree(part, name)
    else:
        raise ValueError(f"{name} must be a rational in a string or [operation, tree, ...], got {values.shown(tree)}")


def enclose(tree: Tree) -> Interval:
    """Enclose the value of an expression tree."""
    if isinstance(tree, str):
        value = Fraction(tree)
        return Interval(value, value)
    operation, *arguments = tree
    if operation not in _OPERATIONS:
        raise ValueError(f"operation must be one of {', '.join(sorted(_OPERATIONS))}, got {operation!r}")
    return _OPERATIONS[operation](*map(enclose, arguments)).rounded()


def _add(*terms: Interval) -> Interval:
    return Interval(sum((t.low for t in terms), Fraction(0)), sum((t.high for t in terms), Fraction(0)))


def _neg(a: Interval) -> Interval:
    return Interval(-a.high, -a.low)


def _mul(*factors: Interval) -> Interval:
    product = Interval(Fraction(1), Fraction(1))
    for f in factors:
        corners = [x * y for x in (product.low, product.high) for y in (f.low, f.high)]
        product = Interval(min(corners), max(corners)).rounded()
    return product


def _div(a: Interval, b: Interval) -> Interval:
    if b.low <= 0 <= b.high:
        raise ValueError("a divisor's enclosure contains zero")
    return _mul(a, Interval(1 / b.high, 1 / b.low))


def _monotone(lower: Callable[[Fraction], Interval]) -> Callable[[Interval], Interval]:
    """Lift an enclosure of an increasing function at a rational to intervals."""
    return lambda a: Interval(lower(a.low).low, lower(a.high).high)


def _sqrt(x: Fraction) -> Interval:
    if x < 0:
        raise ValueError(f"square root of the negative number {x}")
    root = isqrt(int(x * (1 << 2 * BITS)))
    return Interval(Fraction(root, 1 << BITS), Fraction(root + 1, 1 << BITS))


def _limited(x: Fraction, operation: str) -> None:
    """Raise ``ValueError`` for an argument beyond `LIMITS`."""
    if abs(x) > (limit := LIMITS[operation]):
        instead = "compare smaller numbers, such as logarithms"
        raise ValueError(f"{operation} must be of a number from -{limit} to {limit}, got one beyond: {instead}")


def _exp(x: Fraction) -> Interval:
    """Taylor series of ``exp(x / 2**k)`` with ``|x| / 2**k <= 1/2``, squared ``k`` times."""
    _limited(x, "exp")
    halvings = max(0, (2 * abs(x.numerator) // x.denominator).bit_length())
    y = x / (1 << halvings)
    total, term, n = Fraction(1), Fraction(1), 0
    cell = Fraction(1, 1 << (BITS + 2 * halvings + 16))
    while abs(term) > cell:
        n += 1
        term = _nearest(term * y / n, cell)
        total += term
    # each term was rounded by at most a cell and the tail is below two terms
    power = Interval(total - (n + 4) * cell, total + (n + 4) * cell)
    for _ in range(halvings):
        power = Interval(_nearest(power.low**2, cell) - cell, _nearest(power.high**2, cell) + cell)
    return power


def _nearest(x: Fraction, cell: Fraction) -> Fraction:
    return round(x / cell) * cell


def _log(x: Fraction) -> Interval:
    """``k log 2 + 2 artanh((m-1)/(m+1))`` for ``x = 2**k m``, ``m`` in ``[2/3, 4/3]``."""
    if x <= 0:
        raise ValueError(f"logarithm of the non-positive number {x}")
    k = x.numerator.bit_length() - x.denominator.bit_length()
    while x / Fraction(2) ** k > Fraction(4, 3):
        k += 1
    while x / Fraction(2) ** k < Fraction(2, 3):
        k -= 1
    m = x / Fraction(2) ** k
    two = _artanh(Fraction(1, 3))
    own = _artanh((m - 1) / (m + 1))
    return _add(_mul(_point(2 * k), two), _mul(_point(2), own))


def _artanh(y: Fraction) -> Interval:
    """Odd power series, ``|y| <= 1/3``: the tail is below ``9/8`` of its first term."""
    cell = Fraction(1, 1 << (BITS + 16))
    total, power, n = Fraction(0), y, 1
    while abs(power) > cell:
        total += _nearest(power / n, cell)
        power, n = _nearest(power * y * y, cell), n + 2
    return Interval(total - (n + 4) * cell, total + (n + 4) * cell)


def _point(value: int) -> Interval:
    return Interval(Fraction(value), Fraction(value))


def _pi() -> Interval:
    """Machin: ``16 arctan(1/5) - 4 arctan(1/239)``."""
    return _add(_mul(_point(16), _arctan(5)), _mul(_point(-4), _arctan(239)))


def _arctan(inverse: int) -> Interval:
    """``arctan(1 / inverse)`` by its alternating series: the remainder is below its first term."""
    total, n, cell = Fraction(0), 0, Fraction(1, 1 << (BITS + 16))
    term = Fraction(1, inverse)
    while term / (2 * n + 1) > cell:
        total += (-1) ** n * term / (2 * n + 1)
        term, n = term / inverse**2, n + 1
    return Interval(total - cell, total + cell)


def _normal_cdf(x: Fraction) -> Interval:
    """``1/2 + phi(x) (x + x^3/3 + x^5/15 + ...)``; all terms have one sign, so rounding down and up encloses them.

    Once ``2 x^2 < n`` the ratio of terms is below 1/2, and the tail below the last term.
    """
    _limited(x, "normal_cdf")
    square = x * x
    term, n = Interval(abs(x), abs(x)).rounded(), 1
    total = term
    while term.high > Fraction(1, 1 << BITS) or 2 * square >= n:
        n += 2
        term = Interval(term.low * square / n, term.high * square / n).rounded()
        total = Interval(total.low + term.low, total.high + term.high)
    series = Interval(total.low, total.high + term.high)
    density = _div(_exp(-square / 2), _monotone(_sqrt)(_mul(_point(2), _pi())))
    half = _mul(density, series)
    return _add(Interval(Fraction(1, 2), Fraction(1, 2)), half if x >= 0 else _neg(half))


_OPERATIONS: dict[str, Callable[..., Interval]] = {
    "add": _add,
    "sub": lambda a, b: _add(a, _neg(b)),
    "mul": _mul,
    "div": _div,
    "neg": _neg,
    "sqrt": _monotone(_sqrt),
    "exp": _monotone(_exp),
    "log": _monotone(_log),
    "normal_cdf": _monotone(_normal_cdf),
    "pi": _pi,
}
