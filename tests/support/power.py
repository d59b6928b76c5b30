"""Matrices with a gap in their spectrum."""

import numpy as np
from scipy import sparse

RNG = np.random.default_rng(0)
D, K = 60, 3
BASIS = np.linalg.qr(RNG.standard_normal((D, D)))[0]
VALUES = np.r_[100.0, -90, 80, 20, -15, np.linspace(5, 0, D - 5)]
A = (BASIS * VALUES) @ BASIS.T
A = (A + A.T) / 2
M = RNG.standard_normal((30, 20)) @ np.diag(np.r_[20.0, 15, np.ones(18)])


def sprinkled(m, n, density):
    """A CSR matrix of uniform entries, each there with probability ``density``."""
    rng = np.random.default_rng(1)
    return sparse.csr_array(rng.random((m, n)) * (rng.random((m, n)) < density))


def rows(n, seed=0):
    """A spiked covariance: three directions of variance 10, the rest 1."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, D)) + 3 * rng.standard_normal((n, K)) @ BASIS[:, :K].T
