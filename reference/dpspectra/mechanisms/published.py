"""Releases as text that may be published: JSON that is read back, and facts for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from html import escape
from typing import Any

import numpy as np

from dpspectra.matrices.low_rank import LowRank
from dpspectra.mechanisms.claims import Claim, Guarantee

LISTED = 10
"""Largest number of entries of a vector that is shown in full."""
READ = "text must be that of Release.to_json, got something else"


def written(value: object, claim: Claim, details: Mapping[str, Any]) -> str:
    """`Release.to_json`."""
    plain = {name: _plain(each) for name, each in details.items()}
    data = {"value": _plain(value), "claim": claim.asdict(), "details": plain}
    try:
        return json.dumps(data, allow_nan=False)
    except ValueError:
        raise ValueError("a release must hold finite numbers to be written, got others") from None


def read(text: str) -> tuple[Any, Any, dict[str, Any]]:
    """Value, fields of the claim, and details of what `written` wrote."""
    try:
        data = json.loads(text)
        details = {name: _value(plain) for name, plain in data["details"].items()}
        return _value(data["value"]), data["claim"], details
    except (TypeError, KeyError, AttributeError, RecursionError, ValueError):
        raise ValueError(READ) from None


def _plain(value: Any) -> Any:
    """JSON of what releases hold: numbers, text, tuples, arrays, matrices by their factors, guarantees."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (np.bool_, np.integer, np.floating)):
        return value.item()
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        parts = value.view(value.real.dtype) if np.iscomplexobj(value) and value.ndim else value
        numbers = np.ascontiguousarray(parts).ravel().tolist()
        return {"array": numbers, "dtype": str(value.dtype), "shape": list(value.shape)}
    if isinstance(value, LowRank):
        return {"left": _plain(value.left), "right": _plain(value.right)}
    if isinstance(value, Guarantee):
        return {"guarantee": asdict(value)}
    if hasattr(value, "dask"):
        raise ValueError("a value that lies on a cluster must be written from there, by to_zarr, got a dask array")
    raise ValueError(f"a release must hold numbers, text and arrays to be written, got {type(value).__name__}")


def _value(plain: Any) -> Any:
    if isinstance(plain, list):
        return tuple(_value(each) for each in plain)
    if not isinstance(plain, Mapping):
        return plain
    if "guarantee" in plain:
        return Guarantee(**plain["guarantee"])
    if "left" in plain:
        return LowRank(_value(plain["left"]), _value(plain["right"]))
    dtype = np.dtype(plain["dtype"])
    if dtype.kind not in "biufc":
        raise ValueError
    numbers = np.array(plain["array"], np.empty(0, dtype).real.dtype)
    return numbers.view(dtype).reshape(plain["shape"])


def facts(value: object, claim: Claim, details: Mapping[str, Any]) -> dict[str, str]:
    """Describe a release in words: value, claim and details."""
    delta = f", delta {claim.delta:g}" if claim.delta else ""
    mu = "" if claim.gdp_mu is None else f", {claim.gdp_mu:.6g}-Gaussian private"
    return {
        "value": _shown(value),
        "claim": f"epsilon {claim.epsilon:g} nats{delta}{mu}",
        "neighbours": f"{claim.relation}: {claim.neighbours}",
        "arithmetic": claim.arithmetic,
        "taken as known": "; ".join(claim.public) or "nothing",
        "assumptions": "; ".join(claim.assumptions) or "none",
        "statements": ", ".join(claim.labels) or "none",
        **{name: _shown(each) for name, each in details.items()},
    }


def table(facts: Mapping[str, str]) -> str:
    """Facts as an HTML table, for notebooks."""
    cells = ((escape(key), escape(value)) for key, value in facts.items())
    rows = "".join(f"<tr><th style='text-align: left'>{key}</th><td>{value}</td></tr>" for key, value in cells)
    return f"<table>{rows}</table>"


def _shown(value: Any) -> str:
    if isinstance(value, Guarantee):
        return f"{value.quantity}: at most {value.bound:.6g} with probability {value.probability:g}"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        return ", ".join(_shown(each) for each in value)
    if isinstance(value, np.ndarray) and value.ndim == 1 and 0 < len(value) <= LISTED:
        return _shown(tuple(value.tolist()))
    if getattr(value, "shape", ()):
        return f"{type(value).__name__} of shape {' x '.join(map(str, value.shape))}"
    return str(value)
