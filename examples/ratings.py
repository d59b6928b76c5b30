"""Tastes from a large sparse matrix of ratings, by the private power method: no dense matrix is ever made.

The ratings are made up: users have one of three tastes, films are of one of three kinds, and some films are seen by
many. The claim hides one rating, whatever its value and whether it exists; not all the ratings of a person.
Writes ratings.png: what private directions keep at each epsilon, and the films along them.

    pip install '.[plot]'
    python examples/ratings.py pictures
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy import sparse
from scipy.sparse.linalg import svds

import dpspectra as dps

TASTES = 3
EACH = 50  # films that a user has rated, at most
ROUNDS = 3  # public, and not chosen by looking at the data


def made_up(users: int, films: int, rng: np.random.Generator) -> tuple[sparse.csr_array, np.ndarray]:
    """Ratings from -2 (one star) to 2 (five stars), ``(users, films)``, zero where there is none; kinds of films."""
    tastes, kinds = rng.integers(TASTES, size=users), rng.integers(TASTES, size=films)
    popular = np.arange(1, films + 1) ** -0.8
    user = np.repeat(np.arange(users), EACH)
    film = rng.choice(films, size=len(user), p=popular / popular.sum())
    place = np.unique(user * films + film)
    user, film = np.divmod(place, films)
    stars = np.where(tastes[user] == kinds[film], 1.3, -0.7) + rng.normal(size=len(place))
    return sparse.csr_array((np.clip(np.rint(stars), -2, 2), (user, film)), (users, films)), kinds


def directions(ratings: sparse.csr_array, epsilon: float) -> np.ndarray:
    """Orthonormal private directions in the space of films, ``(films, TASTES)``.

    A rectangular matrix stands for one of users and films together, in which every singular value is doubled. Two
    ratings differ by at most 4, so that a quarter of a rating changes by at most 1, as the claim needs.
    """
    release = dps.private_power_method(
        ratings / 4, 2 * TASTES, epsilon, delta=1e-6, relation="entry", width=2 * TASTES, iterations=ROUNDS
    )
    print(f"epsilon {epsilon:g}: one {release.claim.relation} is hidden, {release.claim.arithmetic} arithmetic")
    of_films = release.value[ratings.shape[0] :]
    return np.linalg.svd(of_films, full_matrices=False)[0][:, :TASTES]


def main() -> None:
    """Release directions at each epsilon, compare them with the best ones, draw the picture."""
    parser = argparse.ArgumentParser(description="private directions of a sparse matrix of ratings")
    parser.add_argument("folder", type=Path, help="where the picture goes")
    parser.add_argument("--users", type=int, default=30_000)
    parser.add_argument("--films", type=int, default=1_000)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.5, 1.0, 2.0, 4.0, 8.0])
    asked = parser.parse_args()

    ratings, kinds = made_up(asked.users, asked.films, np.random.default_rng(0))
    print(f"{ratings.nnz} ratings of {asked.films} films by {asked.users} users")
    best = np.sum(svds(ratings, k=TASTES, return_singular_vectors=False) ** 2)
    found = [directions(ratings, epsilon) for epsilon in asked.epsilons]

    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.semilogx(asked.epsilons, [np.sum((ratings @ q) ** 2) / best for q in found], "o-")
    left.set(xlabel="epsilon (nats)", ylabel="energy kept, of that of the best directions", ylim=(0, 1))
    left.set_xticks(asked.epsilons, [f"{epsilon:g}" for epsilon in asked.epsilons])
    left.minorticks_off()
    q = found[-1]
    seen = slice(asked.films // 4)  # the films that most have seen
    right.scatter(q[seen, 0], q[seen, 1], c=kinds[seen], s=9, cmap="brg")
    right.set(title=f"well-known films by kind, epsilon {asked.epsilons[-1]:g}", xlabel="first", ylabel="second")
    asked.folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(asked.folder / "ratings.png")


if __name__ == "__main__":
    main()
