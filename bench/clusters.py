"""Rows on a dask cluster: seconds, and the largest memory of workers and client, for each step of the guide.

    python -m bench.clusters [--rows 8e6] [--width 50] [--columns 7] [--chunk 100000] [--memory 600MB] [--only WORD ...]

Rows are drawn where they lie, on two workers of one thread. Each step runs on a cluster of its own, in a process of its
own, so that peaks are of this step:

* ``moments``: `dps.Moments.of`, clipped;
* ``svd``: `PrivateTruncatedSVD`, five rounds by rows; only width x columns numbers come to the client;
* ``range``: `private_range_finder`, whose value has rows x columns numbers, gathered a few blocks at a time;
* ``kept``: `project_find_prune` with ``gather=False``: the tall factor stays on the workers, and how far it is from
  orthonormal is found there;
* ``whole``: what products were before, one task that concatenates them: expected to fail where memory is short;
* ``killed``: ``moments``, one sum of ``svd`` and ``kept`` again, while one worker is killed: the bits must be the same.

Steps that read the rows many times take a part of them (`PARTS`). Exits with 1 if a step but ``whole`` fails, or bits
are others.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import dpspectra as dps
from dpspectra.certified.exact_moments import sums_of
from dpspectra.certified.row_step import BITS, row_product
from dpspectra.matrices.reading_rule import Reading

WORKERS, K = 2, 3
KEY = bytes(range(32))
PARTS = {"svd": 4, "killed": 16}
"""The share of the rows that a step takes is one over this."""


def peak() -> float:
    """Largest memory that this process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def rows_of(args: argparse.Namespace) -> Any:
    """Rows that are drawn where they lie, the same whenever a block is read."""
    import dask.array as da

    sizes = np.r_[3.0, np.ones(args.width - 1)] / args.width**0.5
    shape, chunks = (args.rows // PARTS.get(args.step, 1), args.width), (args.chunk, args.width)
    return da.random.default_rng(0).normal(size=shape, chunks=chunks) * sizes


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


def kept(rows: Any, args: argparse.Namespace) -> str:
    release = dps.project_find_prune(rows, K, 1.0, 1e-6, gather=False)
    left = release.value.left
    inner = np.asarray((left.T @ left).compute())
    return f"{release.value.right.shape}, Q'Q within {np.max(np.abs(inner - np.eye(len(inner)))):.1g}"


def factors(rows: Any, args: argparse.Namespace) -> str:
    """``kept`` by a key, with a digest of both factors of the few last rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dps.ReusedSeedWarning)
        value = dps.project_find_prune(rows, K, 1.0, 1e-6, gather=False, rng=dps.Entropy(KEY)).value
    return digest(value.right, value.left[-args.chunk :].compute())


def whole(rows: Any, args: argparse.Namespace) -> str:
    basis = np.linalg.qr(np.random.default_rng(1).normal(size=(args.width, args.columns)))[0]
    return str((rows @ basis).compute().shape)


def dying(block: Any, folder: str, turn: int) -> Any:
    """Return the block; but the process that is asked for the block of this turn is killed."""
    for number in itertools.count():
        try:
            Path(folder, str(number)).touch(exist_ok=False)
        except FileExistsError:
            continue
        if number == turn:
            os.kill(os.getpid(), signal.SIGKILL)
        break
    return block


def killed(rows: Any, args: argparse.Namespace) -> str:
    """Each run undisturbed and with a worker killed in the middle of its passes; the digests of both."""
    found = []
    for run, passes in ((moments, 1), (step, 1), (factors, 5)):
        calm = run(rows, args)
        with tempfile.TemporaryDirectory() as folder:
            turn = int((passes - 0.5) / 2 * rows.numblocks[0])
            disturbed = run(rows.map_blocks(dying, folder, turn, dtype=float, meta=np.empty((0, 0))), args)
            if not Path(folder, str(turn)).exists():
                raise AssertionError(f"{run.__name__}: no worker was killed")
        found.append(calm)
        if disturbed != calm:
            raise AssertionError(f"{run.__name__}: other bits after a worker was killed")
    return "same bits: " + ", ".join(found)


def digest(*arrays: Any) -> str:
    """A short digest of integers."""
    return hashlib.sha256(repr([array.tolist() for array in arrays]).encode()).hexdigest()[:12]


STEPS: dict[str, Callable[[Any, argparse.Namespace], str]] = {
    "moments": moments,
    "svd": svd,
    "range": range_finder,
    "kept": kept,
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
        client.wait_for_workers(WORKERS)
        of_workers = max(client.run(peak).values())
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
        args.step = name
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
