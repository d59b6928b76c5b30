"""Rows that come in a stream: second moments of chunks within a budget, and directions that follow a stream.

    python examples/streaming.py [FOLDER]

Writes ``streaming.svg`` to the folder. Needs the extra ``plot``.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dpspectra as dps

D, K, CHUNK, CHUNKS = 30, 2, 5000, 12
DIRECTIONS = np.eye(D)[:, :K]


def chunk(rng):
    """Rows of norm at most 1 with two strong directions."""
    return dps.clipped_rows(rng.normal(size=(CHUNK, D)) * np.r_[np.full(K, 3.0), np.ones(D - K)] / 8, 1.0)


def found(frame):
    """The share of the two directions that a frame holds."""
    return np.linalg.norm(DIRECTIONS.T @ frame) ** 2 / K


def main(folder):
    """Run the example; the picture goes to a folder."""
    rng = np.random.default_rng(0)
    # One release of all chunks, each of which is gone through once and then forgotten.
    once = dps.private_pca((chunk(rng) for _ in range(CHUNKS)), K, epsilon=1.0)
    print(f"all chunks at once, epsilon 1: {found(once.value):.0%} found")
    # A release of every chunk, as it comes. Each person is in one chunk, but the budget does not know that.
    budget, shares = dps.Budget(epsilon=6.0), []
    while True:
        try:
            release = budget.release(dps.private_pca, chunk(rng), K, epsilon=1.0)
        except dps.BudgetError:
            break
        shares.append(found(release.value))
    print("chunk by chunk, epsilon 1 each:", *(f"{share:.0%}" for share in shares), "and the budget is spent")
    # Without privacy: one pass, memory of two blocks.
    stream = dps.StreamingPowerMethod(D, K, rows_per_round=CHUNK, rng=0)
    followed = [found(stream.partial_fit(chunk(rng)).basis) for _ in range(CHUNKS)]
    figure = Figure(figsize=(5, 3.2), layout="constrained")
    axis = figure.subplots()
    axis.plot(range(1, len(shares) + 1), shares, "o-", label="private, each chunk by itself")
    axis.plot(range(1, CHUNKS + 1), followed, "s-", label="streaming power method, not private")
    axis.axhline(found(once.value), color="black", linewidth=0.8, label="private, all chunks at once")
    axis.set(xlabel="chunk", ylabel="directions found", ylim=(0, 1.02))
    axis.legend(fontsize=8)
    figure.savefig(folder / "streaming.svg")
    return once, shares


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
