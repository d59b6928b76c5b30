"""Rows on a dask cluster: seconds, and the largest memory of workers and client, for each step of the guide.

    python -m bench.clusters [--rows 8e6] [--width 50] [--columns 7] [--chunk 100000] [--memory 600MB] [--only WORD ...]

Rows are drawn where they lie, on two workers of one thread. Each step runs on a cluster of its own, in a process of its
own, so that peaks are of this step:

* ``moments``: `dps.Moments.of`, clipped;
* ``svd``: `PrivateTruncatedSVD`, five rounds by rows; only width x columns numbers come to the client;
* ``range``: `private_range_finder`, whose value has rows x columns numbers, gathered a few blocks at a time;
* ``whole``: what products were before, one task that concatenates them: expected to fail where memory is short;
* ``killed``: ``moments`` and the sum of ``svd`` again, while one worker is killed: the bits must be the same.

Exits with 1 if a step but ``whole`` fails, or bits are others.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import dpspectra as dps
from dpspectra.certified.moments import sums_of
from dpspectra.certified.row_products import BITS, row_product
from dpspectra.matrices.reading import Reading

WORKERS, K = 2, 3
PAUSE = 1.0
"""Seconds before a worker is killed, in steps that take longer."""


def peak() -> float:
    """Largest memory that this process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def rows_of(args: argparse.Namespace) -> Any:
    """Rows that are drawn where they lie, the same whenever a block is read."""
    import dask.array as da

    sizes = np.r_[3.0, np.ones(args.width - 1)] / args.width**0.5
    return da.random.default_rng(0).normal(size=(args.rows, args.width), chunks=(args.chunk, args.width)) * sizes


def moments(rows: Any, args: argparse.Namespace) -> str:
    sums = sums_of(dps.Moments.of(rows, rows="clip"))
    return digest(sums.total, sums.first.integers())


def step(rows: Any, args: argparse.Namespace) -> str:
    """One step by rows, with a block that is known."""
    basis = np.linalg.qr(np.random.default_rng(1).normal(size=(args.width, args.columns)))[0]
    return digest(row_product(rows, np.trunc(np.ldexp(basis, BITS)), Reading(1.0, "clip")))


def svd(rows: Any, args: argparse.Namespace) -> str:
    from dpspectra.estimators import PrivateTruncatedSVD

    return str(PrivateTruncatedSVD(args.columns, epsilon=1.0, delta=1e-6).fit(rows).components_.shape)


def range_finder(rows: Any, args: argparse.Namespace) -> str:
    return str(dps.private_range_finder(rows, K, 1.0, 1e-6).value.shape)


def whole(rows: Any, args: argparse.Namespace) -> str:
    basis = np.linalg.qr(np.random.default_rng(1).normal(size=(args.width, args.columns)))[0]
    return str((rows @ basis).compute().shape)


def killed(rows: Any, args: argparse.Namespace) -> str:
    """Moments and a step, undisturbed and with a worker killed after some time; the digest of both."""
    from distributed import get_client

    client, found = get_client(), []
    for run in (moments, step):
        start = time.perf_counter()
        calm = run(rows, args)
        wait = min(PAUSE, (time.perf_counter() - start) / 2)
        pids = list(client.run(os.getpid).values())
        timer = threading.Timer(wait, os.kill, (pids[0], signal.SIGKILL))
        timer.start()
        disturbed = run(rows, args)
        timer.join()
        found.append(calm)
        if disturbed != calm:
            raise AssertionError(f"{run.__name__}: other bits after a worker was killed")
        if pids[0] in client.run(os.getpid).values():
            raise AssertionError(f"{run.__name__}: no worker was killed")
    return "same bits: " + ", ".join(found)


def digest(*arrays: Any) -> str:
    """A short digest of integers."""
    return hashlib.sha256(repr([array.tolist() for array in arrays]).encode()).hexdigest()[:12]


STEPS: dict[str, Callable[[Any, argparse.Namespace], str]] = {
    "moments": moments,
    "svd": svd,
    "range": range_finder,
    "whole": whole,
    "killed": killed,
}


def alone(name: str, args: argparse.Namespace, answer: Any) -> None:
    """Run a step on a cluster of its own, and send its output, and whether it succeeded."""
    import dask
    from distributed import Client, LocalCluster

    dask.config.set({"distributed.worker.memory.terminate": 0.95})
    given = {"n_workers": WORKERS, "threads_per_worker": 1, "memory_limit": args.memory}
    given |= {"dashboard_address": None, "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"}}
    with LocalCluster(**given) as cluster, Client(cluster) as client:
        before, start = peak(), time.perf_counter()
        try:
            said, good = STEPS[name](rows_of(args), args), True
        except Exception as problem:
            said, good = f"{type(problem).__name__}: {str(problem)[:60]}", False
        seconds = time.perf_counter() - start
        of_workers = max(client.run(peak).values(), default=0.0)
        client_mb = f"{before:.0f} to {peak():.0f}"
    answer.put((f"{name:<9}{seconds:>8.1f} s {of_workers:>7.0f} MB a worker, client {client_mb} MB  {said}", good))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=8_000_000)
    parser.add_argument("--width", type=int, default=50)
    parser.add_argument("--columns", type=int, default=7)
    parser.add_argument("--chunk", type=int, default=100_000)
    parser.add_argument("--memory", default="600MB", help="of a worker")
    parser.add_argument("--only", nargs="+", choices=STEPS, default=list(STEPS))
    args = parser.parse_args()
    context, bad = multiprocessing.get_context("spawn"), []
    for name in args.only:
        answer = context.Queue()
        process = context.Process(target=alone, args=(name, args, answer))
        process.start()
        line, good = answer.get()
        process.join()
        print(line, flush=True)
        if not good and name != "whole":
            bad.append(name)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
