"""A regression test of your own code against dpspectra: exact profiles, exact samplers and noise with a known law.

    python examples/oracle_in_ci.py [FOLDER]

Writes ``oracle_in_ci.svg`` to the folder. Needs the extra ``plot``. In a test suite the three checks are three tests;
the plugin of pytest (``dp_conforms``, ``dp_audit``) does the same with one line each.
"""

import math
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dpspectra as dps
from dpspectra.audit import conforms


def my_sigma(epsilon, delta):
    """The textbook's Gaussian noise for sensitivity 1, as many libraries have it."""
    return math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def my_rotation(d, *, size, rng):
    """Orthogonal matrices by a QR decomposition that forgets the signs: not uniform."""
    return np.linalg.qr(rng.normal(size=(size, d, d)))[0]


def uniform(d, *, size, rng):
    """The law that they should have."""
    return dps.sampling.haar(d, field="real", size=size, rng=rng)


def main(folder):
    """Run the example; the picture goes to a folder."""
    delta, epsilons = 1e-5, np.geomspace(0.1, 20, 25)
    spent = [float(dps.profile.gaussian(epsilon, 1.0, my_sigma(epsilon, delta))) for epsilon in epsilons]
    broken = [epsilon for epsilon, found in zip(epsilons, spent, strict=True) if found > delta]
    print(f"my_sigma: delta is exceeded from epsilon = {min(broken):.2g} on" if broken else "my_sigma: private")
    mine = conforms(my_rotation, uniform, 3, rng=0)
    print(f"my_rotation: {'not uniform' if mine.violated else 'no difference found'}")
    figure = Figure(figsize=(5, 3.2), layout="constrained")
    axis = figure.subplots()
    axis.loglog(epsilons, spent, label="exact delta of the textbook's noise")
    axis.axhline(delta, color="black", linewidth=0.8, label="claimed")
    axis.set(xlabel="epsilon (nats)", ylabel="delta", ylim=(1e-8, 1e-3))
    axis.legend(fontsize=8)
    figure.savefig(folder / "oracle_in_ci.svg")
    return broken, mine


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
