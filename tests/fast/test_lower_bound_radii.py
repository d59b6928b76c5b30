"""Radii of separated places."""

import numpy as np
import pytest

from dpspectra.fast import lower_bound_radii
from dpspectra.formulas import lower_bound_any_epsilon, lower_bound_explicit, lower_bound_uniform


@pytest.mark.parametrize("field", ["complex", "real"])
@pytest.mark.parametrize("values", [[9.0] * 5, np.linspace(90, 1, 60), 1 / np.arange(1, 61) ** 2])
def test_fewer_pairs_of_places_give_a_bound_that_is_as_valid_and_hardly_smaller(field, values, monkeypatch):
    spectrum = np.concatenate([values, np.zeros(60)])
    for lower in (lower_bound_any_epsilon, lower_bound_explicit, lower_bound_uniform):
        whole = lower.bound(spectrum, 0.7, field)
        with monkeypatch.context() as patch:
            patch.setattr(lower_bound_radii, "EVERY", 61)
            assert 0.97 * whole < lower.bound(spectrum, 0.7, field) <= whole
            patch.setattr(lower_bound_radii, "EVERY", 1)  # not even where a value is exhausted
            assert 0.85 * whole < lower.bound(spectrum, 0.7, field) <= whole
