"""Three processes pay from one budget file and are killed again and again: nothing is lost, and no more is spent.

    python -m bench.budget_kills [--writers 3] [--releases 60] [--kills 30] [--seed 1]

Each writer makes so many releases, appends a line to a log after each, and is started anew when it was killed. At the
end: every release of a log is in the budget; the budget holds at most one claim more for each kill, as a release is
paid before it is made; its chain of digests is whole; and no more was spent than there was, though more was asked for.
Exits with 1 otherwise.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import dpspectra as dps

EPSILON = 2.0**-7
"""Epsilon of a release: a sum of these has no rounding."""
SHARE = 0.75
"""Share of the requested epsilon that the budget has."""


def writer(folder: Path, number: int, releases: int) -> None:
    """Make the releases that the log lacks; each is in the log when it was seen."""
    log = folder / f"log{number}"
    budget = dps.Budget.open(folder / "budget")
    for _ in range(_seen(folder, number), releases):
        try:
            budget.release(dps.laplace_covariance, [[0.6, 0.8]], EPSILON)
        except dps.BudgetError:
            return
        with log.open("a") as file:
            file.write("seen\n")


def _seen(folder: Path, number: int) -> int:
    """Releases that a writer saw."""
    log = folder / f"log{number}"
    return log.read_text().count("\n") if log.exists() else 0


def trial(folder: Path, writers: int, releases: int, kills: int, seed: int) -> list[str]:
    """Run the writers until all are done, with so many kills; what is wrong afterwards."""
    rng, context = random.Random(seed), multiprocessing.get_context("spawn")
    total = SHARE * writers * releases * EPSILON
    folder.mkdir(exist_ok=True)
    dps.Budget(total, file=folder / "budget")
    processes = [context.Process(target=writer, args=(folder, i, releases)) for i in range(writers)]
    for process in processes:
        process.start()
    killed = 0
    while killed < kills and (alive := [i for i in range(writers) if processes[i].is_alive()]):
        i = rng.choice(alive)
        before = _seen(folder, i)
        while processes[i].is_alive() and _seen(folder, i) == before:  # until it is at work
            time.sleep(0.001)
        time.sleep(rng.random() * 0.02)
        processes[i].kill()
        killed += 1
        processes[i].join()
        processes[i] = context.Process(target=writer, args=(folder, i, releases))
        processes[i].start()
    for process in processes:
        process.join()
    budget = dps.Budget.open(folder / "budget")
    seen = sum(_seen(folder, i) for i in range(writers))
    spent = sum((Fraction(claim.epsilon) for claim in budget.claims), Fraction(0))
    print(f"{killed} kills, {seen} releases seen, {len(budget.claims)} claims, spent {float(spent):g} of {total:g}")
    faults = []
    if not seen <= len(budget.claims) <= seen + killed:
        faults.append(f"{len(budget.claims)} claims for {seen} releases")
    if spent > Fraction(total):
        faults.append("more was spent than there was")
    if spent != Fraction(total):
        faults.append("something was left, though more was asked for")
    return faults


def main(arguments: list[str] | None = None) -> int:
    """Print what a trial counted; 1 if it found a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, number in (("writers", 3), ("releases", 60), ("kills", 30), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=number)
    request = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        faults = trial(Path(folder), **vars(request))
    print("; ".join(faults) or "nothing was lost, and no more was spent than there was")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
