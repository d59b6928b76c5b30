"""A release in one paragraph for who decides: what was computed and of which rows, for whom, and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dpspectra.matrices.reading_rule import Reading
from dpspectra.mechanisms.claims import Claim, Guarantee
from dpspectra.mechanisms.privacy_unit import IN_PARTS
from dpspectra.mechanisms.private_data import MOMENTS, outside

COMPUTED = "computed"
"""The detail that says what was computed."""
FOLLOWED = 1000.0
"""Largest factor that is written out: above it nothing is promised that a person could rely on."""
READ = {
    "refuse": "rows taken as they are, none longer than {:g}",
    "clip": "rows longer than {:g} shortened to it",
    "unit": "rows divided by their lengths",
}
SUMMED = "rows read as they were when their sums were made"
ADDED = "; of a person {} rows are added up, and divisions are by the number of people"
ABOUT_ORIGIN = "second moments of the rows about {}, with noise"
ABOUT_MEAN = "the covariance of the rows about their mean, with noise"
SPECTRUM = "the {k} largest eigenvalues of the second moments of the rows about {{}}, with noise"
LOW_RANK = "an approximation of rank at most {k} to the second moments of the rows about {{}}, with noise"
CELLS = "how many rows have their scores on two directions in each cell of a public frame, with noise"
BY_PAIRS = (
    "the covariance of the rows about their mean, by differences of pairs of rows, those longer than {:g} shortened to "
    "it, with noise"
)
CENTRED = {
    "pairs": "{} of largest variance about the mean of the rows, by differences of pairs of rows, each "
    "divided by its length",
    "mean": "{} of largest variance about the mean of the rows, taken about a noisy mean, which is "
    "released, too, and shortened to less than 1",
    "none": "{} of largest second moments of the rows about {}, which is not about their mean",
}


def moments(X: Any, reading: Reading, text: str = ABOUT_ORIGIN) -> dict[str, str]:
    """Detail of what was computed of rows that were read so."""
    return {COMPUTED: f"{text.format(_origin(reading))}; {_read(X, reading)}"}


def directions(X: Any, k: int, center: str, reading: Reading) -> dict[str, str]:
    """Detail of directions about a center."""
    text = CENTRED[center].format("one direction" if k == 1 else f"{k} directions", _origin(reading))
    return _of_pairs(X, text, reading) if center == "pairs" else {COMPUTED: f"{text}; {_read(X, reading)}"}


def by_pairs(X: Any, longest: float, reading: Reading) -> dict[str, str]:
    """Detail of a covariance by differences that were shortened to this length."""
    return _of_pairs(X, BY_PAIRS.format(longest), reading)


def _of_pairs(X: Any, text: str, reading: Reading) -> dict[str, str]:
    as_they_are = reading.rows == "refuse" and reading.bounds is None
    return {COMPUTED: text if as_they_are else f"{text}; {_read(X, reading)}"}


def _origin(reading: Reading) -> str:
    return "zero" if reading.bounds is None else "the middle of the bounds of columns"


def _read(X: Any, reading: Reading) -> str:
    if outside(X).kind == MOMENTS:
        return SUMMED + (ADDED.format(reading.per_person) if reading.per_person > 1 else "")
    said = READ[reading.rows].format(reading.norm_bound)
    return said if reading.bounds is None else f"columns brought to one unit by their public bounds, then {said}"


def paragraph(claim: Claim, details: Mapping[str, Any]) -> str:
    """Say what was computed, if the release tells it, for whom the promise holds, and how sure it is."""
    said = [f"Released: {details[COMPUTED]}."] if COMPUTED in details else []
    said.append(f"{_whom(claim)} {_factor(claim)}.")
    guarantee = details.get("guarantee")
    if isinstance(guarantee, Guarantee):
        sure, bound = guarantee.probability, guarantee.bound
        quantity, _, _ = guarantee.quantity.partition(": ")  # a formula may follow
        said.append(f"With probability {sure:g} the {quantity} is at most {bound:.3g}.")
    return " ".join(said)


def _whom(claim: Claim) -> str:
    if not claim.relation.of_rows:
        return "Who knows all of the data but the change that is protected can hardly tell whether it was made:"
    whose = "one row" if claim.people in (None, IN_PARTS) else "the rows of one person"
    told = "what was there from anything else in its place" if claim.relation.counted else "whether they were there"
    return f"Who knows all of the data but {whose} can hardly tell {told}:"


def _factor(claim: Claim) -> str:
    if claim.epsilon > math.log(FOLLOWED):
        return f"but at epsilon {claim.epsilon:g} this promise is hardly one"
    besides = f", except with probability {claim.delta:g}" if claim.delta else ""
    factor = f"{math.exp(claim.epsilon):.3g}"
    return f"nothing that is seen is more than {factor} times as likely with the one as with the other{besides}"
