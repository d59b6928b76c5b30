"""Mechanisms of diffprivlib 0.6.6, unmodified, audited from inside: what is explained, with its exact loss.

It needs scikit-learn below 1.9, so it has an environment of its own:

    python -m venv .venv-diffprivlib
    .venv-diffprivlib/bin/pip install . "diffprivlib==0.6.6" "scikit-learn<1.9"
    .venv-diffprivlib/bin/python bench/inside_diffprivlib.py

Each mechanism is made with the claim (1, 0), or (1, 0.01) where it has a delta, and releases one of two values that are
as far apart as its sensitivity. If its code has loops or whole numbers without end, the claim is (1, 1e-9): no run sees
all of its paths. The last line counts the explained mechanisms.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import diffprivlib
from diffprivlib import mechanisms as m

from dpspectra.audit import inside

DELTA = 0.01
ENDLESS = 1e-9
"""The delta of claims for loops or lists of outcomes without end: paths of that probability are not walked."""
BOUNDED = {"sensitivity": 1.0, "lower": 0.0, "upper": 10.0}
NUMBERS = (4.0, 5.0)
Subject = tuple[Callable[[], Any], tuple[Any, Any], float]
SUBJECTS: dict[str, Subject] = {
    "Laplace": (lambda: m.Laplace(epsilon=1.0, sensitivity=1.0), NUMBERS, 0.0),
    "LaplaceTruncated": (lambda: m.LaplaceTruncated(epsilon=1.0, **BOUNDED), NUMBERS, 0.0),
    "LaplaceFolded": (lambda: m.LaplaceFolded(epsilon=1.0, **BOUNDED), NUMBERS, ENDLESS),
    "LaplaceBoundedDomain": (lambda: m.LaplaceBoundedDomain(epsilon=1.0, **BOUNDED), NUMBERS, ENDLESS),
    "LaplaceBoundedNoise": (
        lambda: m.LaplaceBoundedNoise(epsilon=1.0, delta=DELTA, sensitivity=1.0),
        NUMBERS,
        DELTA,
    ),
    "Gaussian": (lambda: m.Gaussian(epsilon=1.0, delta=DELTA, sensitivity=1.0), NUMBERS, DELTA),
    "GaussianAnalytic": (lambda: m.GaussianAnalytic(epsilon=1.0, delta=DELTA, sensitivity=1.0), NUMBERS, DELTA),
    "GaussianDiscrete": (lambda: m.GaussianDiscrete(epsilon=1.0, delta=DELTA, sensitivity=1), (4, 5), DELTA),
    "Geometric": (lambda: m.Geometric(epsilon=1.0, sensitivity=1), (4, 5), ENDLESS),
    "GeometricTruncated": (
        lambda: m.GeometricTruncated(epsilon=1.0, sensitivity=1, lower=0, upper=10),
        (4, 5),
        ENDLESS,
    ),
    "GeometricFolded": (
        lambda: m.GeometricFolded(epsilon=1.0, sensitivity=1, lower=0, upper=10),
        (4, 5),
        ENDLESS,
    ),
    "Uniform": (lambda: m.Uniform(delta=0.25, sensitivity=1.0), NUMBERS, 0.25),
    "Staircase": (lambda: m.Staircase(epsilon=1.0, sensitivity=1.0), NUMBERS, ENDLESS),
    "Snapping": (lambda: m.Snapping(epsilon=1.0, **BOUNDED), NUMBERS, 0.0),
    "Binary": (lambda: m.Binary(epsilon=1.0, value0="no", value1="yes"), ("no", "yes"), 0.0),
    "Exponential": (lambda: _Scores(m.Exponential), ([0.0, 1.0, 2.0], [1.0, 0.0, 3.0]), 0.0),
    "PermuteAndFlip": (lambda: _Scores(m.PermuteAndFlip), ([0.0, 1.0, 2.0], [1.0, 0.0, 3.0]), ENDLESS),
    "ExponentialCategorical": (
        lambda: m.ExponentialCategorical(epsilon=1.0, utility_list=[["a", "b", 1], ["a", "c", 2], ["b", "c", 2]]),
        ("a", "c"),
        0.0,
    ),
    "ExponentialHierarchical": (
        lambda: m.ExponentialHierarchical(epsilon=1.0, hierarchy=[["a", "b"], ["c"]]),
        ("a", "c"),
        0.0,
    ),
}


class _Scores:
    """A choice by utilities, which are the data."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def randomise(self, scores: Any) -> Any:
        return self.kind(epsilon=1.0, sensitivity=1.0, utility=scores).randomise()


def main() -> None:
    print(f"diffprivlib {diffprivlib.__version__}")
    explained = 0
    for name, (make, pair, delta) in SUBJECTS.items():
        start = time.perf_counter()
        result = inside(lambda x, make=make: make().randomise(x), pair, 1.0 if name != "Uniform" else 0.0, delta)
        told = f"loss {result.loss:.9g} of at most {result.bound:.9g}"
        told += f", mu {result.mu:.9g}" if 0 < result.mu < float("inf") else ""
        told += f", delta {result.delta[0]:.6g}" if result.delta is not None and delta else ""
        print(f"{name:<26}{result.verdict:<11}{told}; {result.runs} runs, {time.perf_counter() - start:.2f} s")
        for text in result.reasons[:1]:
            print(f"{'':<26}{text:.200}")
        explained += result.verdict == "explained"
    print(f"{explained} of {len(SUBJECTS)} explained")


if __name__ == "__main__":
    main()
