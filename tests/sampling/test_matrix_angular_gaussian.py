"""The envelope of the matrix angular Gaussian law."""

import numpy as np

from dpspectra.sampling import matrix_angular_gaussian


def test_the_best_envelope_is_at_least_as_good_as_its_rivals():
    rng = np.random.default_rng(8)
    for a, k in [(np.linspace(0, 30, 10), 3), (np.repeat([0.0, 20.0], [3, 7]), 3), (np.array([0, 5, 6, 40, 50.0]), 2)]:
        cover = matrix_angular_gaussian.envelope(a, k, "complex")
        for beta in np.geomspace(0.1, 40, 60):
            for floor in a[:k]:
                rest = np.minimum(a, floor)
                mass = matrix_angular_gaussian.log_envelope_mass(a - rest, beta, float(len(a)), k) - np.sum(rest[:k])
                assert cover.log_mass <= mass + 1e-3
        assert matrix_angular_gaussian.frames(a, k).acceptance(rng, 20_000) > 0
