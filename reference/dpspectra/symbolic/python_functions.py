"""Functions of Python's modules that numbers that hold noise pass through: of `math`, `json` and `statistics`."""

import json
import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from dpspectra.symbolic.noisy_numbers import Noisy, seen
from dpspectra.symbolic.number_kinds import of_kind
from dpspectra.symbolic.questions import within
from dpspectra.symbolic.ufuncs import symbolic


def _math(name: str) -> Any:
    """Return a function of `math` that leaves noise to numpy."""
    real: Callable[..., Any] = getattr(math, name)
    over = np.abs if name == "fabs" else getattr(np, name)

    return _one(over, real)


def _one(over: Any, real: Any) -> Any:
    """Return a function of `math`, which raises for some numbers: what is no draw of a known law is looked at."""

    def called(*args: Any) -> Any:
        found = symbolic(over, "__call__", args, {}) if len(args) == 1 and type(args[0]) is Noisy else None
        return real(*map(seen, args)) if found is None else _of_python(found)

    return called


def _of_python(x: Any) -> Any:
    """Return a number as one of Python's own that is not whole."""
    return of_kind(x, False, True) if type(x) is Noisy else x.item() if isinstance(x, np.generic) else x


def _log(x: Any, *base: Any) -> Any:
    found = symbolic(np.log, "__call__", (x,), {}) if type(x) is Noisy else None
    if found is None:
        return _REAL_LOG(seen(x), *map(seen, base))
    return _of_python(found / _REAL_LOG(*base) if base else found)


def _copysign(x: Any, y: Any) -> float:
    return float(np.copysign(x, y)) if type(y) is Noisy and type(x) is not Noisy else _REAL_COPYSIGN(seen(x), seen(y))


def _inv_cdf(law: Any, p: Any) -> Any:
    return law._mu + law._sigma * special.ndtri(p) if type(p) is Noisy else _REAL_INV_CDF(law, p)


def _fsum(values: Any) -> Any:
    values = list(values)
    return _of_python(sum(values).copy()) if within(values) else _REAL_FSUM(values)


def _encoded(self: Any, o: Any, *args: Any, **options: Any) -> Any:
    """Stand in for an encoder, of numbers that are looked at."""
    return _REAL_ENCODED(self, seen(o), *args, **options)


_REAL_ENCODED = json.JSONEncoder.iterencode
_REAL_LOG, _REAL_FSUM, _REAL_COPYSIGN = math.log, math.fsum, math.copysign
_REAL_INV_CDF = statistics.NormalDist.inv_cdf


def replacements() -> list[tuple[Any, str, Any]]:
    """Return the replacements: owner, name, replacement."""
    found: list[tuple[Any, str, Any]] = [
        (math, name, _math(name))
        for name in ["exp", "sqrt", "log1p", "expm1", "tan", "cos", "sin", "fabs", "log2", "log10"]
    ]
    found += [(math, "log", _log), (math, "fsum", _fsum), (math, "copysign", _copysign)]
    found.append((json.JSONEncoder, "iterencode", _encoded))
    found += [(math, "isnan", _one(np.isnan, math.isnan)), (math, "isinf", _one(np.isinf, math.isinf))]
    found += [(math, "isfinite", _one(np.isfinite, math.isfinite)), (math, "atan", _one(np.arctan, math.atan))]
    found += [(math, "atanh", _one(np.arctanh, math.atanh)), (statistics.NormalDist, "inv_cdf", _inv_cdf)]
    return found
