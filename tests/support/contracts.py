"""Calls of every mechanism in each of its modes, for the contract that all of them keep.

The catalogue is walked: a new record is held to the contract as it is. `MODES` has more options, one line a mode.
"""

import functools
from typing import Any

import numpy as np

from dpspectra import Matrix
from tests.support.releases import PRIVATE, sample


def summed(x):
    return Matrix(x.T @ x)


def whole(x):
    return np.rint(9 * x).astype(int)


def complex_sum(x):
    return Matrix((x.T @ x).astype(complex))


ORBIT: dict[str, Any] = {"mechanism": "orbit"}
MODES: dict[str, dict[str, dict[str, Any]]] = {
    "gaussian_covariance": {"triangle": {"shape": "triangle"}},
    "symmetric_wishart_covariance": {"zero_out": {"relation": "zero_out"}},
    "private_mean": {"normal": {"delta": 1e-3}},
    "private_scaler": {"normal": {"delta": 1e-3}},
    "private_moments": {"normal": {"delta": 0.3}},
    "private_covariance": {"of pairs": {"center": "pairs"}},
    "private_pca": {
        "Laplace": {"mechanism": "laplace_covariance"},
        "about a mean": {"center": "mean"},
        "of pairs": {"center": "pairs"},
        "orbit": ORBIT,
        "orbit, k = 2": ORBIT | {"k": 2},
    },
    "private_spectrum": {"of a sum": {"form": summed, "k": 2}},
    "private_low_rank": {
        "of a sum": {"form": summed, "delta": 0.3, "mechanism": "gaussian_covariance"},
        "orbit": ORBIT | {"form": summed, "epsilon": 200.0},
        "orbit, k = 2": ORBIT | {"epsilon": 200.0, "k": 2},
    },
    "private_orbit": {
        "of hyperplanes": {"form": summed, "eigenvalues": [2.0, 2.0, 2.0, 1.0]},
        "of rank 3": {"eigenvalues": [3.0, 2.0, 1.0, 0.0]},
        "complex": {"form": complex_sum, "eigenvalues": [3.0, 2.0, 1.0, 0.0]},
    },
    "private_power_method": {
        "normal": {"delta": 1e-3, "low_rank": True},
        "spectral": {"relation": "spectral"},
        "rank_one": {"relation": "rank_one", "delta": 1e-3},
        "of integers": {"form": whole},
    },
    "private_range_finder": {"of integers": {"form": whole}},
    "private_projection": {"of integers": {"form": whole}},
    "project_find_prune": {"pruned": {"row_bound": 60.0, "form": whole}},
    "randomized_response_low_rank": {"of integers": {"form": whole}},
}
"""Options on which the arithmetic of a mechanism hangs besides its needs, by its name and that of the mode."""
TITLED = {
    (f"{name}, {title}" if title else name): (record, given)
    for name, record in PRIVATE.items()
    for title, given in ({"": {}} | MODES.get(name, {})).items()
}
"""Record and options by the title of a mode."""


def mode(title, form=lambda x: x):
    """A mechanism in this mode, which needs a source of randomness alone; its data are in some form."""
    record, given = TITLED[title]
    call = sample(record, **{key: value for key, value in given.items() if key != "form"})
    ready = functools.partial(call.func, form(given.get("form", np.asarray)(*call.args)), **call.keywords)
    return lambda **options: ready(**options)


CALLS = {title: mode(title) for title in TITLED}
CERTIFIED = [title for title, (record, _) in TITLED.items() if record.name != "row_counting_direction"]
"""Modes that have a certified arithmetic."""


def numbers(release):
    """All numbers of a value, which may be a pair or thin factors."""
    value = release.value
    parts = (value.left, value.right) if hasattr(value, "left") else value if isinstance(value, tuple) else (value,)
    return np.concatenate([np.ravel(part) for part in parts])
