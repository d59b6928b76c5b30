"""Principal components of real data: handwritten digits, one row a person.

Writes pca_of_digits.png: how much variance private components keep at each epsilon, and what they look like.

    pip install '.[plot,sklearn]'
    python examples/pca_of_digits.py pictures
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

from dpspectra.estimators import PrivatePCA

COMPONENTS = 6
NORM_BOUND = 8.0  # a pixel is at most 1 and there are 64, whatever the data: a public number


def kept(centred: np.ndarray, components: np.ndarray) -> float:
    """Share of the variance in the span of some components; it looks at the data, so it is for you alone."""
    return float(np.sum((centred @ components.T) ** 2) / np.sum(centred**2))


def main() -> None:
    """Fit at each epsilon, print the claims, draw the picture."""
    parser = argparse.ArgumentParser(description="private principal components of handwritten digits")
    parser.add_argument("folder", type=Path, help="where the picture goes")
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.1, 0.3, 1.0, 3.0, 10.0, 30.0])
    asked = parser.parse_args()

    x = load_digits().data / 16.0
    centred = x - x.mean(axis=0)
    best = kept(centred, np.linalg.svd(centred, full_matrices=False)[2][:COMPONENTS])

    models = [
        # delta > 0 lets the mechanism use normal noise, and center="mean" spends a quarter on a private mean
        PrivatePCA(COMPONENTS, epsilon=epsilon, delta=1e-6, norm_bound=NORM_BOUND, center="mean").fit(x)
        for epsilon in asked.epsilons
    ]
    shares = [kept(centred, model.components_) for model in models]
    for model, share in zip(models, shares, strict=True):
        print(
            f"epsilon {model.claim_.epsilon:<5g} {model.claim_.arithmetic} arithmetic, keeps {share:.2f} of {best:.2f}"
        )

    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subfigures(1, 2, squeeze=False)[0]
    axis = left.subplots()
    axis.semilogx(asked.epsilons, shares, "o-", label="private")
    axis.axhline(best, color="#444444", linestyle=":", label="not private")
    axis.axhline(COMPONENTS / x.shape[1], color="#a40000", linestyle="--", label="components at random")
    axis.set(xlabel="epsilon (nats)", ylabel=f"variance kept by {COMPONENTS} components", ylim=(0, 1))
    axis.legend()
    right.suptitle(f"components at epsilon {asked.epsilons[-1]:g}")
    for each, component in zip(right.subplots(2, 3).ravel(), models[-1].components_, strict=True):
        each.imshow(component.reshape(8, 8), cmap="RdBu")
        each.set_axis_off()
    asked.folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(asked.folder / "pca_of_digits.png")


if __name__ == "__main__":
    main()
