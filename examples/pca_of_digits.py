"""Principal components of real data: how much variance a private release keeps, and what the digits look like in it.

    python examples/pca_of_digits.py [FOLDER]

Writes ``pca_of_digits.svg`` to the folder. Needs the extras ``sklearn`` and ``plot``.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

import dpspectra as dps

K, EPSILONS = 5, [0.5, 1.0, 2.0, 5.0, 10.0]
CENTERS = {"none": "as they are", "mean": "about a private mean", "pairs": "differences of rows"}


def kept(rows, frame):
    """The share of the variance of the best space that a frame keeps."""
    covariance = np.cov(rows.T)
    return np.trace(frame.T @ covariance @ frame) / np.linalg.eigvalsh(covariance)[-frame.shape[1] :].sum()


def main(folder):
    """Run the example; the picture goes to a folder."""
    rows = load_digits().data
    bound = 16 * np.sqrt(rows.shape[1])  # public: 64 numbers of 0 to 16
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    curve, *pictures = figure.subplots(1, 4)
    for center, text in CENTERS.items():
        norm_bound = 1.0 if center == "pairs" else bound  # differences are divided by their lengths
        shares = []
        for epsilon in EPSILONS:
            release = dps.private_pca(rows, K, epsilon, center=center, norm_bound=norm_bound)
            shares.append(kept(rows, release.value))
        print(f"{text:<22}" + "".join(f"{share:8.0%}" for share in shares))
        curve.plot(EPSILONS, shares, "o-", label=text)
    print(release.claim.relation, release.claim.epsilon, release.claim.arithmetic, release.details["mechanism"])
    curve.set(xscale="log", xlabel="epsilon (nats)", ylabel="variance kept", title=f"{K} components of the digits")
    curve.legend(fontsize=7)
    for axis, component in zip(pictures, release.value.T, strict=False):
        axis.imshow(component.reshape(8, 8), cmap="coolwarm")
        axis.set(xticks=[], yticks=[], title=f"epsilon = {EPSILONS[-1]:g}")
    figure.savefig(folder / "pca_of_digits.svg")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
