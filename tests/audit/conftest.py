"""A result of each kind."""

import pytest

from dpspectra.audit import audit
from tests.support.helpers import laplace


@pytest.fixture(scope="module")
def refuted():
    return audit(laplace(1.0), (0.0, 1.0), 0.5)


@pytest.fixture(scope="module")
def sound():
    return audit(laplace(1.0), (0.0, 1.0), 1.0, draws=3000)
