"""What the bits of float64 noise give away, and those of certified noise: audits of covariances, row by row.

    python bench/certified_bits.py [--draws 100000] [--rows WORD ...]

Each row of the table is a mechanism and a pair of neighbours on which the last bits of its ideal arithmetic break the
claim. It says after how many draws `dpspectra.audit.audit` refutes that with ``bits=True`` (at 99.9 %), whether it
refutes certified arithmetic, whose noise is the one that a release draws, within all ``--draws`` for each neighbour,
and how many of that many certified numbers are off the public grid.
"""

from __future__ import annotations

import argparse
import math
from typing import Any

import numpy as np

import dpspectra as dps
from dpspectra.audit import audit
from dpspectra.certified import grid
from dpspectra.certified.gram import exact_moments
from dpspectra.fast.linalg import mirror, upper_triangle
from dpspectra.mechanisms import covariance, wishart

TINY = 1e-6
ZERO, ONE = np.zeros((1, 1)), np.ones((1, 1))


def generic(n: int) -> tuple[Any, Any]:
    """Neighbours of one column whose means of squares are .36 and .36 + .28 / n."""
    x = np.full((n, 1), 0.6)
    return x, np.vstack([[[0.8]], x[1:]])


def on_an_axis(n: int) -> tuple[Any, Any]:
    """A row on an axis of three, or half-way between two, among rows on axes."""
    x = np.eye(3)[np.arange(n) % 3]
    return x, np.vstack([[[0.6, 0.8, 0.0]], x[1:]])


THREE = np.array([[0.3], [0.5], [0.0]]), np.array([[0.3], [0.5], [0.8]])
LAPLACE = "laplace_covariance", covariance.LAPLACE
GAUSSIAN = "gaussian_covariance", covariance.GAUSSIAN
DIFFERENCE = "symmetric_wishart_covariance", wishart.DIFFERENCE
ONE_SIDED = "wishart_covariance", None
CASES: dict[str, tuple[Any, tuple[float, ...], tuple[Any, Any]]] = {
    "Laplace, epsilon 1, 0 against 1": (LAPLACE, (1.0,), (ZERO, ONE)),
    "Laplace, epsilon .1, 0 against 1": (LAPLACE, (0.1,), (ZERO, ONE)),
    "Gauss, (1, 1e-6), 0 against 1": (GAUSSIAN, (1.0, TINY), (ZERO, ONE)),
    "Gauss, (.1, 1e-6), 0 against 1": (GAUSSIAN, (0.1, TINY), (ZERO, ONE)),
    "symmetric Wishart, epsilon 1, 0 against 1": (DIFFERENCE, (1.0,), (ZERO, ONE)),
    "symmetric Wishart, epsilon .1, 0 against 1": (DIFFERENCE, (0.1,), (ZERO, ONE)),
    "Wishart, (1, 1e-6), 3 rows, 0 against .8": (ONE_SIDED, (1.0, TINY), THREE),
    "Laplace, epsilon 1, d = 3, 128 rows": (LAPLACE, (1.0,), on_an_axis(128)),
    "symmetric Wishart, epsilon 1, d = 3, 128 rows": (DIFFERENCE, (1.0,), on_an_axis(128)),
    "Laplace, epsilon 1, .6 against .8": (LAPLACE, (1.0,), generic(1)),
    "Laplace, epsilon 1, .6 against .8 in 10 rows": (LAPLACE, (1.0,), generic(10)),
    "Laplace, epsilon 1, .6 against .8 in 1000 rows": (LAPLACE, (1.0,), generic(1000)),
    "Laplace, epsilon .01, .6 against .8 in 1000 rows": (LAPLACE, (0.01,), generic(1000)),
}


def ideal(name: str, privacy: tuple[float, ...]) -> Any:
    """Releases in float64."""
    mechanism = getattr(dps, name)

    def draw(x: Any, *, size: int, rng: Any) -> Any:
        return np.array([mechanism(x, *privacy, rng=rng).value for _ in range(size)])

    return draw


class Certified:
    """Releases in certified arithmetic, all from one exact sum; it counts numbers that are off the grid."""

    def __init__(self, name: str, law: Any, privacy: tuple[float, ...]) -> None:
        self.mechanism, self.law, self.privacy = getattr(dps, name), law, privacy
        self.numbers = self.off = 0

    def __call__(self, x: Any, *, size: int, rng: Any) -> Any:
        source, moments = dps.Entropy(rng.bytes(32)), exact_moments(x, 1.0)
        details = self.mechanism(x, *self.privacy).details
        law = self.law or wishart.centred(details["degrees_of_freedom"])
        d, n, step = moments.width, moments.count, details["step"]
        exponent = round(math.log2(step))
        ratio = math.ldexp(details["scale"] * n, -exponent)
        upper = upper_triangle(moments.total)
        if self.law in (covariance.LAPLACE, covariance.GAUSSIAN):
            steps = grid.Steps.of(np.tile(upper, size), -2 * moments.exponent - exponent)
            sums = law.certified(steps, d, ratio, source)
        else:
            steps = grid.Steps.of(upper, -2 * moments.exponent - exponent)
            sums = np.concatenate([law.certified(steps, d, ratio, source) for _ in range(size)])
        values = grid.over(sums, exponent, n)
        self.numbers += values.size
        self.off += int(np.count_nonzero(grid.over(np.rint(values * n / step).astype(np.int64), exponent, n) != values))
        return mirror(values.reshape(size, -1), d)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=100_000)
    parser.add_argument("--rows", nargs="*", default=[""], help="words that the names of rows hold")
    options = parser.parse_args()
    print(f"{'':<50}{'float64':>22}{'certified':>16}{'off the grid':>20}")
    for title, ((name, law), privacy, pair) in CASES.items():
        if not any(word in title for word in options.rows):
            continue
        common = {"bits": True, "draws": options.draws, "seconds": 3600.0, "independent": True, "rng": 0}
        broken = audit(ideal(name, privacy), pair, *privacy, **common)
        certified = Certified(name, law, privacy)
        sound = audit(certified, pair, *privacy, **common)
        first = f"refuted at {broken.draws}" if broken.violated else "not refuted"
        second = "REFUTED" if sound.violated else "not refuted"
        print(f"{title:<50}{first:>22}{second:>16}{certified.off:>8} of {certified.numbers}", flush=True)


if __name__ == "__main__":
    main()
