"""A mechanism that refuses rows of norm 1 says so before anything is searched."""

import numpy as np

from dpspectra.audit.pairs.domain import refusal


def test_a_refusal_is_told_in_words():
    def careful(X, rng):
        if np.max(np.linalg.norm(X, axis=1)) > 0.5:
            raise ValueError("too long")
        return X.sum()

    assert refusal(careful, 2, "replace", "rows") == "ValueError: too long"
    assert refusal(lambda X, *, size, rng: rng.normal(size=size), 2, "replace", "rows") == ""
