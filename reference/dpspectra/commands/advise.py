"""The command ``advise``: which mechanism to use, by public numbers, with expected and guaranteed errors."""

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dpspectra.advice import Advice, advise
from dpspectra.advice.ways import LOST_SHARE
from dpspectra.commands import bounds_file
from dpspectra.commands.options import AdviseRequest
from dpspectra.ground import checks
from dpspectra.ledger.papers import filled
from dpspectra.report import command_output
from dpspectra.report.files import check_new, write_text
from dpspectra.report.plots import advice_plot

REACH = 16.0
"""Factor by which the plot goes beyond epsilon on both sides."""
POINTS = 17
ERRORS = f"{'expected':>10}{'for other spectra':>22}{'guaranteed':>12}{'strength':>10}"
HEAD = f"{ERRORS}{'time':>11}{'memory':>9}"


def run(request: AdviseRequest) -> int:
    """Print the table (or JSON) and write the plot; no data are read."""
    if request.plot and request.n is None:
        raise ValueError("--plot shows errors for one number of rows and must come with --n, got --rows-for")
    check_new(request.plot, request.force)
    ways = _ways(request)
    if request.plot:
        epsilons = np.geomspace(request.epsilon / REACH, request.epsilon * REACH, POINTS).tolist()
        write_text(request.plot, advice_plot(epsilons, [_ways(replace(request, epsilon=e)) for e in epsilons]))
    command_output.say(request.json, _table(ways))
    command_output.put(request.json, lambda: json.dumps([way.asdict() for way in ways], indent=1, allow_nan=False))
    return 0


def _ways(request: AdviseRequest) -> tuple[Advice, ...]:
    if request.k is None and request.goal != "covariance":
        raise ValueError(f"{request.goal} needs --k, the number of components")
    if request.rows_for is not None:
        checks.positive(request.rows_for, "--rows-for")
    bounds = bounds_file.read(request.bounds) if request.bounds else None
    if request.d is None and bounds is None:
        raise ValueError("--d must be given, the numbers in a row, or --bounds, got neither")
    d, guess = request.d or len(bounds.lower if bounds else ()), request.spectrum
    if guess is not None and len(guess) < d:
        guess = (*guess, *[0.0] * (d - len(guess)))
    return advise(request.goal, **(request.keywords(advise) | {"spectrum": guess, "bounds": bounds}))


def _table(ways: Sequence[Advice]) -> str:
    vacuous = "; above 1 it says nothing" if ways[0].error.startswith(LOST_SHARE) else ""
    words = {
        "expected": "in the mean, by asymptotic formulas; they promise nothing",
        "guaranteed": f"not exceeded with probability 0.95, whatever the data; '-' where nothing is proved{vacuous}",
        "strength": "the k-th eigenvalue over the size from which on it shows in the noise",
        "time": "on one core of a server, and memory besides the data: rough, to one digit",
    }
    lines = [
        *filled(f"Guess: {ways[0].guess}.", "  ", ""),
        *filled(f"Error: {ways[0].error}, for {ways[0].rows} rows.", "  ", ""),
        "",
        HEAD,
        *(line for way in ways for line in (name(way), _row(way))),
        "",
        *(line for way in ways for line in filled(f"{name(way)}: {way.reason}.", "  ", "")),
        "",
        *(line for word, text in words.items() for line in filled(text, " " * 12, f"{word:<12}")),
    ]
    return "\n".join(lines)


def name(way: Advice) -> str:
    """Return the short form of a call."""
    mechanism = way.arguments.get("mechanism")
    return way.mechanism if mechanism is None else f"{way.mechanism}, {mechanism}"


def _row(way: Advice) -> str:
    guaranteed = "-" if way.guaranteed_error is None else f"{way.guaranteed_error:.4g}"
    bracket = "" if way.bracket is None else f"{way.bracket[0]:.3g} to {way.bracket[1]:.3g}"
    error, cost = f"{way.expected_error:>10.4g}{bracket:>22}{guaranteed:>12}", way.cost
    return f"{error}{way.strength:>10.3g}{cost.time:>11}{cost.space:>9}"
