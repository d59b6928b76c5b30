"""Answers chosen by noise: sparse vector, noisy maximum, and weights of a choice."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP
from dpspectra.audit.subjects.museum.case import Both, case


def _answers(q: Any, rng: Any, each: float, most: int) -> list[bool]:
    """Whether each query is above a noisy bar, until there were ``most`` that are; ``each`` is the scale of a query."""
    out: list[bool] = []
    level = rng.laplace(scale=2.0)
    for value in q:
        out.append(bool(value + (rng.laplace(scale=each) if each else 0.0) >= level))
        if sum(out) >= most:
            break
    return out


@case("classic", PureDP(1.0), (0.0, 1.0), expected=("undecided", "explained"))
def compared_answer_released() -> Both:
    """Sparse vector technique: the noisy answer that was compared is released as well."""

    def above(q: Any, rng: Any, told: Any) -> Any:
        threshold = rng.laplace(scale=2.0)
        noisy = q + rng.laplace(scale=4.0)
        return told(noisy) if noisy > threshold else None

    def wrong(q: Any, rng: Any) -> Any:
        """Spend the noise of the comparison a second time."""
        return above(q, rng, lambda noisy: noisy)

    def right(q: Any, rng: Any) -> Any:
        """Only that it was above is told."""
        return above(q, rng, lambda noisy: True)

    return wrong, right


@case("NVFlare 343", PureDP(1.0), (np.array([0.9, 0.9, 0.9]), np.array([0.9, 0.9, -0.9])))
def neither_sent_nor_zeroed() -> Both:
    """Values above a noisy bar are sent with noise, others become 0; those above it that are not sent stay."""

    def told(w: Any, rng: Any, keep: bool) -> list[Any]:
        bar = 0.5 + rng.laplace(scale=8.0)
        over = [i for i in range(len(w)) if abs(w[i]) + rng.laplace(scale=16.0) >= bar]
        left = [float(x) if keep else 0.0 for x in w]
        sent = {i: w[i] + rng.laplace(scale=8.0) for i in over[:2]}
        return [sent.get(i, left[i] if i in over else 0.0) for i in range(len(w))]

    def wrong(w: Any, rng: Any) -> Any:
        """Leave values above the bar that are not sent."""
        return told(w, rng, True)

    def right(w: Any, rng: Any) -> Any:
        """Set them to 0."""
        return told(w, rng, False)

    return wrong, right


@case("classic", PureDP(1.0), (np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 1.0])))
def noisy_maximum_half_scale() -> Both:
    """The index of the largest noisy count, with half of the noise."""

    def wrong(c: Any, rng: Any) -> Any:
        """Half of the scale."""
        return int(np.argmax(c + rng.laplace(scale=1.0, size=3)))

    def right(c: Any, rng: Any) -> Any:
        """Take the scale for counts that rise and fall."""
        return int(np.argmax(c + rng.laplace(scale=2.0, size=3)))

    return wrong, right


@case("classic", PureDP(1.0), (np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 1.0])))
def noisy_maximum_with_its_count() -> Both:
    """The winner and its noisy count, by the noise that chose it."""

    def wrong(c: Any, rng: Any) -> Any:
        """Show the count that was compared."""
        noisy = c + rng.laplace(scale=1.0, size=3)
        winner = int(np.argmax(noisy))
        return winner, noisy[winner]

    def right(c: Any, rng: Any) -> Any:
        """Draw a fresh count."""
        winner = int(np.argmax(c + rng.laplace(scale=4.0, size=3)))
        return winner, c[winner] + rng.laplace(scale=2.0)

    return wrong, right


@case(
    "mbi 65", PureDP(1.0), (np.array([[1.0, 2.0, 2.0], [1.0, 1.0, 2.0]]), np.array([[2.0, 1.0, 2.0], [0.0, 2.0, 2.0]]))
)
def score_of_two_errors() -> Both:
    """Scores of a choice are differences of two errors; their sensitivity is that of one."""

    def chosen(x: Any, rng: Any, sensitivity: float) -> int:
        score = np.abs(x[0]) - np.abs(x[1])
        weights = np.exp(0.5 * (score - score.max()) / sensitivity)
        return int(rng.choice(len(weights), p=weights / weights.sum()))

    def wrong(x: Any, rng: Any) -> Any:
        """Sensitivity of one error."""
        return chosen(x, rng, 1.0)

    def right(x: Any, rng: Any) -> Any:
        """Sensitivity of both."""
        return chosen(x, rng, 2.0)

    return wrong, right


@case("classic", PureDP(1.0), (np.array([0.0, 0.0, 1.0, 1.0]), np.array([1.0, 1.0, 0.0, 0.0])))
def sparse_vector_without_limit() -> Both:
    """Sparse vector that goes on after its first yes, with noise for one."""

    def wrong(q: Any, rng: Any) -> Any:
        """Four answers, with noise of a quarter."""
        return _answers(q, rng, 1.0, 4)

    def right(q: Any, rng: Any) -> Any:
        """One yes."""
        return _answers(q, rng, 4.0, 1)

    return wrong, right


@case("classic", PureDP(1.0), (np.array([0.0, 1.0]), np.array([1.0, 0.0])))
def sparse_vector_without_query_noise() -> Both:
    """Sparse vector without noise on the queries."""

    def wrong(q: Any, rng: Any) -> Any:
        """Only the bar has noise."""
        return _answers(q, rng, 0.0, 2)

    def right(q: Any, rng: Any) -> Any:
        """Both have noise, and the first yes ends it."""
        return _answers(q, rng, 4.0, 1)

    return wrong, right
