"""Test vectors for implementations in any language: exact numbers by the oracle, to 50 digits, as one JSON file.

Inputs are JSON numbers that a double holds exactly, and exact values are decimal strings. The file carries its own JSON
Schema and says what each quantity means. Precision is raised until two computations of a value agree.

Do not change lightly: implementations in other languages test against these names, meanings and cases. Add quantities,
do not alter them.
"""

import inspect
import itertools
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mpmath import mp

from dpspectra import __version__
from dpspectra.commands.options import VectorsRequest
from dpspectra.mechanisms.catalogue import MECHANISMS
from dpspectra.oracle import (
    bingham_laws,
    chi_square_profile,
    composition,
    divergence,
    gaussian_profile,
    hciz,
    linalg,
    noise_scales,
    orbit_privacy_loss,
)
from dpspectra.report.files import check_new, write_text

DIGITS = 50
AGREE = DIGITS + 2
"""Digits to which the values at two precisions must agree."""
PRECISIONS = (60, 90, 135, 200, 300, 450)
"""Decimal digits of working precision, raised until two in a row agree."""
FLAGS = {
    "zero": "the exact value, or one of them, is 0",
    "tiny": "an exact value is not 0, but below the smallest normal double",
    "tie": "a list among the inputs holds a number twice: formulas that divide by differences fail",
    "large": "the exponential of an input overflows a double",
}
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["generator", "digits", "flags", "quantities", "schema"],
    "additionalProperties": False,
    "properties": {
        "generator": {"type": "string"},
        "digits": {"const": DIGITS},
        "flags": {"type": "object", "additionalProperties": {"type": "string"}},
        "schema": {"type": "object"},
        "quantities": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "meaning", "vectors"],
                "additionalProperties": False,
                "properties": {
                    "name": {"type": "string"},
                    "meaning": {"type": "string"},
                    "vectors": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/vector"}},
                },
            },
        },
    },
    "$defs": {
        "vector": {
            "type": "object",
            "required": ["inputs", "exact", "flags"],
            "additionalProperties": False,
            "properties": {
                "inputs": {"type": "object", "additionalProperties": {"$ref": "#/$defs/input"}},
                "exact": {"anyOf": [{"$ref": "#/$defs/decimal"}, {"$ref": "#/$defs/decimals"}]},
                "flags": {"type": "array", "uniqueItems": True, "items": {"enum": list(FLAGS)}},
            },
        },
        "input": {"anyOf": [{"type": "number"}, {"type": "array", "items": {"$ref": "#/$defs/input"}}]},
        "decimals": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/decimal"}},
        "decimal": {"type": "string", "pattern": "^-?[0-9]+[.][0-9]+(e[+-]?[0-9]+)?$"},
    },
}

Case = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A function of the oracle with the cases at which it is written down."""

    name: str
    meaning: str
    evaluate: Callable[..., Any]
    cases: tuple[Case, ...]


def _grid(**choices: Sequence[Any]) -> tuple[Case, ...]:
    """All combinations."""
    return tuple(dict(zip(choices, values, strict=True)) for values in itertools.product(*choices.values()))


def _principal_angles(u: Any, v: Any) -> list[Any]:
    return linalg.principal_angles(_orthonormal(u), _orthonormal(v))


def _orthonormal(columns: Any) -> Any:
    return linalg.polar_factor(linalg.exact(columns))


SCALES = dict.fromkeys(scale for record in MECHANISMS.values() for scale in record.scales)
SIZES: dict[str, Sequence[Any]] = {
    "epsilon": (0.5, 1.0, 8.0),
    "delta": (2.0**-10, 2.0**-20),
    "d": (1, 2, 3, 4),
    "degrees": (2, 11),
    "spread": (0.5, 2.0),
    "rounds": (1, 6),
    "width": (1, 3),
}
"""Cases of the arguments of a noise scale."""


def _scale(name: str) -> Quantity:
    """Return the noise scale of a mechanism, at all cases of what it is a function of."""
    function = getattr(noise_scales, name)
    cases = _grid(**{argument: SIZES[argument] for argument in inspect.signature(function).parameters})
    return Quantity(f"{name}_scale", str(function.__doc__).partition("\n")[0], function, cases)


QUANTITIES = (
    Quantity(
        "gaussian_profile",
        "smallest delta at epsilon (nats) for N(0, 1) against N(mu, 1): the largest P(S) - e^epsilon Q(S)",
        gaussian_profile.profile,
        _grid(epsilon=(0.0, 0.5, 1.0, 8.0, 40.0, 750.0), mu=(0.0, 0.125, 1.0, 4.0)),
    ),
    Quantity(
        "gaussian_mu",
        "largest mu for which gaussian_profile at epsilon is at most delta",
        gaussian_profile.mu_for,
        _grid(epsilon=(0.125, 1.0, 8.0), delta=(0.25, 2.0**-10, 2.0**-20, 2.0**-40)),
    ),
    Quantity(
        "chi_square_profile",
        "smallest delta at epsilon for T against T + shift, in both orders; T is chi-square with the given degrees",
        chi_square_profile.profile,
        _grid(epsilon=(0.0, 0.5, 2.0), degrees=(2.0, 11.5, 40.0), shift=(0.0, 0.25, 2.0)),
    ),
    Quantity(
        "optimal_composition",
        "smallest delta at epsilon for k runs of the worst (epsilon0, delta0)-private mechanism",
        lambda epsilon, k, epsilon0, delta0: composition.optimal_delta(epsilon, k, epsilon0, delta0),
        _grid(epsilon=(0.0, 1.0, 3.5), k=(1, 2, 10), epsilon0=(0.125, 0.5), delta0=(0.0, 2.0**-10)),
    ),
    Quantity(
        "hockey_stick",
        "largest P(S) - e^epsilon Q(S) over sets S of finitely many outcomes with probabilities p and q",
        lambda p, q, epsilon: divergence.hockey_stick([mp.mpf(x) for x in p], [mp.mpf(x) for x in q], mp.mpf(epsilon)),
        _grid(p=([0.5, 0.25, 0.25], [0.75, 0.25, 0.0]), q=([0.25, 0.5, 0.25], [0.0, 0.125, 0.875]), epsilon=(0.0, 0.5)),
    ),
    Quantity(
        "log_orbit_normaliser",
        "log of the mean of exp(kappa Tr(diag(gamma) U diag(spectrum) U*)) over Haar unitary U",
        hciz.log_normaliser,
        _grid(gamma=([1.0, 0.0], [1.0, 1.0]), spectrum=([1.0, 0.0], [1.0, 0.5]), kappa=(0.0, 2.0**-20, 64.0))
        + _grid(
            gamma=([3.0, 1.0, -0.5], [2.0, 1.0, 1.0], [1.0, 1.0 - 2.0**-30, 0.0]),
            spectrum=([1.0, 0.0, 0.0], [2.0, 1.5, 0.25]),
            kappa=(0.0, 2.0**-20, 1.0, 64.0),
        ),
    ),
    Quantity(
        "orbit_privacy_loss",
        "largest absolute log-ratio of the densities exp(kappa Tr(M H)) / Z, M first or second, H with the spectrum",
        lambda first, second, spectrum, kappa: orbit_privacy_loss.privacy_loss(
            linalg.exact(first), linalg.exact(second), spectrum, kappa
        ),
        _grid(
            first=([[1.0, 0.0], [0.0, 0.0]], [[1.0, 0.5], [0.5, 1.0]]),
            second=([[0.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]]),
            spectrum=([1.0, 0.0], [1.0, 0.5]),
            kappa=(0.5, 16.0),
        ),
    ),
    Quantity(
        "log_sphere_normaliser",
        "log of the mean of exp(-x' diag(exponents) x) over uniform real unit vectors",
        lambda exponents: bingham_laws.log_sphere_normaliser(exponents, mp.mpf(1) / 2),
        _grid(exponents=([0.0, 1.0], [0.0, 64.0], [0.0, 0.5, 4.0], [1.0, 1.0, 1.0], [-2.0, 0.0, 0.0, 3.0])),
    ),
    Quantity(
        "eigenvalues",
        "spectrum of a real symmetric matrix, descending",
        lambda matrix: linalg.eigenvalues(linalg.exact(matrix)),
        _grid(
            matrix=(
                [[2.0, 1.0], [1.0, 2.0]],
                [[1.0, 2.0**-30], [2.0**-30, 1.0]],
                [[4.0, 1.0, -2.0], [1.0, 2.0, 0.0], [-2.0, 0.0, 3.0]],
            )
        ),
    ),
    Quantity(
        "principal_angles",
        "angles between the column spans of two matrices of full rank, ascending, in radians",
        _principal_angles,
        (
            {"u": [[1.0], [0.0]], "v": [[1.0], [1.0]]},
            {"u": [[1.0], [0.0]], "v": [[1.0], [2.0**-30]]},
            {
                "u": [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]],
                "v": [[1.0, 0.5], [0.0, 1.0], [2.0, 0.0], [0.0, 1.0]],
            },
        ),
    ),
    *map(_scale, SCALES),
)


def run(request: VectorsRequest) -> int:
    """Compute everything, write it to a file and print a summary."""
    path = request.out
    check_new(path, request.force)
    quantities = [
        {"name": q.name, "meaning": q.meaning, "vectors": [_vector(q, case) for case in q.cases]} for q in QUANTITIES
    ]
    data = {
        "generator": f"dpspectra {__version__}",
        "digits": DIGITS,
        "flags": FLAGS,
        "quantities": quantities,
        "schema": SCHEMA,
    }
    write_text(path, json.dumps(data, indent=1, allow_nan=False) + "\n")
    count = sum(len(q.cases) for q in QUANTITIES)
    print(f"{path}: {count} vectors of {len(quantities)} quantities, {DIGITS} digits")
    return 0


def _vector(quantity: Quantity, case: Case) -> dict[str, Any]:
    value = _settled(quantity, case)
    with mp.workdps(PRECISIONS[-1]):
        written = [mp.nstr(x, DIGITS, strip_zeros=False) for x in _flat(value)]
    exact = written if isinstance(value, list) else written[0]
    return {"inputs": dict(case), "exact": exact, "flags": list(_flags(case, value))}


def _settled(quantity: Quantity, case: Case) -> Any:
    """Return the value, at a precision at which it no longer changes. Raises ``ArithmeticError`` if there is none."""
    last = None
    for digits in PRECISIONS:
        with mp.workdps(digits):
            value = quantity.evaluate(**case)
            if last is not None and all(map(_agree, _flat(last), _flat(value))):
                return value
        last = value
    raise ArithmeticError(f"{quantity.name} at {dict(case)} is not known to {AGREE} digits")


def _agree(a: Any, b: Any) -> bool:
    return bool(abs(a - b) <= abs(b) * mp.mpf(10) ** -AGREE)


def _flat(values: Any) -> list[Any]:
    return [x for value in values for x in _flat(value)] if isinstance(values, list) else [values]


def _flags(case: Case, exact: Any) -> Iterator[str]:
    if 0 in _flat(exact):
        yield "zero"
    if any(0 < abs(x) < sys.float_info.min for x in _flat(exact)):
        yield "tiny"
    lists = [value for value in case.values() if isinstance(value, list) and not isinstance(value[0], list)]
    if any(len(set(value)) < len(value) for value in lists):
        yield "tie"
    if max(abs(x) for value in case.values() for x in _flat(value)) > mp.log(sys.float_info.max):
        yield "large"
