"""What holds for every test, and the fixtures that several test modules ask for."""

import gc
import importlib
import os
import sys
import warnings

import numpy as np
import pytest
from hypothesis import settings

from dpspectra.audit import BrokenMechanismWarning
from dpspectra.certified import kernels, noise_on_grid
from tests.support.entropy import Repeated
from tests.support.slow import chosen, listed, timed
from tests.support.toys import TOYS

with warnings.catch_warnings():  # the warning comes with the first import only, and warnings are errors
    warnings.simplefilter("ignore", BrokenMechanismWarning)
    importlib.import_module("dpspectra.audit.specimens")


settings.register_profile("tests", deadline=None)  # examples may be slow where a machine is busy or calls are recorded
settings.load_profile("tests")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Leave what is imported and collected out of searches for garbage, and out of all but the first for generators."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_configure(config):
    """Time the tests where `make slow` asks for it."""
    timed(config)


def pytest_collection_modifyitems(config, items):
    """The slow tests first, so that no worker is left with one of them at the end, or none of them.

    A test that is asked for by its name is run.
    """
    slow = listed()
    items.sort(key=lambda item: item.nodeid not in slow)
    if any("::" in asked for asked in config.args):
        return
    wanted = chosen((item.nodeid for item in items), os.environ.get("SLOW", ""))
    left_out = [item for item in items if item.nodeid not in wanted]
    if left_out:
        items[:] = [item for item in items if item.nodeid in wanted]
        config.hook.pytest_deselected(items=left_out)


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.fixture(autouse=True)
def fresh_noise(request, monkeypatch):
    """Fresh noise of a test, the same in every run: what it may show by chance it shows always, or never."""
    monkeypatch.setattr("os.urandom", Repeated(request.node.nodeid))


@pytest.fixture(autouse=True)
def plain_kernels(monkeypatch):
    """Noise by the kernels of numpy, whichever test has loaded numba: `test_fused_kernels` compares the others."""
    monkeypatch.setitem(sys.modules, noise_on_grid.FUSED, kernels)


@pytest.fixture
def threads():
    """One thread and two, on a machine that has two; numba goes back to what was set before."""
    numba = pytest.importorskip("numba")
    before = numba.get_num_threads()
    yield 1, min(2, numba.config.NUMBA_NUM_THREADS)
    numba.set_num_threads(before)


class Clock:
    """Stands in for the module ``time``: mechanisms move it on, and every look at it by a nanosecond."""

    now = 0.0

    def perf_counter(self):
        self.now += 1e-9
        return self.now

    time = perf_counter


@pytest.fixture
def clock(monkeypatch):
    """The clock of the auditor, which stands still unless it is looked at or moved on."""
    clock = Clock()
    pairs = "pairs.search", "pairs.several_pairs"
    audit = (f"audit.{name}" for name in ("proceedings", "engine", "calling.observe", *pairs, "findings"))
    for module in (*audit, "ground.deadlines"):
        monkeypatch.setattr(f"dpspectra.{module}.time", clock)
    return clock


@pytest.fixture(scope="session")
def toys(tmp_path_factory):
    """The folder of `tests.support.toys.TOYS`, as the module ``toy_mechanisms``."""
    folder = tmp_path_factory.mktemp("toys")
    (folder / "toy_mechanisms.py").write_text(TOYS)
    return folder


@pytest.fixture
def workshop(toys, monkeypatch, tmp_path):
    """An empty folder from which the toys can be imported, with a pair of numbers beside."""
    monkeypatch.syspath_prepend(toys)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pair.json").write_text('{"first": [0], "second": [1]}')
    return tmp_path
