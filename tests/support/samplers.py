"""Certified samplers, and the laws on which each keeps the contract of `tests/certified/test_certified.py`.

A law has weights, a spectrum and a field. A new sampler gets the contract by one row of `SAMPLERS`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dpspectra.certified import vertex
from dpspectra.certified.angular_gaussian import AngularGaussian
from dpspectra.certified.ball_chart import BallChart
from dpspectra.certified.bingham import Bingham
from dpspectra.certified.gelfand_tsetlin import GelfandTsetlin
from dpspectra.certified.vertex import Vertex


def projector(weights, rank, field="complex"):
    return weights, [1.0] * rank + [0.0] * (len(weights) - rank), field


LINES = {
    f"{name}, rank {rank}, {field}": projector(weights, rank, field)
    for name, weights in {
        "d = 2": [2.0, 0.0],
        "tied": [0.0, 0.0, 0.0],
        "near tie": [5.0, 5.0 - 1e-12, 1.0, 1.0],
        "concentrated": [1e9, 0.0, -5.0],
        "d = 12": list(np.linspace(30, -3, 12)),
    }.items()
    for rank in sorted({1, len(weights) - 1})
    for field in ("real", "complex")
}
SPANS = {
    "tied": projector([1.0, 1.0, 0.0, 0.0], 2),
    "flat": projector([0.0, 0.0, 0.0, 0.0], 2),
    "one large weight": projector([9.0, 1.0, 0.0, 0.0, 0.0], 2),
    "two large weights": projector([30.0, 20.0, 0.0, 0.0, 0.0, 0.0], 3),
    "all different": projector([4.0, 3.0, 1.5, 1.0, 0.0], 2),
    "near tie": projector([2.0, 2.0 - 1e-12, 1.0, 1.0], 2),
    "a large side": projector([3.0, 2.5, 1.0, 0.5, 0.0], 3),
    "a line": projector([2.0, 1.0, 0.0], 1),
    "d = 12": projector(list(np.linspace(6, -3, 12)), 4),
    "d = 60": projector(list(np.repeat([2.0, 0.0], [30, 30])), 6),
}
CHARTS = {
    "line": projector([2.0, 0.0], 1),
    "k = 1, ties": projector([6.0, 1.0, 1.0, 0.0], 1),
    "k = 2, near tie": projector([5.0, 5.0 - 1e-12, 1.0, 1.0, -1.0], 2),
    "k = 3": projector([9.0, 8.0, 6.0, 0.5, 0.0, -2.0], 3),
    "k = d - 1": projector([5.0, 4.0, 4.0, 0.0], 3),
    "scalar blocks": projector([4.0, 4.0, 0.0, 0.0], 2),
    "d = 8, k = 5": projector([40.0, 30.0, 30.0, 29.0, 28.0, 0.0, -1.0, -1.0], 5),
    "d = 12, k = 3": projector([30.0, 25.0, 20.0, *np.linspace(1, 0, 9)], 3),
    "concentrated": projector([1e9, 0.0, -1e-9], 1),
}
VERTICES = {
    "two values": ([6.0, 4.0, 1.0, 0.0], [1, 1, 0, 0], "complex"),
    "all different": ([9.0, 5.0, 0.0], [1, 0, -1], "complex"),
    "few at the top": ([30.0, 20.0, 10.0, 10.0, 10.0], [2, 1, 0, 0, 0], "complex"),
    "few at the bottom": ([10.0, 10.0, 10.0, 0.0], [1, 1, 1, -0.5], "complex"),
    "ties within": ([30.0, 20.0, 10.0, 0.0], [2, 1, 1, 0], "complex"),
    "far out": ([3e6, 2e6, 1e6, 0.0], [2, 1, 0, 0], "complex"),
}
SMALL = {
    "line": ((2, 0), (1, 0)),
    "one number": ((2,), (3,)),
    "scalar": ((3, 1, 0), (2, 2, 2)),
    "scalar weights": ((1, 1, 1), (2, 1, 0)),
    "full": ((3, 2, 0), (2, 1, 0)),
    "k = d - 1": ((5, 4, 4, 0), (1, 1, 1, 0)),
    "ties in both": ((2, 2, 0, 0), (1, 1, 0, -1)),
    "three levels": ((4, 4, 1, 0, 0), (2, 2, 1, 0, 0)),
    "ties inside": ((3, 2, 1, 0), (2, 1, 1, 0)),
    "gaps 1e-12": ((5, 5 - 1e-12, 1, 1, -1), (1, 1 - 1e-12, 0, 0, 0)),
    "gaps of one ulp": ((2, 1, 1 - 2.0**-53), (1, 1 - 2.0**-53, 0)),
    "large": ((3e9, 2e9, 0), (2e-9, 1e-9, -1e-9)),
    "concentrated": ((90, 50, 0), (1, 0, 0)),
    "one large weight": ((9, 1, 0, 0), (2, 1, 0, 0)),
    "one large weight, turned": ((9, 8, 8, 0), (1, 1, 1, 0)),
}
"""Weights and spectra of any kind."""
PATTERNS = SMALL | {
    "full, d = 8": ((7, 6, 5, 4, 3, 2, 1, 0), (4, 3, 2, 1, 0, -1, -2, -3)),
    "k = 3, d = 12": ((9, 8, 7, *np.linspace(1, 0, 9)), (1, 1, 1, *(9 * [0]))),
    "k = d - 1, d = 12": (np.linspace(4, 0, 12), (*(11 * [1]), 0)),
    "flat but one, d = 30": ((1e6, *(29 * [0])), (3, 2, 1, *(27 * [0]))),
    "flat but two tied, d = 8": ((1e4, 1e4, *(6 * [0])), (3, 2, 1, *(5 * [0]))),
}


def unknown(self, errors, clear):
    return np.full(len(errors), -np.inf), np.full(len(errors), np.inf)


def by_balls(self, b, decided=vertex._Proposals.accepts):
    self.inside[b] = self._outside[b] = False
    return decided(self, b)


class Sampler(NamedTuple):
    """How a sampler is made from weights, spectrum, rank and field, its laws, and what it promises of them."""

    make: Callable[..., Any]
    laws: dict[str, Any]
    error: float
    """Bound on the errors of floats, in units of the largest modulus."""
    blind: dict[str, Any]
    """What of `dpspectra.certified` to replace so that floats decide nothing."""
    size: int
    """Draws whose law is compared with that of the float samplers; 0 where exact moments are known."""


SAMPLERS = {
    "bingham": Sampler(
        lambda weights, _, rank, field: Bingham(weights, rank, field),
        LINES, 2.0**-36, {"bingham._Proposals._excesses": unknown}, 600,
    ),
    "macg": Sampler(
        lambda weights, _, rank, __: AngularGaussian(weights, rank),
        SPANS, 2.0**-30, {"angular_gaussian._Proposal._log_ratio": lambda self: (0.0, np.inf)}, 800,
    ),
    "ball_chart": Sampler(
        lambda weights, _, rank, __: BallChart(weights, rank),
        CHARTS, np.inf, {"ball_chart.sign": lambda value, error: None,
                         "ball_chart._Proposals.possible": lambda self: range(len(self._y))}, 0,
    ),
    "vertex": Sampler(
        lambda weights, spectrum, *_: Vertex(weights, spectrum),
        VERTICES, 2.0**-44, {"vertex._Proposals.accepts": by_balls}, 0,
    ),
    "gelfand_tsetlin": Sampler(
        lambda weights, spectrum, *_: GelfandTsetlin(weights, spectrum),
        {name: (*law, "complex") for name, law in PATTERNS.items()}, 2.0**-47, {}, 0,
    ),
}  # fmt: skip
"""Samplers by the name of their method in `choice_of_sampler`."""


def law_of(name, law):
    """The sampler of this name for one of its laws."""
    weights, spectrum, field = SAMPLERS[name].laws[law]
    given = np.array(weights, dtype=float), np.array(spectrum, dtype=float)
    return SAMPLERS[name].make(*given, spectrum.count(1) if isinstance(spectrum, list) else 0, field)
