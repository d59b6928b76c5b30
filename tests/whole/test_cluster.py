"""Matrices and rows that worker processes hold (extra ``outofcore``); the tests start and stop a cluster."""

import os
import signal
import threading
from typing import Any

import numpy as np
import pytest

from dpspectra import Moments, ReusedSeedWarning, noisy_power_method, private_power_method, project_find_prune
from dpspectra.certified.exact_moments import sums_of
from tests.support.helpers import dask_cluster, distance, entropy

pytest.importorskip("dask.array")
distributed: Any = pytest.importorskip("distributed")

RNG = np.random.default_rng(0)
D, K, WIDTH, ROUNDS = 240, 3, 5, 12
BASIS = np.linalg.qr(RNG.standard_normal((D, D)))[0]
A = (BASIS * np.r_[100.0, -90, 80, np.linspace(20, 0, D - 3)]) @ BASIS.T
A = (A + A.T) / 2
SECONDS = 300
"""How long to wait for the scheduler, and for a test, before it fails in place of hanging."""


@pytest.fixture(autouse=True)
def no_endless_wait():
    """A cluster that never answers after the loss of a worker is a failure, and not a run without end."""

    def late(*_):
        raise TimeoutError(f"the cluster gave no answer in {SECONDS} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def client():
    """A client of a cluster on this machine."""
    with dask_cluster() as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture
def held(client):
    """The matrix in twelve pieces, on both workers."""
    dask_array = pytest.importorskip("dask.array")
    matrix = client.persist(dask_array.from_array(A, chunks=(60, 80)))
    distributed.wait(matrix)
    assert all(client.has_what().values())
    return matrix


class Loss(distributed.SchedulerPlugin):
    """Tells when the scheduler has noticed that a worker is gone."""

    def __init__(self):
        self.noticed = threading.Event()

    def remove_worker(self, scheduler, worker, **_):
        self.noticed.set()


def test_workers_find_the_same_subspace(held):
    x = noisy_power_method(held, K, width=WIDTH, iterations=ROUNDS, rng=1)
    assert distance(x, noisy_power_method(A, K, width=WIDTH, iterations=ROUNDS, rng=1)) < 1e-10
    private = {"width": WIDTH, "iterations": 3, "rng": 1}
    x, y = (private_power_method(a, K, 2.0, 1e-6, **private).value for a in (held, A))
    assert distance(x, y) < 1e-10


def test_a_killed_worker_changes_nothing(client, held):
    pids, lost, loss = client.run(os.getpid), [], Loss()
    client.cluster.scheduler.add_plugin(loss, name="loss")

    def noise(number, x, y):
        if number == ROUNDS // 2:
            address, pid = next(iter(pids.items()))
            lost.extend(client.has_what()[address])
            os.kill(pid, signal.SIGKILL)
            assert loss.noticed.wait(SECONDS)
        return np.zeros_like(y)

    x = noisy_power_method(held, K, width=WIDTH, iterations=ROUNDS, noise=noise, rng=1)
    client.cluster.scheduler.remove_plugin("loss")
    assert lost
    assert set(client.run(os.getpid).values()) != set(pids.values())
    assert distance(x, noisy_power_method(A, K, width=WIDTH, iterations=ROUNDS, rng=1)) < 1e-10


def dying(block, path):
    """The block; but the first process that is asked for one is killed."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
        os.kill(os.getpid(), signal.SIGKILL)
    except FileExistsError:
        pass
    return block


def test_sums_of_rows_are_the_same_when_a_worker_is_killed(client, tmp_path):
    """Blocks that were read by the lost worker are read again, and are in the sum once."""
    rows, dask_array = RNG.standard_normal((4000, 6)) / 3, pytest.importorskip("dask.array")

    path = tmp_path / "killed"
    lazy = dask_array.from_array(rows, chunks=(500, 3)).map_blocks(dying, str(path), dtype=float, meta=np.empty((0, 0)))
    found, whole = (sums_of(Moments.of(x, rows="clip")) for x in (lazy, rows))
    assert path.exists()
    assert found.total.tolist() == whole.total.tolist()
    assert found.first.integers().tolist() == whole.first.integers().tolist()
    assert found.count == len(rows)


def dying_later(block, folder, turn):
    """The block; but the process that is asked for the block of this turn is killed."""
    for number in range(1000):
        try:
            os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            continue
        if number == turn:
            os.kill(os.getpid(), signal.SIGKILL)
        return block
    raise AssertionError("so many blocks are never read")


@pytest.mark.parametrize("turn", [12, 21, 30])
def test_what_stays_on_workers_is_the_same_when_one_is_killed(client, tmp_path, turn):
    """Eight blocks in each pass: one is lost between the factors, before the largest row, and in the product."""
    rows, dask_array = RNG.standard_normal((1600, 30)), pytest.importorskip("dask.array")
    calm = dask_array.from_array(rows, chunks=(200, 30))
    disturbed = calm.map_blocks(dying_later, str(tmp_path), turn, dtype=float, meta=np.empty((0, 0)))
    given = {"k": 2, "epsilon": 1.0, "delta": 1e-6, "gather": False}
    with pytest.warns(ReusedSeedWarning):
        one, other = (project_find_prune(a, **given, rng=entropy(turn)) for a in (calm, disturbed))
    assert (tmp_path / str(turn)).exists()
    assert one.details == other.details
    assert one.value.right.tolist() == other.value.right.tolist()
    assert one.value.left.compute().tolist() == other.value.left.compute().tolist()
