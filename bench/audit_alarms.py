"""False alarms: audits of sound mechanisms at risk 0.1, with a bound of Clopper and Pearson on their rate.

    python -m bench.audit_alarms [--seeds 60] [--draws 300 2000] [--first 0] [--workers 2]

The cases are those of `tests.support.sound` and `tests.support.sound_kinds`, and one for every kind of lens. Each seed
audits every case once. Exits with 1 if the rate is above the risk with confidence 0.999.
"""

import argparse
import sys
from collections import Counter
from multiprocessing import Pool
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


def alarmed(task: tuple[str, int, int]) -> tuple[str, bool]:
    """Whether an audit of a case raises an alarm."""
    name, seed, draws = task
    case = CASES[name]
    settings = {"confidence": 1 - RISK, "draws": draws, "seconds": 600.0} | case.options
    rng = np.random.default_rng([seed, *name.encode()])  # cases that carry one response would else have the same luck
    return name, audit(case.mechanism, case.pair, case.claim, rng=rng, **settings).violated


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=60)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--draws", type=int, nargs="+", default=[300, 2000])
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    seeds = range(args.first, args.first + args.seeds)
    tasks = [(name, seed, draws) for draws in args.draws for seed in seeds for name in CASES]
    with Pool(args.workers) as pool:
        found = list(pool.imap_unordered(alarmed, tasks, chunksize=8))
    alarms = Counter(name for name, alarm in found if alarm)
    low, high = (side(alarms.total(), len(found), 0.001) for side in (binomial.at_least, binomial.at_most))
    print(f"{alarms.total()} alarms in {len(found)} audits of {len(CASES)} cases: rate in [{low:.4f}, {high:.4f}]")
    print(f"most: {alarms.most_common(5)}, of {len(found) // len(CASES)} audits of each case")
    sys.exit(low > RISK)
