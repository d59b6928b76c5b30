"""One table of all ratios against named rivals, and how costs grow, with fitted exponents and a picture.

    python -m bench.table [--seconds 3] [--only WORD ...] [--write]

Both sides of a ratio are called in turns, on one thread, and timed by the processor; the ratio is the median of those
of the turns, with its quartiles. A cost is the smallest of some calls, and its exponent the slope of a line through the
logs of costs and sizes, with its standard error. Beside it stands what no way can do without: one pass over what is
read or returned, whichever is more, which the memory limits. ``--write`` puts the table into ``bench/README.md`` and
the picture into ``bench/growth.svg``, which takes matplotlib; ``--only`` takes names that hold a word, and writes
nothing.
"""

import argparse
import functools
import importlib.metadata
import importlib.util
import platform
import re
import sys
import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats

import dpspectra as dps
from dpspectra import Matrix
from dpspectra.certified import noise_on_grid
from dpspectra.certified.entropy import Source, SystemEntropy
from dpspectra.certified.grid import Steps
from dpspectra.fast.linalg import mirror
from dpspectra.mechanisms.noises.symmetric_wishart import TILTED
from dpspectra.sampling.orbit import plan

HERE = Path(__file__).parent
MARKS = "<!-- written by python -m bench.table --write -->", "<!-- until here -->"
RNG = np.random.default_rng(0)
PACKAGES = "numpy", "scipy", "python-flint", "numba", "cryptography", "scikit-learn"
COUNT, STEP = 200_000, 2.0**23.5
FEWEST, BATCH = 5, 500

Call = Callable[[], Any]


class Pair(NamedTuple):
    """Two calls that give the same, ours and a rival's; made when they are timed, as they may hold large arrays."""

    name: str
    rival: str
    goal: float | None
    calls: Callable[[], tuple[Call, Call]]


class Growth(NamedTuple):
    """For each of some sizes a call, and an array as large as what it reads or returns."""

    name: str
    size: str
    sizes: tuple[int, ...]
    made: Callable[[int], tuple[Call, NDArray[np.float64]]]


# ---------------------------------------------------------------- what is timed


def _rows(n: int, d: int) -> Any:
    return RNG.uniform(-1, 1, size=(n, d)) / np.sqrt(d)


def _both(release: Callable[..., Any], *data: Any, **options: Any) -> tuple[Call, Call]:
    """A release in certified and in ideal arithmetic."""
    return tuple(functools.partial(release, *data, arithmetic=way, **options) for way in ("certified", "ideal"))  # type: ignore[return-value]


def _numbers(law: str, source: Callable[[], Source], compiled: bool) -> tuple[Call, Call]:
    """Compiled kernels serve all that comes after them, so what goes without is measured before."""
    if compiled:
        importlib.import_module(noise_on_grid.FUSED)
    elif "numba" in sys.modules:
        raise RuntimeError("numba must not be loaded before what goes without it is measured")
    nothing = Steps.of(np.zeros(COUNT, dtype=np.int64), 0)
    draw, theirs = (noise_on_grid.laplace, RNG.laplace) if law == "Laplace" else (noise_on_grid.gaussian, RNG.normal)
    return (lambda: draw(nothing, STEP, source())), (lambda: theirs(size=COUNT))


def _wishart(d: int) -> tuple[Call, Call]:
    steps, ratio = Steps.of(np.zeros(d * (d + 1) // 2, dtype=np.int64), 0), 2.0**24 / TILTED.spread(d)
    return (lambda: mirror(TILTED.certified(steps, d, ratio, SystemEntropy()), d)), (lambda: TILTED.ideal(d, 1.0, RNG))


def _ratings() -> sparse.csr_array:
    shape = 17_770, 50_000
    places = RNG.integers(0, shape[0], 200 * shape[1]), np.repeat(np.arange(shape[1]), 200)
    return sparse.coo_array((RNG.integers(1, 6, len(places[0]), dtype=np.int8), places), shape=shape).tocsr()


def _symmetric(d: int) -> Any:
    a = RNG.normal(size=(d, d))
    return a + a.T


def _covariance(n: int, d: int) -> tuple[Call, Call]:
    return _both(dps.laplace_covariance, _rows(n, d), 1.0)


def _power() -> tuple[Call, Call]:
    return _both(dps.private_power_method, _symmetric(2000), 5, 1.0, 1e-6, width=10, iterations=6)


def _clipped(bound: float) -> tuple[Call, Call]:
    x = RNG.normal(size=(400_000, 50)) / np.sqrt(50)
    return (lambda: dps.clipped_rows(x, bound)), (lambda: x * np.minimum(1, bound / np.linalg.norm(x, axis=1))[:, None])


def _unit() -> tuple[Call, Call]:
    x = RNG.normal(size=(400_000, 50)) / np.sqrt(50)
    return (lambda: dps.unit_rows(x)), (lambda: x / np.linalg.norm(x, axis=1)[:, None])


def _moments() -> tuple[Call, Call]:
    x = _rows(400_000, 50)
    return (lambda: dps.Moments.of(x, norm_bound=3.0)), (lambda: x.T @ x)


def _product() -> tuple[Call, Call]:
    x = _rows(200_000, 50)
    return (lambda: dps.laplace_covariance(x, 1.0, rng=RNG)), (lambda: x.T @ x)


def _orbit(d: int, k: int) -> tuple[Call, Call]:
    spectrum = np.repeat([1.0, 0.0], [k, d - k])
    settled = plan(np.diag(10.0 * d * spectrum), spectrum, 1.0, "complex", "ball_chart")
    return (lambda: settled.draw(BATCH, RNG)), (lambda: stats.unitary_group(d).rvs(BATCH, random_state=RNG))


def _one_by_one(spectrum: NDArray[np.float64]) -> tuple[Call, Call]:
    law = functools.partial(
        dps.sampling.orbit_chunks, np.diag(10 * spectrum), spectrum, 1.0, size=BATCH, field="complex", rng=RNG
    )
    return (lambda: list(law(chunk=1))), (lambda: list(law()))


def _rated(finder: Callable[..., Any]) -> tuple[Call, Call]:
    return _both(finder, _ratings(), 10, 1.0, 1e-6, row_change=5.0)


def pairs() -> Iterator[Pair]:
    """Ratios of the table."""
    ways: list[tuple[str, Callable[[], Source], bool, dict[str, float]]] = []
    ways.append(("", SystemEntropy, False, {"Gaussian": 5, "Laplace": 2.6}))
    if importlib.util.find_spec("numba"):
        ways.append((", numba", SystemEntropy, True, {"Gaussian": 4, "Laplace": 2.2}))
        if importlib.util.find_spec("cryptography"):
            stretched = functools.partial(dps.Entropy, source="stretched")
            ways.append((", numba, stretched entropy", stretched, True, {"Gaussian": 2.2, "Laplace": 1.5}))
    for said, source, compiled, goals in ways:
        for law, goal in goals.items():
            calls = functools.partial(_numbers, law, source, compiled)
            yield Pair(f"certified {law} numbers{said}", "numpy", goal, calls)
    for d in (10, 50):
        yield Pair(f"certified Wishart noise, d = {d}", "ideal", 5, functools.partial(_wishart, d))
    for n, d in ((1_000, 10), (200_000, 50)):
        yield Pair(f"certified laplace_covariance, {n:,} x {d}", "ideal", 3, functools.partial(_covariance, n, d))
    yield Pair("certified private_power_method, 2,000 x 2,000", "ideal", 1.5, _power)
    for finder in (dps.private_range_finder, dps.project_find_prune):
        name = f"certified {finder.__name__}, 17,770 x 50,000 ratings"
        yield Pair(name, "ideal", 1.4, functools.partial(_rated, finder))
    yield Pair("ideal laplace_covariance, 200,000 x 50", "the product", None, _product)
    yield Pair("Moments.of, 400,000 x 50", "the product", None, _moments)
    yield Pair("clipped_rows, none long", "numpy", 1.6, functools.partial(_clipped, 10.0))
    yield Pair("clipped_rows, all long", "numpy", 1.6, functools.partial(_clipped, 0.1))
    yield Pair("unit_rows", "numpy", 1.6, _unit)
    for d, k in ((10, 2), (50, 3)):
        name = f"complex orbit of rank {k}, d = {d}, {BATCH} at once"
        yield Pair(name, "scipy's unitary_group", None, functools.partial(_orbit, d, k))
    for spectrum in ([1.0] + 19 * [0.0], [2.0, 1.0] + 18 * [0.0]):
        name = f"{BATCH} single draws of an orbit of rank {np.count_nonzero(spectrum)}, d = 20, by orbit_chunks"
        yield Pair(name, "one call", 2, functools.partial(_one_by_one, np.array(spectrum)))


def growths() -> Iterator[Growth]:
    """Costs by size."""

    def covariance(release: Callable[..., Any], n: int, d: int) -> tuple[Call, NDArray[np.float64]]:
        rows = _rows(n, d)
        return functools.partial(release, rows, 1.0), max(rows, np.ones((d, d)), key=np.size)

    yield Growth("laplace_covariance, d = 20", "n", (4_000, 16_000, 64_000, 256_000),
                 lambda n: covariance(dps.laplace_covariance, n, 20))  # fmt: skip
    yield Growth("laplace_covariance, n = 20,000", "d", (10, 20, 40, 80, 160),
                 lambda d: covariance(dps.laplace_covariance, 20_000, d))  # fmt: skip
    yield Growth("symmetric_wishart_covariance, n = 100", "d", (10, 20, 40, 80, 160),
                 lambda d: covariance(dps.symmetric_wishart_covariance, 100, d))  # fmt: skip
    yield Growth("private_power_method, dense, k = 5", "d", (250, 500, 1_000, 2_000),
                 lambda d: _power_of(_symmetric(d)))  # fmt: skip
    yield Growth("private_orbit of rank 2", "d", (10, 20, 40, 80), lambda d: _private_orbit(d, 2))
    yield Growth("private_orbit, d = 40", "k", (1, 2, 4, 8), lambda k: _private_orbit(40, k))
    yield Growth("draws of an orbit of rank 2, d = 20", "draws", (1, 10, 100, 1_000), _draws)


def _power_of(a: Any) -> tuple[Call, NDArray[np.float64]]:
    return functools.partial(dps.private_power_method, a, min(5, len(a)), 1.0, 1e-6, iterations=4), a


def _private_orbit(d: int, k: int) -> tuple[Call, NDArray[np.float64]]:
    m = np.diag(40.0 * d * np.repeat([1.0, 0.0], [k, d - k]))
    return functools.partial(dps.private_orbit, Matrix(m), np.repeat([1.0, 0.0], [k, d - k]), 2.0), m


def _draws(number: int) -> tuple[Call, NDArray[np.float64]]:
    spectrum = np.repeat([1.0, 0.0], [2, 18])
    settled = plan(np.diag(200.0 * spectrum), spectrum, 1.0, "complex", "ball_chart")
    return (lambda: settled.draw(number, RNG)), settled.draw(number, RNG).view(np.float64)


# ---------------------------------------------------------------- how it is timed


def seconds_of(call: Call) -> float:
    """Processor time of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


class Ratio(NamedTuple):
    """Quartiles of a ratio, and the smallest processor time of ours in seconds."""

    low: float
    middle: float
    high: float
    ours: float


def compared(ours: Call, theirs: Call, seconds: float) -> Ratio:
    """Time both in turns, after one call of each."""
    seconds_of(ours), seconds_of(theirs)
    turns: list[tuple[float, float]] = []
    end = time.monotonic() + seconds
    while len(turns) < FEWEST or time.monotonic() < end:
        turns.append((seconds_of(ours), max(seconds_of(theirs), 1e-9)))
    low, middle, high = np.quantile([one / other for one, other in turns], (0.25, 0.5, 0.75)).tolist()
    return Ratio(low, middle, high, min(one for one, _ in turns))


def cost(call: Call, seconds: float) -> float:
    """Return the smallest processor time of some calls."""
    seconds_of(call)
    found: list[float] = []
    end = time.monotonic() + seconds
    while len(found) < FEWEST or time.monotonic() < end:
        found.append(seconds_of(call))
    return min(found)


def exponent(sizes: Any, costs: Any) -> tuple[float, float]:
    """Slope of a line through logs, and its standard error; the error of two points is infinite."""
    x, y = np.log(np.asarray(sizes, dtype=float)), np.log(np.asarray(costs, dtype=float))
    away = x - x.mean()
    slope = float(away @ y / (away @ away))
    rest = y - y.mean() - slope * away
    free = len(x) - 2
    return slope, float(np.sqrt(rest @ rest / free / (away @ away))) if free else np.inf


# ---------------------------------------------------------------- what is written


class Costs(NamedTuple):
    """Smallest processor times in seconds by size, and those of one pass over as many numbers."""

    growth: Growth
    ours: list[float]
    limit: list[float]


def grown(growth: Growth, seconds: float) -> Costs:
    """Time each size, and the sum of an array that is as large."""
    found = Costs(growth, [], [])
    for size in growth.sizes:
        call, array = growth.made(size)
        found.ours.append(cost(call, seconds))
        found.limit.append(cost(array.sum, seconds / 5))
    return found


def table(ratios: list[tuple[Pair, Ratio]], costs: list[Costs], where: str) -> str:
    """Both tables in Markdown."""
    lines = [where, "", "| ours | rival | ratio | quartiles | goal | ms |", "|---|---|---|---|---|---|"]
    for pair, found in ratios:
        goal = "" if pair.goal is None else f"{pair.goal:g}{'' if found.middle <= pair.goal else ' (missed)'}"
        quartiles = f"{found.low:.2g} to {found.high:.2g}"
        lines.append(
            f"| {pair.name} | {pair.rival} | {found.middle:.3g} | {quartiles} | {goal} | {1e3 * found.ours:.3g} |"
        )
    lines += [
        "",
        "| cost of | by | sizes | ms | exponent | over one pass, at the largest |",
        "|---|---|---|---|---|---|",
    ]
    for growth, ours, limit in costs:
        slope, error = exponent(growth.sizes, ours)
        sizes = " ".join(f"{size:,}" for size in growth.sizes)
        shown = " ".join(f"{1e3 * x:.3g}" for x in ours)
        last = f"{slope:.2f} ± {error:.2f} | {ours[-1] / limit[-1]:.2g}"
        lines.append(f"| {growth.name} | {growth.size} | {sizes} | {shown} | {last} |")
    return "\n".join(lines)


def machine() -> str:
    """Date, processor and versions, in a sentence."""
    cpu = platform.processor() or platform.machine()
    if (info := Path("/proc/cpuinfo")).exists() and (found := re.search(r"model name\s*: (.*)", info.read_text())):
        cpu = found[1]
    versions = []
    for name in PACKAGES:
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"no {name}")
    python = platform.python_version()
    return f"Of {date.today().isoformat()}, on {cpu}, with Python {python}, {', '.join(versions)}, one thread."


def replaced(text: str, new: str) -> str:
    """Put a text between the marks of another one. Raises ``ValueError`` if it has none."""
    before, first, rest = text.partition(MARKS[0])
    _, last, after = rest.partition(MARKS[1])
    if not first or not last:
        raise ValueError(f"the file must hold {MARKS[0]!r} and {MARKS[1]!r}, in this order")
    return f"{before}{MARKS[0]}\n\n{new}\n\n{MARKS[1]}{after}"


def picture(costs: list[Costs], path: Path) -> None:
    """Costs by size, on logarithmic scales, each above one pass over as many numbers."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6.5), layout="constrained")
    panels = figure.subplots(-(-len(costs) // 3), 3, sharey=True, squeeze=False)
    for axes in panels.flat[len(costs) :]:
        axes.remove()
    for axes, (growth, ours, limit) in zip(panels.flat, costs, strict=False):
        slope, _ = exponent(growth.sizes, ours)
        axes.loglog(growth.sizes, 1e3 * np.array(ours), "o-", label=f"{growth.size}^{slope:.2f}")
        axes.loglog(growth.sizes, 1e3 * np.array(limit), ".--", color="0.5", label="one pass")
        axes.set_xticks(growth.sizes, [f"{size:,}" for size in growth.sizes])
        axes.minorticks_off()
        axes.set_xlabel(growth.size)
        axes.set_title(growth.name, fontsize=9)
        axes.legend(fontsize=8)
    for axes in panels[:, 0]:
        axes.set_ylabel("ms")
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "growth"}):
        figure.savefig(path, metadata={"Date": None})


def main(arguments: list[str] | None = None) -> int:
    """Time everything, print the tables, and write them if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--write", action="store_true")
    request = parser.parse_args(arguments)
    if request.only and request.write:
        parser.error("--write must come without --only: the table is one of all ratios")

    def wanted(name: str) -> bool:
        return not request.only or any(word in name for word in request.only)

    ratios, costs = [], []
    for pair in filter(lambda pair: wanted(pair.name), pairs()):
        ratios.append((pair, compared(*pair.calls(), request.seconds)))
        print(f"{pair.name}: {ratios[-1][1].middle:.3g}", file=sys.stderr)
    for growth in filter(lambda growth: wanted(growth.name), growths()):
        costs.append(grown(growth, request.seconds / 5))
        print(f"{growth.name}: done", file=sys.stderr)
    found = table(ratios, costs, machine())
    print(found)
    if request.write:
        readme = HERE / "README.md"
        readme.write_text(replaced(readme.read_text(encoding="utf-8"), found), encoding="utf-8")
        picture(costs, HERE / "growth.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
