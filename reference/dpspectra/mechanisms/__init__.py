"""The algorithms. Each returns a `Release`: a value, a claim as data, and details for whoever runs it."""

from dpspectra.mechanisms.covariance import gaussian_covariance, laplace_covariance
from dpspectra.mechanisms.orbit import private_low_rank, private_orbit, private_pca
from dpspectra.mechanisms.release import Claim, Guarantee, Release
from dpspectra.mechanisms.spectrum import private_spectrum
from dpspectra.mechanisms.wishart import symmetric_wishart_covariance, wishart_covariance

__all__ = [
    "Claim",
    "Guarantee",
    "Release",
    "gaussian_covariance",
    "laplace_covariance",
    "private_low_rank",
    "private_orbit",
    "private_pca",
    "private_spectrum",
    "symmetric_wishart_covariance",
    "wishart_covariance",
]
