"""Other processes change nothing in an audit: workers, and a cluster that loses one."""

import os
import signal

import pytest
from joblib.externals.loky import get_reusable_executor

from dpspectra.audit import audit
from dpspectra.cli import run
from tests.support.helpers import dask_cluster
from tests.support.toys import data, toy


def test_workers_change_nothing(workshop):
    get_reusable_executor().shutdown()  # workers that earlier tests left behind do not know the folder of this one
    records = []
    for workers in ([], ["--workers", "1"], ["--workers", "2"]):
        assert run(toy("laplace", "--epsilon", "0.8", "--seed", "5", "--json", "r.json", *workers)) == 1
        records.append(
            {key: value for key, value in data("r.json").items() if key not in ("seconds", "first_calls", "asked")}
        )
    assert records[0] == records[1] == records[2]
    assert records[0]["evidence"]["epochs"]


def test_a_dask_cluster_changes_nothing_even_if_it_loses_a_worker(tmp_path):
    """The worker that makes the first draws kills itself; dask starts another, and hands the task out again."""
    import joblib

    distributed = pytest.importorskip("distributed")
    home, dead = os.getpid(), tmp_path / "dead"

    def laplace(x, *, size, rng):
        return rng.laplace(x, 1 / 1.5, size)

    def fragile(x, *, size, rng):
        if os.getpid() != home and not dead.exists():
            dead.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return laplace(x, size=size, rng=rng)

    alone = audit(laplace, (0.0, 1.0), 1.0, rng=3)
    with (
        dask_cluster(silence_logs=50) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        shared = audit(laplace, (0.0, 1.0), 1.0, rng=3, workers=2)
        survived = audit(fragile, (0.0, 1.0), 1.0, rng=3, workers=2)
    assert dead.exists()
    assert alone.violated
    assert alone.counts
    assert alone == shared == survived
