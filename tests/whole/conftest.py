"""What tests of every mechanism look at."""

import pytest

from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.mechanisms import power, range_finding


@pytest.fixture
def seen(monkeypatch):
    """Blocks in the order in which they are made orthonormal."""
    blocks = []

    def recorded(y, **options):
        blocks.append(y.copy())
        return orthonormal(y, **options)

    monkeypatch.setattr(power, "orthonormal", recorded)
    monkeypatch.setattr(range_finding, "orthonormal", recorded)
    return blocks
