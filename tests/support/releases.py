"""Calls of every mechanism whose release carries a claim, by its name."""

import numpy as np

import dpspectra as dps

EYE = np.eye(4) / 2
RELEASES = {
    "laplace_covariance": lambda rng: dps.laplace_covariance(EYE, 1.0, rng=rng),
    "gaussian_covariance": lambda rng: dps.gaussian_covariance(EYE, 1.0, 1e-6, rng=rng),
    "knorm_covariance": lambda rng: dps.knorm_covariance(EYE[:, :2], 1.0, rng=rng),
    "symmetric_wishart_covariance": lambda rng: dps.symmetric_wishart_covariance(EYE, 1.0, rng=rng),
    "wishart_covariance": lambda rng: dps.wishart_covariance(EYE, 1.0, 1e-6, rng=rng),
    "private_pca": lambda rng: dps.private_pca(EYE, 1, 1.0, rng=rng),
    "private_mean": lambda rng: dps.private_mean(EYE, 1.0, rng=rng),
    "private_orbit": lambda rng: dps.private_orbit(EYE, [1.0, 0.0, 0.0, 0.0], 1.0, rng=rng),
    "private_low_rank": lambda rng: dps.private_low_rank(EYE, 1, 1.0, rng=rng),
    "private_spectrum": lambda rng: dps.private_spectrum(EYE, 1, 1.0, rng=rng),
    "private_power_method": lambda rng: dps.private_power_method(EYE, 1, 1.0, iterations=1, rng=rng),
    "private_range_finder": lambda rng: dps.private_range_finder(EYE, 1, 1.0, 1e-6, rng=rng),
    "private_projection": lambda rng: dps.private_projection(EYE, np.eye(4, 1), 1.0, 1e-6, rng=rng),
    "project_find_prune": lambda rng: dps.project_find_prune(EYE, 1, 1.0, 1e-6, rng=rng),
    "randomized_response_low_rank": lambda rng: dps.randomized_response_low_rank(EYE, 1, 1.0, 1e-6, rng=rng),
    "row_counting_direction": lambda rng: dps.row_counting_direction(EYE, 1.0, aligned=1, rng=rng),
}
"""Calls that need a source of randomness alone."""
CERTIFIED = (
    "laplace_covariance",
    "gaussian_covariance",
    "knorm_covariance",
    "symmetric_wishart_covariance",
    "wishart_covariance",
    "private_mean",
    "private_spectrum",
    "private_power_method",
    "private_range_finder",
    "private_projection",
    "project_find_prune",
    "randomized_response_low_rank",
)
"""Those that have a certified arithmetic."""
RNG = np.random.default_rng(3)
X = RNG.normal(size=(12, 4))
X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1.0)
SPECTRUM = [1.0, 1.0, 0.0, 0.0]
ROWS = {
    "laplace_covariance": lambda x, rng: dps.laplace_covariance(x, 1.0, rng=rng),
    "gaussian_covariance": lambda x, rng: dps.gaussian_covariance(x, 1.0, 1e-6, rng=rng),
    "symmetric_wishart_covariance": lambda x, rng: dps.symmetric_wishart_covariance(x, 1.0, rng=rng),
    "knorm_covariance": lambda x, rng: dps.knorm_covariance(x[:, :2], 1.0, rng=rng),
    "wishart_covariance": lambda x, rng: dps.wishart_covariance(x, 1.0, 1e-3, rng=rng),
    "private_pca": lambda x, rng: dps.private_pca(x, 2, 1.0, mechanism="orbit", rng=rng),
    "private_mean": lambda x, rng: dps.private_mean(x, 1.0, rng=rng),
    "private_orbit": lambda x, rng: dps.private_orbit(x.T @ x, SPECTRUM, 1.0, trace=20, rng=rng),
    "private_low_rank": lambda x, rng: dps.private_low_rank(x.T @ x, 2, 1.0, mechanism="orbit", rng=rng),
    "private_spectrum": lambda x, rng: dps.private_spectrum(x.T @ x, 2, 1.0, rng=rng),
    "private_power_method": lambda x, rng: dps.private_power_method(x.T @ x, 1, 1.0, iterations=2, rng=rng),
    "private_range_finder": lambda x, rng: dps.private_range_finder(x, 1, 1.0, 1e-6, rng=rng),
    "private_projection": lambda x, rng: dps.private_projection(x, np.eye(12, 1), 1.0, 1e-6, rng=rng),
    "project_find_prune": lambda x, rng: dps.project_find_prune(x, 1, 1.0, 1e-6, rng=rng),
    "randomized_response_low_rank": lambda x, rng: dps.randomized_response_low_rank(x, 1, 1.0, 1e-6, rng=rng),
    "row_counting_direction": lambda x, rng: dps.row_counting_direction(x, 1.0, aligned=1, rng=rng),
}
"""Those mechanisms, of any twelve rows of four numbers such as `X`."""
