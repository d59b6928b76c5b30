"""Choose lenses: places, intervals, remainders, fractions, products, sums mod 2 and members that tell most in the past.

A lens that is the best of many candidates looks better than it is: how many there were goes with it, and is taken off.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.betting.lens import Lens, bits, fractions, remainders
from dpspectra.audit.reading.as_floats import EXACT
from dpspectra.audit.reading.features import Table
from dpspectra.audit.reading.number_places import BUCKETS, MEMBERS, PLACES, Places
from dpspectra.ground.array_types import Array

ROWS = 1024
"""Last draws on each data set that are screened."""
TOP = 6
"""Places, and members, that become lenses."""
QUANTILES = 8
"""Bins of each place in which the two data sets are compared."""
COARSE, FINE, FINEST = 12, (32, 16, 8), 256
"""Bins of a number; draws on each data set for one of the finer bins, in three sizes; most of those."""
BINNED = 10_000
"""Largest number of places whose numbers are cut into bins."""
NEAR = 256
"""Number of places whose remainders, fractions and sums are looked at."""
PAIRED = 512
"""Places whose products are looked at."""
MODULI = (2, 3, 4, 5, 7, 8, 9, 10, 11, 13, 16, 17, 100)
"""Moduli of all places that are near."""
MORE = tuple(modulus for modulus in range(2, 65) if modulus not in MODULI)
"""Further moduli, of the first `FIRST` places: bits and periods of these are looked at, too."""
FIRST = 32
BITS = range(1, 21)
"""Places of bits that are looked at: bit 0 is the remainder by 2."""
POINTS, STRETCH = 2**14, 4
"""Points at which a spectrum is taken, and how many times longer they are together than the middle of the numbers."""
CYCLES = 16
"""Fewest periods within the middle of the numbers: fewer are intervals."""
SCALES = (1.0, 10.0, 100.0, 1e3, 1e4)
LARGEST = 1000
"""Largest step of whole numbers that is a modulus too."""
STEPS = 8
"""Steps that are looked at."""
DEVIATIONS = 4.0
"""Standard deviations from which a remainder, a fraction or a difference of means of signs is looked at."""
OFTEN = 0.2
"""Share of the other data set's draws in which a sum mod 2 must fail."""

Name = Callable[[int], str]


def lenses(past: tuple[Table, Table], places: Places) -> list[Lens]:
    """Lenses that the past recommends; ``places`` say in words what stands where."""
    found: list[Lens] = []
    if PLACES in past[0] and past[0][PLACES].shape[1]:
        found += _of_numbers(past, places.name)
    if MEMBERS in past[0]:
        found += _of_members(past, places.member)
    return found


def _of_numbers(past: tuple[Table, Table], name: Name) -> Iterator[Lens]:
    x, y = (np.where(np.isfinite(t[PLACES][-ROWS:]), t[PLACES][-ROWS:], np.nan) for t in past)
    size = x.shape[1]
    distance = chi_square(x, y)
    order = _best(distance, NEAR)
    for place in order[:TOP]:
        if size > 1:
            yield Lens("place", (place,), (), name(place), size)
        if size <= BINNED:
            yield from _bins(past, place, name(place), size)
    integral = _whole(x[:, order]) & _whole(y[:, order])
    whole = [j for j, each in zip(order, integral.tolist(), strict=True) if each]
    yield from _remainders((x, y), whole, [j for j in order if j not in set(whole)], name)
    yield from _periods((x, y), order[:FIRST], name)
    if len(order) > 1:
        yield from _products((x, y), order if size <= PAIRED else _best(distance, PAIRED), name)
    if 2 < len(whole) <= len(x) // 2:
        for places in _sums_mod_2(x[:, whole], y[:, whole])[:2]:
            at = tuple(whole[k] for k in places)
            yield Lens("parity", at, (), f"sum mod 2 of {len(at)} numbers, {name(at[0])} among them", size)


def chi_square(x: Array, y: Array) -> NDArray[np.float64]:
    """How far apart, in each column, two sets of draws are: in pooled quantile bins, and in what is missing."""
    pool = np.sort(np.concatenate([x, y]), axis=0)  # what is missing comes last
    edges = pool[[len(pool) * k // QUANTILES for k in range(1, QUANTILES)]]
    shares = []
    for side in (x, y):
        missing = np.isnan(side).sum(axis=0)
        above = [len(side) - missing, *((side > edge).sum(axis=0) for edge in edges), np.zeros_like(missing)]
        cells = [one - other for one, other in itertools.pairwise(above)]
        shares.append(np.array([*cells, missing]) / len(side))
    a, b = shares
    return np.asarray(((a - b) ** 2 / np.maximum(a + b, 1e-12)).sum(axis=0) * min(len(x), len(y)))


def _best(values: NDArray[np.float64], most: int, above: float = 0.0) -> list[int]:
    """Places of the largest values, in descending order."""
    count = min(most, len(values))
    order = np.argpartition(-values, count - 1)[:count] if count else np.array([], dtype=int)
    order = order[np.argsort(-values[order], kind="stable")]
    return [int(j) for j in order if values[j] > above]


def _whole(x: Array) -> NDArray[np.bool_]:
    """Which columns hold whole numbers and missing values alone."""
    there = np.isfinite(x)
    return np.asarray(np.all((np.floor(x) == x) | ~there, axis=0) & there.any(axis=0))


def _bins(past: tuple[Table, Table], place: int, name: str, size: int) -> Iterator[Lens]:
    """Bins between quantiles of all that was drawn: few, and as many as there are draws for."""
    pool = np.sort(np.concatenate([table[PLACES][:, place] for table in past]))
    pool = pool[np.isfinite(pool)]
    draws = min(len(table[PLACES]) for table in past)
    counts = {COARSE, *(min(FINEST, max(COARSE, draws // each)) for each in FINE)}
    for count in sorted(counts) if len(pool) else ():
        edges = np.unique(pool[[len(pool) * k // count for k in range(1, count)]])
        yield Lens("bins", (place,), tuple(edges.tolist()), name, 2 * size)


def _remainders(sides: tuple[Array, Array], whole: list[int], others: list[int], name: Name) -> list[Lens]:
    """Return the three remainders, bits or fractions in which the data sets differ most."""
    found: list[tuple[float, str, int, float, int]] = []
    steps = _steps(*(side[:, whole] for side in sides))
    few = whole[:FIRST]
    tried = [
        ("residue", whole, (*MODULI, *steps)),
        ("residue", few, MORE),
        ("bit", few, BITS),
        ("fraction", others, SCALES),
    ]
    for kind, places, numbers in tried:
        x, y = (side[:, places] for side in sides)
        for number in numbers if places else ():
            if kind == "fraction":
                distances = _in_deviations(chi_square(fractions(x, number), fractions(y, number)), QUANTILES - 1)
            else:
                of: Any = remainders if kind == "residue" else bits
                distances = _apart(of(x, number), of(y, number), int(number) if kind == "residue" else 2)
            among = len(places) * len(numbers)
            of_lens = 2.0**number if kind == "bit" else number
            found += [(float(distances[k]), kind, place, of_lens, among) for k, place in enumerate(places)]
    chosen = sorted((each for each in found if each[0] > DEVIATIONS), key=lambda each: -each[0])[:3]
    return [Lens(kind, (place,), (float(number),), name(place), among) for _, kind, place, number, among in chosen]


def _periods(sides: tuple[Array, Array], places: list[int], name: Name) -> Iterator[Lens]:
    """Yield the period by which the numbers at one of the places are told apart best, be it any."""
    best: tuple[float, int, float, float] | None = None
    among = len(places) * (POINTS // 2 - CYCLES * STRETCH)
    for place in places:
        columns = [side[np.isfinite(side[:, place]), place] for side in sides]
        low, high = np.quantile(np.concatenate(columns), (0.1, 0.9)) if all(map(len, columns)) else (0.0, 0.0)
        if not high > low:
            continue
        factor = POINTS / (STRETCH * (high - low))
        with np.errstate(over="ignore"):
            first, second = (_spectrum((column - low) * factor) for column in columns)
        gap = first - second
        gap[: CYCLES * STRETCH] = 0.0
        at = int(np.argmax(np.abs(gap)))
        excess = min(map(len, columns)) * abs(gap[at]) ** 2 - 2 * math.log(among)
        if excess > 2 * DEVIATIONS and (best is None or excess > best[0]):
            frequency = float(at / (STRETCH * (high - low)))
            phase = float((0.25 + np.angle(gap[at]) / (2 * math.pi) - frequency * low) % 1.0)
            best = excess, place, frequency, phase
    if best is not None:
        _, place, frequency, phase = best
        yield Lens("fraction", (place,), (frequency, phase), name(place), among)


def _spectrum(x: Array) -> NDArray[np.complex128]:
    """Return means of ``exp(-2 pi i k x / POINTS)`` of numbers, cut to whole ones, for ``k`` to half of `POINTS`.

    Those of which float64 keeps no whole part count as zero.
    """
    counts = np.bincount(np.mod(np.floor(x[np.abs(x) < EXACT]), POINTS).astype(int), minlength=POINTS)
    return np.asarray(np.fft.rfft(counts)) / len(x)


def _steps(x: Array, y: Array) -> list[int]:
    """Greatest common divisors of the differences in a column on one side, which `MODULI` lacks: of the first few."""
    found = dict[int, None]()
    for column in itertools.chain.from_iterable(zip(x.T, y.T, strict=True)):
        there = column[np.abs(column) < EXACT].astype(np.int64)
        step = int(np.gcd.reduce(there - there[0])) if len(there) > 1 else 0
        if 1 < step <= LARGEST and step not in MODULI:
            found[step] = None
    return list(found)[:STEPS]


def _apart(x: Array, y: Array, modulus: int) -> NDArray[np.float64]:
    """Chi-square of remainders in each column, in standard deviations."""
    size, columns = modulus + 1, x.shape[1]
    shares = []
    for side in (x, y):
        codes = np.minimum(side, np.uint64(modulus)).astype(int) + size * np.arange(columns)
        shares.append(np.bincount(codes.ravel(), minlength=size * columns).reshape(columns, size) / len(side))
    a, b = shares
    distances = ((a - b) ** 2 / np.maximum(a + b, 1e-12)).sum(axis=1) * min(len(x), len(y))
    return _in_deviations(distances, np.maximum((a + b > 0).sum(axis=1) - 1, 1))


def _in_deviations(distances: NDArray[np.float64], freedom: Any) -> NDArray[np.float64]:
    """How far chi-squares are above their mean, in standard deviations, were the data sets alike."""
    return np.asarray((distances - freedom) / np.sqrt(2 * freedom))


def _products(sides: tuple[Array, Array], places: list[int], name: Name) -> Iterator[Lens]:
    """Yield the two pairs of places whose signs about the median agree most differently on the two data sets."""
    middle = np.nanmedian(np.concatenate([side[:, places] for side in sides]), axis=0)
    first, second = (np.nan_to_num(np.sign(side[:, places] - middle)) for side in sides)
    gap = np.triu(np.abs(first.T @ first / len(first) - second.T @ second / len(second)), 1)
    for k in _best(gap.ravel(), 2, DEVIATIONS / math.sqrt(len(first))):
        i, j = divmod(k, len(places))
        words = f"product of {name(places[i])} and {name(places[j])}, both centred"
        yield Lens("product", (places[i], places[j]), (float(middle[i]), float(middle[j])), words, len(places) ** 2)


def _sums_mod_2(x: Array, y: Array) -> list[list[int]]:
    """Return sums mod 2 that are the same in all draws on one side and not on the other, as lists of columns."""
    found = []
    for one, other in ((x, y), (y, x)):
        bits = np.mod(np.nan_to_num(one), 2).astype(np.uint8)
        for columns in _relations(np.concatenate([bits, np.ones((len(bits), 1), np.uint8)], axis=1)):
            used = [c for c in columns if c < x.shape[1]]
            values = np.mod(np.nan_to_num(other[:, used]), 2).sum(axis=1) % 2
            here = np.mod(np.nan_to_num(one[0, used]), 2).sum() % 2
            if len(used) > 1 and np.mean(values != here) > OFTEN:
                found.append(used)
    return found


def _relations(rows: NDArray[np.uint8]) -> Iterator[list[int]]:
    """Yield sets of columns whose sum mod 2 is 0 in every row: a basis, by elimination."""
    pivots: list[int] = []
    for column in range(rows.shape[1]):
        hits = np.flatnonzero(rows[len(pivots) :, column]) + len(pivots)
        if len(hits):
            row = len(pivots)
            rows[[row, hits[0]]] = rows[[hits[0], row]]
            others = np.flatnonzero(rows[:, column])
            rows[others[others != row]] ^= rows[row]
            pivots.append(column)
    for free in sorted(set(range(rows.shape[1])) - set(pivots)):
        yield [*(column for row, column in enumerate(pivots) if rows[row, free]), free]


def _of_members(past: tuple[Table, Table], name: Name) -> list[Lens]:
    sides: Sequence[Array] = [table[MEMBERS][-ROWS:] for table in past]
    a, b = (side.mean(axis=0) for side in sides)
    draws = min(map(len, sides))
    spread = np.sqrt(np.maximum((a + b) / 2 * (1 - (a + b) / 2), 1 / draws) * 2 / draws)
    best = _best(np.abs(a - b) / spread, TOP, 2.0)
    return [Lens("member", (j,), (), name(j), BUCKETS) for j in best]
