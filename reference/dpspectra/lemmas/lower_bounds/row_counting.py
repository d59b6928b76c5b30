"""A mechanism of rows: it counts the rows that lie near a subspace, and prefers subspaces with many of them.

``c(P)`` is the number of non-zero rows within the sine ``eta`` of the range of ``P``; the answer has a density
proportional to ``e^(kappa c(P))`` relative to the uniform law. One row more or less changes ``c`` by at most 1 in one
direction, one row replaced by at most 1 in either: the loss is at most ``kappa`` and ``2 kappa``. If ``M`` is ``lambda
aa*``, all rows of any data set lie on ``a``, and there are at least ``lambda`` of them: a line within ``eta`` of ``a``
is ``e^(kappa lambda)`` times as likely as another one. So the error falls exponentially in ``lambda``, below the bound
for mechanisms that see ``M`` only. It knows nothing about rows that are not near a common line.
"""

import functools
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp
from scipy.special import betainc

from dpspectra.ledger import AtMost, Equal, Parts, Real, Relation, Verdict, statement
from dpspectra.strategies import dyadics, epsilons, fields, st


class Case(NamedTuple):
    """Numbers of rows on the axes, and a neighbour: one row goes from ``start``, or is added (None), to ``end``.

    The ``rows`` of another data set are all on one axis.
    """

    counts: tuple[int, ...]
    start: int | None
    end: int
    eta: float
    epsilon: float
    failure: float
    field: str
    rows: int


def cap(eta: Any, d: int, field: str) -> Any:
    """Share of the lines of ``F^d`` within the sine ``eta`` of a given one."""
    return betainc((d - 1) / 2, 0.5, eta**2) if field == "real" else eta ** (2 * (d - 1))


def success(share: Any, exponent: Any) -> Any:
    """Probability of a cap of measure ``share`` in which all rows lie, ``exponent = kappa n_1``."""
    return 1 / (1 + (1 - share) / share * np.exp(-exponent))


def share_for(failure: Any, exponent: Any) -> Any:
    """Measure of the cap that is missed with probability ``failure``."""
    return (1 - failure) / (1 - failure + failure * np.exp(exponent))


def _moved(counts: tuple[int, ...], start: int | None, end: int) -> list[int]:
    """Numbers of rows in the neighbour."""
    return [n - (axis == start) + (axis == end) for axis, n in enumerate(counts)]


def _exact_loss(counts: tuple[int, ...], start: int | None, end: int, eta: Any, kappa: Any, field: str) -> Any:
    inside, outside = _measures(eta, len(counts), field)
    laws = []
    for rows in (list(counts), _moved(counts, start, end)):
        weights = [mp.exp(kappa * n) for n in rows]
        total = mp.fsum(inside * w for w in weights) + outside - (len(rows) - 1) * inside
        laws.append([w / total for w in (*weights, mp.mpf(1))])
    return max(abs(mp.log(p / q)) for p, q in zip(*laws, strict=True))


def _closed(eta: Any, d: int, field: str) -> Any:
    """`cap` in mpmath."""
    if field == "real":
        return mp.betainc(mp.mpf(d - 1) / 2, mp.mpf(1) / 2, 0, eta**2, regularized=True)
    return eta ** (2 * (d - 1))


def _exact_success(h: Any, exponent: Any) -> Any:
    """`success` in mpmath."""
    weight = mp.exp(exponent)
    return h * weight / (1 + h * (weight - 1))


def _measures(eta: Any, d: int, field: str) -> tuple[Any, Any]:
    """Measures of a cap and of its complement."""
    return _integrated(eta, d, field, mp.prec)


@functools.lru_cache(maxsize=128)
def _integrated(eta: Any, d: int, field: str, _precision: int) -> tuple[Any, Any]:
    """`_measures` at a precision: ``sin^a t cos^b t dt`` is the law of the angle to a line."""
    a, b = (d - 2, 0) if field == "real" else (2 * d - 3, 1)
    edge = mp.asin(eta)
    near = edge ** (a + 1) * mp.quad(lambda u: (mp.sin(edge * u) / edge) ** a * mp.cos(edge * u) ** b, [0, 1])
    far = mp.quad(lambda t: mp.sin(t) ** a * mp.cos(t) ** b, [edge, mp.pi / 4, mp.pi / 2])
    return near / (near + far), far / (near + far)


@statement
class RowCounting:
    labels = ("MWKTV-ROWEXP",)
    given = (
        r"c(P)=\#\{l:x_l\ne0,\ \|(I-P)x_l\|\le\eta\|x_l\|\},\ p_X(P)\propto e^{\kappa c(P)},\ "
        r"\kappa=\tfrac\varepsilon2\text{ (replace)},\ \varepsilon\text{ (add/remove)};\ M=\lambda aa^*,\ "
        r"n_1\ge\lceil\lambda\rceil,\ H=\lambda P,\ h=\mu\{\|M-H\|_F^2\le2\lambda^2\eta^2\}"
    )
    claim = {
        "privacy loss": r"\max_P\Big|\log\frac{p_X(P)}{p_{X'}(P)}\Big|\le\varepsilon",
        "probability of a small error": (
            r"\Pr[\|M-H\|_F^2\le2\lambda^2\eta^2]=\frac{he^{\kappa n_1}}{1+h(e^{\kappa n_1}-1)}"
        ),
        "cap for a given failure": (
            r"\text{complex},\ h=\eta^{2(d-1)}=\frac{1-\beta}{1-\beta+\beta e^{\kappa n_1}}:\ "
            r"\Pr[\|M-H\|_F^2\le2\lambda^2\eta^2]=1-\beta"
        ),
    }
    where = {
        "c(": ("c(P)", "score: number of rows that lie near the range of the projector"),
        "P": "projector of rank 1 that is released",
        "x_i": "the rows of the data",
        r"\eta": "sine of the angle within which a row counts",
        r"\kappa": "inverse temperature: factor of the score in the exponent",
        r"\mu": "uniform law on the projectors",
        r"\lambda": "the one eigenvalue of $`M`$ that is not 0",
        "a": "unit vector along which all rows lie",
        "n_1": "number of rows that are not 0",
        "h": "uniform probability of a projector within the angle",
        r"\beta": "probability of an error above the bound",
        "p_i": "density of the released projector relative to the uniform law",
        "X'": "neighbour of the data",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    examples = 55
    note = "lower_bounds.md#counting-rows"
    digits = 30

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        counts = tuple(draw(st.lists(st.integers(0, 12), min_size=2, max_size=5)))
        occupied = [axis for axis, count in enumerate(counts) if count]
        return Case(
            counts,
            draw(st.sampled_from([None, *occupied])),
            draw(st.integers(0, len(counts) - 1)),
            draw(st.sampled_from([0.25, 0.5, 0.0625])),
            draw(epsilons(2.0**-5, 4.0)),
            draw(dyadics(0.0625, 0.9375, 4)),
            draw(fields()),
            draw(st.integers(1, 40)),
        )

    def fast(
        self,
        counts: tuple[int, ...],
        start: int | None,
        end: int,
        eta: float,
        epsilon: float,
        failure: float,
        field: str,
        rows: int,
    ) -> Parts:
        d, kappa = len(counts), epsilon if start is None else epsilon / 2
        share, before, after = cap(eta, d, field), np.array(counts), np.array(_moved(counts, start, end))
        one, other = (np.log1p(share * np.sum(np.expm1(kappa * n))) for n in (before, after))
        change, exponent = kappa * np.append(after - before, 0) - (other - one), kappa * rows
        yield AtMost(np.max(np.abs(change)), epsilon, part="privacy loss")
        odds = share * np.exp(exponent)
        yield Equal(odds / (odds + 1 - share), success(share, exponent), part="probability of a small error")
        if field == "complex":
            yield Equal(success(share_for(failure, exponent), exponent), 1 - failure, part="cap for a given failure")

    def oracle(
        self,
        counts: tuple[int, ...],
        start: int | None,
        end: int,
        eta: Real,
        epsilon: Real,
        failure: Real,
        field: str,
        rows: int,
    ) -> Parts:
        """Integrate the weights over the caps around the axes, which are disjoint, and over what is outside of them."""
        d, kappa = len(counts), epsilon / (1 if start is None else 2)
        inside, outside = _measures(eta, d, field)
        weight = mp.exp(kappa * rows)
        yield AtMost(_exact_loss(counts, start, end, eta, kappa, field), epsilon, part="privacy loss")
        right = inside * weight / (inside * weight + outside)
        yield Equal(right, _exact_success(_closed(eta, d, field), kappa * rows), part="probability of a small error")
        if field == "complex":
            sine = mp.root((1 - failure) / (1 - failure + failure * weight), 2 * (d - 1))
            inside, outside = _measures(sine, d, field)
            yield Equal(inside * weight / (inside * weight + outside), 1 - failure, part="cap for a given failure")

    def tight(self) -> list[Any]:
        """Forty rows on one axis; one of them is turned by a right angle, or another one is added."""
        return [
            Case((40, 0), 0, 1, 0.0625, 4.0, 0.25, "complex", 40),
            Case((40, 0, 0), 0, 2, 0.0625, 4.0, 0.25, "complex", 40),
            Case((40, 0), None, 0, 0.0625, 4.0, 0.25, "complex", 40),
            Case((0, 0), None, 0, 0.5, 1.0, 0.25, "real", 1),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Under replacement ``kappa = epsilon`` loses twice ``epsilon``."""
        loss = _exact_loss((40, 0), 0, 1, mp.mpf(0.0625), mp.mpf(4), "complex")
        return {"half of epsilon under replacement": AtMost(loss, mp.mpf(4), part="privacy loss")}


def chance_of_error_above(square: Any, top: Any, epsilon: Any, eta: Any) -> Any:
    """Probability, at most, that the squared error on ``diag(lambda, 0)`` exceeds ``square``; complex, replacement."""
    if square < 2 * top**2 * eta**2:
        raise ValueError(f"the cap reaches farther than the error {square}")
    return 1 - _exact_success(mp.mpf(eta) ** 2, mp.mpf(epsilon) / 2 * mp.ceil(top))


def exceeded_half_of_the_time(square: Any) -> AtMost:
    """Outcome that this mechanism refutes: it errs by more, half of the time, on ``diag(400, 0)`` at epsilon 1/10."""
    return AtMost(mp.mpf(1) / 2, chance_of_error_above(square, 400, mp.mpf("0.1"), 2.0**-10))
