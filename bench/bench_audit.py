"""How many draws, and how long, until broken mechanisms fall: ``python bench/bench_audit.py`` prints medians.

``--seeds 5`` is quicker; ``--alarms 2000`` also counts false alarms at exactly the claim. With pytest-benchmark the
groups set the auditor beside the bare draws that it needs.
"""

import argparse
import functools
import math
import statistics
import time
import warnings

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.audit import GDP, BrokenMechanismWarning, audit, audit_fixed, conforms, references
from dpspectra.audit.course import LEARNING
from dpspectra.fast.gaussian import mu_for

with warnings.catch_warnings():
    warnings.simplefilter("ignore", BrokenMechanismWarning)
    from dpspectra.audit import specimens

NUMBERS = (0.0, 1.0)
UNIT, OTHER = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
AXES, DENSE = np.eye(4), np.full((1, 4), 0.5)
MU = mu_for(1.0, 1e-5)
WISHART = functools.partial(specimens.wishart_one_sided, epsilon=1.0)


def laplace(scale):
    return lambda x, *, size, rng: rng.laplace(x, scale, size)


def normal(sigma):
    return lambda x, *, size, rng: rng.normal(x, sigma, size)


def entries(loss, pair):
    """Entrywise Laplace noise whose loss on the pair is as given."""
    change = np.triu(pair[0].T @ pair[0] - pair[1].T @ pair[1])
    return functools.partial(specimens.entry_by_entry_laplace, epsilon=loss / np.abs(change).sum())


def concentration(d, largest):
    return -np.diag([largest, largest / 2] + [0.0] * (d - 2))


def bingham(sampler, d, largest, draws):
    candidate = getattr(specimens, f"bingham_{sampler}")
    return lambda rng: conforms(candidate, references.bingham(), concentration(d, largest), draws=draws, rng=rng)


SWAP, TILT = (AXES[:1], AXES[1:2]), (DENSE, AXES[:1])
CASES = {
    # name: (audit of a seed, draws on each data set that should be enough, seconds that should be)
    "Laplace, true 1.5, claimed 1": (lambda s: audit(laplace(1 / 1.5), NUMBERS, 1.0, rng=s), 1_100, 0.02),
    "Laplace, true 1.1, claimed 1": (lambda s: audit(laplace(1 / 1.1), NUMBERS, 1.0, rng=s), 17_000, None),
    "Wishart d = 2, black box": (lambda s: audit(WISHART, (UNIT, OTHER), 1.0, rng=s), 400, None),
    "Wishart d = 2, support": (
        lambda s: audit(WISHART, (UNIT, OTHER), 1.0, support=specimens.wishart_support, rng=s),
        64,
        None,
    ),
    "Gaussian, sigma / sqrt 2, as GDP": (
        lambda s: audit(normal(1 / (MU * math.sqrt(2))), NUMBERS, GDP(MU), rng=s),
        17_000,
        None,
    ),
    "Gaussian, sigma / sqrt 2, as (1, 1e-5)": (
        lambda s: audit(normal(1 / (MU * math.sqrt(2))), NUMBERS, 1.0, 1e-5, draws=2**22, rng=s),
        1_100_000,
        0.6,
    ),
    "entrywise Laplace d = 4, e1 to e2, true 1.5, claimed 1": (
        lambda s: audit(entries(1.5, SWAP), SWAP, 1.0, draws=400_000, rng=s),
        200_000,
        None,
    ),
    "entrywise Laplace d = 4, dense to e1, true 1.5, claimed 1": (
        lambda s: audit(entries(1.5, TILT), TILT, 1.0, draws=400_000, rng=s),
        200_000,
        None,
    ),
    "Bingham inverted, d = 10, L = 1": (bingham("inverted", 10, 1, 100_000), 2_048, None),
    "Bingham inverted, d = 4, L = 1": (bingham("inverted", 4, 1, 100_000), 512, None),
    "Bingham always accepting, d = 4, L = 4": (bingham("always_accepting", 4, 4, 100_000), 2_048, None),
    "Bingham always accepting, d = 10, L = 4": (bingham("always_accepting", 10, 4, 100_000), 16_384, None),
    "Laplace, true 1.5, fixed 2,000 draws": (
        lambda s: audit_fixed(laplace(1 / 1.5), NUMBERS, 1.0, draws=2_000, rng=s),
        2_000,
        None,
    ),
}
MATRICES = {
    "symmetric_wishart_covariance, d = 2": functools.partial(dps.symmetric_wishart_covariance, epsilon=1.0),
    "laplace_covariance, d = 2": functools.partial(dps.laplace_covariance, epsilon=1.0),
}


def overhead(mechanism, pair, epsilon, draws):
    """Processor time of the second half of an audit, beyond `LEARNING` draws, over that of bare draws, less 1."""
    times = [time.process_time()]
    for n in (draws // 2, draws):
        audit(mechanism, pair, epsilon, draws=n, seconds=600)
        times.append(time.process_time())
    bare(mechanism, pair, draws // 2)
    half, whole, draws = np.diff([*times, time.process_time()])
    return (whole - half) / draws - 1


def bare(mechanism, pair, count):
    """The mechanism alone, ``count`` draws on each data set."""
    rng = np.random.default_rng(0)
    for data in pair:
        if isinstance(data, float):
            for _ in range(count // 2**15):
                mechanism(data, size=2**15, rng=rng)
        else:
            for _ in range(count):
                mechanism(data, rng=rng)


def alarms(runs):
    """False alarms of audits at exactly the claim, at 99.9 percent and 20,000 draws."""
    return sum(audit(laplace(1.0), NUMBERS, 1.0, draws=20_000, rng=seed).violated for seed in range(runs))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--alarms", type=int, default=0)
    options = parser.parse_args()
    print(f"{'case':60s} {'refuted':>8s} {'draws':>10s} {'goal':>10s} {'seconds':>8s} {'goal':>6s}")
    for name, (run, draws, seconds) in CASES.items():
        results, times = [], []
        for seed in range(options.seeds):
            start = time.perf_counter()
            results.append(run(seed))
            times.append(time.perf_counter() - start)
        median = statistics.median(r.draws if r.violated else math.inf for r in results)
        refuted = f"{sum(r.violated for r in results)}/{len(results)}"
        goal = "" if seconds is None else f"{seconds:.2f}"
        print(f"{name:60s} {refuted:>8s} {median:>10,.0f} {draws:>10,} {statistics.median(times):>8.3f} {goal:>6s}")
    for name, mechanism in MATRICES.items():
        share = overhead(mechanism, (UNIT, OTHER), 2.0, 2**18)
        print(f"{'overhead beyond ' + str(LEARNING) + ' draws: ' + name:60s} {share:>8.0%} (goal 20%)")
    print(f"{'overhead: numpy Laplace scalars':60s} {overhead(laplace(1.0), NUMBERS, 1.0, 2**22):>8.0%}")
    if options.alarms:
        print(f"false alarms at exactly the claim, 99.9 percent: {alarms(options.alarms)}/{options.alarms}")


SOUND = {
    "numbers": (laplace(1.0), NUMBERS, 1.0, 2**17),
    "symmetric_wishart_covariance": (MATRICES["symmetric_wishart_covariance, d = 2"], (UNIT, OTHER), 2.0, 2**12),
}


@pytest.mark.parametrize("way", ["audit", "bare draws (rival)"])
@pytest.mark.parametrize("name", SOUND)
def test_overhead(benchmark, name, way):
    mechanism, pair, epsilon, draws = SOUND[name]
    benchmark.group = f"{draws} draws on each data set of a sound mechanism: {name}"
    run = (lambda: audit(mechanism, pair, epsilon, draws=draws)) if way == "audit" else None
    benchmark.pedantic(run or (lambda: bare(mechanism, pair, draws)), rounds=3, warmup_rounds=1)


if __name__ == "__main__":
    main()
