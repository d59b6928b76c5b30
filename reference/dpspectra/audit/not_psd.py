"""Exact evidence: integer vectors that show, in rational arithmetic, that a matrix is not positive semidefinite.

A certificate is JSON: ``{"kind": "not_psd", "matrix": rows of exact strings, "vector": integers, "value": string,
"margin": string}``. It states ``z'Mz = value < 0`` and ``value <= -margin z'z``; with ``output``
and ``shift`` also ``M = output - shift``. A complex Hermitian ``S + iT`` is written as the real symmetric
``[[S, -T], [T, S]]``, which is positive semidefinite exactly if it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from dpspectra.ground import checks, records

Matrix = list[list[Fraction]]

BITS = (1, 2, 4, 8, 16, 32, 52)
"""Sizes of integers tried for the vector: the shorter, the more readable."""
ROUNDING = Fraction(1, 2**30)
"""Outputs outside their support by less than this, relative to their size, may be there by rounding."""
ASYMMETRY = Fraction(1, 2**20)
"""Departures from a Hermitian matrix up to this, relative to its size, may be rounding of float32."""


def certify_not_psd(matrix: Any, *, margin: Fraction | float = 0) -> dict[str, Any] | None:
    """Return a certificate that a matrix is not positive semidefinite, or ``None`` if none was found.

    There is none for a positive semidefinite matrix. One whose smallest eigenvalue is negative by less than about
    ``2**-50`` of its size may escape.

    Parameters
    ----------
    matrix
        ``(d, d)`` floats or exact rationals, taken as given (no rounding), Hermitian up to the rounding of float32; its
        Hermitian part is meant.
    margin
        Demands an eigenvalue below ``-margin``.

    Returns
    -------
    dict or None
        A certificate that `check_certificate` proves.

    Raises
    ------
    ValueError
        For matrices that are empty, not square, not finite or not Hermitian.

    Examples
    --------
    >>> certificate = certify_not_psd([[1.0, 2.0], [2.0, 1.0]])
    >>> certificate is not None and check_certificate(certificate)
    True
    >>> certify_not_psd([[2.0, 1.0], [1.0, 2.0]]) is None
    True

    """
    return _certificate(_real_form(*_parts(matrix, "matrix")), _margin(margin))


def impossible_output(output: Any, shift: Any) -> dict[str, Any] | None:
    """Return a certificate that ``output - shift`` is not positive semidefinite by more than rounding, or ``None``.

    It shows that ``output`` is impossible where a mechanism returns ``shift`` plus positive semidefinite noise. The
    margin is ``2**-30`` of the largest sum of moduli in a row of both.

    Parameters
    ----------
    output, shift
        Matrices as in `certify_not_psd`.

    Returns
    -------
    dict or None
        A certificate that `check_certificate` proves.

    Raises
    ------
    ValueError
        As `certify_not_psd`.

    """
    left, right = _parts(output, "output"), _parts(shift, "shift")
    if len(left[0]) != len(right[0]):
        raise ValueError(f"output and shift must have one shape, got sizes {len(left[0])} and {len(right[0])}")
    both = left[2] or right[2]
    first, second = _real_form(left[0], left[1], both), _real_form(right[0], right[1], both)
    difference = [[x - y for x, y in zip(*rows, strict=True)] for rows in zip(first, second, strict=True)]
    size = max(sum(map(abs, x)) + sum(map(abs, y)) for x, y in zip(first, second, strict=True))
    certificate = _certificate(difference, ROUNDING * size)
    return certificate and {**certificate, "output": _strings(first), "shift": _strings(second)}


def check_certificate(certificate: Mapping[str, Any]) -> bool:
    """Say whether a certificate proves what it states.

    It is independent of how the certificate was made: rational arithmetic only.

    Parameters
    ----------
    certificate
        As `certify_not_psd` returns it, or read from JSON.

    Returns
    -------
    bool
        Whether it is proved.

    """
    try:
        CERTIFICATE(dict(certificate))
        m, z = _read(certificate["matrix"]), [Fraction(x) for x in certificate["vector"]]
        value, margin = Fraction(certificate["value"]), Fraction(certificate["margin"])
        d, integral = len(z), all(x.denominator == 1 for x in z)
        symmetric = all(len(row) == d for row in m) and m == [list(column) for column in zip(*m, strict=True)]
        form = sum((z[i] * m[i][j] * z[j] for i in range(d) for j in range(d)), Fraction(0))
        negative = form == value < 0 and value <= -margin * sum(x * x for x in z)
        if "output" in certificate or "shift" in certificate:
            pairs = zip(_read(certificate["output"]), _read(certificate["shift"]), strict=True)
            symmetric &= m == [[x - y for x, y in zip(*rows, strict=True)] for rows in pairs]
    except (KeyError, IndexError, TypeError, ValueError, ArithmeticError):
        return False
    return certificate.get("kind") == "not_psd" and integral and symmetric and negative


def _fraction(value: Any) -> str:
    """Return the text of a fraction; one with an exponent could fill any memory."""
    if not re.fullmatch(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?", records.text(value)):
        raise records.Misfit("an exact number must be the text of a fraction, got something else")
    return str(value)


ROWS = records.listed(records.listed(_fraction))
CERTIFICATE = records.record(
    {
        "kind": records.among("not_psd"),
        "matrix": ROWS,
        "vector": records.listed(records.whole()),
        "value": _fraction,
        "margin": _fraction,
    },
    {"output": ROWS, "shift": ROWS},
)
"""Fields of a certificate."""


def _margin(margin: Any) -> Fraction:
    if not isinstance(margin, Fraction):
        checks.non_negative(margin, "margin")
    if margin < 0:
        raise ValueError(f"margin must be non-negative, got {margin}")
    return Fraction(margin)


def _read(rows: Any) -> Matrix:
    """Exact entries; floats are refused, as JSON need not keep all their digits."""
    if not all(isinstance(x, str) for row in rows for x in row):
        raise TypeError("entries must be strings")
    return [[Fraction(x) for x in row] for row in rows]


def _strings(m: Matrix) -> list[list[str]]:
    return [[str(x) for x in row] for row in m]


def _parts(matrix: Any, name: str) -> tuple[Matrix, Matrix, bool]:
    """Exact real and imaginary part of the Hermitian part, and whether the matrix is complex."""
    checks.unmasked(matrix, name)
    try:
        array = np.asarray(matrix)
    except ValueError:
        raise ValueError(f"{name} must be a rectangular array, got ragged rows") from None
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise ValueError(f"{name} must be square and not empty, got shape {array.shape}")
    rows, d = array.tolist(), range(len(array))
    try:
        real = [[Fraction(x.real) for x in row] for row in rows]
        imaginary = [[Fraction(x.imag) for x in row] for row in rows]
    except (AttributeError, OverflowError, TypeError, ValueError):
        raise ValueError(f"{name} must hold finite numbers only, got others") from None
    size = max(abs(x) for part in (real, imaginary) for row in part for x in row)
    for i in d:
        for j in d:
            if abs(real[i][j] - real[j][i]) + abs(imaginary[i][j] + imaginary[j][i]) > ASYMMETRY * size:
                place = f"entry ({i}, {j}) and its mirror image do not match"
                raise ValueError(f"{name} must be Hermitian, but {place}: {checks.mended(name)}")
    symmetric = [[(real[i][j] + real[j][i]) / 2 for j in d] for i in d]
    skew = [[(imaginary[i][j] - imaginary[j][i]) / 2 for j in d] for i in d]
    return symmetric, skew, array.dtype.kind == "c"


def _real_form(symmetric: Matrix, skew: Matrix, is_complex: bool) -> Matrix:
    if not is_complex:
        return symmetric
    upper = [s + [-x for x in t] for s, t in zip(symmetric, skew, strict=True)]
    return upper + [t + s for s, t in zip(symmetric, skew, strict=True)]


def _certificate(m: Matrix, margin: Fraction) -> dict[str, Any] | None:
    size = max(abs(x) for row in m for x in row) or 1
    lowest = np.linalg.eigh(np.array([[float(x / size) for x in row] for row in m]))[1][:, 0].tolist()
    for bits in BITS:
        z = [round(x * 2**bits) for x in lowest]
        value = sum((a * x * b for a, row in zip(z, m, strict=True) for x, b in zip(row, z, strict=True)), Fraction(0))
        if value < 0 and value <= -margin * sum(a * a for a in z):
            return {
                "kind": "not_psd",
                "matrix": _strings(m),
                "vector": z,
                "value": str(value),
                "margin": str(margin),
            }
    return None
