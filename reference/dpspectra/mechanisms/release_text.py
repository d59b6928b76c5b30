"""Releases as text that may be published: JSON that is read back, and facts for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from html import escape
from typing import Any

import numpy as np

from dpspectra.ground import arrays, records
from dpspectra.matrices.low_rank import LowRank
from dpspectra.mechanisms import plain_words
from dpspectra.mechanisms.claims import GUARANTEE, Claim, Guarantee

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


def read(text: str) -> tuple[Any, Claim, dict[str, Any]]:
    """Value, claim, and details of what `written` wrote."""
    found = records.read(text, RELEASE, READ)
    return found["value"], found["claim"], found["details"]


def _plain(value: Any) -> Any:
    """JSON of what releases hold: numbers, text, tuples, arrays, matrices by their factors, guarantees."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (np.bool_, np.integer, np.floating)):
        return value.item()
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        return arrays.plain(value)
    if isinstance(value, LowRank):
        return {"left": _plain(value.left), "right": _plain(value.right)}
    if isinstance(value, Guarantee):
        return {"guarantee": asdict(value)}
    if hasattr(value, "dask"):
        raise ValueError("a value that lies on a cluster must be written from there, by to_zarr, got a dask array")
    raise ValueError(f"a release must hold numbers, text and arrays to be written, got {type(value).__name__}")


def value_of(plain: Any) -> Any:
    """Return what `_plain` wrote. Raises ``ValueError`` for anything else."""
    if isinstance(plain, list):
        return tuple(map(value_of, plain))
    if not isinstance(plain, dict):
        return plain if plain is None or type(plain) in (bool, str) else _finite(plain)
    if "guarantee" in plain:
        return Guarantee(**records.record({"guarantee": GUARANTEE})(plain)["guarantee"])
    if "left" in plain:
        left, right = (FACTORS(plain)[name] for name in ("left", "right"))
        if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[0]:
            raise records.Misfit("factors must be matrices that can be multiplied, got others")
        return LowRank(left, right)
    return arrays.read(plain)


def _finite(plain: Any) -> Any:
    """Return a number as it is, which a float can hold."""
    records.number()(plain)
    return plain


FACTORS = records.record({"left": arrays.read, "right": arrays.read})
RELEASE = records.record({"value": value_of, "claim": Claim.read, "details": records.named(value_of)})
"""Fields of the text of a release."""


def facts(value: object, claim: Claim, details: Mapping[str, Any]) -> dict[str, str]:
    """Describe a release in words: value, claim and details."""
    delta = f", delta {claim.delta:g}" if claim.delta else ""
    mu = "" if claim.gdp_mu is None else f", {claim.gdp_mu:.6g}-Gaussian private"
    return {
        "in short": plain_words.paragraph(claim, details),
        "value": _shown(value),
        "claim": f"epsilon {claim.epsilon:g} nats{delta}{mu}",
        "neighbours": f"{claim.relation}: {claim.neighbours}",
        "arithmetic": claim.arithmetic,
        "taken as known": "; ".join(claim.public) or "nothing",
        "assumptions": "; ".join(claim.assumptions) or "none",
        "statements": ", ".join(claim.labels) or "none",
        **{name: _shown(each) for name, each in details.items() if name != plain_words.COMPUTED},
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
