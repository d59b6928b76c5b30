"""Counts that Laplace noise of scale 1 reaches in no cell (DPS-CELLS)."""

import math


def reached(cells: int, probability: float) -> float:
    """Return the count that the noise of no cell exceeds with this probability, at least one half."""
    return -math.log(2 * _of_one(cells, probability))


def largest_modulus(cells: int, probability: float) -> float:
    """Return the number that the modulus of the noise of no cell exceeds with this probability."""
    return -math.log(_of_one(cells, probability))


def _of_one(cells: int, probability: float) -> float:
    """Probability of one cell that all of them together are left below 1 by; they are independent."""
    return -math.expm1(math.log(probability) / cells)
