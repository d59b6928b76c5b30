"""Noise of a private range finder that is followed by a projection."""

from dpspectra.fast import noisy_sketch_profile


def noise_scale(width: int, epsilon: float, delta: float, mu: float) -> float:
    """Smallest noise of the range finder with which both stages are ``(epsilon, delta)``-DP.

    The projection by itself is ``mu``-GDP.
    """
    return noisy_sketch_profile.noise_for(epsilon, delta, width, mu)
