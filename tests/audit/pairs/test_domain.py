"""Domains: the rows of pairs and of their moves are in them; a mechanism that refuses them says so at first."""

import numpy as np
import pytest

from dpspectra.audit import structured_pairs
from dpspectra.audit.pairs.domain import CHANGES, DOMAINS, LEAVING, Domain, refusal
from dpspectra.audit.pairs.simpler_pairs import simpler

OUTSIDE = {
    "ball": [[0.8, 0.7], [1.1, 0.0]],
    "box": [[-0.1, 0.5], [0.5, 1.1]],
    "cube": [[-1.1, 0.5], [0.5, 1.1]],
    "signs": [[1.0, 0.5], [0.0, 1.0]],
    "one-hot": [[1.0, 1.0], [0.0, 0.0], [0.5, 0.5]],
}
"""Rows that are not in a domain."""


def test_each_domain_has_rows_that_change():
    assert DOMAINS.keys() == CHANGES.keys() == LEAVING.keys() == OUTSIDE.keys()


@pytest.mark.parametrize("name", OUTSIDE)
def test_rows_outside_are_told(name):
    assert not any(np.array(row) in Domain(name, 2) for row in OUTSIDE[name])


@pytest.mark.parametrize("relation", ["replace", "add_remove", "zero_out"])
@pytest.mark.parametrize("name", DOMAINS)
@pytest.mark.parametrize("d", [2, 3, 5])
def test_pairs_moves_and_simpler_versions_are_in_the_domain(name, relation, d):
    domain, rng = Domain(name, d), np.random.default_rng(0)
    pairs = structured_pairs(d, relation, name)
    assert len({pair.name for pair in pairs}) == len(pairs)
    assert len({pair.change for pair in pairs}) == len(domain.changes(relation))
    for pair in pairs:
        changing = [pair.before] if relation != "replace" else [pair.before, pair.after]
        assert all(row in domain for row in [*pair.rows, *changing])
        moved = [domain.moved(row, 0.3, rng) for row in changing]
        assert all(row in domain for row in moved)
        versions = list(simpler(pair.rows[:0], moved[0], None, domain))
        assert all(before in domain for _, before, _ in versions)


@pytest.mark.parametrize(("name", "rows"), [("signs", {-1.0, 1.0}), ("one-hot", {0.0, 1.0})])
def test_moves_reach_other_rows(name, rows):
    domain, rng = Domain(name, 3), np.random.default_rng(0)
    row = domain.rows["e1" if name == "one-hot" else "ones"]
    moved = {tuple(domain.moved(row, 0.3, rng)) for _ in range(100)}
    assert len(moved) == 3
    assert set().union(*moved) == rows


def test_a_refusal_is_told_in_words():
    def careful(X, rng):
        if np.max(np.linalg.norm(X, axis=1)) > 0.5:
            raise ValueError("too long")
        return X.sum()

    pair = structured_pairs(2, "replace", "ball")[0].pair("rows")
    assert refusal(careful, pair) == "ValueError: too long"
    assert refusal(lambda X, *, size, rng: rng.normal(size=size), pair) == ""
