"""A lower bound for mechanisms that see the rows: data sets that share rows, and how many of the others must change.

Choose places ``S`` of the spectrum and places ``T`` below them, ``r`` and ``m``; ``A`` and ``mu`` are the smallest
values there, ``G = A - mu``, and ``g`` the gap between them. For projectors ``P`` within the sine ``sigma`` of that on
``S`` the matrix of the orbit dominates one matrix ``E``, so all these data sets can share the rows of ``E``; what is
left of each is a sum of ``L`` rows. So ``L`` replacements lead from any of them to any other, without a premise on what
the mechanism sees. If ``P`` is uniform in the ball, an output is right for a share of the ball only: the data sets that
it answers within ``rho`` lie in a ball, or have a small variance. For one row and rank one all points of the orbit
differ in all rows, and a mechanism attains the bound for outputs on the orbit.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast.packing import ball_measure
from dpspectra.ledger import AtMost, Equal, Parts, Real, Relation, Slack, Verdict, statement
from dpspectra.lemmas.lower_bounds.common_part import (
    Case,
    common_radius,
    largest_sine,
    log_odds,
    mean_square,
    one_row,
    premise,
    squared_radius,
)
from dpspectra.lemmas.packing.grassmann_measure import FEW
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import neighbour_paths
from dpspectra.oracle import packing as exact
from dpspectra.strategies import dimensions, epsilons, spectra, st


def _rotation(r: int, m: int, sine: Any) -> Any:
    """Rotation of the first axes of two groups by the angle of this sine."""
    turn, cosine = mp.eye(r + m), mp.sqrt(1 - sine**2)
    for x in range(min(r, m)):
        y = r + x
        turn[x, x], turn[x, y], turn[y, x], turn[y, y] = cosine, -sine, sine, cosine
    return turn


def _bisected(a: Fraction, b: Fraction) -> Any:
    """Largest squared sine at which trace and determinant in a principal plane are not negative."""
    low, high = Fraction(0), Fraction(1)

    def holds(u: Fraction) -> bool:
        return (a - u) * (b + u) >= u * (1 - u)

    if holds(high):
        return mp.mpf(1)
    for _ in range(90):
        u = (low + high) / 2
        low, high = (u, high) if holds(u) else (low, u)
    return mp.mpmathify(low)


@statement
class CommonRows:
    labels = ("MWKTV-T2.4ROW",)
    given = (
        r"A=\min_S\lambda,\ \mu=\min_T\lambda,\ G=A-\mu,\ g=A-\max_T\lambda>0,\ 0\le a\le\tfrac AG,\ "
        r"0\le b\le\tfrac\mu G,\ N=rm,\ \sigma^2=\min\{1,\tfrac{ab}{1-a+b}\}\ (1\text{ if }a\ge1+b),\ "
        r"\tau=\sum_S(\lambda_l-A)+\sum_T(\lambda_l-\mu)+G(ra+mb),\ "
        r"L=\max(\operatorname{rk},\lceil\tau\rceil),\ \text{replace: }K=1+e^{\varepsilon L},\ "
        r"\text{add/remove: }K=2e^{\varepsilon L},\ z^2=2f(r,m)^{1/N}\sigma^2K^{-1/N};\ "
        r"\exists M\in\mathcal O_\Lambda:\Pr[\|M-\mathcal A\|_F^2>\rho^2]\ge\tfrac12,\ "
        r"\rho^2=\tfrac{N}{2(N+1)}g^2z^2\ (g^2z^2\text{ if }S\cup T\text{ is all},\ \mathcal A\in\mathcal O_\Lambda)"
    )
    claim = {
        "radius of the common part": r"\sigma^2=\max\{u\le1:\ (a-u)(b+u)\ge u(1-u)\}",
        "length of the rows that change": r"\|y_l\|^2=\tfrac\tau L\le1\ (l\le L)",
        "share of the answers": r"z^2\le2:\ \frac{V(z)}{\sigma^{2N}}=\frac1K",
        "mean squared distance": r"z^2\le2:\ \frac{2\rho^2}{g^2}=\int_0^{z^2}\Big(1-\frac{V(\sqrt v)}{V(z)}\Big)dv",
        "median of a mechanism": (
            r"S=\{1\},\ a=1,\ \lambda_1\le1,\ \lambda_2=0,\ h=\big(\tfrac{g^2z^2}{2\lambda_1^2}\big)^{d-1}:\ "
            r"\tfrac{he^\varepsilon}{he^\varepsilon+1-h}\text{ (replace)},\ "
            r"he^\varepsilon\text{ (add/remove)}=\tfrac12"
        ),
        "median off the orbit": (
            r"S=\{1\},\ a=1,\ \lambda_1\le1,\ \lambda_2=0,\ t=\min\{K^{-1/N},1-\tfrac1d\}:\ "
            r"\rho^2\le\lambda_1^2\big(2t-\tfrac{d\,t^2}{d-1}\big)"
        ),
        "share of large balls": r"z^2>2:\ \frac{V(z)}{\sigma^{2N}}\le\frac1K",
    }
    where = {
        "A": "smallest value of the spectrum at the places of $`S`$",
        r"\mu": "smallest value of the spectrum at the places of $`T`$",
        "S": "set of $`r`$ places of the spectrum",
        "T": "set of $`m`$ places of the spectrum, below those of $`S`$",
        r"\lambda": "the values of the spectrum",
        "G": r"difference $`A-\mu`$",
        "g": "gap between the smallest value at $`S`$ and the largest at $`T`$",
        "a": "share of $`G`$ by which the common rows fall short of $`A`$ at $`S`$, a free number",
        "b": (
            "share of $`G`$ by which the common rows fall short of $`"
            r"\mu`$ at $`T`$, a free number"
        ),
        "f(": ("f(r,m)", r"number of standard Young tableaux of an $`r\times m`$ rectangle"),
        "r": "number of places of $`S`$",
        "m": "number of places of $`T`$",
        "N": "number $`rm`$, the complex dimension of the ball of projectors",
        r"\sigma": "largest sine of an angle in the ball of projectors",
        r"\mathrm{rk}": "number of rows that one data set needs at least",
        "L": "number of rows in which two data sets differ, at most",
        "V(": (
            r"V(\cdot)",
            "share of the projectors of rank $`r`$ in $`r+m`$ dimensions that lie within this distance of one of them",
        ),
        r"\tau": "trace of what is not common to the data sets",
        "u": "squared sine of an angle",
        "v": "squared distance of two projectors",
        "z": "radius of the ball of projectors whose data sets may be answered half of the time",
        "y_i": "rows of equal length in which a data set differs from the common part",
        "h": "uniform probability of the ball of radius $`z`$, for a spectrum of one value",
        "t": "squared sine for which a released matrix is best",
        "K": "number whose inverse is the share of the data sets that may be answered well half of the time",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    uses = ("MWKTV-PATH", "MWKTV-L8.1X", "MWKTV-L8.2S", "MWKTV-E34")
    note = "lower_bounds.md#common-rows"
    digits = 30
    slack = {
        "median off the orbit": Slack(0.915285, "in many dimensions distances are nearly the same, in few they are not")
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        d = draw(dimensions(2))
        stop = draw(st.integers(1, d - 1))
        start = draw(st.integers(stop, d - 1))
        top, bottom = (draw(st.integers(0, stop - 1)), stop), (start, draw(st.integers(start + 1, d)))
        spectrum = draw(spectra(d)) + draw(st.sampled_from([0.0, 8.0, 64.0]))
        spectrum[:stop] += draw(st.sampled_from([1.0, 0.25]))
        shares = [(0.5, 0.25), (0.25, 0.25), (1.0, 1.0), (0.125, 0.5), (0.75, 0.5), (1.5, 0.25), (1.25, 0.25)]
        a, b = draw(st.sampled_from([(1.0, 0.0), *(x for x in shares if premise(spectrum, top, bottom, *x))]))
        relation = draw(st.sampled_from([Relation.REPLACE, Relation.ADD_REMOVE]))
        return Case(spectrum, top, bottom, a, b, draw(epsilons(2.0**-6, 4.0)), relation)

    def fast(
        self, spectrum: Any, top: Any, bottom: Any, a: float, b: float, epsilon: float, relation: Relation
    ) -> Parts:
        if not premise(spectrum, top, bottom, a, b):
            return
        square, steps = squared_radius(spectrum, top, bottom, a, b, epsilon, relation)
        r, m = top[1] - top[0], bottom[1] - bottom[0]
        n, squared_sine = r * m, common_radius(a, b)
        high, low = spectrum[slice(*top)], spectrum[slice(*bottom)]
        width = high[-1] - low[-1]
        moved = np.sum(high) + np.sum(low) - r * (high[-1] - width * a) - m * (low[-1] - width * b)
        yield Equal(float(squared_sine), largest_sine(a, b), part="radius of the common part")
        yield AtMost(moved / steps, 1.0, part="length of the rows that change")
        if min(r, m) <= FEW:
            share = ball_measure(r, m, np.sqrt(square)) / squared_sine**n
            allowed = np.exp(-log_odds(epsilon * steps, relation))
            if square <= 2:
                yield Equal(float(share), float(allowed), part="share of the answers")
                yield Equal(square * n / (n + 1), mean_square(r, m, square), part="mean squared distance")
            else:
                yield AtMost(float(share), float(allowed), part="share of large balls")
        if one_row(spectrum, top, bottom, a):
            share, odds, d = (square / 2) ** n, np.exp(epsilon), len(spectrum)
            right = share * odds / (share * odds + 1 - share) if relation is Relation.REPLACE else share * odds
            yield Equal(right, 0.5, part="median of a mechanism")
            u = min(np.exp(-log_odds(epsilon, relation) / n), 1 - 1 / d)
            yield AtMost(square / 2 * n / (n + 1), float(2 * u - u**2 * d / (d - 1)), part="median off the orbit")

    def oracle(
        self, spectrum: Any, top: Any, bottom: Any, a: float, b: float, epsilon: Real, relation: Relation
    ) -> Parts:
        """Bisect for the radius in rational numbers; build the matrices, and the rows of what is not common to them."""
        values, d = [mp.mpf(float(x)) for x in spectrum], len(spectrum)
        high, low = values[slice(*top)], values[slice(*bottom)]
        r, m, width = len(high), len(low), high[-1] - low[-1]
        common = mp.diag([high[-1] - width * a] * r + [low[-1] - width * b] * m)
        squared_sine = mp.mpf(1) if a >= 1 + b else min(mp.mpf(1), mp.mpf(a) * b / (1 - mp.mpf(a) + b))
        if high[-1] <= low[0] or min(common[x, x] for x in range(r + m)) < 0 or squared_sine == 0:
            return
        rotation = _rotation(r, m, mp.sqrt(squared_sine))
        rest = rotation * mp.diag([*high, *low]) * rotation.T - common
        seen, frame = oracle.eigenvectors(rest)
        none = mp.mpf(10) ** (10 - mp.dps) * high[0]
        kept = [x for x, value in enumerate(seen) if value > none]
        trace = mp.fsum(rest[x, x] for x in range(r + m))
        rank = r + m if (a, b) != (1, 0) else sum(x > low[-1] for x in (*high, *low))
        steps = max(rank, int(mp.ceil(trace - none)))
        rows = oracle.columns(frame, kept) * mp.diag([mp.sqrt(seen[x]) for x in kept])
        mixed = neighbour_paths.equal_norm_columns(rows, steps)
        longest = max(oracle.inner(mixed[:, x], mixed[:, x]) for x in range(steps))
        if min(seen) < -none or len(kept) > steps:
            raise ArithmeticError("the common part is not dominated")
        count = 1 + mp.exp(epsilon * steps) if relation is Relation.REPLACE else 2 * mp.exp(epsilon * steps)
        n, square = r * m, 2 * squared_sine * mp.root(exact.tableaux(r, m) / count, r * m)
        yield Equal(squared_sine, _bisected(Fraction(a), Fraction(b)), part="radius of the common part")
        yield AtMost(longest, mp.mpf(1), part="length of the rows that change")
        if min(r, m) <= FEW:
            share = mp.mpmathify(exact.ball_measure(r, m, mp.sqrt(square))) / squared_sine**n
            if square <= 2:
                mean = mp.mpmathify(exact.mean_square_distance(r, m, mp.sqrt(square)))
                yield Equal(share, 1 / count, part="share of the answers")
                yield Equal(square * n / (n + 1), mean, part="mean squared distance")
            else:
                yield AtMost(share, 1 / count, part="share of large balls")
        if r == 1 and d == m + 1 and values[0] <= 1 and not any(values[1:]) and common[0, 0] == 0:
            share, odds = (square / 2) ** (d - 1), mp.exp(epsilon)
            right = share * odds / (share * odds + 1 - share) if relation is Relation.REPLACE else share * odds
            yield Equal(right, mp.mpf(1) / 2, part="median of a mechanism")
            u = min(square / 2, 1 - mp.mpf(1) / d)
            rest = u / (d - 1)
            off = 2 * u * (1 - u) + (u - rest) ** 2 + (d - 2) * rest**2
            yield AtMost(square / 2 * n / (n + 1), off, part="median off the orbit")

    def tight(self) -> list[Case]:
        """One row, all of which changes, under both relations; floors, whose rows have length 1; the largest balls.

        In the next to last instance half the squared radius of the balls is just above 1; in the last one the bound for
        any output is nearly that of a mechanism.
        """
        return [
            Case((0.5, 0.0, 0.0), (0, 1), (1, 3), 1.0, 0.0, 0.5, Relation.REPLACE),
            Case((1.0, 0.0), (0, 1), (1, 2), 1.0, 0.0, 2.0, Relation.ADD_REMOVE),
            Case((16.0, 16.0, 8.0, 8.0), (0, 2), (2, 4), 0.25, 0.25, 0.25, Relation.REPLACE),
            Case((16.0, 8.0, 8.0), (0, 1), (1, 3), 1.25, 0.25, 0.25, Relation.REPLACE),
            Case((0.5, 0.5, 0.0, 0.0, 0.0), (0, 2), (2, 5), 1.0, 0.0, 0.458, Relation.ADD_REMOVE),
            Case((1.0, *[0.0] * 11), (0, 1), (1, 12), 1.0, 0.0, 0.5, Relation.REPLACE),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Beyond ``sigma`` the common part is not dominated: the smallest eigenvalue of the rest is negative."""
        rotation = _rotation(1, 1, mp.sqrt(mp.mpf(1) / 16 * 1.01))
        rest = rotation * mp.diag([2, 1]) * rotation.T - mp.diag([2 - mp.mpf(1) / 4, 1 - mp.mpf(1) / 4])
        return {"within squared_sine": AtMost(mp.mpf(0), oracle.eigenvalues(rest)[-1], part="rest of a matrix")}
