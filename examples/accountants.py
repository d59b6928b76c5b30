"""Releases in the books of others: a claim as an event of dp-accounting, a mechanism as a measurement of OpenDP.

Writes accountants.png: what many releases cost together, by the accountant of dp-accounting and by ours.

    pip install '.[plot]'
    pip install '.[accounting,opendp]'
    python examples/accountants.py pictures
"""

import argparse
import importlib.util
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dpspectra as dps
from dpspectra.audit.adapters import event_of, to_opendp

DELTA = 1e-5
ROWS = np.random.default_rng(0).normal(size=(2000, 4)) / 10


def by_dp_accounting(claim: dps.Claim, times: int) -> float:
    """Epsilon of many releases by the accountant of dp-accounting."""
    import dp_accounting
    from dp_accounting.rdp import RdpAccountant

    accountant = RdpAccountant(neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE)
    accountant.compose(event_of(claim), times)
    return float(accountant.get_epsilon(DELTA))


def in_opendp(claim: dps.Claim) -> str:
    """Return the epsilon that OpenDP states for two releases in one measurement."""
    import opendp.prelude as opendp

    opendp.enable_features("contrib", "honest-but-curious")
    mean = to_opendp(lambda rows: dps.private_mean(rows, 0.25, rows="clip"), claim)
    both = opendp.c.make_composition([mean, mean])
    epsilon = both.map(d_in=1)  # type: ignore[no-untyped-call]
    return f"OpenDP: {len(both(ROWS))} means, epsilon {epsilon:g} where one row is replaced"


def main() -> None:
    """Release a mean, account for many of them, draw."""
    parser = argparse.ArgumentParser(description="claims and mechanisms for dp-accounting and OpenDP")
    parser.add_argument("folder", type=Path, help="where the picture goes")
    parser.add_argument("--most", type=int, default=32, help="releases that are accounted for")
    asked = parser.parse_args()
    claim = dps.private_mean(ROWS, 0.25, 1e-7, rows="clip").claim  # Gaussian private, with its exact mu
    counts = [2**j for j in range(asked.most.bit_length())]

    lines = {"dpspectra.compose": [dps.compose([claim] * n, delta=DELTA).epsilon for n in counts]}
    if importlib.util.find_spec("dp_accounting"):
        lines["dp-accounting"] = [by_dp_accounting(claim, n) for n in counts]
        print(f"dp-accounting: {counts[-1]} means, epsilon {lines['dp-accounting'][-1]:.3g} at delta {DELTA:g}")
    if importlib.util.find_spec("opendp"):
        print(in_opendp(dps.private_mean(ROWS, 0.25, rows="clip").claim))

    figure = Figure(figsize=(6, 4), layout="constrained")
    axis = figure.subplots()
    for name, values in lines.items():
        axis.loglog(counts, values, "o-", label=name)
    axis.set(xlabel="releases", ylabel=f"epsilon of all together, delta {DELTA:g}")
    axis.legend()
    asked.folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(asked.folder / "accountants.png")


if __name__ == "__main__":
    main()
