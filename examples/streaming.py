"""Principal components of rows that come day by day and are never in memory together.

There are two private ways. One release at the end has noise once; a release each day gives components at once, and
its noise adds up. The streaming power method, which is not private, is the comparison.
Writes streaming.png: the angle to the true direction by day.

    pip install '.[plot,sklearn]'
    python examples/streaming.py pictures
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dpspectra as dps
from dpspectra.estimators import PrivatePCA

ROWS, WIDTH = 1_000, 20
TRUE = np.ones(WIDTH) / np.sqrt(WIDTH)
EPSILON = 1.0


def stream(days: int) -> Iterator[np.ndarray]:
    """Yield the rows of each day, of people who come once."""
    rng = np.random.default_rng(1)
    for _ in range(days):
        yield 0.3 * rng.normal(size=(ROWS, 1)) * TRUE + 0.1 * rng.normal(size=(ROWS, WIDTH))


def angle(direction: np.ndarray) -> float:
    """Degrees between the true direction and a row vector."""
    return float(np.degrees(dps.angles.principal(TRUE[:, None], direction.T).max()))


def main() -> None:
    """Go through the stream in each way, print the claims, draw the picture."""
    parser = argparse.ArgumentParser(description="private principal components of a stream")
    parser.add_argument("folder", type=Path, help="where the picture goes")
    parser.add_argument("--days", type=int, default=60)
    asked = parser.parse_args()

    daily = PrivatePCA(1, epsilon=EPSILON, center="none")  # rows longer than 1 are shortened; their mean is zero
    plain = dps.StreamingPowerMethod(WIDTH, 1, width=1, rows_per_round=ROWS, rng=0)
    by_day = [
        (angle(daily.partial_fit(rows).components_), angle(plain.partial_fit(rows).basis.T))
        for rows in stream(asked.days)
    ]
    once = PrivatePCA(1, epsilon=EPSILON, center="none").fit(stream(asked.days))
    print(f"each day:  {by_day[-1][0]:.1f} degrees off, epsilon {daily.claim_.epsilon:g}; {daily.claim_.people}")
    print(f"once:      {angle(once.components_):.1f} degrees off, epsilon {once.claim_.epsilon:g}")

    figure = Figure(figsize=(5, 4), layout="constrained")
    axis = figure.subplots()
    days = range(1, asked.days + 1)
    for angles, label in zip(zip(*by_day, strict=True), ("released each day", "not private"), strict=True):
        axis.plot(days, angles, label=label)
    axis.plot(asked.days, angle(once.components_), "o", label="released once")
    axis.set(xlabel="day", ylabel="angle to the true direction (degrees)", yscale="log")
    axis.legend()
    asked.folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(asked.folder / "streaming.png")


if __name__ == "__main__":
    main()
