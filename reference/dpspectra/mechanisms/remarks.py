"""Remarks on a release: what of it does not stand out from noise alone, and which promises say nothing, in words.

They follow from the claim and the details alone, by the laws that the details name (`usefulness`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.mechanisms.claims import Claim, Guarantee
from dpspectra.mechanisms.usefulness import FALSE_ALARM, STATED, WRONG, gap_edges, standing

UNKNOWN = "how large noise alone would be is not known: what is returned may be noise"


def remarks(claim: Claim | None, details: Mapping[str, Any]) -> tuple[str, ...]:
    """Say in words what does not stand out from noise, and which promises say nothing; by public numbers alone."""
    stated = details.get(STATED)
    names = stated if stated and isinstance(stated, (tuple, list)) else [None]
    said = [_told(law, details) for law in (_guarantee, partial(_delta, claim), *(LAWS.get(str(n)) for n in names))]
    return tuple(dict.fromkeys(line for line in said if line))


def _told(law: Callable[[Mapping[str, Any]], str] | None, details: Mapping[str, Any]) -> str:
    """Compare by one law; what a file does not tell, or not as it must be, is not known."""
    try:
        return UNKNOWN if law is None else law(details)
    except WRONG:
        return UNKNOWN


def _guarantee(details: Mapping[str, Any]) -> str:
    guarantee, largest = details.get("guarantee"), details.get("largest_possible")
    if not isinstance(guarantee, Guarantee) or largest is None or guarantee.bound <= largest:
        return ""
    return f"the guarantee {guarantee.bound:.3g} exceeds the largest possible value {largest:.3g}: it says nothing"


def _delta(claim: Claim | None, details: Mapping[str, Any]) -> str:
    rows = details.get("rows")
    if claim is None or not rows or claim.delta * rows <= 1:
        return ""
    return f"delta {claim.delta:.3g} is above 1/{rows}, one over the number of rows: it allows to publish one of them"


def _matrix(details: Mapping[str, Any]) -> str:
    """Say so if no eigenvalue stands out, and if some are negative."""
    said = [] if details["beyond_edge"] else [f"no eigenvalue stands out from {_edge(details)}"]
    said += ["some eigenvalues are negative, which is noise alone: denoise mends it"] if details["negative"] else []
    return "; ".join(said)


def _edge(details: Mapping[str, Any]) -> str:
    whose = ", that of the mean counted" if "displaced" in details else ""
    return f"noise, as one above {details.get('shown_from', details['noise_edge']):.3g} would{whose}"


def _eigenvalues(details: Mapping[str, Any]) -> str:
    values, shown = details["eigenvalues"], int(details["shown"])
    of = _edge(details)
    return "" if shown >= len(values) else _hidden("eigenvalue", values, shown, of, "gaps" in details)


def _singular_values(details: Mapping[str, Any]) -> str:
    values, edge = np.asarray(details["singular_values"], dtype=float), details["singular_edge"]
    shown = int(np.sum(values > edge))
    noise = f"noise, as one above {edge:.3g} would"
    return "" if shown >= len(values) else _hidden("singular value", values, shown, noise, directions=True)


def _hidden(name: str, values: NDArray[Any], shown: int, noise: str, directions: bool) -> str:
    k = len(values)
    if shown == k - 1:
        which, verb, whose = f"{name} {k} of {k}, {values[shown]:.3g},", "does", "its direction is"
        whose = whose if directions else "it is"
    else:
        which, verb = f"{name}s {shown + 1} to {k} of {k}, {values[shown]:.3g} and less,", "do"
        whose = "their directions are" if directions else "they are"
    return f"{which} {verb} not stand out from {noise}: {whose} likely noise"


def _directions(details: Mapping[str, Any]) -> str:
    """Those whose eigenvalue shows, and is not apart from others."""
    close = np.flatnonzero(~standing(details)[: details["shown"]])
    if not len(close):
        return ""
    gap, edge, one = np.asarray(details["gaps"])[close[0]], gap_edges(details)[close[0]], len(close) == 1
    which = f"direction {close[0] + 1} is" if one else f"directions {', '.join(str(j + 1) for j in close)} are"
    whose = "its eigenvalue has" if one else "their eigenvalues have"
    by = "noise and the order of pairs part" if "paired_rows" in details else "noise parts"
    return f"{which} arbitrary: {whose} another one as near as {gap:.3g}, and {by} them by up to {edge:.3g}"


def _mean(details: Mapping[str, Any]) -> str:
    length, edge = details["mean_length"], details["mean_edge"]
    if length > edge:
        return ""
    return f"the mean, of length {length:.3g}, does not stand out from noise, which is as long as {edge:.3g}"


def _variances(details: Mapping[str, Any]) -> str:
    d, shown, off, said = details["columns"], details["shown"], details["mean_off"], []
    if shown < d:
        said.append(f"{d - shown} of {d} variances do not stand out from noise")
    if d * off**2 > 1:  # in units of the mean of the eigenvalues of scaled rows
        said.append(f"means are off by up to {off:.2g} standard deviations: scaled rows show this as a direction")
    return "; ".join(said)


def _raised(details: Mapping[str, Any]) -> str:
    number, of = details["floored"], details["numbers"]
    return f"{number} of {of} {details['raised']} and were raised to the floor" if number else ""


def _counts(details: Mapping[str, Any]) -> str:
    rows, edge = details["rows_to_tell"], details["count_edge"]
    if rows > edge:
        return ""
    return f"the bound is to be told by {rows:.3g} rows, and noise counts up to {edge:.3g}: it is likely noise"


def _cells(details: Mapping[str, Any]) -> str:
    if details["cells_shown"]:
        return ""
    return f"no count stands out from noise, which reaches {details['visible_from']:.3g}: all may be noise"


def _line(details: Mapping[str, Any]) -> str:
    chance = details["chance"]
    if chance <= FALSE_ALARM:
        return ""
    return f"a line drawn at random is as near with probability {chance:.2g}: the direction is likely noise"


def _loss(details: Mapping[str, Any]) -> str:
    """Where no eigenvalue is released, the guarantee alone can say that the value is no noise."""
    guarantee, largest = details.get("guarantee"), details.get("largest_possible")
    if guarantee is None or largest is None:
        return "no eigenvalue was released, and no largest possible value is known: nothing tells this from noise"
    if guarantee.bound <= largest / 2:
        return ""
    return f"the guarantee {guarantee.bound:.3g} is not below half of the largest possible value: this may be noise"


LAWS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "matrix": _matrix,
    "eigenvalues": _eigenvalues,
    "directions": _directions,
    "singular values": _singular_values,
    "mean": _mean,
    "variances": _variances,
    "raised": _raised,
    "counts": _counts,
    "cells": _cells,
    "line": _line,
    "loss": _loss,
}
"""Comparisons with noise alone, by the names that records and releases give them: each returns a remark or nothing."""
