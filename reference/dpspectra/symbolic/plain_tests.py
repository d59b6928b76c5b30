"""Tests whether runs with nothing replaced have the law that was followed; before that no closed form is told.

Each output must be possible under the law, outputs must be as frequent as it says, numbers must look uniform after the
probability transform, and kinds of numbers must not differ between the data sets. All of that together fails with at
most the audit's risk where all is well. Noise that nobody followed gives an impossible output with probability .02 or
more: then that is met with probability .9997 in 400 runs.
"""

import collections
import contextlib
import itertools
import math
from collections.abc import Iterator
from math import fsum
from typing import Any

import numpy as np
from scipy.special import bdtr, bdtrc, kolmogorov, smirnov

from dpspectra.ground.array_types import Floats
from dpspectra.symbolic import decision_paths, path_walks
from dpspectra.symbolic.canonical_output import NOISE, fits, is_noise
from dpspectra.symbolic.faithful_runs import omega_of, value_of
from dpspectra.symbolic.laws import Law
from dpspectra.symbolic.noisy_rows import evaluated
from dpspectra.symbolic.observed_constraints import Unsolved, block_of
from dpspectra.symbolic.one_run import Run
from dpspectra.symbolic.runner import Runner
from dpspectra.symbolic.tape import NotFollowed

RUNS = 400
"""Runs with nothing replaced on each data set."""
RECORDS = 100
"""Followed runs to compare with, where hidden decisions leave no simpler law."""
NUMBERS = 4
"""Numbers whose law is looked at, a run."""
SIMULATED = 2000
OFTEN = 20
"""Runs of one kind from which on its absence on the other data set tells."""
Kinds = collections.Counter[tuple[Any, Any]]
CLUMPS = (1, 2, 4, 8, 16)
"""Other numbers of a clump."""
TESTS = 8 + 5 * NUMBERS
"""Tests among which the risk is shared, at most."""


def unlike(it: Runner) -> str | None:
    """Say what tells runs with nothing replaced from the law that was followed; ``None`` if nothing does."""
    kinds: list[Kinds] = []
    for side in (0, 1):
        runs = it.plain_outcomes(side, RUNS)
        if len(runs) < RUNS:
            return f"{len(runs)} of the {RUNS} runs with nothing replaced were made in time; give more seconds"
        kinds.append(collections.Counter((tuple(leaves), kind) for leaves, kind in runs))
        why = _against_law(it, side, [leaves for leaves, _ in runs])
        if why is not None:
            return f"runs with nothing replaced do not have the law that was followed: {why}"
    if not any(s.refuted for s in it.found.sides) and (_tell(*kinds) or _tell(*reversed(kinds))):
        what = "the kinds of numbers in the output (types, strides, the order of sets, or which of them are one)"
        return f"{what} depend on the data"
    return None


def _tell(first: Kinds, second: Kinds) -> bool:
    """Whether a kind is met often on one data set, and never on the other one where the output has the same parts."""
    there = collections.Counter(itertools.chain.from_iterable([parts] * n for (parts, _), n in second.items()))
    return any(
        n >= OFTEN and there[parts] >= OFTEN and (parts, kind) not in second for (parts, kind), n in first.items()
    )


def _against_law(it: Runner, side: int, runs: list[dict[str, Any]]) -> str | None:
    alpha = it.risk / TESTS
    record = it.one_path[side]
    if record is None and side not in it.laws:
        return "there is none"
    here: decision_paths.Law = (
        it.laws[side] if record is None else decision_paths.Law(path_walks.Walk([record], chances=[1.0]))
    )
    problem = _frequencies(here, runs, alpha)
    if problem is not None:
        return problem
    if record is not None:
        return _numbers(it, record, _values(record, runs), alpha)
    return _as_recorded(it.records[side], runs, alpha) if here.noisy else None


def _frequencies(law: decision_paths.Law, runs: list[dict[str, Any]], alpha: float) -> str | None:
    """Compare how often each output without its noise occurs with its probability."""
    counts = collections.Counter(law.pattern_of(leaves) for leaves in runs)
    chances = law.patterns
    n, several = len(runs), len(chances) + 1
    other = counts.pop(None, 0)
    if other and bdtrc(other - 1, n, min(law.rest, 1.0)) < alpha:
        return f"{other} of {n} outputs are impossible"
    if law.mixed or law.of_functions:
        return None  # an output may have come by several paths; its numbers are compared with those of followed runs
    if abs(fsum(chances.values()) + law.rest - 1) > 1e-6:
        return None  # only bounds on the probabilities are known
    for pattern, chance in chances.items():
        least, most = min(chance, 1.0), min(chance + law.rest, 1.0)
        seen = counts[pattern]
        if min(bdtr(seen, n, least), bdtrc(seen - 1, n, most)) * 2 * several < alpha:
            return f"an output of probability {chance:.3g} is given in {seen} of {n} runs"
    return None


def _values(record: Run, runs: list[dict[str, Any]]) -> Floats:
    """Return the numbers that hold noise, a row a run."""
    places = [p for p, leaf in record.leaves.items() if is_noise(leaf)]
    shown = [[leaves[p] for p in places] for leaves in runs]
    if all(record.leaves[p] == NOISE for p in places) and all(kind == "float" for row in shown for kind, *_ in row):
        return np.frombuffer(b"".join([raw for row in shown for _, raw in row])).reshape(len(runs), -1)
    found = [[_of_kind(leaf, record.leaves[p]) for p, leaf in zip(places, row, strict=True)] for row in shown]
    return np.array([[math.nan if v is None else v for v in row] for row in found], dtype=float)


def _of_kind(leaf: Any, noise: str) -> float | None:
    return value_of(leaf) if fits(noise, leaf) else None


def _numbers(it: Runner, record: Run, values: Floats, alpha: float) -> str | None:
    """Look at all numbers of a program with one path: what is possible, and what some of them look like."""
    if record.rows is None or not np.all(np.isfinite(record.values)):
        return None
    if not np.all(np.isfinite(values)):
        return "an output is impossible"
    if record.roots:
        return next((why for why in _laws(it, record, values, alpha) if why is not None), None)
    with contextlib.suppress(Unsolved):  # what numbers that depend on each other can be is not always known
        path = decision_paths.Path(record)
        if not path.are_possible(values):
            return "an output is impossible"
    return next((why for why in _laws(it, record, values, alpha) if why is not None), None)


def _laws(it: Runner, record: Run, values: Floats, alpha: float) -> Iterator[str | None]:
    rows, rng = record.rows, it.fresh()
    assert rows is not None
    shown = len(rows) - record.roots
    chosen = sorted(rng.choice(shown, min(NUMBERS, shown), replace=False).tolist())
    omegas = None
    for k in chosen:
        slots = np.flatnonzero(rows.coefficient[:, k])
        block = next(b for b in reversed(record.tape.blocks) if b.start <= rows.draw[slots[0], k])
        if len(slots) == 1 and block.law.discrete:
            z, _ = _draws(values[:, k], float(rows.mu[k]), float(rows.coefficient[slots[0], k]), np.float64)
            yield _uniform(*_within_steps(block.law, np.round(z), rng), alpha)
            continue
        simple = block.computed is None and block.law.joint is None
        if len(slots) == 1 and simple:
            kind = np.float32 if record.tape.single else np.float64
            z, step = _draws(values[:, k], float(rows.mu[k]), float(rows.coefficient[slots[0], k]), kind)
            yield _uniform(np.exp(block.law.lower(z)), np.exp(block.law.upper(z)), alpha)
            yield _clumps(np.exp(block.law.lower(z - step)), np.exp(block.law.lower(z + step)), alpha)
            continue
        independent = _of_draws(record, k, rng)
        if independent is None and omegas is None:
            omegas = [
                omega_of(record.tape, rng) for _ in range(SIMULATED if len(rows) * record.tape.size < 1e5 else RUNS)
            ]
        simulated = np.array([evaluated(rows, z)[k] for z in omegas or ()]) if independent is None else independent
        yield _same(np.round(values[:, k], 9), np.round(simulated, 9), alpha)


def _of_draws(record: Run, k: int, rng: np.random.Generator) -> Floats | None:
    """Simulate one number by its own draws, if none of them was computed or depends on others."""
    rows, found = record.rows, np.zeros(SIMULATED)
    assert rows is not None
    for slot in np.flatnonzero(rows.coefficient[:, k]):
        block = block_of(record.tape.blocks, int(rows.draw[slot, k]))
        if block.computed is not None or block.law.joint is not None:
            return None
        found += rows.coefficient[slot, k] * np.asarray(block.law.sample(rng, SIMULATED), dtype=float)
    apart = len(set(rows.draw[rows.coefficient[:, k] != 0, k].tolist())) == np.count_nonzero(rows.coefficient[:, k])
    return found + rows.mu[k] if apart else None


def _within_steps(law: Law, numbers: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return places within the steps of both tails, at random: uniform if whole numbers have the law."""
    u = rng.random(len(numbers))
    with np.errstate(all="ignore"):
        low, high = np.exp(law.lower(numbers - 0.5)), np.exp(law.lower(numbers + 0.5))
        above, all_above = np.exp(law.upper(numbers + 0.5)), np.exp(law.upper(numbers - 0.5))
    return low + u * (high - low), above + (1 - u) * (all_above - above)


def _draws(values: Floats, location: float, factor: float, kind: Any) -> tuple[Floats, Floats]:
    """Return the draws behind some values, and how far off they are, as all are rounded in this type."""
    step = 2 * (np.spacing(np.abs(values).astype(kind)) + np.spacing(kind(abs(location)))).astype(float)
    own = 2.0**-40 if kind is np.float64 else 2.0**-22
    return (values - location) / factor, step / abs(factor) + own


def _clumps(low: Floats, high: Floats, alpha: float) -> str | None:
    """Look for many numbers too close together: ``low`` and ``high`` are the uniform numbers behind them, with a slack.

    Of n uniform numbers, that some one of them has m others within w above it has probability at most n times that of a
    binomial of n - 1 and w to be m or more.
    """
    n, low, high = len(low), np.sort(low), np.sort(high)
    for m in CLUMPS:
        w = np.clip(high[m:] - low[:-m], 0.0, 1.0)
        if n * float(np.min(bdtrc(m - 1, n - 1, w), initial=1.0)) * len(CLUMPS) < alpha:
            return "numbers stand too close together"
    return None


def _uniform(low: Floats, high: Floats, alpha: float) -> str | None:
    n, steps = len(low), np.arange(len(low) + 1) / len(low)
    extreme = n * float(min(np.min(low), np.min(high)))
    places = np.clip(np.sort(low), 0.0, 1.0)
    apart = max(np.max(steps[1:] - places), np.max(places - steps[:-1]))  # as of `scipy.stats.kstest`
    if extreme < alpha or not kolmogorov(math.sqrt(n) * apart) >= alpha:
        return "a number does not look uniform after the probability transform"
    return None


def _same(first: Floats, second: Floats, alpha: float) -> str | None:
    both = np.concatenate([first, second])
    ranks = [np.searchsorted(np.sort(one), both, side="right") / len(one) for one in (first, second)]
    of_one_side = smirnov(round(len(first) * len(second) / len(both)), np.max(np.abs(ranks[0] - ranks[1])))
    if of_one_side >= alpha:  # the probability of both sides is larger
        return None
    from scipy.stats import ks_2samp  # half a second, which few audits need to spend

    return "a number has another law" if ks_2samp(first, second, method="asymp").pvalue < alpha else None


def _as_recorded(records: list[Run], runs: list[dict[str, Any]], alpha: float) -> str | None:
    """Compare numbers with those of followed runs."""
    here: dict[str, list[float]] = collections.defaultdict(list)
    for record in records:
        noisy = [p for p, leaf in record.leaves.items() if is_noise(leaf)]
        for place, value in zip(noisy, record.values[: len(noisy)], strict=True):
            here[place].append(float(value))
    for place in list(here)[:NUMBERS]:
        there = [v for v in (value_of(leaves[place]) for leaves in runs if place in leaves) if v is not None]
        mine = [value_of(r.leaves[place]) for r in records if not is_noise(r.leaves.get(place, NOISE))]
        first = np.array([*here[place], *(v for v in mine if v is not None)])
        if len(there) and np.all(np.isfinite(first)):
            finite = np.all(np.isfinite(there))
            why = _same(first, np.array(there), alpha) if finite else "an output is impossible"
            if why is not None:
                return why
    return None


def tested(it: Runner) -> None:
    """Take back what is said of laws if runs with nothing replaced do not have them."""
    if not any(s.explained or s.refuted for s in it.found.sides):
        return
    try:
        why = unlike(it)
    except (NotFollowed, Unsolved) as problem:
        why = f"runs with nothing replaced cannot be compared with the law that was followed: {problem}"
    if why is not None:
        it.found.take_back(why)
