"""Divided differences of exponentials in float64: by the matrix exponential, and by a series of positive terms."""

import numpy as np
from scipy.linalg import expm
from scipy.special import gammaln, xlogy

from dpspectra.fast.linalg import Real


def exponential_differences(nodes: Real, t: Real, order: int = 0) -> Real:
    """Divided differences of ``x^order exp(t x)`` over the first ``i`` nodes, all ``i``; shape ``(..., r)``.

    They are the first row of a function of the bidiagonal matrix with the nodes on its diagonal and ones beside it
    (Opitz). Powers of ``t`` come in with the order; a larger constant in place of the ones keeps them above rounding.
    """
    t = np.asarray(t, dtype=float)[..., None, None]
    beside = np.maximum(1 / np.maximum(np.abs(t), 2.0**-64), np.ptp(nodes) / 2)
    b = np.diag(nodes) + beside * np.eye(len(nodes), k=1)
    row = (expm(t * b) @ np.linalg.matrix_power(b, order))[..., 0, :]
    return row / beside[..., 0] ** np.arange(len(nodes))


def exponential_series(nodes: Real, t: Real, order: int = 0, first: int = 0, terms: int = 120) -> Real:
    """Divided differences for non-negative nodes, order by order in ``t`` from ``q = first`` on: only positive terms.

    The divided difference over ``i`` nodes is ``sum_q h_q t^(i-1+q) / (i-1+q)!``, ``h`` complete homogeneous.
    Its ``order``-th derivative in ``t`` is taken.
    """
    t = np.asarray(t, dtype=float)
    out, complete = np.zeros((*t.shape, len(nodes))), np.eye(1, terms)[0]
    for i, node in enumerate(nodes):
        for q in range(1, terms):
            complete[q] += node * complete[q - 1]
        power = np.arange(first, terms) + i - order
        with np.errstate(divide="ignore"):
            logs = xlogy(power, t[..., None]) - gammaln(power + 1)
        out[..., i] = np.sum(np.where(power >= 0, complete[first:] * np.exp(logs), 0.0), axis=-1)
    return out
