"""The command ``advise``: which mechanism to use, by public numbers, with expected and guaranteed errors."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dpspectra.advice import Advice, advise
from dpspectra.ground import checks
from dpspectra.report import answers
from dpspectra.report.files import check_outputs, write_text
from dpspectra.report.plots import advice_plot

REACH = 16.0
"""Factor by which the plot goes beyond epsilon on both sides."""
POINTS = 17


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviseRequest:
    """Options of ``dpspectra advise``."""

    goal: str
    d: int
    """Numbers in a row."""
    k: int | None
    """Rank."""
    n: int | None
    """Rows."""
    rows_for: float | None
    """Error for which the number of rows is asked, in its place."""
    epsilon: float
    delta: float
    norm_bound: float
    relation: str
    spectrum: tuple[float, ...] | None
    """A public guess of eigenvalues of second moments, descending; zeros after them may be left out."""
    typical_norm: float | None
    """A public guess of the norm of most rows, in the place of the spectrum."""
    plot: Path | None
    json: Path | None

    def ways(self) -> tuple[Advice, ...]:
        """Return the advice."""
        if self.k is None and self.goal != "covariance":
            raise ValueError(f"{self.goal} needs --k, the number of components")
        if self.rows_for is not None:
            checks.positive(self.rows_for, "--rows-for")
        guess = self.spectrum
        if guess is not None and len(guess) < self.d:
            guess = (*guess, *[0.0] * (self.d - len(guess)))
        return advise(
            self.goal,
            d=self.d,
            k=self.k,
            n=self.n,
            loss=self.rows_for,
            epsilon=self.epsilon,
            delta=self.delta,
            norm_bound=self.norm_bound,
            relation=self.relation,
            spectrum=guess,
            typical_norm=self.typical_norm,
        )


def run(request: AdviseRequest) -> int:
    """Print the table (or JSON) and write the plot; no data are read."""
    if request.plot and request.plot.suffix != ".svg":
        raise ValueError(f"the plot file must end in .svg, got {request.plot.name!r}")
    if request.plot and request.n is None:
        raise ValueError("--plot shows errors for one number of rows and must come with --n, got --rows-for")
    check_outputs(request.plot)
    ways = request.ways()
    if request.plot:
        epsilons = np.geomspace(request.epsilon / REACH, request.epsilon * REACH, POINTS).tolist()
        write_text(request.plot, advice_plot(epsilons, [replace(request, epsilon=e).ways() for e in epsilons]))
    answers.say(request.json, _table(ways))
    answers.put(request.json, lambda: json.dumps([way.asdict() for way in ways], indent=1, allow_nan=False))
    return 0


def _table(ways: Sequence[Advice]) -> str:
    lines = [
        f"Guess: {ways[0].guess}.",
        f"Error: {ways[0].error}, for {ways[0].rows} rows.",
        "",
        f"{'mechanism':<48}{'expected':>10}{'for other spectra':>22}{'guaranteed':>12}{'strength':>10}",
        *map(_row, ways),
        "",
        *(f"{name(way)}: {way.reason}." for way in ways),
        "",
        "expected    in the mean, by asymptotic formulas; they promise nothing",
        "guaranteed  not exceeded with probability 0.95, whatever the data; '-' where nothing is proved",
        "strength    the k-th eigenvalue over the size from which on it shows in the noise",
    ]
    return "\n".join(lines)


def name(way: Advice) -> str:
    """Return the short form of a call."""
    mechanism = way.arguments.get("mechanism")
    return way.mechanism if mechanism is None else f"{way.mechanism}, {mechanism}"


def _row(way: Advice) -> str:
    guaranteed = "-" if way.guaranteed_error is None else f"{way.guaranteed_error:.4g}"
    bracket = "" if way.bracket is None else f"{way.bracket[0]:.3g} to {way.bracket[1]:.3g}"
    return f"{name(way):<48}{way.expected_error:>10.4g}{bracket:>22}{guaranteed:>12}{way.strength:>10.3g}"
