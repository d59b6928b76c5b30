"""Shares of a privacy parameter, in rational numbers: they never come to more than the whole."""

from fractions import Fraction

import pytest

from dpspectra.mechanisms.gaussian_mu import part_of_mu


@pytest.mark.parametrize("share", [Fraction(1, 3), Fraction(1, 2), Fraction(5, 7), Fraction(1)])
def test_squares_of_parts_add_up_to_the_square_of_the_whole_at_most(share, rng):
    for mu in [*rng.uniform(0.01, 8, size=100).tolist(), 1.0, 2.0]:
        part = part_of_mu(mu, share)
        assert Fraction(part) ** 2 <= share * Fraction(mu) ** 2
        assert part == pytest.approx(mu * float(share) ** 0.5, rel=1e-14)
