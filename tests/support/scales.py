"""Every mechanism in every mode, by name; blocks as the power method and the range finder see them."""

import dataclasses
import functools
import math

import numpy as np
import pytest

import dpspectra as dps
from dpspectra import Matrix
from dpspectra.mechanisms.catalogue import NOISES as NOISY
from tests.support.releases import PRIVATE

D = 60
PRIVACY = {"epsilon": 0.75, "delta": 1e-3}
PURE = {"epsilon": 0.75}
RELATIONS = {name: list(map(str, record.relations)) for name, record in PRIVATE.items() if record.relations != ("row",)}
"""What the argument ``relation`` may be."""


def modes(name, **options):
    """A mechanism under each of its relations, by a name for the test."""
    for relation in RELATIONS.get(name, [None]):
        chosen = options if relation is None else options | {"relation": relation}
        title = ", ".join([name, *(f"{key} {value}" for key, value in chosen.items() if key not in PRIVACY)])
        yield title, functools.partial(getattr(dps, name), **chosen)


def table(*groups):
    """Parameters ``(mechanism, *rest)`` of a test; a group is the modes of a mechanism and what they have in common."""
    return [pytest.param(call, *rest, id=title) for named, *rest in groups for title, call in named]


# ---------------------------------------------------------------- units


ROWS = np.random.default_rng(0).uniform(-0.25, 0.25, (40, 5))
GRAM = ROWS.T @ ROWS
WIDE = np.random.default_rng(1).standard_normal((12, 30))
BASIS = np.linalg.qr(np.random.default_rng(2).standard_normal((12, 3)))[0]


def dense(value):
    """The numbers of a released value, which may be a pair or thin factors."""
    if isinstance(value, tuple):
        return np.concatenate([np.ravel(part) for part in value])
    return value.toarray() if hasattr(value, "toarray") else value


def in_rows(call, c):
    return call(c * ROWS, norm_bound=c, rng=3)


def second_of_rows(call, c):
    """The second of two released values: those of the first are in other units."""
    release = in_rows(call, c)
    return dataclasses.replace(release, value=release.value[1])


def first_of_norms(call, c):
    release = call(c * ROWS, lower=0.125 * c, upper=2.0 * c, rng=3)
    return dataclasses.replace(release, value=np.array([release.value[0]]))


def in_any_rows(call, c):
    return call(c * ROWS, rng=3)


def in_frames(call, c):
    return call(c * ROWS, directions=np.eye(5, 2), frame=(-c, c, -c, c), rng=3)


def in_row_changes(call, c):
    return call(c * WIDE, row_change=c, rng=3)


def in_row_changes_and_bounds(call, c):
    return call(c * WIDE, row_change=c, row_bound=8.0 * c, rng=3)


def in_epsilon(call, c):
    return call(Matrix(c * GRAM), epsilon=PURE["epsilon"] / c, rng=3)


UNITS = table(
    *((modes(name, **(PRIVACY if record.needs else PURE)), in_rows, 2) for name, record in NOISY.items()),
    (modes("laplace_covariance", denoise="psd", **PURE), in_rows, 2),
    (modes("gaussian_covariance", shape="triangle", **PRIVACY), in_rows, 2),
    (modes("wishart_covariance", **PRIVACY), in_rows, 2),
    (modes("wishart_covariance", degrees_of_freedom=9, **PRIVACY), in_rows, 2),
    (modes("private_covariance", **PURE), in_rows, 2),
    (modes("private_covariance", constant=1.0, **PRIVACY), in_rows, 2),
    (modes("private_moments", **PURE), second_of_rows, 2),
    (modes("private_scaler", **PURE), second_of_rows, 2),
    (modes("private_norm_bound", **PURE), first_of_norms, 1),
    (modes("private_score_histogram", **PURE), in_frames, 0),
    (modes("private_mean", **PURE), in_rows, 1),
    (modes("private_mean", **PRIVACY), in_rows, 1),
    (modes("private_pca", k=1, center="none", **PURE), in_rows, 0),
    (modes("private_pca", k=2, center="none", **PURE), in_rows, 0),
    (modes("private_pca", k=1, mechanism="orbit", **PURE), in_rows, 0),
    (modes("private_pca", k=2, mechanism="orbit", **PURE), in_rows, 0),
    (modes("row_counting_direction", aligned=20, **PURE), in_any_rows, 0),
    (modes("private_range_finder", k=2, **PRIVACY), in_row_changes, 0),
    (modes("private_projection", basis=BASIS, **PRIVACY), in_row_changes, 1),
    (modes("project_find_prune", k=2, **PRIVACY), in_row_changes, 1),
    (modes("project_find_prune", k=2, **PRIVACY), in_row_changes_and_bounds, 1),
    (modes("randomized_response_low_rank", k=2, **PRIVACY), in_row_changes, 1),
    (modes("private_spectrum", k=2), in_epsilon, 1),
    (modes("private_low_rank", k=1), in_epsilon, 1),
    (modes("private_low_rank", k=2), in_epsilon, 1),
    (modes("private_low_rank", k=2, mechanism="orbit"), in_epsilon, 1),
    (modes("private_orbit", eigenvalues=[2.0, 0, 0, 0, 0]), in_epsilon, 0),
    (modes("private_orbit", eigenvalues=[2.0, 1, 0, 0, 0]), in_epsilon, 0),
)


# ---------------------------------------------------------------- drawn noise


ABSOLUTE = np.diag(1e3 * np.arange(400, 0, -1.0))
"""Eigenvalues far from each other and from 0: neither sorting nor clipping moves them."""
EYE = np.eye(D)[:, :5]


def covariance(call, rng, seen):
    release = call(np.zeros((3, D)), norm_bound=2.0, rng=rng)
    assert np.array_equal(release.value, release.value.T)
    return [(release.value[np.triu_indices(D)], release.details["scale"])]


def whitened(call, rng, seen):
    """The independent numbers of which the diagonal is made are recovered: their mean is what shrinks."""
    release = call(np.zeros((3, D)), norm_bound=2.0, rng=rng)
    z = np.array(release.value)
    g = np.diagonal(z) / math.sqrt(2)
    np.fill_diagonal(z, g + (math.sqrt(D + 1) - 1) * np.mean(g))
    return [(z[np.triu_indices(D)], release.details["scale"])]


def spectrum(call, rng, seen):
    release = call(Matrix(ABSOLUTE), k=400, rng=rng)
    return [(release.value - np.diag(ABSOLUTE), release.details["scale"])]


def rounds(call, rng, seen):
    """With ``A = 0`` the products are noise: those made orthonormal, and that released with ``low_rank``."""
    relation = call.keywords["relation"]
    release = call(np.zeros((200, 100) if relation == "entry" else (300, 300)), rng=rng)
    blocks = [*seen[1:], *release.value[:1]] if call.keywords["low_rank"] else seen[1:]
    return list(zip(blocks, release.details["noise"], strict=True))


def found(call, rng, seen):
    release = call(np.zeros((D, 40)), row_change=3.0, rng=rng)
    return [(seen[0], release.details["noise"])]


def projected(call, rng, seen):
    release = call(np.zeros((D, 200)), row_change=3.0, rng=rng)
    return [(release.value.right, release.details["noise"])]


def both_stages(call, rng, seen):
    release = call(np.zeros((D, 200)), row_change=3.0, rng=rng)
    return [(seen[0], release.details["range_noise"]), (release.value.right, release.details["noise"])]


def whole(call, rng, seen):
    release = call(np.zeros((30, 40)), k=30, row_change=3.0, rng=rng)
    return [(release.value.toarray(), release.details["noise"])]


NOISES = table(
    (modes("laplace_covariance", **PURE), covariance, "laplace"),
    (modes("gaussian_covariance", **PRIVACY), whitened, "normal"),
    (modes("gaussian_covariance", shape="triangle", **PRIVACY), covariance, "normal"),
    (modes("private_spectrum", **PURE), spectrum, "laplace"),
    (modes("private_power_method", k=2, iterations=3, low_rank=True, **PURE), rounds, "laplace"),
    (modes("private_power_method", k=2, iterations=3, low_rank=True, **PRIVACY), rounds, "normal"),
    (modes("private_power_method", k=2, iterations=2, low_rank=False, scale="doubling", **PRIVACY), rounds, "normal"),
    (modes("private_range_finder", k=2, **PRIVACY), found, "normal"),
    (modes("private_projection", basis=EYE, **PRIVACY), projected, "normal"),
    (modes("project_find_prune", k=2, **PRIVACY), both_stages, "normal"),
    (modes("project_find_prune", k=2, row_bound=60.0, share=0.5, **PRIVACY), both_stages, "normal"),
    (modes("randomized_response_low_rank", **PRIVACY), whole, "normal"),
)
