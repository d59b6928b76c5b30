"""A mechanism may refuse the rows that a search would give it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.audit.calling.arguments import checked_function
from dpspectra.audit.calling.caller import Caller, copies
from dpspectra.audit.pairs.neighbours import structured_pairs


def refusal(mechanism: Callable[..., Any], dimension: int, relation: str, form: str) -> str:
    """What the mechanism raises on a data set of rows of norm 1, in words; empty if it takes them."""
    caller = Caller(checked_function(mechanism, "mechanism"))
    for data in structured_pairs(dimension, relation)[0].pair(form):
        caller.one_by_one(copies(data), np.random.default_rng(0))()
    return caller.problem
