"""Releasing ``U (U'A + N)`` costs ``E |U N|_F^2 = n sum_j s_j^2 |U_j|^2 <= n sum_j s_j^2`` in squared error.

``N`` has independent rows of standard deviation ``s_j``, ``U`` has columns ``U_j`` of norm at most 1. Different rows of
``N`` are uncorrelated, so the cross terms have mean 0, whether or not the columns are orthogonal. The printed proof
uses ``|U N|_F <= |N|_F`` for every draw instead. That needs ``|U|_2 <= 1`` and fails after pruning, which can raise the
spectral norm of orthonormal columns above 1; the bound in expectation remains true. It fails for longer columns.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast.pruning import zero_entries
from dpspectra.ledger import AtMost, Equal, Parts, Reals, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.pruning import zero_entries as exactly_zero_entries
from dpspectra.strategies import dyadics, rectangular, st, unitaries


def bound(deviations: Any, n: int) -> Any:
    """Bound on the expected squared Frobenius error for ``n`` columns of ``A``; columns of ``U`` of norm at most 1."""
    return n * sum(s * s for s in deviations)


@statement
class ProjectionUtility:
    labels = ("HR-T4.7",)
    claim = {
        "mean squared error": r"\mathbb E\|U(U^\top A+N)-UU^\top A\|_F^2=n\sum_j\sigma_j^2\|U_j\|^2",
        "bound for unit columns": r"\|U_j\|\le1:\ \mathbb E\|U(U^\top A+N)-UU^\top A\|_F^2\le n\sum_j\sigma_j^2",
    }
    printed = (
        "Not at hand; read as: the error of the projection is "
        r"$`O\big(\frac{\sqrt{kn\sum_j\alpha_j^2}\log(k/\delta)}\varepsilon\big)`$, at most "
        r"$`O\big(\frac{k\alpha\sqrt n\log(k/\delta)}\varepsilon\big)`$."
    )
    where = {
        "N": r"noise with the standard deviation $`\sigma_j`$ in row $`j`$",
        r"\sigma_i": "the standard deviations of the noise in the rows of the output",
        "U_i": "the columns of $`U`$",
        "U": "public matrix",
    }
    verdict = Verdict.PROOF_GAP
    exact = ("mean squared error",)
    note = "incoherence.md#utility-of-the-projection"
    examples = 60

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """A matrix, orthonormal columns, a pruning threshold (2 prunes nothing) and standard deviations, some zero."""
        m, n = draw(st.integers(1, 4)), draw(st.integers(1, 2))
        k = draw(st.integers(1, min(m, 3)))
        deviations = np.array(draw(st.lists(dyadics(0, 4, 3), min_size=k, max_size=k)))
        threshold = draw(st.sampled_from([2.0, 0.75, 0.5, 0.25]))
        return draw(rectangular(m, n)), draw(unitaries(m))[:, :k], threshold, deviations

    def fast(self, a: Any, u: Any, threshold: float, deviations: Any) -> Parts:
        """The mean over all sign patterns of ``N`` is the Gaussian one, as squares and products have the same means."""
        u, n, k = zero_entries(u, threshold), a.shape[1], len(deviations)
        signs = np.array([np.reshape(pattern, (k, n)) for pattern in itertools.product((1.0, -1.0), repeat=k * n)])
        released = u @ (u.T @ a + deviations[:, None] * signs)
        mean = np.mean(fast.frobenius_norm(released - u @ (u.T @ a)) ** 2)
        size = fast.frobenius_norm(a) ** 2
        stated = n * np.sum(deviations**2 * np.sum(u**2, axis=0))
        yield Equal(mean, stated, scale=size, part="mean squared error")
        yield AtMost(mean, bound(deviations, n), scale=size, part="bound for unit columns")

    def oracle(self, a: Any, u: Any, threshold: float, deviations: Reals) -> Parts:
        """Sum of the variances of the entries of ``U N``, each a sum over independent summands."""
        u, n = exactly_zero_entries(oracle.exact(u), threshold), a.shape[1]
        m, k = u.rows, u.cols
        mean = mp.fsum((u[i, j] * deviations[j]) ** 2 for i in range(m) for _ in range(n) for j in range(k))
        stated = n * mp.fsum(deviations[j] ** 2 * oracle.inner(u[:, j], u[:, j]) for j in range(k))
        size = oracle.inner(oracle.exact(a), oracle.exact(a))
        yield Equal(mean, stated, scale=size, part="mean squared error")
        yield AtMost(mean, n * mp.fsum(x * x for x in deviations), scale=size, part="bound for unit columns")

    def tight(self) -> list[Any]:
        """Columns of norm 1 that are not pruned, which reach the bound."""
        return [
            (np.eye(2), np.eye(2), 2.0, np.array([1.0, 0.5])),
            (np.ones((4, 1)), np.full((4, 1), 0.5), 2.0, np.ones(1)),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """One column of length 11/10, noise of standard deviation 1 and one column of ``A``."""
        return {"columns of length at most 1": AtMost(mp.mpf(121) / 100, mp.mpf(1), part="bound for unit columns")}

    def as_printed(self, numerators: Any, threshold: str, noise: Any) -> AtMost:
        """The step ``|U N|_F <= |N|_F`` for ``U = numerators / 25`` pruned at ``threshold``."""
        u, noise = exactly_zero_entries(mp.matrix(numerators) / 25, mp.mpf(threshold)), oracle.exact(noise)
        return AtMost(oracle.frobenius_norm(u * noise), oracle.frobenius_norm(noise), part="printed form")

    def counterexample(self) -> Any:
        """Orthonormal columns; only the entry 20/25 exceeds 7/10."""
        return [[20, 15], [9, -12], [12, -16]], "0.7", [[1.0], [-2.0]]

    certificate = (
        "[[4/5,3/5],[9/25,-12/25],[12/25,-16/25]] pruned at 7/10 loses only 4/5; (1,-2) goes to (-6/5,33/25,44/25)",
        ["sqrt", ["add", "36/25", "1089/625", "1936/625"]],
        ["sqrt", ["add", "1", "4"]],
    )
