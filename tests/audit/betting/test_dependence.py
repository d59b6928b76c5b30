"""The test of dependence between rows of one call."""

import itertools
import math

import numpy as np
import pytest

from dpspectra.audit import audit
from dpspectra.audit.betting.dependence import STAKES, Dependence


def exact_mean(p):
    """Mean of every product of the test over all outcomes of two calls of two independent rows."""
    total = 0.0
    for rows in itertools.product([False, True], repeat=4):
        test = Dependence()
        test.see(0, [np.array(rows[:2])])
        test.see(0, [np.array(rows[2:])])
        total += math.prod(p if row else 1 - p for row in rows) * math.exp(test.log_wealth)
    return total


@pytest.mark.parametrize("p", [0.1, 0.5, 0.8])
def test_independent_rows_gain_nothing_on_average(p):
    assert exact_mean(p) == pytest.approx(1.0, abs=1e-12)


def test_equal_rows_are_found_out_and_the_declaration_is_revoked():
    def copies(x, *, size, rng):
        return np.full(size, rng.normal())

    result = audit(copies, (0.0, 1.0), 0.5, draws=20_000, independent=True, confidence=0.9)
    assert result.rows == "averaged within calls" or result.violated, "a false declaration is the caller's error"
    alone = Dependence()
    rng = np.random.default_rng(0)
    for _ in range(200):
        alone.see(1, [np.full(64, rng.random() < 0.5)])
    assert alone.log_wealth > math.log(1e6)
    before = alone.log_wealth
    alone.new_epoch()
    assert alone.log_wealth == pytest.approx(before)
    assert np.max(np.abs(STAKES)) < 1
