"""The command ``bounds``: what the orbit mechanism guarantees beside what no private mechanism of ``M`` can reach."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from dpspectra.bounds import OrbitUtility, orbit_utility
from dpspectra.report.files import write_text
from dpspectra.report.plots import utility_plot

REACH = 16.0
"""The plot goes from the least epsilon over this to the largest times this."""
POINTS = 97


def bounds_command(args: argparse.Namespace) -> int:
    """Print the table (or JSON) and write the plot; nothing is private here, as no data are read."""
    if args.plot and args.plot.suffix != ".svg":
        raise ValueError(f"the plot file must end in .svg, got {args.plot.name!r}")
    found = _bounds(args, args.epsilon)
    if args.plot:
        curve = _bounds(args, np.geomspace(min(args.epsilon) / REACH, max(args.epsilon) * REACH, POINTS).tolist())
        write_text(args.plot, utility_plot(curve, found, args.beta))
    print(_json(args, found) if args.json else _table(args, found))
    return 0


def _bounds(args: argparse.Namespace, epsilons: Sequence[float]) -> list[OrbitUtility]:
    options = {"relation": args.relation, "beta": args.beta, "field": args.field}
    return [orbit_utility(args.d, args.k, _values(args), epsilon, **options) for epsilon in epsilons]


def _values(args: argparse.Namespace) -> list[float]:
    return args.eigenvalues if args.lambda1 is None else [args.lambda1] * args.k


def _json(args: argparse.Namespace, found: Sequence[OrbitUtility]) -> str:
    given = {name: getattr(args, name) for name in ("d", "k", "relation", "beta", "field")}
    rows = [{**asdict(f), "factor": f.factor if math.isfinite(f.factor) else None} for f in found]
    return json.dumps({**given, "eigenvalues": _values(args), "bounds": rows}, indent=1, allow_nan=False)


def _table(args: argparse.Namespace, found: Sequence[OrbitUtility]) -> str:
    spectrum = f"{args.k} x {args.lambda1:g}" if args.lambda1 is not None else " ".join(f"{v:g}" for v in _values(args))
    lines = [
        f"{args.field.capitalize()} {args.d} x {args.d} matrices of eigenvalues {spectrum}, else 0;"
        f" neighbours: {args.relation}",
        "Utility lost, OPT - <M, H>: half the squared Frobenius error if M and H have these eigenvalues.",
        "",
        f"{'epsilon':>8}{'guaranteed':>12}{'mean':>12}{'impossible':>12}{'factor':>12}{'worst':>12}",
        *map(_row, found),
        "",
        f"guaranteed  the orbit mechanism loses more with probability {args.beta:g} at most",
        "            (MWKTV-T2.2; for real lines, where all eigenvalues but one agree, MWKTV-T5.4)",
        "mean        its mean loss is at most this",
        "impossible  for every private mechanism that sees M = X'X only, not its rows, there is an M on",
        "            which it loses more with probability 1/2 or more (MWKTV-T2.4S); '-' if this is 0",
        "factor      guaranteed over impossible",
        "worst       there is no more to lose; a guarantee of this says nothing",
    ]
    return "\n".join(lines)


def _row(found: OrbitUtility) -> str:
    shown = [found.guaranteed, found.mean, *((found.impossible, found.factor) if found.impossible else ()), found.worst]
    cells = [f"{value:.5g}" for value in shown]
    if not found.impossible:
        cells[2:2] = ["-", "-"]
    return f"{found.epsilon:>8g}" + "".join(f"{cell:>12}" for cell in cells)
