"""Audits from inside: cost of following noise, false alarms on sound twins, and width.

Run as ``python bench/bench_inside.py overhead``, ``... width``, ``... deceptive [AUDITS]`` or
``... twins [AUDITS [NAME ...]]``, by default of all cases of the museum.
"""

import sys
import time
from collections import Counter

import numpy as np

from dpspectra.audit import inside
from dpspectra.audit.subjects.museum import cases
from dpspectra.symbolic.one_run import run
from dpspectra.symbolic.replaced_sources import followed_sources
from dpspectra.symbolic.tape import Tape

RISK = 0.001


def scalar(x, rng):
    return float(np.sum(x)) + rng.laplace(scale=1.0)


def loop(x, rng):
    return [v + rng.laplace(scale=1.0) for v in np.arange(10.0)]


def vector(n):
    def noisy(x, rng):
        return np.zeros(n) + rng.laplace(size=n)

    return noisy


def covariance(d):
    def noisy(x, rng):
        upper = np.triu(rng.laplace(size=(d, d)))
        return np.eye(d) + upper + np.triu(upper, 1).T

    return noisy


def quickest(call, repeats=30):
    """Smallest time of several, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def overhead():
    """Time of a followed run beside that of a plain one; at most 20 times it or 1 ms is aimed at."""
    subjects = {"sum": scalar, "10 in a loop": loop, **{f"vector {n}": vector(n) for n in (10, 100)}}
    subjects |= {f"covariance {d}": covariance(d) for d in (3, 10)}
    rng = np.random.default_rng(0)
    for name, mechanism in subjects.items():
        plain = quickest(lambda mechanism=mechanism: mechanism(np.zeros(3), rng))
        with followed_sources():
            followed = quickest(lambda mechanism=mechanism: run(mechanism, np.zeros(3), Tape(rng)))
        allowed = max(20 * plain, 1e-3)
        print(f"{name:<16}{plain * 1e6:9.1f} us{followed * 1e6:9.1f} us{'' if followed <= allowed else '  (over)'}")


def width():
    """An audit of 100,000 independent draws; under 5 s a run is aimed at."""
    for n in (1_000, 10_000, 100_000):
        start = time.perf_counter()
        with followed_sources():
            run(vector(n), None, Tape(np.random.default_rng(0)))
        one = time.perf_counter() - start
        start = time.perf_counter()
        shifted = np.zeros(n), np.full(n, 1 / n)
        result = inside(lambda x, rng, n=n: x + rng.laplace(size=n), shifted, 1.0)
        print(f"{n:>8} draws: {one:.2f} s a run, {time.perf_counter() - start:.2f} s an audit, {result.verdict}")


def told(name, verdicts, audits, start):
    """Print one line; returns whether a sound program was refuted."""
    shown = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    print(f"{name:<36}{shown} of {audits}; {(time.perf_counter() - start) / audits:.3f} s each", flush=True)
    return verdicts["refuted"]


def twins(audits, *names):
    """Audit each sound twin of the museum many times; none may be refuted by an exact verdict."""
    wrong, known = 0, cases()
    for name in names or known:
        case = known[name]
        start = time.perf_counter()
        found = Counter(
            inside(case.right, case.pair, case.claim, confidence=1 - RISK, rng=seed).verdict for seed in range(audits)
        )
        wrong += told(name, found, audits, start)
    print(f"{wrong} refuted")


def deceptive(audits):
    """Audit each program made to deceive many times."""
    sys.path.insert(0, ".")
    from tests.support.deceptive import PROGRAMS

    wrong = 0
    for program in PROGRAMS:
        start = time.perf_counter()
        found = Counter(
            inside(program.mechanism, program.pair, program.epsilon, program.delta, rng=seed).verdict
            for seed in range(audits)
        )
        told(f"{program} ({'sound' if program.true else 'leak'})", found, audits, start)
        wrong += found["refuted" if program.true else "explained"]
    print(f"{wrong} wrong verdicts")


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["overhead"]
    if what in ("twins", "deceptive"):
        {"twins": twins, "deceptive": deceptive}[what](int(rest[0]) if rest else 1000, *rest[1:])
    else:
        {"overhead": overhead, "width": width}[what]()
