"""Frames have the law of the matrices on the orbit, and are uniform in their spans."""

import numpy as np
import pytest

import dpspectra as dps

M = np.diag([3.0, 1.0, 0.5, 0.0])
DRAWS = 4000
CASES = [("real", 1, "auto"), ("real", 3, "auto"), ("real", 2, "macg"), ("complex", 2, "ball_chart")]
CASES += [("complex", 2, "vertex"), ("complex", 3, "macg"), ("complex", 4, "auto")]


@pytest.mark.parametrize(("field", "k", "method"), CASES)
def test_frames_have_the_law_of_the_orbit(field, k, method):
    """Means of the diagonal of ``X X*`` as those of `orbit`, of ``X`` 0, all columns alike, within 5 standard errors.

    Together at most 170 normal numbers beyond 5: false alarms below 1e-4.
    """
    x = dps.sampling.frames(M, k, 1.0, size=DRAWS, field=field, method=method, rng=1)
    h = dps.sampling.orbit(M, [1.0] * k + [0.0] * (4 - k), 1.0, size=DRAWS, field=field, rng=2)
    assert x.shape == (DRAWS, 4, k)
    assert np.iscomplexobj(x) == (field == "complex")
    np.testing.assert_allclose(x.conj().swapaxes(1, 2) @ x, np.broadcast_to(np.eye(k), (DRAWS, k, k)), atol=1e-10)
    shares, expected = (np.abs(x) ** 2).sum(axis=2), np.diagonal(h, axis1=1, axis2=2).real
    error = np.hypot(shares.std(axis=0), expected.std(axis=0)) / np.sqrt(DRAWS)
    assert np.all(np.abs(shares.mean(axis=0) - expected.mean(axis=0)) <= 5 * error + 1e-12)
    assert np.all(np.abs(x.mean(axis=0)) <= 5 * np.sqrt(2 / DRAWS))
    between = np.abs(x[:, :, 0]) ** 2 - shares / k  # no column is preferred
    assert np.all(np.abs(between.mean(axis=0)) <= 5 * between.std(axis=0) / np.sqrt(DRAWS) + 1e-12)


def test_one_frame_and_none():
    assert dps.sampling.frames(M, 2, 1.0, rng=0).shape == (4, 2)
    assert dps.sampling.frames(M, 2, 1.0, size=0, rng=0).shape == (0, 4, 2)
    seeded = [dps.sampling.frames(M, 3, 0.0, size=3, field="complex", rng=5) for _ in range(2)]
    assert (seeded[0] == seeded[1]).all()
