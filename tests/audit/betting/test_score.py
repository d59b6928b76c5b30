"""Classifiers that are learned: what they are shown, and where they are honoured."""

import json

import numpy as np
import pytest

from dpspectra.audit import audit
from dpspectra.audit.betting import score
from dpspectra.audit.betting.score import learn


def test_a_classifier_is_shown_frequent_labels():
    class Constant:
        def fit(self, x, y):
            self.seen = x

        def predict_proba(self, x):
            return np.column_stack([1 - x[:, -1], x[:, -1]])

    rng = np.random.default_rng(0)
    past = tuple({"l": rng.integers(0, 2 + side, 2000).astype(np.uint64)} for side in (0, 1))
    score = learn(past, Constant())
    assert score.labels
    assert score.classifier.seen.shape == (2000, len(score.labels))
    assert set(np.unique(score.classifier.seen)) == {-1.0, 1.0}
    assert learn(past) is None, "the built-in one has nothing to learn from"


class Bins:
    """A classifier that learns rates in 64 bins of the statistic that has most values."""

    def fit(self, x, y):
        self.column = int(np.argmax([len(np.unique(column)) for column in x.T]))
        self.ends = np.quantile(x[:, self.column], np.linspace(0, 1, 65)[1:-1])
        place = np.searchsorted(self.ends, x[:, self.column])
        self.rates = (np.bincount(place, y, 64) + 1) / (np.bincount(place, minlength=64) + 2)

    def predict_proba(self, x):
        rates = self.rates[np.searchsorted(self.ends, x[:, self.column])]
        return np.column_stack([1 - rates, rates])


def parity(x, *, size, rng):
    """A number whose integer part is mostly even on one data set, and mostly odd on the other; sometimes mere noise."""
    odd = rng.random(size) < (0.9 if x else 0.1)
    shown = 100 + 2 * rng.integers(16, size=size) + odd + rng.random(size)
    below, above, where = rng.uniform(0, 100, size), rng.uniform(132, 1000, size), rng.random(size)
    return np.select([where < 0.05, where < 0.1], [below, above], shown)


def spelled(x, *, size, rng):
    return [f"{number:.9f}" for number in parity(x, size=size, rng=rng)]


@pytest.mark.parametrize("mechanism", [parity, spelled])
def test_a_classifier_is_honoured_where_outputs_are_single_numbers_or_text(mechanism, monkeypatch):
    """No half-line shows which digits are odd; bins would."""
    monkeypatch.setattr("dpspectra.audit.proceedings.lenses", lambda past, name: [])
    assert audit(mechanism, (0, 1), 1.0, classifier=Bins(), draws=2048).violated
    assert not audit(mechanism, (0, 1), 1.0, draws=2048).violated


def test_a_learned_score_reads_the_statistics_that_differ_most_in_either_direction():
    rng = np.random.default_rng(0)
    tables = tuple({f"s{i}": rng.normal(size=score.SMALLEST) for i in range(score.COLUMNS + 20)} for _ in (0, 1))
    for name, shift in (("s1", 2.0), ("s2", -2.0)):
        tables[0][name] += shift
    assert {"s1", "s2"} <= set(score.learn(tables).names)


def test_a_statistic_without_numbers_in_the_draws_that_are_learned_from_is_left_out():
    """It warned of a slice of NaN alone; every other draw is learned from."""
    rng = np.random.default_rng(0)
    past = tuple({name: rng.normal(side, 1, 2000) for name in "abc"} for side in (0, 1))
    for table in past:
        table["c"][::2] = np.nan
    assert set(learn(past).names) == {"a", "b"}


def test_a_learned_score_is_the_sum_that_the_guide_on_audits_says():
    rng = np.random.default_rng(2)
    past = tuple({name: rng.normal(side, size=2000) for name in ("entry 0", "entry 1")} for side in (0, 1))
    saved = json.loads(json.dumps(learn(past).to_dict()))
    outputs = {"entry 0": np.array([0.3, -40.0, 7.0]), "entry 1": np.array([-0.2, 2.0, 3.1])}
    given = zip(saved["names"], saved["centre"], saved["scale"], strict=True)
    z = [np.clip((outputs[name] - centre) / scale, -10, 10) for name, centre, scale in given]
    terms = [*z, *(np.minimum(x**2, 9) - 1 for x in z), *(np.tanh(2 * x) for x in z), np.ones(3)]
    told = sum(weight * term for weight, term in zip(saved["weights"], terms, strict=True))
    assert score.Score.from_dict(saved)(outputs) == pytest.approx(told, rel=1e-12)
