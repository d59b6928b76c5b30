"""Releases of the power method in certified arithmetic."""

import numpy as np

import dpspectra as dps

D = 12
RNG = np.random.default_rng(0)
A = np.diag(np.linspace(50, 1, D)) + 0.1 * RNG.normal(size=(D, D))
A = A + A.T
WHOLE = np.rint(A + 3 * (A - np.diag(np.diag(A)))).astype(int)
M = RNG.normal(size=(7, 5)) * 20
PRIVACY = {"laplace": 0.0, "normal": 1e-5}
RELATIONS = {"pair": A, "spectral": A, "rank_one": A, "entry": M, "spectral of a rectangle": M}


def release(a=A, *, delta=1e-5, relation="pair", iterations=3, **options):
    options = {"k": 2, "width": 3, "epsilon": 1.0, "low_rank": True} | options
    relation = relation.split(" ")[0]
    return dps.private_power_method(a, delta=delta, relation=relation, iterations=iterations, **options)
