"""Exact sums of files of rows by tasks of Ray, by the recipe of the guide "Sum rows on a cluster", against one pass.

Exits with 1 unless it has the totals of one pass bit for bit. ``make clusters`` runs it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import ray

import dpspectra as dps
from examples.clusters.totals import totals

READING: dict[str, Any] = {"norm_bound": 1.0, "rows": "clip"}


def of_files(paths: list[str]) -> dps.Moments:
    """Return sums over the rows of files, added as parts arrive."""
    read = ray.remote(lambda path: dps.Moments.read(path, **READING))
    waiting = [read.remote(path) for path in paths]
    moments = dps.Moments.empty(4, **READING)
    while waiting:
        done, waiting = ray.wait(waiting)
        moments += ray.get(done[0])
    return moments


def main() -> int:
    """Compare the recipe with one pass."""
    rows = np.random.default_rng(0).normal(size=(20_000, 4)) * [0.9, 0.5, 0.3, 0.1]
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        with tempfile.TemporaryDirectory() as folder:
            paths = [str(Path(folder) / f"{number}.npy") for number in range(6)]
            for path, part in zip(paths, np.array_split(rows, 6), strict=True):
                np.save(path, part)
            moments = of_files(paths)
    finally:
        ray.shutdown()
    equal = totals(moments) == totals(dps.Moments.of(rows, **READING))
    bits = "the bits of one pass" if equal else "OTHER BITS than one pass"
    print(f"Ray {ray.__version__}, {moments.parts} parts: {bits}")
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
