"""The table of false alarms of remarks: what it counts, and a small one of it."""

import numpy as np
import pytest
from scipy import stats

from bench import remarks

RELEASES, RARE = 30, 1e-6


@pytest.mark.parametrize("center", remarks.CENTERS)
@pytest.mark.parametrize(("name", "n"), [("wine", 178), ("wine", 1000), ("alike", 500), ("isotropic", 500)])
def test_hardly_any_component_is_falsely_said_to_stand_out(name, n, center):
    """Fails by chance with probability `RARE` at most if a release does with .02: a fixed seed."""
    rng = np.random.default_rng(0)
    cells = list(remarks.measured(remarks.table(name, n, rng), RELEASES, (center,), rng))
    falsely = round(sum(cell.falsely for cell in cells) * RELEASES)
    whole = len(cells) * RELEASES
    assert stats.binomtest(falsely, whole, remarks.ALLOWED, alternative="greater").pvalue > RARE
    if n == 1000:
        assert max(cell.first for cell in cells) > 0.9
    if name != "wine":
        assert max(cell.second for cell in cells) == 0.0


def test_components_that_are_not_there_are_never_found():
    assert not remarks.components(np.full((9, 3), 0.5), "mean").any()
    best = remarks.components(np.array([[2.0, 1, 0], [-2, 1, 0], [0, -2, 0]]), "pairs")
    np.testing.assert_allclose(np.abs(best), [[1, 0], [0, 1], [0, 0]], atol=1e-12)


@pytest.mark.parametrize(("allowed", "status"), [(0.02, 0), (-1.0, 1)])
def test_the_status_tells_whether_too_many_are(allowed, status, monkeypatch, capsys):
    monkeypatch.setattr(remarks, "ALLOWED", allowed)
    assert remarks.main(["--releases", "1", "--tables", "alike", "--rows", "60", "--centers", "none"]) == status
    assert "falsely in at most 0.0% of the releases" in capsys.readouterr().out
