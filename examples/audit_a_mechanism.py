"""Audit of a mechanism that is not private as claimed: Wishart noise, whose support moves with the data.

    python examples/audit_a_mechanism.py [FOLDER]

Writes ``audit_a_mechanism.svg`` to the folder. Needs the extra ``plot``.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dpspectra as dps
from dpspectra.audit import audit

EPSILON = 1.0
PAIR = np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[0.0, 1.0], [0.0, 0.0]])


def wishart(rows, *, rng):
    """Second moments plus a Wishart matrix of ``d + 1`` degrees of freedom: what libraries have shipped."""
    g = rng.normal(scale=np.sqrt(1.5 / EPSILON), size=(3, 2))
    return rows.T @ rows + g.T @ g


def sound(rows, *, rng):
    """Noise that is private: the difference of two Wishart matrices."""
    return dps.symmetric_wishart_covariance(rows, EPSILON, rng=rng).value


def main(folder):
    """Run the example; the picture goes to a folder."""
    broken, fine = (audit(mechanism, PAIR, EPSILON, draws=4000, rng=1) for mechanism in (wishart, sound))
    print("Wishart noise:          violated" if broken.violated else "Wishart noise: not refuted")
    print("difference of Wisharts: violated" if fine.violated else "difference of Wisharts: not refuted")
    rng = np.random.default_rng(0)
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    for axis, mechanism in zip(figure.subplots(1, 2, sharey=True), (wishart, sound), strict=True):
        for rows, colour in zip(PAIR, ("C0", "C1"), strict=True):
            drawn = np.array([mechanism(rows, rng=rng) for _ in range(600)])
            axis.plot(drawn[:, 0, 0], drawn[:, 1, 1], ".", markersize=2, color=colour)
        axis.set(title=mechanism.__name__, xlabel="first entry", xlim=(-10, 20), ylim=(-10, 20))
    figure.savefig(folder / "audit_a_mechanism.svg")
    return broken, fine


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
