"""Laws are prepared anew for each test, since some tests plant faults in what prepares them."""

import importlib

import pytest

orbit = importlib.import_module("dpspectra.sampling.orbit")


@pytest.fixture(autouse=True)
def _nothing_remembered():
    for remembered in (orbit._method, orbit._draw):
        remembered.cache_clear()
    yield
    for remembered in (orbit._method, orbit._draw):
        remembered.cache_clear()
