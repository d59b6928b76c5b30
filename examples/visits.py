"""From a table to components: columns of different units, several rows a person, epsilon 1 in all.

Writes visits.png: two components of visits to a doctor, and their variances beside those that noise alone has.

    pip install '.[plot,sklearn]'
    pip install pandas
    python examples/visits.py pictures
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.pipeline import make_pipeline

import dpspectra as dps
from dpspectra.estimators import PrivatePCA, PrivateStandardScaler, claim_of

LIMITS = {"age": (0, 110), "weight": (20, 180), "pressure": (70, 220), "sugar": (2, 20), "steps": (0, 25_000)}
LOADINGS = np.array([[0.7, 0.1, 0.8, 0.3, -0.1], [0.0, 0.8, 0.1, 0.6, -0.7]])


def visits(people: int) -> pd.DataFrame:
    """Visits, one to five a person, whose measurements have two causes."""
    rng = np.random.default_rng(1)
    each = rng.normal(size=(people, 2)) * [1.4, 0.9] @ LOADINGS + 0.4 * rng.normal(size=(people, 5))
    person = np.repeat(np.arange(people), rng.integers(1, 6, people))
    measured = each[person] + 0.3 * rng.normal(size=(len(person), 5))
    frame = pd.DataFrame(measured * [15, 15, 18, 1.5, 3000] + [50, 78, 130, 6, 7000], columns=list(LIMITS))
    return frame.assign(person=person)


def main() -> None:
    """Fit, compare with components that are not private, draw."""
    parser = argparse.ArgumentParser(description="private principal components of a table")
    parser.add_argument("folder", type=Path, help="where the picture goes")
    parser.add_argument("--people", type=int, default=60_000)
    asked = parser.parse_args()

    table = visits(asked.people).groupby("person").mean()  # a row a person, a function of that person's rows alone
    bounds = dps.ColumnBounds(*zip(*LIMITS.values(), strict=True))  # public, whatever the data
    budget = dps.Budget(epsilon=1.0, delta=1e-6, method="basic")
    scaler = PrivateStandardScaler(epsilon=0.5, delta=1e-6, bounds=bounds, budget=budget)
    model = make_pipeline(scaler, PrivatePCA(2, epsilon=0.5, budget=budget)).fit(table)
    pca = model[-1]

    scaled = (table - table.mean(axis=0)) / table.std(axis=0)  # for you alone: it is not private
    best = np.linalg.svd(scaled, full_matrices=False)[2][:2]
    print(f"{claim_of(model).epsilon:g} of epsilon, {budget}")
    print("cosines with components that are not private:", abs(np.sum(best * pca.components_, axis=1)).round(3))
    print(*(pca.remarks_ or ["all components stand out from noise"]), sep="\n")

    figure = Figure(figsize=(9, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    for place, component in enumerate(pca.components_):
        left.bar(np.arange(5) + 0.4 * place - 0.2, component, 0.38, label=f"component {place + 1}")
    left.set_xticks(range(5), LIMITS)
    left.legend()
    right.bar(["component 1", "component 2"], pca.explained_variance_)
    right.axhline(pca.release_.details["noise_edge"], color="#a40000", linestyle="--", label="largest of noise alone")
    right.set(ylabel="released variance", yscale="log")
    right.legend()
    asked.folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(asked.folder / "visits.png")


if __name__ == "__main__":
    main()
