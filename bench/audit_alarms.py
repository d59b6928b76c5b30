"""False alarms: audits of sound mechanisms at risk 0.1, with a bound of Clopper and Pearson on their rate.

    python -m bench.audit_alarms [--seeds 60] [--draws 300 2000] [--workers 2] [--results FILE] [--seconds 600]

The cases are those of `tests.support.sound` and `tests.support.sound_kinds`, and one for every kind of lens. Each seed
audits every case once. With a file of results, audits that it holds are not made again, so that short runs add up; use
another file after a change of the auditor. Exits with 1 if the rate is above the risk with confidence 0.999.
"""

import argparse
import itertools
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np

from dpspectra.audit import ApproxDP, PureDP, audit
from dpspectra.audit.betting.lens import KINDS
from dpspectra.fast import binomial
from tests.audit.betting.test_lens import flipped, of_kind
from tests.support.sound import SOUND, Sound
from tests.support.sound_kinds import KINDS as OF_ALL_KINDS

RISK = 0.1


def seen_through(kind: str) -> Sound:
    """A sound mechanism whose loss of 1 shows through a lens of this kind alone."""

    def mechanism(x: Any, rng: Any) -> Any:
        return of_kind(kind, int(x and rng.random() < 0.3) if kind == "parity" else flipped(x, rng), rng)

    return Sound(mechanism, ApproxDP(0.0, 0.3) if kind == "parity" else PureDP(1.0))


CASES = SOUND | OF_ALL_KINDS | {f"lens: {kind}": seen_through(kind) for kind in KINDS}


Task = tuple[str, int, int]
"""Case, seed, draws."""


def alarmed(task: Task) -> tuple[Task, bool]:
    """Whether an audit of a case raises an alarm."""
    name, seed, draws = task
    case = CASES[name]
    settings = {"confidence": 1 - RISK, "draws": draws, "seconds": 600.0} | case.options
    rng = np.random.default_rng([seed, *name.encode()])  # cases that carry one response would else have the same luck
    return task, audit(case.mechanism, case.pair, case.claim, rng=rng, **settings).violated


def in_time(tasks: Iterable[Task], seconds: float) -> Iterator[Task]:
    """Tasks, as long as there is time to begin them."""
    end = time.monotonic() + seconds
    return itertools.takewhile(lambda _: time.monotonic() < end, tasks)


def known(path: Path | None) -> dict[Task, bool]:
    """Read the results of earlier runs."""
    lines = [] if path is None or not path.exists() else path.read_text(encoding="utf-8").splitlines()
    return {(name, seed, draws): alarm for name, seed, draws, alarm in map(json.loads, lines)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=60)
    parser.add_argument("--draws", type=int, nargs="+", default=[300, 2000])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--results", type=Path, help="file to which results are added")
    parser.add_argument("--seconds", type=float, default=math.inf, help="time after which no audit is begun")
    args = parser.parse_args()
    found = known(args.results)
    asked = ((name, seed, draws) for seed in range(args.seeds) for draws in args.draws for name in CASES)
    tasks = in_time((task for task in asked if task not in found), args.seconds)
    with Pool(args.workers) as pool, args.results.open("a") if args.results else nullcontext() as file:
        # rounds, as a pool takes all tasks at once and would not see the time
        while some := list(itertools.islice(tasks, 8 * args.workers)):
            for task, alarm in pool.imap_unordered(alarmed, some):
                found[task] = alarm
                if file:
                    print(json.dumps([*task, alarm]), file=file, flush=True)
    alarms = Counter(name for (name, *_), alarm in found.items() if alarm)
    low, high = (side(alarms.total(), len(found), 0.001) for side in (binomial.at_least, binomial.at_most))
    print(f"{alarms.total()} alarms in {len(found)} audits of {len(CASES)} cases: rate in [{low:.4f}, {high:.4f}]")
    print(f"most: {alarms.most_common(5)}, of about {len(found) // len(CASES)} audits of each case")
    sys.exit(low > RISK)
