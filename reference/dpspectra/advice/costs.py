"""Costs of a release: bytes by the arrays that it holds, seconds by the order of its arithmetic; both rough.

Counts are of what was measured of certified releases (``python -m bench.wide``), with numpy's arrays of 8 bytes.
"""

from typing import NamedTuple

from dpspectra.matrices.centring import BLOCK
from dpspectra.mechanisms.catalogue import NOISES

SPEED = 2e10
"""Operations in a second of large products and of factors, on one core of the machine of ``bench/README.md``."""
WORDS = 1e7
"""Noisy numbers in a second there."""
READ = 2e8
"""Numbers of rows in a second there that are checked and made integers."""
LONG, LARGE = 60.0, 4e9
"""Seconds and bytes from which on another way is named."""
WISHART = "symmetric_wishart_covariance"
PAIRED, HELD, PLACE = 6, 40, 16
"""Readings of rows that pairs take; bytes for each number of a block of differences, and for the place of each row."""
FEW, ALL, VALUES, ORBIT = 2, 9, 8, 300
"""Operations over ``d**3``: a few leading eigenvectors, all, enclosed eigenvalues, a draw from the orbit."""


class Cost(NamedTuple):
    """Bytes besides the data, and seconds besides reading a file of them, to one digit."""

    memory: float
    seconds: float

    @property
    def is_high(self) -> bool:
        """Whether another way may be worth a thought."""
        return self.seconds >= LONG or self.memory >= LARGE

    def __str__(self) -> str:
        """Return both in words."""
        return f"{self.time} and {self.space}"

    @property
    def time(self) -> str:
        """The seconds in words."""
        return "< 1 s" if self.seconds < 1 else f"{self.seconds:,.0f} s"

    @property
    def space(self) -> str:
        """The memory in words."""
        if self.memory >= 1e9:
            return f"{self.memory / 1e9:,.0f} GB"
        return "< 1 MB" if self.memory < 1e6 else f"{self.memory / 1e6:,.0f} MB"


def of_noise(name: str, d: int, n: int, arrays: int = 0, cubes: float = 0, paired: bool = False) -> Cost:
    """Cost of noise of a covariance by its name, and of ``cubes * d**3`` operations on ``arrays`` more of its size."""
    drawn, more = (2, 2) if name == WISHART else (1, 0)
    differences = HELD * min(n * d, BLOCK) + PLACE * n if paired else 0
    seconds = _sums(d, n, PAIRED if paired else 1) + (cubes + more) * d**3 / SPEED + drawn * d**2 / WORDS
    return _rough((NOISES[name].arrays + arrays) * 8.0 * d**2 + differences, seconds)


def of_matrix(d: int, n: int, arrays: int, cubes: float) -> Cost:
    """Cost of ``cubes * d**3`` operations on ``arrays`` of shape ``(d, d)``, and of the sum over rows."""
    return _rough(arrays * 8.0 * d**2, _sums(d, n) + cubes * d**3 / SPEED)


def of_products(d: int, n: int, k: int, rounds: int) -> Cost:
    """Cost of rounds of products of rows with ``k`` columns, and of noise on these; rows are read once before."""
    reading = (rounds + 1) * n * d / READ
    return _rough(48.0 * d * k, reading + rounds * d * k * (4.0 * n / SPEED + 1 / WORDS))


def _sums(d: int, n: int, readings: int = 1) -> float:
    """Seconds of the sum of ``x x'`` over rows, which takes half of the products as it is symmetric."""
    return n * d**2 / SPEED + readings * n * d / READ


def _rough(*numbers: float) -> Cost:
    return Cost(*(float(f"{number:.0e}") for number in numbers))
