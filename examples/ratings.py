"""Tastes from ratings of MovieLens' size: from which epsilon and how many ratings a person on they are of use.

The ratings are made up: people have one of three tastes, films are of one of three kinds, and some films are seen by
many. Real tastes are less clear, so real ratings need more than the table says. Two claims are compared:

* one rating is hidden, whatever its value and whether it exists: factors of people and of films may be published;
* a person is hidden, with all ratings: the factors of films may be published, and each person computes her own.

Each line says how often a film of somebody's taste scores above another one, among films that she has not rated: by
chance .5. Writes ratings.png with that.

    pip install '.[plot,sklearn]'
    python examples/ratings.py pictures

MovieLens 100K has 943 people, 1682 films and 106 ratings a person in the mean; for 1M add --users 6040 --films 3706,
which has 166.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy import sparse

import dpspectra as dps
from dpspectra.estimators import PrivateTruncatedSVD

TASTES, ROUNDS, DELTA = 3, 3, 1e-6  # public, and not chosen by looking at the data


def made_up(users: int, films: int, each: int) -> tuple[sparse.csr_array, np.ndarray]:
    """Ratings from -2 (one star) to 2 (five stars), zero where there is none; whether a film is of a user's taste."""
    rng = np.random.default_rng(0)
    fits = rng.integers(TASTES, size=(users, 1)) == rng.integers(TASTES, size=films)
    popular = -0.8 * np.log(np.arange(1, films + 1)) + rng.gumbel(size=(users, films))
    film = np.argsort(-popular, axis=1)[:, :each]
    stars = np.where(np.take_along_axis(fits, film, axis=1), 1.3, -0.7) + rng.normal(size=film.shape)
    where = np.repeat(np.arange(users), each), film.ravel()
    return sparse.csr_array((np.clip(np.rint(stars), -2, 2).ravel(), where), (users, films)), fits


def one_rating_hidden(ratings: sparse.csr_array, epsilon: float) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Release factors of both sides. Two ratings differ by at most 4, a quarter of one by at most 1, as is claimed."""
    release = dps.private_power_method(
        ratings / 4, 2 * TASTES, epsilon, DELTA, relation="entry", width=2 * TASTES, iterations=ROUNDS, low_rank=True
    )
    found = dps.factors(release, TASTES)
    return found.value.left, found.value.right, found.remarks


def person_hidden(ratings: sparse.csr_array, epsilon: float) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Release the factors of films. Those of people are computed where their ratings are, and stay there."""
    model = PrivateTruncatedSVD(TASTES, epsilon=epsilon, delta=DELTA, iterations=ROUNDS, rows="unit").fit(ratings)
    return model.transform(ratings), model.components_, model.release_.remarks


def in_order(left: np.ndarray, right: np.ndarray, ratings: sparse.csr_array, fits: np.ndarray) -> float:
    """Return the share of pairs of unrated films, one of the person's taste and one not, with the first above."""
    rng, shares = np.random.default_rng(1), []
    for user in range(0, len(fits), max(1, len(fits) // 300)):
        scores, new = left[user] @ right, ratings[[user]].toarray()[0] == 0
        liked, other = (rng.choice(scores[new & kind], 400) for kind in (fits[user], ~fits[user]))
        shares.append(np.mean((liked > other) + (liked == other) / 2))
    return float(np.mean(shares))


CLAIMS = {"a rating": one_rating_hidden, "a person": person_hidden}


def main() -> None:
    """Release under both claims for each epsilon and number of ratings, print what the releases say, draw it."""
    parser = argparse.ArgumentParser(description="private factors of ratings, and where they begin to be of use")
    parser.add_argument("folder", type=Path, help="where the picture goes")
    parser.add_argument("--users", type=int, default=943)
    parser.add_argument("--films", type=int, default=1682)
    parser.add_argument("--each", type=int, nargs="+", default=[50, 100, 200, 400], help="ratings a person")
    parser.add_argument("--epsilons", type=float, nargs="+", default=[1.0, 2.0, 4.0, 8.0, 16.0])
    asked = parser.parse_args()

    figure = Figure(figsize=(9, 4), layout="constrained")
    for panel, (hidden, released) in zip(figure.subplots(1, 2, sharey=True), CLAIMS.items(), strict=True):
        for each in asked.each:
            ratings, fits = made_up(asked.users, asked.films, each)
            shares = []
            for epsilon in asked.epsilons:
                left, right, remarks = released(ratings, epsilon)
                shares.append(in_order(left, right, ratings, fits))
                said = "; ".join(remarks) or "all factors stand out from noise"
                print(
                    f"{hidden} is hidden, {each} ratings each, epsilon {epsilon:g}: {shares[-1]:.2f} in order; {said}"
                )
            panel.semilogx(asked.epsilons, shares, "o-", label=f"{each} ratings each")
        panel.set(
            title=f"{hidden} is hidden", xlabel="epsilon (nats)", ylabel="pairs of films in order", ylim=(0.45, 1)
        )
        panel.set_xticks(asked.epsilons, [f"{epsilon:g}" for epsilon in asked.epsilons])
        panel.minorticks_off()
        panel.legend()
    asked.folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(asked.folder / "ratings.png")


if __name__ == "__main__":
    main()
