"""Exact sums of rows on Spark, by both recipes of the guide "Sum rows on a cluster", compared with one pass.

Exits with 1 unless each has the totals of one pass bit for bit. ``make clusters`` runs it; it needs Java.
"""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyspark
from pyspark.sql import SparkSession

import dpspectra as dps
from examples.clusters.totals import totals

COLUMNS = ["age", "height", "weight", "pressure"]
READING: dict[str, Any] = {"norm_bound": 1.0, "rows": "clip"}


def of_chunks(chunks: Any) -> dps.Moments:
    """Return sums over partitions that hold chunks of rows."""
    zero = dps.Moments.empty(4, **READING)
    add = dps.Moments.with_rows
    return chunks.treeAggregate(zero, add, operator.add, depth=3)


def part(batches: Iterator[Any]) -> Iterator[Any]:
    """One part of a partition as bytes, also of one without rows."""
    moments = dps.Moments.of(batches, columns=COLUMNS, **READING)
    yield pa.record_batch([pa.array([moments.to_bytes()])], names=["part"])


def of_frame(frame: Any) -> dps.Moments:
    """Return sums over the rows of a frame, by parts that are added in a tree."""
    parts = frame.select(*COLUMNS).mapInArrow(part, "part binary").rdd
    sums = parts.map(lambda row: dps.Moments.from_bytes(bytes(row.part)))
    return sums.treeReduce(operator.add, depth=3)


def main() -> int:
    """Compare both recipes with one pass; few rows in four partitions leave some of them empty."""
    rows = np.random.default_rng(0).normal(size=(20_000, 4)) * [0.9, 0.5, 0.3, 0.1]
    few = rows[:2]
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {"spark.ui.enabled": "false", "spark.log.level": "ERROR", "spark.driver.host": "127.0.0.1"}
    spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    try:
        context = spark.sparkContext

        def frame(data: Any, partitions: int) -> Any:
            return spark.createDataFrame(context.parallelize(data.tolist(), partitions), COLUMNS)

        found = [
            ("chunks", rows, of_chunks(context.parallelize(np.array_split(rows, 16), 8))),
            ("a frame", rows, of_frame(frame(rows, 5))),
            ("a frame with empty partitions", few, of_frame(frame(few, 4))),
        ]
    finally:
        spark.stop()
    other = 0
    for name, data, moments in found:
        equal = totals(moments) == totals(dps.Moments.of(data, **READING))
        other += not equal
        bits = "the bits of one pass" if equal else "OTHER BITS than one pass"
        print(f"Spark {pyspark.__version__}, {name}, {moments.parts} parts: {bits}")
    return min(other, 1)


if __name__ == "__main__":
    sys.exit(main())
