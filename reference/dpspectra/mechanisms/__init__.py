"""The algorithms. Each returns a `Release`: a value, a claim as data, and details for whoever runs it."""

from dpspectra.mechanisms.covariance import gaussian_covariance, laplace_covariance
from dpspectra.mechanisms.orbit import private_low_rank, private_orbit, private_pca
from dpspectra.mechanisms.power import (
    PowerState,
    noisy_power_method,
    private_power_method,
    sufficient_iterations,
)
from dpspectra.mechanisms.power_plan import LargeEntryError
from dpspectra.mechanisms.range_finding import (
    private_projection,
    private_range_finder,
    project_find_prune,
    randomized_range_finder,
    randomized_response_low_rank,
)
from dpspectra.mechanisms.release import Claim, Guarantee, Release
from dpspectra.mechanisms.spectrum import private_spectrum
from dpspectra.mechanisms.streaming import StreamingPowerMethod, streaming_power_method
from dpspectra.mechanisms.wishart import symmetric_wishart_covariance, wishart_covariance

__all__ = [
    "Claim",
    "Guarantee",
    "LargeEntryError",
    "PowerState",
    "Release",
    "StreamingPowerMethod",
    "gaussian_covariance",
    "laplace_covariance",
    "noisy_power_method",
    "private_low_rank",
    "private_orbit",
    "private_pca",
    "private_power_method",
    "private_projection",
    "private_range_finder",
    "private_spectrum",
    "project_find_prune",
    "randomized_range_finder",
    "randomized_response_low_rank",
    "streaming_power_method",
    "sufficient_iterations",
    "symmetric_wishart_covariance",
    "wishart_covariance",
]
