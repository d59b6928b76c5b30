"""What tests of commands start from."""

import numpy as np
import pytest

from tests.support.files import X


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder that holds three rows, and is the present one."""
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", X)
    return tmp_path
