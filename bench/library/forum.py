"""Mechanisms as people post them: those of `tests/support/forum.py`, and twenty-one others."""

# Forums draw from the global state of numpy.
# ruff: noqa: NPY002

import math
import random
from collections import Counter

import numpy as np

from bench.foreign import ONE, Mechanism
from dpspectra.audit import GDP, ZCDP, ApproxDP, PureDP
from tests.support.forum import FORUM

E = math.e
VOTES = ([0, 0, 1, 1, 2], [0, 0, 1, 1, 1])
SCORES = ([0, 0, 1, 1], [1, 1, 0, 0])
SHARES = np.array([0.1, 0.3, 0.6, 0.9])
WORDS = ["a"] * 5 + ["b"]
STEPS = (np.array([[0.5, 0.5], [3.0, 0.0]]), np.array([[0.5, 0.5], [0.0, 0.0]]))


def step_of_a_network(gradients):
    lengths = np.sqrt((gradients**2).sum(axis=1))
    clipped = gradients / np.maximum(1.0, lengths)[:, None]
    return clipped.sum(axis=0) + np.random.normal(scale=2.0, size=2)


def step_clipped_at_the_largest(gradients):
    longest = max(np.linalg.norm(row) for row in gradients)
    return gradients.sum(axis=0) + np.random.normal(scale=2.0 * longest, size=2)


def words_above_a_threshold(words):
    told = {}
    for word, count in Counter(words).items():
        noisy = count + np.random.laplace()
        if noisy > 1 + math.log(50):
            told[word] = noisy
    return told


def words_that_are_common(words):
    return {word: count + np.random.laplace() for word, count in Counter(words).items() if count > 1}


def vote_of_teachers(votes):
    tally = [votes.count(kind) + np.random.laplace(0, 2) for kind in range(3)]
    return tally.index(max(tally))


def vote_with_its_tally(votes):
    tally = np.bincount(votes, minlength=3) + np.random.laplace(0, 0.25, 3)
    return int(tally.argmax()), float(tally.max())


def unary_answer_with_a_larger_p(kind):
    keep, lie = 0.75, 1 / (E + 1)
    return [int(random.random() < (keep if place == kind else lie)) for place in range(4)]


def count_clipped_after_noise(count):
    ratio = 1 - math.exp(-1)
    noise = np.random.geometric(ratio) - np.random.geometric(ratio)
    return int(min(max(count + noise, 0), 10))


def count_drawn_until_it_fits(count):
    noisy = -1
    while not 0 <= noisy <= 10:
        noisy = count + np.random.geometric(1 - 1 / E) - np.random.geometric(1 - 1 / E)
    return int(noisy)


def first_two_by_gumbel(scores, scale=4.0):
    noisy = np.asarray(scores) + np.random.gumbel(scale=scale, size=4)
    return [int(place) for place in np.argsort(noisy)[::-1][:2]]


def first_two_by_one_scale(scores):
    return first_two_by_gumbel(scores, 1.0)


def mean_by_its_own_range(data):
    low, width = min(data), max(data) - min(data)
    return low + width * (np.mean((data - low) / width) + np.random.laplace(scale=1 / len(data)))


def median_with_cauchy(data):
    return float(np.median(data) + 6 * np.random.standard_cauchy())


def count_by_discrete_normal(count):
    while True:
        step = np.random.geometric(1 - math.exp(-0.5)) - np.random.geometric(1 - math.exp(-0.5))
        if random.random() < math.exp(-((abs(step) - 0.5) ** 2) / 2):
            return count + int(step)


def means_of_resamples(data):
    picks = [np.random.randint(len(data), size=len(data)) for _ in range(4)]
    return [float(data[pick].mean() + np.random.laplace(scale=1 / len(data))) for pick in picks]


def sum_of_a_sample(data):
    kept = np.random.rand(len(data)) < 0.2
    return float(data[kept].sum() + np.random.normal())


def shuffled_answers(bits):
    told = [bit if random.random() < E / (1 + E) else 1 - bit for bit in bits]
    random.shuffle(told)
    return told


def median_of_three_means(data):
    parts = np.split(np.clip(data, 0, 1), 3)
    return float(np.median([part.mean() + np.random.laplace(scale=1 / len(part)) for part in parts]))


def permanent_answer(kind):
    u = np.random.rand(4)
    return [1 if v < 0.375 else 0 if v > 0.625 else int(place == kind) for place, v in enumerate(u)]


def walk_of_five_steps(x):
    place = 0.0
    for _ in range(5):
        place += 0.1 * (x + np.random.normal(0, 2))
    return place


def released_when_close(data):
    near = sum(abs(v - np.median(data)) < 0.1 for v in data)
    return float(np.median(data) + np.random.laplace(scale=0.5)) if near > 1 else None


PARTS = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 1.0])


def other(run, pair, claim=ONE, **known):
    return Mechanism(run.__name__.replace("_", " "), run, pair, claim, **known)


MECHANISMS = [
    Mechanism(str(post).replace("_", " "), post.mechanism, post.pair, post.claim, within=post.right, proof=post.proof)
    for post in FORUM
] + [
    other(step_of_a_network, STEPS, GDP(0.5), mu=0.5),
    other(step_clipped_at_the_largest, STEPS, GDP(0.5), within=False, proof="two spreads"),
    other(
        words_above_a_threshold,
        (WORDS, WORDS[:5]),
        ApproxDP(1.0, 0.01),
        within=True,
        proof="the word is told with 0.01",
    ),
    other(words_that_are_common, ([*WORDS, "b"], WORDS), ApproxDP(1.0, 0.01), within=False, proof="a word disappears"),
    other(vote_of_teachers, VOTES, within=True, proof="two counts move by 1 at scale 2"),
    other(vote_with_its_tally, VOTES, within=False, proof="kind 1 with a tally above 3: loss at least 4"),
    other(unary_answer_with_a_larger_p, (0, 1), loss=1 + math.log(3)),
    other(count_clipped_after_noise, (0, 1), loss=1.0),
    other(count_drawn_until_it_fits, (0, 1), within=False, proof="0 loses 1, and what fits is rarer by 1.2"),
    other(first_two_by_gumbel, SCORES, within=True, proof="two choices by weights exp(score / 4)"),
    other(first_two_by_one_scale, SCORES, within=False, proof="places 0 and 1 lose 2.3"),
    other(mean_by_its_own_range, (SHARES, np.append(SHARES[:3], 0.1)), loss=math.inf, proof="two scales"),
    other(median_with_cauchy, (SHARES, np.append(SHARES[:3], 0.0)), loss=2 * math.asinh(0.25 / 12)),
    other(count_by_discrete_normal, (0, 1), ZCDP(0.5), within=True, proof="deviation 1"),
    other(means_of_resamples, (np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(4)), loss=16 * math.log((3 + E) / 4)),
    other(sum_of_a_sample, (np.array([0.0, 0.0, 1.0]), np.zeros(2)), ApproxDP(1.0, 0.1), within=True),
    other(shuffled_answers, ([0, 0, 1], [0, 0, 0]), within=True, proof="odds e before they are shuffled"),
    other(median_of_three_means, (PARTS, np.append(PARTS[:5], 0.0)), within=True, proof="a mean moves by 1/2 at 1/2"),
    other(permanent_answer, (0, 1), PureDP(2 * math.log(5 / 3)), loss=2 * math.log(5 / 3)),
    other(walk_of_five_steps, (0.0, 1.0), GDP(math.sqrt(5) / 2), mu=math.sqrt(5) / 2),
    other(
        released_when_close, (np.array([0.5, 0.5, 0.9]), np.array([0.5, 0.2, 0.9])), loss=math.inf, proof="told or not"
    ),
]
