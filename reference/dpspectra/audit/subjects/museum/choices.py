"""Answers chosen by noise: sparse vector, noisy maximum, and weights of a choice."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP, Renyi
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


@case("classic", PureDP(1.0), (0.0, 1.0), expected=("explained", "explained"), outside="not refuted")
def compared_answer_released() -> Both:
    """Sparse vector technique: the noisy answer that was compared is released as well; one query alone bears that."""

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


@case("opendp 2911", Renyi(2.0, 1.0), (np.array([0.0, 0.0]), np.array([1.0, -1.0])))
def exponential_noise_as_gumbel() -> Both:
    """A noisy maximum with exponential noise of scale 1 has the divergence of that with Gumbel noise written on it."""

    def wrong(scores: Any, rng: Any) -> Any:
        """Add exponential noise, which keeps the same epsilon and not the divergence."""
        return int(np.argmax(scores + rng.exponential(scale=1.0, size=2)))

    def right(scores: Any, rng: Any) -> Any:
        """Add Gumbel noise."""
        return int(np.argmax(scores + rng.gumbel(scale=1.0, size=2)))

    return wrong, right


@case("opendp 480", PureDP(1.0), (True, False))
def lie_may_be_true() -> Both:
    """Randomised response: an answer that is not kept is thrown anew, and may be true again."""
    kept = math.e / (1 + math.e)

    def wrong(answer: Any, rng: Any) -> Any:
        """Throw a coin for the lie, so that the truth is told more often than claimed."""
        return answer if rng.random() < kept else bool(rng.random() < 0.5)

    def right(answer: Any, rng: Any) -> Any:
        """Tell the other answer."""
        return answer if rng.random() < kept else not answer

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


@case("mlforhealthlabpub 36", PureDP(1.0), (np.array([0, 1, 1]), np.array([0, 0, 1])))
def votes_upside_down() -> Both:
    """The label with most noisy votes of teachers; the scale is the rate."""
    rate = 0.5

    def label(votes: Any, rng: Any, scale: float) -> int:
        return int(np.argmax(np.bincount(votes, minlength=2) + rng.laplace(scale=scale, size=2)))

    def wrong(votes: Any, rng: Any) -> Any:
        """Take the rate as the scale."""
        return label(votes, rng, rate)

    def right(votes: Any, rng: Any) -> Any:
        """Take one over it."""
        return label(votes, rng, 1 / rate)

    return wrong, right
