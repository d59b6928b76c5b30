"""How large epsilon must be for four statements to say anything, for numbers that the reader enters.

What is shown at first is computed here by the bounds of the statements; ``calculators.js`` computes the same for other
numbers, and a test compares both on a grid.
"""

import math
import pathlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from html import escape

from dpspectra.fast import gaussian_profile
from dpspectra.fast.roots import root
from dpspectra.formulas import lower_bound_explicit, orbit_utility_gap, power_convergence, power_flow
from dpspectra.lemmas.incoherence import row_norm_error
from dpspectra.lemmas.power import noisy_power_method, private_convergence

SCRIPT, STYLE = (
    (pathlib.Path(__file__).parent / name).read_text(encoding="utf-8") for name in ("calculators.js", "calculators.css")
)
Told = Mapping[str, float | None]
"""What is told by name; None where a statement says nothing."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number to be entered: its words, where it starts and its range; whole numbers only unless ``step`` says so."""

    title: str
    start: float
    low: float
    high: float
    step: str = "1"


@dataclass(frozen=True, slots=True)
class Calculator:
    """The bound of one statement as a form."""

    statement: str
    title: str
    about: str
    numbers: Mapping[str, Number]
    told: Mapping[str, str]
    bound: Callable[..., Told]


def flat(d: int, k: int, largest: float = 1.0) -> list[float]:
    """Return a spectrum of ``k`` equal values, then zeros."""
    return [largest] * k + [0.0] * (d - k)


def orbit(d: int, k: int, beta: float, people: float, share: float, epsilon: float) -> Told:
    """Return the share of what a random subspace would lose that MWKTV-T2.2 lets be lost."""
    lost = orbit_utility_gap.bound(flat(d, k), 1.0, beta) / (people * (share - k / d))
    return {"needed": lost, "tenth": 10 * lost, "lost": lost / epsilon}


def lower(d: int, k: int, largest: float, target: float, epsilon: float) -> Told:
    """Return the squared error, as a share of that of releasing zero, which MWKTV-T2.4R does not let be avoided."""

    def bound(at: float) -> float:
        return lower_bound_explicit.bound(flat(d, k, largest), at) / (k * largest**2)

    low, high = math.log(1e-9), math.log(1e4)
    if bound(math.exp(low)) <= target:
        return {"bound": bound(epsilon), "needed": 0.0}
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if bound(math.exp(middle)) > target else (low, middle)
    return {"bound": bound(epsilon), "needed": math.exp(low)}


def power(
    d: int,
    k: int,
    p: int,
    rounds: int,
    gap: float,
    ratio: float,
    largest: float,
    delta: float,
    risk: float,
    epsilon: float,
) -> Told:
    """Where HP-T1.3 begins to hold, and what it gives: half of the risk for the start, a quarter for each radius."""
    radius = power_convergence.start_radius(risk / 2, k, p, d)
    unit = noisy_power_method.scale(p, rounds, 1.0, delta) * largest
    whole, inside = private_convergence.noise_norms(unit, d, k, p, rounds, risk / 4)
    needed = max(2 * private_convergence.accuracy(whole, gap), power_flow.CONSTANT * inside * radius / gap)
    reached = private_convergence.accuracy(whole / epsilon, gap) if epsilon > needed else None
    tangent = power_convergence.start_tangent(radius)
    return {
        "needed": float(needed),
        "reached": None if reached is None else float(reached),
        "after": None if reached is None else power_flow.iterations(tangent, reached, ratio),
        "allowed": noisy_power_method.largest_epsilon(delta, 2),
    }


def rows(m: int, n: int, k: int, row: float, tail: float, size: float, delta: float, epsilon: float) -> Told:
    """Return the error of HR-T6.2R, a share of the whole, half of epsilon and delta a stage and HR-L4.1's noise."""

    def share(at: float) -> float:
        width = 2 * k + 1
        noise = 4 * math.sqrt(width * math.log(8 * width / delta) * math.log(5 / delta)) / at
        mu = gaussian_profile.mu_for(at / 2, delta / 2)
        return float(math.sqrt(row_norm_error.mean_square(tail, (m, n), k, noise, mu, row))) / size

    return {"error": share(epsilon), "needed": root(lambda at: share(at) - 1, 1e-6, 5.0) if share(5.0) < 1 else None}


EPSILON = Number("epsilon (nats)", 1, 1e-6, 1000, "any")
DELTA = Number("delta", 1e-6, 1e-12, 0.5, "any")
CALCULATORS = {
    "orbit": Calculator(
        "MWKTV-T2.2",
        "A subspace from the orbit mechanism",
        "People are rows of norm at most 1, and the mechanism releases a subspace of dimension k from a complex orbit. "
        "At stake is the variance in the best subspace less that in a random one.",
        {
            "d": Number("dimension d", 20, 2, 1000),
            "k": Number("dimension k of the subspace", 2, 1, 999),
            "people": Number("number of people, all of norm 1", 1000, 1, 1e9),
            "share": Number("share of the variance in the best subspace", 0.6, 0, 1, "any"),
            "beta": Number("probability of a larger loss", 0.05, 1e-12, 0.5, "any"),
            "epsilon": EPSILON,
        },
        {
            "needed": "epsilon from which on the statement says more than nothing",
            "tenth": "epsilon at which a tenth of what is at stake is lost, at most",
            "lost": "share of what is at stake that is lost at your epsilon, at most",
        },
        orbit,
    ),
    "lower": Calculator(
        "MWKTV-T2.4R",
        "What no mechanism of the matrix can do",
        "The data have k equal eigenvalues and no others, and the law of the output depends on their second moments "
        "only. Errors are squared Frobenius errors, as shares of that of releasing zero.",
        {
            "d": Number("dimension d", 20, 2, 200),
            "k": Number("rank k of the data", 2, 1, 199),
            "largest": Number("the equal eigenvalues", 10, 0.01, 1e6, "any"),
            "target": Number("error that is wanted", 0.01, 0, 1, "any"),
            "epsilon": EPSILON,
        },
        {
            "needed": "epsilon below which no mechanism has the error that is wanted half of the time",
            "bound": "error that is unavoidable at your epsilon",
        },
        lower,
    ),
    "power": Calculator(
        "HP-T1.3",
        "The private power method",
        "One entry of a symmetric matrix changes by at most 1. Accuracy is the tangent of the angle to the wanted "
        "subspace.",
        {
            "d": Number("dimension d", 1000, 2, 100_000),
            "k": Number("target dimension k", 2, 1, 1000),
            "p": Number("columns p of an iterate", 4, 1, 1000),
            "rounds": Number("rounds L", 20, 1, 10_000),
            "gap": Number("gap of the eigenvalues k and k + 1", 20_000, 1e-3, 1e12, "any"),
            "ratio": Number("eigenvalue k + 1 in units of eigenvalue k", 0.5, 0, 0.9999, "any"),
            "largest": Number("largest entry of an iterate", 0.2, 1e-3, 1, "any"),
            "delta": DELTA,
            "risk": Number("probability of failure", 0.05, 1e-9, 0.5, "any"),
            "epsilon": replace(EPSILON, start=2),
        },
        {
            "needed": "epsilon from which on the statement says more than nothing",
            "reached": "tangent that is reached at your epsilon",
            "after": "rounds after which it is reached: L must be as large",
            "allowed": "largest epsilon for which the noise is private",
        },
        power,
    ),
    "rows": Calculator(
        "HR-T6.2R",
        "Low rank of a matrix without long rows",
        "One row changes by a vector of norm at most 1. Errors are in Frobenius norm, as shares of the norm of the "
        "matrix, which is the error of releasing zero. The noise of the first stage is proved up to epsilon 5.",
        {
            "m": Number("rows m", 10_000, 3, 1e9),
            "n": Number("columns n", 1000, 1, 1e9),
            "k": Number("target rank k", 2, 1, 1000),
            "row": Number("largest norm of a row", 400, 0, 1e9, "any"),
            "tail": Number("Frobenius norm beyond rank k", 5000, 0, 1e12, "any"),
            "size": Number("Frobenius norm of the matrix", 30_000, 1e-3, 1e12, "any"),
            "delta": DELTA,
            "epsilon": Number("epsilon (nats)", 1, 1e-6, 5, "any"),
        },
        {
            "needed": "epsilon from which on the statement says more than nothing",
            "error": "root mean square error at your epsilon, at most",
        },
        rows,
    ),
}
"""The calculators by the name of their function, in the order of the page."""


def told(value: float | None) -> str:
    """Return a number to four digits, as the script writes it."""
    return "nothing" if value is None else f"{float(f'{value:.4g}'):.10g}"


def form(name: str, calculator: Calculator) -> str:
    """One calculator as raw HTML, with what it tells for the numbers that stand in it at first."""
    found = calculator.bound(**{key: number.start for key, number in calculator.numbers.items()})
    fields = "".join(
        f'<label>{escape(number.title)}<input type="number" name="{key}" value="{number.start:.10g}" '
        f'min="{number.low:.10g}" max="{number.high:.10g}" step="{number.step}" autocomplete="off" required></label>'
        for key, number in calculator.numbers.items()
    )
    answers = "".join(
        f'<tr><th scope="row">{escape(words)}</th><td><output name="{key}">{told(found[key])}</output></td></tr>'
        for key, words in calculator.told.items()
    )
    return f"""```{{raw}} html
<form class="calculator" data-bound="{name}"><div class="fields">{fields}</div><table>{answers}</table></form>
```
"""


def page() -> str:
    """Return the page in MyST Markdown."""
    parts = [
        f"({name})=\n## {calculator.title}\n\nBy {calculator.statement}. {calculator.about}\n\n{form(name, calculator)}"
        for name, calculator in CALCULATORS.items()
    ]
    return f"""# How large must epsilon be?

A guarantee that exceeds what is known without any data says nothing.
For four statements with explicit constants, these calculators find the epsilon from which on they say something.

```{{raw}} html
<style>
{STYLE}</style>
```

{"".join(parts)}
```{{raw}} html
<script>
{SCRIPT}</script>
```
"""
