"""How many draws, and how long, until broken mechanisms fall: ``python -m bench.bench_audit`` prints medians.

``--seeds 5`` is quicker, ``--cases WORD ...`` runs those whose names contain a word; ``--alarms 4000`` instead counts
false alarms, in that many audits in all, on the sound mechanisms of ``tests/support/sound.py``; ``--overhead`` instead
times the auditor beyond what it learns from, beside the bare draws of the same run. With pytest-benchmark the groups
set whole audits beside bare draws.
"""

import argparse
import functools
import inspect
import math
import statistics
import time
import warnings

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.audit import GDP, BrokenMechanismWarning, PureDP, Renyi, audit, conforms, references
from dpspectra.audit.betting.wealth import log_threshold
from dpspectra.audit.calling.arms import two_different_arms
from dpspectra.audit.calling.observe import Observer
from dpspectra.audit.calling.pool import shared_out
from dpspectra.audit.options import Options
from dpspectra.audit.proceedings import LEARNING, Proceedings
from dpspectra.fast.gaussian_profile import mu_for
from tests.support.helpers import laplace, normal
from tests.support.sound import SOUND

with warnings.catch_warnings():
    warnings.simplefilter("ignore", BrokenMechanismWarning)
    from dpspectra.audit import specimens

NUMBERS = (0.0, 1.0)
UNIT, OTHER = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
AXES, DENSE = np.eye(4), np.full((1, 4), 0.5)
MU = mu_for(1.0, 1e-5)
SIGMA = 1 / (MU * math.sqrt(2))
WISHART = functools.partial(specimens.wishart_one_sided, epsilon=1.0)


def rare(p, loss, atoms):
    """One of some integers; one of them has probability ``p`` on one data set, and by the loss more on the other."""

    def mechanism(x, *, rng):
        likely = p * math.exp(loss) if x else p
        return atoms // 2 if rng.random() < likely else int(rng.choice([i for i in range(atoms) if i != atoms // 2]))

    return mechanism


def likeliest(x, *, rng):
    """One of 20 texts: on one data set half of them are likelier by a loss of 2, on the other the other half."""
    scores = np.where(np.arange(20) < 10, 1.0, -1.0) * (2 * x - 1)
    return f"label {np.argmax(scores + rng.gumbel(size=20))}"


def count(x, *, rng):
    """A dictionary with a count of loss 2, and sometimes a flag."""
    noise = rng.geometric(1 - math.exp(-2)) - rng.geometric(1 - math.exp(-2))
    return {"count": int(x + noise)} | ({"flag": True} if rng.random() < 0.1 else {})


def answer(x, *, rng):
    return "yes" if rng.random() < (0.95 if x else 0.5) else "no"


def beside(x, *, rng):
    return np.array([1e12 * rng.laplace(), 1e12 * rng.laplace(), x])


def plus(noise):
    """A number plus noise in floating point, as numpy's samplers would make it."""
    return lambda x, *, size, rng: x + noise(rng, size)


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
LAPLACE, GAUSSIAN = plus(lambda rng, n: rng.laplace(size=n)), plus(lambda rng, n: rng.normal(0.0, 4.0, n))


def numbers(mechanism, claim=1.0, **options):
    """Audit of a seed on 0 against 1."""
    return lambda seed: audit(mechanism, NUMBERS, claim, rng=seed, **options)


CASES = {
    # name: (audit of a seed, draws on each data set that should be enough, seconds that should be)
    "12 integers, loss 2, rarest .03, claimed 1": (numbers(rare(0.03, 2.0, 12)), 8_000, None),
    "3 integers, loss log 2, rarest .05, claimed .3": (numbers(rare(0.05, math.log(2), 3), 0.3), 10_000, None),
    "argmax of 20 texts, loss 2, claimed 1": (numbers(likeliest), 500, None),
    "dict of a count, loss 2, claimed 1": (numbers(count), 500, None),
    "yes or no, .5 against .95, claimed 1": (numbers(answer), 500, None),
    "the data, as 6-GDP": (numbers(lambda x: x, GDP(6.0)), 10_000, None),
    "the data, as (2, 6)-Renyi": (numbers(lambda x: x, Renyi(2.0, 6.0)), 10_000, None),
    "the data beside noise of 1e12, claimed 1": (numbers(beside), 500, None),
    "2**62 and the data, claimed 1": (numbers(lambda x: 2**62 + int(x)), 500, None),
    "numpy's Laplace, all bits, claimed 1": (numbers(LAPLACE, bits=True), 400, None),
    "numpy's Gaussian, sigma 4, all bits, claimed 1": (numbers(GAUSSIAN, bits=True), 1_000, None),
    "Laplace, true 1.5, claimed 1": (numbers(laplace(1 / 1.5)), 1_100, None),
    "Laplace, true 1.5, claimed 1, independent": (numbers(laplace(1 / 1.5), independent=True), 1_100, 0.02),
    "Laplace, true 1.1, claimed 1": (numbers(laplace(1 / 1.1)), 17_000, None),
    "Laplace, true 1.1, claimed 1, independent": (numbers(laplace(1 / 1.1), independent=True), 17_000, None),
    "Wishart d = 2, black box": (lambda s: audit(WISHART, (UNIT, OTHER), 1.0, rng=s), 400, None),
    "Wishart d = 2, support": (
        lambda s: audit(WISHART, (UNIT, OTHER), 1.0, support=specimens.wishart_support, rng=s),
        64,
        1.0,
    ),
    "Gaussian, sigma / sqrt 2, as GDP": (numbers(normal(SIGMA), GDP(MU)), 17_000, None),
    "Gaussian, sigma / sqrt 2, as GDP, independent": (numbers(normal(SIGMA), GDP(MU), independent=True), 17_000, None),
    "Gaussian, sigma / sqrt 2, as (1, 1e-5), independent": (
        lambda s: audit(normal(SIGMA), NUMBERS, 1.0, 1e-5, draws=2**22, independent=True, rng=s),
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
}
MATRICES = {
    "symmetric_wishart_covariance, d = 2": functools.partial(dps.symmetric_wishart_covariance, epsilon=1.0),
    "laplace_covariance, d = 2": functools.partial(dps.laplace_covariance, epsilon=1.0),
}
LENGTHS = {
    # name: (mechanism, pair, claim, draws beyond LEARNING, options, goal)
    "Laplace scalars": (laplace(1.0), NUMBERS, PureDP(1.0), 2**21, {}, 1.0),
    "Laplace scalars, independent": (laplace(1.0), NUMBERS, PureDP(1.0), 2**21, {"independent": True}, 1.0),
    "normal scalars": (normal(1.0), NUMBERS, GDP(1.0), 2**21, {}, 1.0),
    "normal scalars, independent": (normal(1.0), NUMBERS, GDP(1.0), 2**21, {"independent": True}, 1.0),
    "array of 3, one by one": (lambda x, *, rng: x + rng.laplace(size=3), NUMBERS, PureDP(3.0), 2**17, {}, 0.2),
    "float, one by one": (lambda x, *, rng: x + float(rng.laplace()), NUMBERS, PureDP(1.0), 2**17, {}, 1.0),
    **{f"{name}, one by one": (m, (UNIT, OTHER), PureDP(2.0), 2**14, {}, 0.2) for name, m in MATRICES.items()},
}
RISKS = (0.1, 0.05, 0.001)
"""Risks at which false alarms are counted."""


def noted(mechanism, sizes):
    """The mechanism, and a note of each size that it is asked for; it would take part of the time of short calls."""

    def sized(x, *, size, rng):
        sizes.append(size)
        return mechanism(x, size=size, rng=rng)

    return sized if has_size(mechanism) else mechanism


def beyond_learning(mechanism, pair, claim, draws, options, sizes):
    """An audit that has ended to learn: seconds of processor time for a draw on each data set, and how many it made.

    Earlier entries of ``sizes`` are forgotten.
    """
    arms = two_different_arms(mechanism, pair)
    settings = Options(confidence=0.999, draws=2**24, seconds=600.0, **options)
    with shared_out(None) as pool:
        proceedings = Proceedings(Observer(arms, 0), claim, settings, pool, time.perf_counter())
        begun, used = 0.0, 0
        for _ in proceedings.looks():
            if not used and proceedings.used > LEARNING:
                begun, used = time.process_time(), proceedings.used
                sizes.clear()
            elif used and proceedings.used - used >= draws:
                break
    return (time.process_time() - begun) / (proceedings.used - used), proceedings.used - used


def has_size(mechanism):
    """Whether a mechanism can be asked for many draws."""
    return "size" in inspect.signature(mechanism).parameters


def bare(mechanism, pair, count, sizes=()):
    """The mechanism alone: the calls of an audit again, or ``count`` draws on each data set."""
    rng = np.random.default_rng(0)
    for size in sizes:
        mechanism(pair[0], size=size, rng=rng)
    for data in () if sizes else pair:
        for _ in range(count):
            mechanism(data, rng=rng)


def overheads():
    """Print what the auditor adds to bare draws."""
    print(f"{'beyond ' + str(LEARNING) + ' draws':45s} {'bare, ns':>10s} {'audited':>10s} {'added':>8s} {'goal':>6s}")
    for name, (mechanism, pair, claim, draws, options, goal) in LENGTHS.items():
        times: list[tuple[float, float]] = []
        sizes: list[int] = []
        beyond_learning(noted(mechanism, sizes), pair, claim, draws, options, sizes)
        for _ in range(3):
            audited, made = beyond_learning(mechanism, pair, claim, draws, options, [])
            start = time.process_time()
            bare(mechanism, pair, made, sizes)
            times.append(((time.process_time() - start) / made, audited))
        alone, audited = map(statistics.median, zip(*times, strict=True))  # halved: a draw on either side
        line = f"{name:45s} {alone / 2 * 1e9:>10,.0f} {audited / 2 * 1e9:>10,.0f}"
        print(f"{line} {audited / alone - 1:>8.0%} {goal:>6.0%}", flush=True)


def raised(sound, seed, draws):
    """At which of `RISKS` an audit of a sound mechanism raises a false alarm."""
    settings = {"confidence": 1 - min(RISKS), "draws": draws, "seconds": 600.0} | sound.options
    result = audit(sound.mechanism, sound.pair, sound.claim, rng=seed, **settings)
    most = max(wealth for _, wealth in result.history)  # an audit at less confidence would have stopped there
    return [most >= log_threshold(sound.claim, risk) for risk in RISKS]


def alarms(runs, draws):
    """Print false alarms on each of the sound mechanisms, of so many audits in all."""
    at = "".join(f"{1 - risk:>9.1%}" for risk in RISKS)
    print(f"{f'false alarms in audits of {draws:,} draws, at confidence':60s}{at} {'audits':>8s}")
    total = np.zeros(len(RISKS), dtype=int)
    for i, (name, sound) in enumerate(SOUND.items()):
        found = np.array([raised(sound, seed, draws) for seed in range(len(range(i, runs, len(SOUND))))]).reshape(-1, 3)
        total += found.sum(axis=0)
        print(f"{name:60s}{''.join(f'{n:>9d}' for n in found.sum(axis=0))} {len(found):>8d}", flush=True)
    print(f"{'all':60s}{''.join(f'{n:>9d}' for n in total)} {runs:>8d}")


def detections(seeds, words):
    """Print the median draws and seconds until broken mechanisms fall."""
    print(f"{'case':60s} {'refuted':>8s} {'draws':>10s} {'goal':>10s} {'seconds':>8s} {'goal':>6s}")
    for name, (run, draws, seconds) in CASES.items():
        if not any(word in name for word in words):
            continue
        results, times = [], []
        for seed in range(seeds):
            start = time.perf_counter()
            results.append(run(seed))
            times.append(time.perf_counter() - start)
        median = statistics.median(r.draws if r.violated else math.inf for r in results)
        refuted = f"{sum(r.violated for r in results)}/{len(results)}"
        goal = "" if seconds is None else f"{seconds:.2f}"
        line = f"{name:60s} {refuted:>8s} {median:>10,.0f} {draws:>10,} {statistics.median(times):>8.3f} {goal:>6s}"
        print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--cases", nargs="*", default=[""], help="only cases whose names contain one of these")
    parser.add_argument("--overhead", action="store_true")
    parser.add_argument("--alarms", type=int, default=0)
    parser.add_argument("--draws", type=int, default=2000, help="of each audit in which alarms are counted")
    options = parser.parse_args()
    if options.alarms:
        alarms(options.alarms, options.draws)
    elif options.overhead:
        overheads()
    else:
        detections(options.seeds, options.cases)


WHOLE = {
    "numbers": (laplace(1.0), NUMBERS, 1.0, 2**17),
    "symmetric_wishart_covariance": (MATRICES["symmetric_wishart_covariance, d = 2"], (UNIT, OTHER), 2.0, 2**12),
}


@pytest.mark.parametrize("way", ["audit", "bare draws (rival)"])
@pytest.mark.parametrize("name", WHOLE)
def test_overhead(benchmark, name, way):
    mechanism, pair, epsilon, draws = WHOLE[name]
    sizes = 2 * [draws] if has_size(mechanism) else []
    benchmark.group = f"{draws} draws on each data set of a sound mechanism: {name}"
    run = (lambda: audit(mechanism, pair, epsilon, draws=draws)) if way == "audit" else None
    benchmark.pedantic(run or (lambda: bare(mechanism, pair, draws, sizes)), rounds=3, warmup_rounds=1)


if __name__ == "__main__":
    main()
