"""What three audits know after each look: the region that a claim forbids, and how much of it is reached."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpspectra.audit import AuditResult, PureDP, audit
from dpspectra.report.drawing import Axis
from dpspectra.report.plots import least_miss

from .chart import Curve, Mark, Slider, Text, digits, figure

CLAIM = PureDP(1.0)
CONFIDENCE = 0.999
GRID = tuple(digits(np.sort([*np.linspace(0, 1, 61), 1 / (1 + math.e)])))
"""Probabilities of a false alarm at which curves are drawn, the corner of the claim's among them."""
DRAWS = tuple(2**power for power in range(6, 17))
"""Draws on each data set at which the figure stops; an audit that has ended stays as it was."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One audit: words for it, and the true epsilon of Laplace noise."""

    title: str
    true: float

    def looks(self) -> list[AuditResult]:
        """Audit with a fixed seed: what was known at the last look before so many `DRAWS`, for each of them."""
        seen: list[AuditResult] = []
        audit(noise(self.true), (0.0, 1.0), CLAIM, confidence=CONFIDENCE, draws=DRAWS[-1], rng=7, watch=seen.append)
        return [[result for result in seen if result.draws <= draws][-1] for draws in DRAWS]


TRIALS = (
    Trial("the true epsilon is 2", 2.0),
    Trial("the true epsilon is 1.2", 1.2),
    Trial("the claim is true", 1.0),
)


def noise(epsilon: float) -> Callable[..., Any]:
    """Return a number with Laplace noise, whose privacy loss on neighbours at distance 1 is ``epsilon``."""

    def mechanism(x: float, size: int, rng: np.random.Generator) -> Any:
        return x + rng.laplace(scale=1 / epsilon, size=size)

    return mechanism


def witness(result: AuditResult) -> tuple[float, float] | None:
    """Return the counted false alarms and misses of the test that the best event makes; ``None`` without one."""
    if result.counts is None:
        return None
    first, second, draws = result.counts
    favours_first = result.witness.endswith("on the first data set")
    false_alarms, hits = (second, first) if favours_first else (first, second)
    return round(false_alarms / draws, 4), round(1 - hits / draws, 4)


def page() -> str:
    """Return the page in MyST Markdown."""
    grid = np.array(GRID)
    looks = [look for trial in TRIALS for look in trial.looks()]
    edge = digits(least_miss(CLAIM, grid))
    curves = {
        "forbidden": Curve("forbidden by the claim, epsilon at most 1", 3, GRID, (), [edge], area=True),
        "edge": Curve("the edge of what the claim forbids", 3, GRID, (), [edge]),
        "proved": Curve(
            "the edge of what the proved epsilon would forbid",
            1,
            GRID,
            (0, 1),
            [digits(least_miss(PureDP(look.bound), grid)) for look in looks],
        ),
    }
    texts = {
        "draws": Text("draws on each data set", (0, 1), [f"{look.draws:,}" for look in looks]),
        "wealth": Text(
            "wealth of the bet (refuted from 1000)", (0, 1), [f"{math.exp(look.log_e_value):,.2f}" for look in looks]
        ),
        "bound": Text("proved: epsilon is at least", (0, 1), [f"{look.bound:.3f}" for look in looks]),
        "verdict": Text("verdict", (0, 1), [look.verdict for look in looks]),
    }
    drawn = figure(
        "Errors of tests that tell two data sets apart, and the region that a claim forbids",
        Axis("false alarms", 0.0, 1.0, {k / 5: f"{k / 5:g}" for k in range(6)}),
        Axis("misses", 0.0, 1.0, {k / 5: f"{k / 5:g}" for k in range(6)}),
        [
            Slider("mechanism", [trial.title for trial in TRIALS], 1),
            Slider("draws, at most", [f"{draws:,}" for draws in DRAWS], DRAWS.index(1024)),
        ],
        curves,
        {"witness": Mark("the test of the closest event, as counted", (0, 1), [witness(look) for look in looks])},
        texts,
    )
    return f"""# The forbidden region of an audit

Whoever sees an output and guesses which of two data sets it came from errs in two ways: by a false alarm, or by a miss.
A claim of privacy says that both cannot be rare, and so forbids the region near the corner.

{drawn}
The auditor draws from both data sets, looks for the event that tells them apart best, and bets against the claim on
later draws. If the claim is true, the wealth ever reaches 1000 with probability at most 0.001 (DPS-VILLE), so an audit
may look as often as it likes. What is proved of epsilon at a look (DPS-LOWER, at confidence 0.999) has an edge of its
own, the blue line; at first it is the diagonal, on which all guesses by chance lie. As draws come in, the line moves
into the forbidden region if the claim is false, and stays outside if the claim is true.
A point in the region proves nothing by itself: with few draws it can be chance.

All three audits are run with a fixed seed when this page is built.
"""
