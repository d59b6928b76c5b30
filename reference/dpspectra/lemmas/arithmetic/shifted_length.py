"""DPS-SHIFTED: the range finder with a test matrix on a grid: its privacy is the mean over a slightly longer shift.

``Omega_t`` is ``Omega`` rounded to multiples of ``2**-t``, so the image of a change ``v`` is longer than that by
``Omega`` by at most ``|v| 2**-(t + 1) sqrt(n k)``. Given ``Omega`` the sketch is a Gaussian shift of the image, and a
later ``mu``-GDP measurement one of length ``mu``, as without the grid (HR-L6.1R). The mean over the chi law is taken in
balls; a noise smaller by a relative ``2**-30`` does not suffice. Rounded down an entry moves by a whole unit, and noise
that is exact without the grid is not enough with it.
"""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.certified import sketch as certified
from dpspectra.fast import gaussian_profile, noisy_sketch_profile
from dpspectra.ledger import AtMost, Parts, Relation, Verdict, statement
from dpspectra.oracle import noisy_sketch_profile as exact_sketch
from dpspectra.strategies import ball_vectors, deltas, dyadics, epsilons, st

LESS = 2.0**-30
"""Relative part by which the noise is made smaller, so that it does not suffice."""


class Case(NamedTuple):
    """A test matrix, the digits it keeps and a change; a promise, and the noise that the program certifies for it.

    The noise is for ``columns`` of data, a sketch of some ``width``, images ``longer`` by the program's bound, and a
    measurement that is ``mu``-GDP.
    """

    omega: Any
    digits: int
    change: Any
    epsilon: float
    delta: float
    columns: int
    width: int
    longer: Fraction
    mu: float
    noise: float


def _calibrated(
    omega: Any, digits: int, change: Any, epsilon: float, delta: float, columns: int, width: int, share: float
) -> Case:
    longer, mu = certified.lengthening(columns, width), share * gaussian_profile.mu_for(epsilon, delta)
    candidate = noisy_sketch_profile.noise_for(epsilon, delta, width, mu, float(longer))
    noise = certified.noise_scale(epsilon, delta, width, mu, longer, candidate)
    return Case(omega, digits, change, epsilon, delta, columns, width, longer, mu, noise)


@statement
class ShiftedLength:
    labels = ("DPS-SHIFTED",)
    claim = {
        "length of the image": r"\|v^\top\Omega_t\|\le\|v^\top\Omega\|+2^{-t-1}\sqrt{nk}\,\|v\|",
        "bound of the program": r"t=20:\ 2^{-t-1}\sqrt{nk}\le\eta",
        "delta of both stages": (
            r"\mathbb E_{R\sim\chi_k}\,\delta_G\big(\varepsilon,\sqrt{(R+\eta)^2/s^2+\mu^2}\big)\le\delta"
        ),
        "less noise": (
            r"\delta\le\mathbb E_{R\sim\chi_k}\,"
            r"\delta_G\big(\varepsilon,\sqrt{(R+\eta)^2/\big((1-2^{-30})s\big)^2+\mu^2}\big)"
        ),
    }
    where = {
        "v": "change of a row",
        r"\Omega": r"ideal test matrix, $`n\times k`$, of independent standard normal entries",
        r"\Omega_t": "the same on a grid with $`t`$ binary places",
        "t": "number of binary places of the grid",
        r"\eta": "the program's bound on how much longer the image of a unit change may be",
        "n": "number of columns of the data",
        "k": "number of columns of the test matrix",
        "R": "random length",
        r"\chi_k": "chi law: the length of a standard normal vector of $`k`$ numbers",
        "s": "the program's standard deviation of the noise of the range finder",
        r"\mu": "Gaussian privacy of the second stage",
    }
    verdict = Verdict.NEW
    relation = (Relation.ROW,)
    uses = ("HR-L6.1R", "HR-L4.1R", "DPS-ROUNDED")
    note = "arithmetic.md#a-test-matrix-on-a-grid"
    digits = 25
    examples = 7

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        """Entries at all places between the points of coarse grids, or all just below the middle of two."""
        n, k, digits = draw(st.integers(1, 4)), draw(st.integers(1, 3)), draw(st.integers(0, 6))
        entries = draw(st.lists(dyadics(-4, 4), min_size=n * k, max_size=n * k))
        omega, change = np.array(entries).reshape(n, k), draw(ball_vectors(n))
        if draw(st.booleans()):
            omega, change = np.full((n, k), (0.5 - 2.0**-8) * 2.0**-digits), np.full(n, 1 / 2)
        columns, width = draw(st.sampled_from([1, 100, 480_189])), draw(st.sampled_from([1, 2, 5, 21]))
        promise = draw(epsilons(2.0**-4, 8.0)), draw(deltas(2.0**-30))
        share = draw(st.sampled_from([0.0, 0.5, 0.9]))
        return _calibrated(omega, digits, change, *promise, columns, width, share)

    def fast(self, *case: Any) -> Parts:
        """Norms and quadratures in floats; the bound on the lengthening is the program's."""
        omega, digits, change, epsilon, delta, columns, width, longer, mu, noise = case
        rounded = np.ldexp(np.floor(np.ldexp(omega, digits) + 0.5), -digits)
        eta = np.ldexp(np.sqrt(omega.size), -digits - 1)
        image, length = float(np.linalg.norm(change @ rounded)), float(np.linalg.norm(change))
        size = noisy_sketch_profile.exceedance(epsilon, noise, width, mu)
        exact, less = (
            noisy_sketch_profile.profile(epsilon, s, width, mu, float(longer)) for s in (noise, noise * (1 - LESS))
        )
        yield AtMost(image, float(np.linalg.norm(change @ omega)) + eta * length, part="length of the image")
        needed = float(np.ldexp(np.sqrt(columns * width), -certified.GRID - 1))
        yield AtMost(needed, float(longer), part="bound of the program")
        yield AtMost(exact, delta, scale=size, part="delta of both stages")
        yield AtMost(delta, less, scale=size, part="less noise")

    def oracle(self, *case: Any) -> Parts:
        """Entry by entry in numbers of 25 digits; means are integrals."""
        omega, digits, change, _, delta, columns, width, *_ = case
        epsilon, longer, mu, noise = (mp.mpmathify(case[i]) for i in (3, 7, 8, 9))
        n, k = omega.shape
        unit = mp.ldexp(1, -digits)

        def image(entry: Any) -> Any:
            columns_of = [[mp.mpf(v) * entry(mp.mpf(omega[i, j])) for i, v in enumerate(change)] for j in range(k)]
            return mp.norm([mp.fsum(terms) for terms in columns_of])

        length = mp.norm([mp.mpf(v) for v in change])
        bound = image(lambda x: x) + unit / 2 * mp.sqrt(n * k) * length
        needed = mp.sqrt(columns * width) * mp.mpf(2) ** -21
        exact, less = (exact_sketch.profile(epsilon, x, width, mu, needed) for x in (noise, noise * (1 - LESS)))
        yield AtMost(image(lambda x: unit * mp.floor(x / unit + 0.5)), bound, part="length of the image")
        yield AtMost(needed, longer, part="bound of the program")
        yield AtMost(exact, delta, part="delta of both stages")
        yield AtMost(delta, less, part="less noise")

    def tight(self) -> list[Any]:
        """All entries half a unit, which are rounded up, and a change with all entries equal."""
        omega = np.full((4, 3), 2.0**-21)
        return [_calibrated(omega, 20, np.full(4, 0.5), 1.0, 1e-6, 17_770, 21, 0.5)]

    def beyond(self) -> dict[str, AtMost]:
        """An entry just below 0 that is rounded down; noise for no grid; a row that changes by 1.01."""
        case, tiny = Case(*self.tight()[0]), mp.mpf(2) ** -60
        epsilon, delta, width, mu = mp.mpf(case.epsilon), mp.mpf(case.delta), case.width, mp.mpf(case.mu)
        longer = mp.sqrt(case.columns * width) * mp.mpf(2) ** -21
        exact = exact_sketch.noise_for(epsilon, delta, width, mu)

        def outcome(noise: Any, projection: Any) -> AtMost:
            return AtMost(
                exact_sketch.profile(epsilon, noise, width, projection, longer), delta, part="delta of both stages"
            )

        stretch = mp.mpf("1.01")
        return {
            "entries are rounded to nearest": AtMost(mp.mpf(1), tiny + mp.mpf(1) / 2, part="length of the image"),
            "the noise counts the grid in": outcome(exact, mu),
            "a row changes by at most 1": outcome(mp.mpf(case.noise) / stretch, mu * stretch),
        }
