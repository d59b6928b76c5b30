"""Privacy lost by the last bits of float64 noise, and of certified noise: audits of mechanisms, row by row.

    python bench/certified_bits.py [--draws 100000] [--rows WORD ...]

Each row of the table is a mechanism and a pair of neighbours on which the last bits of its ideal arithmetic break the
claim. It says after how many draws `dpspectra.audit.audit` refutes that with ``bits=True`` (at 99.9 %), and whether it
refutes certified arithmetic within all ``--draws`` for each neighbour; then how many of all those outputs show the
event that float64 shows on one neighbour only, on the one and on the other, and how many of that many certified numbers
are off the public grid. Certified releases are drawn in batches, from what the mechanism draws them from; what is
audited is what they have before post-processing.
"""

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import dpspectra as dps
from dpspectra import Matrix, private_low_rank
from dpspectra.audit import audit
from dpspectra.certified import enclosed_eigenvalues, grid, noise_on_grid
from dpspectra.certified.gram import exact_moments
from dpspectra.certified.orbit import Orbit
from dpspectra.certified.products import exact_product
from dpspectra.fast.linalg import mirror, upper_triangle
from dpspectra.formulas.quantised_step import BITS
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.matrices.tall_blocks import largest_entry
from dpspectra.mechanisms import wishart
from dpspectra.mechanisms.claims import CERTIFIED, IDEAL
from dpspectra.mechanisms.noises import gaussian, laplace, symmetric_wishart
from dpspectra.mechanisms.noisy_products import measured
from dpspectra.mechanisms.power_rounds import CertifiedRounds, digits, steps
from dpspectra.mechanisms.randomness import Ideal
from dpspectra.mechanisms.second_moments import decomposed

TINY = 1e-6
ZERO, ONE = np.zeros((1, 1)), np.ones((1, 1))
BASIS = np.eye(2, 1)


@dataclass(frozen=True)
class Drawn:
    """Some outputs."""

    values: Any
    """Outputs to audit, ``(size, ...)``."""
    numbers: Any = ()
    """Numbers on the grid: each an integer times the step, over ``count``, rounded once."""
    step: Any = 1.0
    count: int = 1

    def off_the_grid(self) -> int:
        """Numbers that are not on it."""
        scaled = np.ravel(self.numbers / self.step) * self.count
        again = grid.over(np.rint(scaled).astype(np.int64), 0, self.count).reshape(np.shape(self.numbers)) * self.step
        return int(np.count_nonzero(again != self.numbers))


@dataclass(frozen=True)
class Row:
    """A mechanism with a pair of neighbours."""

    privacy: tuple[float, ...]
    pair: tuple[Any, Any]
    ideal: Callable[[Any, int, np.random.Generator], Drawn]
    certified: Callable[[Any, int, dps.Entropy], Drawn]
    event: Callable[[Any], Any] | None = None
    """Outputs that float64 gives on one of the two only; ``None`` where it takes more than a look at bits to tell."""


def one_by_one(release: Callable[..., Any]) -> Callable[..., Drawn]:
    """Outputs of a function of data and randomness."""

    def draw(x: Any, size: int, rng: Any) -> Drawn:
        return Drawn(np.array([release(x, rng) for _ in range(size)]))

    return draw


def low_bits(place: int, limit: float, bits: int) -> Callable[[Any], Any]:
    """Whether a number of an output is small, not 0, and no multiple of ``2**-bits``."""

    def event(values: Any) -> Any:
        y = values.reshape(len(values), -1)[:, place]
        return (np.abs(y) > 0) & (np.abs(y) < limit) & (np.ldexp(y, bits) != np.rint(np.ldexp(y, bits)))

    return event


# ---------------------------------------------------------------- covariances

TOGETHER = 8
"""Matrices that are drawn at a time, as blocks of one."""


def covariances(mechanism: Any, law: Any, privacy: tuple[float, ...], pair: Any, event: Any = None) -> Row:
    """A covariance with noise that is added to numbers one by one, all in one call."""

    def add(total: Any, shift: int, ratio: float, size: int, details: Any, source: dps.Entropy) -> Any:
        upper = upper_triangle(total)
        return law.certified(grid.Steps.of(np.tile(upper, size), shift), len(total), ratio, source).reshape(size, -1)

    return of_rows(mechanism, privacy, pair, add, event)


def matrices(mechanism: Any, law: Any, privacy: tuple[float, ...], pair: Any, event: Any = None) -> Row:
    """A covariance with noise whose numbers hang together, matrix by matrix."""

    def add(total: Any, shift: int, ratio: float, size: int, details: Any, source: dps.Entropy) -> Any:
        steps = grid.Steps.of(upper_triangle(total), shift)
        return np.stack([law.certified(steps, len(total), ratio, source) for _ in range(size)])

    return of_rows(mechanism, privacy, pair, add, event)


def one_sided(privacy: tuple[float, ...], pair: Any) -> Row:
    """A covariance with one-sided Wishart noise.

    Rows of a block ``G`` are independent, so that blocks on the diagonal of one large ``G G'`` are independent Wishart
    matrices.
    """

    def add(total: Any, shift: int, ratio: float, size: int, details: Any, source: dps.Entropy) -> Any:
        d = len(total)
        degrees = details["degrees_of_freedom"]
        mean: Any = wishart.mean_steps(degrees, ratio) * np.eye(d, dtype=np.int64)
        found = []
        for first in range(0, size, TOGETHER):
            blocks = min(TOGETHER, size - first)
            rows, columns = np.triu_indices(d * blocks)
            exact = grid.Steps.of(np.kron(np.eye(blocks, dtype=np.int64), total)[rows, columns], shift)
            sums = noise_on_grid.wishart(exact, d * blocks, degrees, ratio, (1,), source)
            found.append(sums[rows // d == columns // d].reshape(blocks, -1) - upper_triangle(mean))
        return np.concatenate(found)

    return of_rows(dps.wishart_covariance, privacy, pair, add, None)


def of_rows(mechanism: Any, privacy: tuple[float, ...], pair: Any, add: Callable[..., Any], event: Any) -> Row:
    """A covariance; certified ones all come from one exact sum to which ``add`` adds noise, in steps."""

    def certified(x: Any, size: int, source: dps.Entropy) -> Drawn:
        moments, details = exact_moments(x, 1.0), mechanism(x, *privacy).details
        n, exponent = moments.count, round(math.log2(details["step"]))
        ratio = math.ldexp(details["scale"] * n, -exponent)
        sums = add(moments.total, -2 * moments.exponent - exponent, ratio, size, details, source)
        values = grid.over(sums.ravel(), exponent, n).reshape(size, -1)
        return Drawn(mirror(values, moments.width), values, details["step"], n)

    return Row(privacy, pair, one_by_one(lambda x, rng: mechanism(x, *privacy, rng=rng).value), certified, event)


def generic(n: int) -> tuple[Any, Any]:
    """Neighbours of one column whose means of squares are .36 and .36 + .28 / n."""
    x = np.full((n, 1), 0.6)
    return x, np.vstack([[[0.8]], x[1:]])


def on_an_axis(n: int) -> tuple[Any, Any]:
    """A row on an axis of three, or half-way between two, among rows on axes."""
    x = np.eye(3)[np.arange(n) % 3]
    return x, np.vstack([[[0.6, 0.8, 0.0]], x[1:]])


# ---------------------------------------------------------------- spectra, projections, sketches, rounds


def enclosed(m: Any) -> tuple[Any, float]:
    """Eigenvalues and a bound on their errors."""
    found = decomposed(m)
    return found.values, enclosed_eigenvalues.residual_bound(m, found.vectors, found.values)


def spectra(epsilon: float, pair: tuple[Any, Any], event: Any) -> Row:
    """The largest eigenvalue: of matrices with copies of one in blocks, which have it as often."""

    def certified(m: Any, size: int, source: dps.Entropy) -> Drawn:
        details = dps.private_spectrum(Matrix(m), 1, epsilon).details
        exponent = round(math.log2(details["step"]))
        ratio, found = math.ldexp(details["scale"], -exponent), []
        for first in range(0, size, TOGETHER):
            blocks = min(TOGETHER, size - first)
            copies = np.kron(np.eye(blocks), m)
            found.append(enclosed_eigenvalues.laplace(copies, *enclosed(copies), blocks, exponent, ratio, source))
        values = np.maximum(grid.over(np.concatenate(found), exponent, 1), 0.0)[:, None]
        return Drawn(values, values, details["step"])

    ideal = one_by_one(lambda m, rng: dps.private_spectrum(Matrix(m), 1, epsilon, rng=rng).value)
    return Row((epsilon,), pair, ideal, certified, event)


def orbits(
    release: Callable[..., Any], matrix: Callable[[Any], tuple[Any, float]], pair: tuple[Any, Any], event: Any = None
) -> Row:
    """Projectors on lines as they are rounded, for a matrix in some unit; the law is set up once. Epsilon 1."""

    def certified(x: Any, size: int, source: dps.Entropy) -> Drawn:
        details, (m, unit) = release(x).details, matrix(x)
        found, exponent = decomposed(m.astype(float)), round(math.log2(details["step"]))
        temperature = details["kappa"] / unit
        law = Orbit(m, temperature, found.values * temperature, found.vectors, np.array([1.0, 0.0]), details["field"])
        values = np.array([law.draw(exponent, source) for _ in range(size)])
        return Drawn(values, values, details["step"])

    return Row((1.0,), pair, one_by_one(lambda x, rng: release(x, rng=rng).value), certified, event)


def exact_total(x: Any) -> tuple[Any, float]:
    """The matrix that principal components are drawn for, and its unit."""
    moments = exact_moments(x, 1.0)
    return moments.total, 4.0**moments.exponent


def leading_eigenvalues(epsilon: float, pair: tuple[Any, Any], event: Any) -> Row:
    """Return the eigenvalue that a low-rank approximation of rank 1 releases."""

    def certified(m: Any, size: int, source: dps.Entropy) -> Drawn:
        found = [private_low_rank(Matrix(m), 1, epsilon, mechanism="orbit", rng=source).details for _ in range(size)]
        values = np.array([x["eigenvalues"] for x in found])
        return Drawn(values, values, found[0]["spectrum_step"])

    ideal = one_by_one(
        lambda m, rng: private_low_rank(Matrix(m), 1, epsilon, mechanism="orbit", rng=rng).details["eigenvalues"]
    )
    return Row((epsilon,), pair, ideal, certified, event)


def arithmetic(rng: Any) -> str:
    """That of a release with ``rng``."""
    return IDEAL if isinstance(rng, np.random.Generator) else CERTIFIED


def read(a: Any, rng: Any) -> Any:
    """The measurements of a matrix of rows in the arithmetic of ``rng``; one row changes by 1."""
    return measured(a, 1.0, Ideal(rng) if arithmetic(rng) == IDEAL else rng)


def measurements(draw: Callable[..., Drawn], pair: tuple[Any, Any], event: Any = None) -> Row:
    """Measurements of a matrix of integers, in both arithmetics by one function; epsilon 1, delta 1e-6."""
    return Row((1.0, TINY), pair, draw, draw, event)


def projections(a: Any, size: int, rng: Any) -> Drawn:
    """Products with a public basis: each column of the matrix is one more release, with the same noise."""
    details = dps.private_projection(a, BASIS, 1.0, TINY, arithmetic=arithmetic(rng)).details
    found = read(np.tile(a, (1, size)), rng).project(BASIS, details["noise"], rng).reshape(size, -1)
    return Drawn(found, found, details.get("step", 1.0))


def responses(a: Any, size: int, rng: Any) -> Drawn:
    """All entries with noise: each pair of rows is one more release."""
    details = dps.randomized_response_low_rank(a, 1, 1.0, TINY, arithmetic=arithmetic(rng)).details
    found = read(np.tile(a, (size, 1)), rng).entries(details["noise"], rng).reshape(size, -1)
    return Drawn(found, found, details.get("step", 1.0))


def sketches(a: Any, size: int, rng: Any) -> Drawn:
    """Products with random vectors; the range finder releases their directions. Each column is one release."""
    details = dps.private_range_finder(a, 1, 1.0, TINY, oversampling=0, arithmetic=arithmetic(rng)).details
    found = read(a, rng).sketch(size, details["noise"], rng).T
    return Drawn(found, found, details.get("step", 1.0))


def both_stages(a: Any, size: int, rng: Any) -> Drawn:
    """A sketch, and the product with an orthonormal basis of its range."""
    details = dps.project_find_prune(a, 1, 1.0, TINY, arithmetic=arithmetic(rng)).details
    matrix, mu, width = read(a, rng), details["projection_mu"], min(3, len(a))
    found, sizes = [], []
    for y in np.split(matrix.sketch(width * size, details["range_noise"], rng), size, axis=1):
        q = orthonormal(y.copy())
        scale = matrix.noise(q, mu)
        b = matrix.project(q, scale, rng)
        found.append(np.concatenate([y.ravel(), b.ravel()]))
        fine = matrix.grid(details["range_noise"]), matrix.grid(scale)
        sizes.append(np.repeat([x.get("step", 1.0) for x in fine], (y.size, b.size)))
    return Drawn(np.array(found), np.array(found), np.array(sizes))


def rounds(privacy: tuple[float, ...], pair: tuple[Any, Any], event: Any, dtype: Any = np.float64) -> Row:
    """A round of the power method from a random vector, and the product that ``low_rank`` releases.

    An output is the vector of the second product as it was multiplied, that product, and the vector as it is released.
    """
    common: dict[str, Any] = {"iterations": 1, "width": 1, "low_rank": True}

    def ideal(a: Any, rng: Any) -> Any:
        y, x = dps.private_power_method(a, 1, *privacy, **common, dtype=dtype, rng=rng).value
        return np.concatenate([x, y, x])[:, 0].astype(float)

    def certified(a: Any, size: int, source: dps.Entropy) -> Drawn:
        states: list[Any] = []
        dps.private_power_method(a, 1, *privacy, **common, checkpoint=states.append)
        plan = states[0].plan
        loop = CertifiedRounds(exact_product(a, digits(a, plan.relation)), plan, source)
        outputs, products, sizes = [], [], []
        for _ in range(size):
            start = orthonormal(loop.normal((len(a), 1), np.float64), overwrite=True)
            first, one = loop.release(1, start, largest_entry(start))
            x = orthonormal(first.copy(), overwrite=True)
            second, other = loop.release(2, x, max(largest_entry(start), largest_entry(x)))
            outputs.append(np.concatenate([np.trunc(x * 2.0**BITS) / 2.0**BITS, second, x])[:, 0])
            products.append(np.concatenate([first, second])[:, 0])
            sizes.append(np.repeat(steps([one, other]), len(a)))
        return Drawn(np.array(outputs), np.array(products), np.array(sizes))

    return Row(privacy, pair, one_by_one(ideal), certified, event)


def of_long_vectors(event: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The event, if the vector of the second product has a first number of 1/2 or more."""
    return lambda values: (np.abs(values[:, 0]) >= 0.5) & event(values)


def jumps(values: Any) -> Any:
    """Whether the first number of the product is more than 2**15 above `LARGE` times that of the vector."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return (values[:, 2] - LARGE * values[:, 0]) / values[:, 0] > 2.0**15


LARGE = 2**40 + 2**16
LAPLACE = dps.laplace_covariance, laplace.LAPLACE
GAUSSIAN = dps.gaussian_covariance, gaussian.OPTIMAL
TILTED = dps.symmetric_wishart_covariance, symmetric_wishart.TILTED
THREE = np.array([[0.3], [0.5], [0.0]]), np.array([[0.3], [0.5], [0.8]])
UNITS = ZERO, ONE
SQUARES = np.zeros((2, 2)), np.diag([1.0, 0.0])
COLUMNS = np.zeros((2, 1), dtype=np.int64), np.array([[1], [0]])
TURNED = np.array([[1.0, 0.0], [0.0, 0.5]]), np.array([[0.6, 0.8], [0.0, 0.5]])
AXES, SLANTED = (x.T @ x for x in TURNED)
NEAR_ONE, NEAR_SMALL = low_bits(0, 1 / 4, 53), low_bits(1, 2.0**-10, 62)
IN_PRODUCT = of_long_vectors(low_bits(2, 1 / 8, 54))
ROWS = {
    "Laplace, epsilon 1, 0 against 1": covariances(*LAPLACE, (1.0,), UNITS, NEAR_ONE),
    "Laplace, epsilon .1, 0 against 1": covariances(*LAPLACE, (0.1,), UNITS, NEAR_ONE),
    "Gauss, (1, 1e-6), 0 against 1": matrices(*GAUSSIAN, (1.0, TINY), UNITS, NEAR_ONE),
    "Gauss, (.1, 1e-6), 0 against 1": matrices(*GAUSSIAN, (0.1, TINY), UNITS, NEAR_ONE),
    "symmetric Wishart, epsilon 1, 0 against 1": matrices(*TILTED, (1.0,), UNITS, NEAR_ONE),
    "symmetric Wishart, epsilon .1, 0 against 1": matrices(*TILTED, (0.1,), UNITS, NEAR_ONE),
    "Wishart, (1, 1e-6), 3 rows, 0 against .8": one_sided((1.0, TINY), THREE),
    "Laplace, epsilon 1, d = 3, 128 rows": covariances(*LAPLACE, (1.0,), on_an_axis(128), NEAR_SMALL),
    "symmetric Wishart, epsilon 1, d = 3, 128 rows": matrices(*TILTED, (1.0,), on_an_axis(128), NEAR_SMALL),
    "Laplace, epsilon 1, .6 against .8": covariances(*LAPLACE, (1.0,), generic(1)),
    "Laplace, epsilon 1, .6 against .8 in 10 rows": covariances(*LAPLACE, (1.0,), generic(10)),
    "Laplace, epsilon 1, .6 against .8 in 1000 rows": covariances(*LAPLACE, (1.0,), generic(1000)),
    "Laplace, epsilon .01, .6 against .8 in 1000 rows": covariances(*LAPLACE, (0.01,), generic(1000)),
    "spectrum, epsilon 1": spectra(1.0, SQUARES, NEAR_ONE),
    "leading eigenvalue of low rank, epsilon 4": leading_eigenvalues(4.0, SQUARES, NEAR_ONE),
    "principal component, epsilon 1": orbits(
        lambda x, **rng: dps.private_pca(x, 1, 1.0, mechanism="orbit", **rng),
        exact_total,
        TURNED,
        low_bits(1, 1 / 8, 55),
    ),
    "orbit of lines, epsilon 1": orbits(
        lambda m, **rng: dps.private_orbit(Matrix(m), [1.0, 0.0], 1.0, **rng), lambda m: (m, 1.0), (AXES, SLANTED)
    ),
    "power method, Laplace, epsilon 1": rounds((1.0,), SQUARES, IN_PRODUCT),
    "power method, Gauss, (1, 1e-6)": rounds((1.0, TINY), SQUARES, IN_PRODUCT),
    "power method, float32 against certified, epsilon 1": rounds(
        (1.0,), (np.diag([LARGE, 0]), np.diag([LARGE + 1, 0])), jumps, np.float32
    ),
    "projection, (1, 1e-6)": measurements(projections, COLUMNS, NEAR_ONE),
    "every entry, (1, 1e-6)": measurements(responses, COLUMNS, NEAR_ONE),
    "range finder, (1, 1e-6)": measurements(sketches, COLUMNS),
    "project, find, prune, (1, 1e-6)": measurements(both_stages, COLUMNS),
}


class Counted:
    """Draws of one arithmetic for the auditor, counted as they come."""

    def __init__(self, row: Row, draw: Callable[..., Drawn], *, keyed: bool) -> None:
        self.row, self.draw, self.keyed = row, draw, keyed
        self.outputs, self.events = [0, 0], [0, 0]
        self.numbers = self.off = 0

    def __call__(self, x: Any, *, size: int, rng: Any) -> Any:
        drawn = self.draw(x, size, dps.Entropy(rng.bytes(32)) if self.keyed else rng)
        side = int(not np.array_equal(x, self.row.pair[0]))
        self.outputs[side] += len(drawn.values)
        if self.row.event is not None:
            self.events[side] += int(np.count_nonzero(self.row.event(drawn.values)))
        if self.keyed:
            self.numbers += np.size(drawn.numbers)
            self.off += drawn.off_the_grid()
        return drawn.values

    @property
    def seen(self) -> str:
        """How often each neighbour showed the event."""
        return "" if self.row.event is None else f"{self.events[0]}, {self.events[1]}"


def audited(row: Row, draws: int, *, keyed: bool) -> tuple[Any, Counted]:
    """The result of an audit with all bits, and its counts."""
    counted = Counted(row, row.certified if keyed else row.ideal, keyed=keyed)
    options: dict[str, Any] = {"bits": True, "draws": draws, "seconds": 3600.0, "independent": True, "rng": 0}
    return audit(counted, row.pair, *row.privacy, **options), counted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=100_000)
    parser.add_argument("--rows", nargs="*", default=[""], help="words that the names of rows hold")
    options = parser.parse_args()
    heads = "float64", "events", "certified", "draws", "events", "off the grid", "seconds"
    widths = 20, 12, 13, 9, 8, 20, 9
    print(f"{'':<52}" + "".join(f"{head:>{width}}" for head, width in zip(heads, widths, strict=True)))
    for title, row in ROWS.items():
        if not any(word in title for word in options.rows):
            continue
        start = time.perf_counter()
        broken, first = audited(row, options.draws, keyed=False)
        sound, second = audited(row, options.draws, keyed=True)
        cells = (
            f"refuted at {broken.draws}" if broken.violated else "not refuted",
            first.seen,
            "REFUTED" if sound.violated else "not refuted",
            str(min(second.outputs)),
            second.seen,
            f"{second.off} of {second.numbers}",
            f"{time.perf_counter() - start:.0f}",
        )
        line = "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        print(f"{title:<52}{line}", flush=True)


if __name__ == "__main__":
    main()
