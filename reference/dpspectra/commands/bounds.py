"""The command ``bounds``: what the orbit mechanism guarantees beside what no private mechanism of ``M`` can reach."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from dpspectra.bounds import OrbitUtility, orbit_utility
from dpspectra.commands.options import BoundsRequest
from dpspectra.report import command_output
from dpspectra.report.files import check_new, write_text
from dpspectra.report.plots import utility_plot

REACH = 16.0
"""Factor by which the plot goes beyond the smallest and the largest epsilon."""
POINTS = 97


def run(request: BoundsRequest) -> int:
    """Print the table (or JSON) and write the plot; nothing is private here, as no data are read."""
    check_new(request.plot, request.force)
    utilities = _bounds(request, request.epsilon)
    if request.plot:
        epsilons = np.geomspace(min(request.epsilon) / REACH, max(request.epsilon) * REACH, POINTS).tolist()
        write_text(request.plot, utility_plot(_bounds(request, epsilons), utilities, request.beta))
    command_output.say(request.json, _table(request, utilities))
    command_output.put(request.json, lambda: _json(request, utilities))
    return 0


def _bounds(request: BoundsRequest, epsilons: Sequence[float]) -> list[OrbitUtility]:
    given = request.keywords(orbit_utility)
    return [orbit_utility(request.d, request.k, request.values, epsilon, **given) for epsilon in epsilons]


def _json(request: BoundsRequest, utilities: Sequence[OrbitUtility]) -> str:
    given = {name: getattr(request, name) for name in ("d", "k", "relation", "beta", "field")}
    rows = [{**asdict(f), "factor": f.factor if math.isfinite(f.factor) else None} for f in utilities]
    return json.dumps({**given, "eigenvalues": request.values, "bounds": rows}, indent=1, allow_nan=False)


def _table(request: BoundsRequest, utilities: Sequence[OrbitUtility]) -> str:
    spectrum = " ".join(f"{value:g}" for value in request.values)
    if request.lambda1 is not None:
        spectrum = f"{request.k} x {request.lambda1:g}"
    lines = [
        f"{request.field.capitalize()} {request.d} x {request.d} matrices of eigenvalues {spectrum}, else 0;"
        f" neighbours: {request.relation}",
        "Utility lost, OPT - <M, H>: half the squared Frobenius error if M and H have these eigenvalues.",
        "",
        f"{'epsilon':>8}{'guaranteed':>12}{'mean':>12}{'impossible':>12}{'factor':>12}{'worst':>12}",
        *map(_row, utilities),
        "",
        f"guaranteed  the orbit mechanism loses more with probability {request.beta:g} at most",
        "            (MWKTV-T2.2; for real lines, where all eigenvalues but one agree, MWKTV-T5.4)",
        "mean        its mean loss is at most this",
        "impossible  for every private mechanism that sees M = X'X only, not its rows, there is an M on",
        "            which it loses more with probability 1/2 or more (MWKTV-T2.4U); '-' if this is 0",
        "factor      guaranteed over impossible",
        "worst       there is no more to lose; a guarantee of this says nothing",
    ]
    return "\n".join(lines)


def _row(one: OrbitUtility) -> str:
    shown = [one.guaranteed, one.mean, *((one.impossible, one.factor) if one.impossible else ()), one.worst]
    cells = [f"{value:.5g}" for value in shown]
    if not one.impossible:
        cells[2:2] = ["-", "-"]
    return f"{one.epsilon:>8g}" + "".join(f"{cell:>12}" for cell in cells)
