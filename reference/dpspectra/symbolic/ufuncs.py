"""Universal functions of numpy on numbers that hold noise: what stays symbolic, what asks a question, what looks."""

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from dpspectra.symbolic import computed_noise, draws_of_two, pandas_operands, torch_tensors
from dpspectra.symbolic.arithmetic import added, cumulated, extreme, product, scaled, summed
from dpspectra.symbolic.call_hooks import unwatched
from dpspectra.symbolic.functions_of_noise import function_of_noise
from dpspectra.symbolic.in_place import by_operator, only_name
from dpspectra.symbolic.noisy_numbers import PROTOCOLS, Noisy, made, parts_of, rows_of, seen
from dpspectra.symbolic.noisy_rows import noisy_rows
from dpspectra.symbolic.number_kinds import is_whole, of_kind
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.questions import called_on_numbers, signs, within
from dpspectra.symbolic.roots_of_functions import holds_functions
from dpspectra.symbolic.rounded_laws import ROUNDING
from dpspectra.symbolic.rounded_noise import rounded
from dpspectra.symbolic.tape import current
from dpspectra.symbolic.whole_numbers import of_discrete

OWN = frozenset((Noisy, np.ndarray, np.float64, np.int64, float, int))
"""Types of numbers of which rules call nothing that the program wrote."""
COMPARED = {np.less: (1, 0), np.less_equal: (1, 0), np.greater: (0, 1), np.greater_equal: (0, 1)}
_LINEAR = (np.add, np.subtract, np.multiply, np.matmul, np.negative, np.positive, np.conjugate, np.absolute)
WHOLE = frozenset((*_LINEAR, np.maximum, np.minimum, np.fmax, np.fmin))
"""Functions that give whole numbers of whole ones."""
SCALING = (np.multiply, np.true_divide, np.matmul)
"""Functions that multiply what noise is multiplied by."""


def universal(ufunc: Any, method: str, inputs: Any, out: Any, options: Any) -> Any:
    """Return a universal function: symbolic if that is possible, else of numbers that are looked at."""
    for value in (v for i in (*inputs, *(out or ())) for v in within(i)):
        value.owned()
    if any(type(x) in pandas_operands.kinds() for x in inputs):
        return NotImplemented  # the table is asked next
    if any(isinstance(x, torch_tensors.kinds()) for x in inputs):
        raise current().stop(f"noise of numpy meets a tensor of torch, which is not followed, at {place()}")
    if out is not None and options.get("where", True) is not True:
        return _where(ufunc, method, inputs, out, options)
    result = symbolic(ufunc, method, inputs, options)
    if type(result) is Noisy:
        of_kind(result, _is_whole(ufunc, inputs, options), False)
    if result is None and method == "__call__":
        result = function_of_noise(ufunc, inputs, options)
    if result is None:
        result = called_on_numbers(getattr(ufunc, method), inputs, options)
    if out is None:
        return result
    (target,) = out
    if type(target) is Noisy and not target.ndim:
        if not by_operator():
            raise current().stop(f"a single number is written to at {place()}")
        return result  # of `x += 1`, which gives the number a new name
    if type(target) is not Noisy and only_name(target):
        return result
    target[...] = result if type(target) is Noisy else seen(result)
    return target


def _where(ufunc: Any, method: str, inputs: Any, out: Any, options: Any) -> Any:
    """Write into some of the entries of an array only."""
    (target,) = out
    numbers = seen(target)
    with np.errstate(all="ignore"):
        getattr(ufunc, method)(*map(seen, inputs), out=numbers, **{k: seen(v) for k, v in options.items()})
    if type(target) is Noisy:
        target[...] = numbers
    return target


def _is_whole(ufunc: Any, inputs: Any, options: Any) -> bool:
    return ufunc in WHOLE and options.get("dtype") is None and all(map(is_whole, inputs))


def symbolic(ufunc: Any, method: str, inputs: Any, options: Any) -> Any:
    """Return a universal function where it stays symbolic, or asks a question; ``None`` where numbers are looked at."""
    if ufunc is np.add and method in ("reduce", "accumulate"):
        if method == "accumulate":
            return cumulated(inputs[0], options.get("axis", 0)) if not options.keys() - {"axis", "dtype"} else None
        kept = {k: v for k, v in options.items() if k in ("axis", "keepdims")}
        return summed(inputs[0], **({"axis": 0} | kept)) if _plain(options, {"axis", "keepdims"}) else None
    if ufunc in (np.maximum, np.minimum) and method == "reduce" and _plain(options, {"axis"}):
        return None if holds_functions(inputs) else extreme(ufunc, inputs[0], options.get("axis", 0))
    if method != "__call__" or not _plain(options, set()) or not all(map(_real, inputs)):
        return None
    if ufunc not in _KEEPING and holds_functions(inputs):
        return None
    rule = _RULES.get(ufunc)
    if rule is None:
        return None
    scalings = current().scalings
    if scalings is not None and ufunc in SCALING:
        scalings.append((place(), [np.array(x, dtype=float) for x in inputs if type(x) is not Noisy]))
    with unwatched() if all(type(x) in OWN for x in inputs) else contextlib.nullcontext():
        return rule(ufunc, *inputs)


def _plain(options: Any, allowed: set[str]) -> bool:
    """Whether all other options are as if they were not given."""
    given = {k for k, v in options.items() if v is not None and not (k == "where" and v is True)}
    return not given - allowed - {"casting", "order", "subok"} or (
        given - allowed == {"dtype"} and options["dtype"] in (float,)
    )


def _real(x: Any) -> bool:
    return type(x) is Noisy or np.asarray(x).dtype.kind in "biuf"


def holds_noise(x: Any) -> bool:
    """Whether a value has a coefficient other than 0."""
    return type(x) is Noisy and bool(np.any(x.owned().coefficient[:, x.at.ravel()]))


def _compare(ufunc: Any, x: Any, y: Any) -> Any:
    pair = (x, y)
    first, second = COMPARED[ufunc]
    difference = added(pair[first], pair[second], -1.0)
    positive, _ = signs(difference, ties=ufunc in (np.less_equal, np.greater_equal))
    return positive[()]


def _equal(ufunc: Any, x: Any, y: Any) -> Any:
    difference = added(x, y, -1.0)
    tape, rows = current(), rows_of(difference)
    noisy = noisy_rows(rows, tape.size)
    discrete = of_discrete(rows, tape)
    if np.any(discrete) and (tape.at_once or not np.array_equal(discrete, noisy)):
        return None
    if np.any(discrete):
        same = ~np.logical_or(signs(difference)[0], signs(scaled(difference, -1.0))[0])
    else:
        same = np.where(noisy, False, rows.mu == 0).reshape(difference.shape)
    result = same if ufunc is np.equal else ~same
    return result[()]


def _plus(ufunc: Any, x: Any, y: Any) -> Noisy:
    return added(x, y, 1.0 if ufunc is np.add else -1.0)


def _times(ufunc: Any, x: Any, y: Any) -> Any:
    noisy = holds_noise(x), holds_noise(y)
    if all(noisy) and ufunc is not np.matmul and not holds_functions((x, y)):
        return (draws_of_two.product_of if ufunc is np.multiply else draws_of_two.quotient_of)(x, y)
    if all(noisy) or (ufunc is np.true_divide and noisy[1]):
        return None
    if ufunc is np.matmul:
        if not np.ndim(x) or not np.ndim(y) or max(np.ndim(x), np.ndim(y)) > 2:
            return None
        return product(x, seen(y)) if noisy[0] or (not noisy[1] and type(x) is Noisy) else product(seen(x), y)
    factor = np.asarray(seen(y) if not noisy[1] else seen(x), dtype=float)
    if not np.all(np.isfinite(factor)) or (ufunc is np.true_divide and np.any(factor == 0)):
        return None
    if ufunc is np.true_divide:
        with np.errstate(all="ignore"):
            return _as_divided(x, np.asarray(seen(y), dtype=float))
    return scaled(x, seen(y)) if type(x) is Noisy and not noisy[1] else scaled(y, seen(x))


def _as_divided(x: Noisy, y: Any) -> Noisy:
    mu, draw, coefficient = parts_of(x)
    mu = mu / y
    shape = (len(draw), *np.shape(mu))
    return made(current(), mu, np.broadcast_to(_lift(draw, mu), shape).copy(), _lift(coefficient, mu) / y)


def _lift(slots: Any, mu: Any) -> Any:
    return slots.reshape(len(slots), *[1] * (np.ndim(mu) + 1 - slots.ndim), *slots.shape[1:])


def _negative(ufunc: Any, x: Noisy) -> Noisy:
    return scaled(x, -1.0)


def _itself(ufunc: Any, x: Noisy) -> Noisy:
    return x.copy()


def _absolute(ufunc: Any, x: Noisy) -> Noisy:
    positive, _ = signs(x)
    return scaled(x, np.where(positive, 1.0, -1.0))


def _sign(ufunc: Any, x: Noisy) -> Any:
    if np.any(of_discrete(rows_of(x), current())):
        return None  # which can be 0
    positive, noisy = signs(x)
    sign = np.where(noisy, np.where(positive, 1.0, -1.0), np.sign(parts_of(x)[0]))
    return sign[()]


def _copysign(ufunc: Any, x: Any, y: Any) -> Any:
    """Return sizes with the signs of noise, which are asked for."""
    if type(x) is Noisy:
        return None
    positive, noisy = signs(y)
    return np.copysign(x, np.where(noisy, np.where(positive, 1.0, -1.0), parts_of(y)[0]))


def _larger(ufunc: Any, x: Any, y: Any) -> Noisy:
    first = _compare(np.greater, x, y)
    chosen = first if ufunc is np.maximum else np.logical_not(first)
    return np.where(chosen, x, y)


def _has_nan(x: Any) -> bool:
    return bool(np.any(np.isnan(rows_of(x).mu if type(x) is Noisy else parts_of(x)[0])))


def _finite(ufunc: Any, x: Noisy) -> Any:
    return ufunc(parts_of(x)[0])


def _computed(ufunc: Any, x: Noisy) -> Any:
    return computed_noise.function_of(ufunc, x)


_KEEPING = frozenset(
    (np.add, np.subtract, np.negative, np.positive, np.conjugate, np.multiply, np.true_divide, np.matmul)
)
"""Functions that keep numbers of a function of noise, unless two numbers hold noise that are multiplied."""
_RULES: dict[Any, Callable[..., Any]] = {
    np.add: _plus,
    np.subtract: _plus,
    np.multiply: _times,
    np.true_divide: _times,
    np.matmul: _times,
    np.negative: _negative,
    np.positive: _itself,
    np.conjugate: _itself,
    np.absolute: _absolute,
    np.fabs: _absolute,
    np.sign: _sign,
    np.copysign: _copysign,
    np.maximum: _larger,
    np.minimum: _larger,
    np.fmax: lambda ufunc, x, y: None if _has_nan(x) or _has_nan(y) else _larger(np.maximum, x, y),
    np.fmin: lambda ufunc, x, y: None if _has_nan(x) or _has_nan(y) else _larger(np.minimum, x, y),
    np.equal: _equal,
    np.not_equal: _equal,
    **{getattr(np, way): lambda ufunc, x, way=way: None if x.whole else rounded(x, way) for way in ROUNDING},
    np.isnan: _finite,
    np.isinf: _finite,
    np.isfinite: _finite,
    **dict.fromkeys(COMPARED, _compare),
    **dict.fromkeys(
        (np.log, np.exp, np.sqrt, np.log1p, np.expm1, np.tan, np.arctan, np.cos, np.log2, np.log10), _computed
    ),
    **dict.fromkeys((np.sin, np.arctanh, special.ndtri, special.logit, special.erfinv), _computed),
}
PROTOCOLS["universal"] = universal
