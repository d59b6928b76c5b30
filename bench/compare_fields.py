"""Loss of real data in the complex mechanism: the digits of scikit-learn, variance captured.

``python bench/compare_fields.py``. The data are 1797 images of 64 numbers, each divided by the largest norm, and not
centred; ``kappa = epsilon / 2`` as in `dpspectra.private_pca` under replacement. Captured variance is ``tr(P X'X)`` for
a projector ``P`` of rank ``k``: that of the real law; the leading eigenvectors of the real part of a complex draw; the
complex draw itself, which real users would not release; and a uniform subspace on average. Means of 200 draws, with
standard errors. The real law for ``k > 1`` is left out where no exact sampler of it is practical.
"""

import numpy as np
from sklearn.datasets import load_digits

from dpspectra.fast.linalg import eigenvectors
from dpspectra.sampling import orbit

CASES = [(1, 0.5), (1, 1.0), (1, 2.0), (2, 0.5), (2, 2.0), (2, 5.0), (2, 50.0), (5, 2.0), (5, 5.0), (5, 200.0)]
DRAWS = 200


def second_moments():
    """``X'X`` of rows of norm at most 1, in its eigenbasis, which changes none of the laws compared."""
    x = load_digits().data
    x = x / np.max(np.linalg.norm(x, axis=1))
    return np.diag(eigenvectors(x.T @ x)[0])


def captured(m, k, kappa, field):
    """Captured variances of ``DRAWS`` projectors of either law, and of those of post-processed complex ones."""
    spectrum = np.repeat([1.0, 0.0], [k, len(m) - k])
    h = orbit(m, spectrum, kappa, size=DRAWS, field=field, rng=0)
    top = eigenvectors(h.real)[1][..., :k]
    return np.einsum("ij,nji->n", m, h).real, np.einsum("nik,ij,njk->n", top, m, top)


def cell(values):
    return f"{np.mean(values):.1f} ± {np.std(values) / np.sqrt(len(values)):.2f}"


def real_cell(m, k, kappa):
    try:
        return cell(captured(m, k, kappa, "real")[0])
    except ValueError:
        return "no exact sampler"


def main():
    m = second_moments()
    names = ("real law", "top k of Re H", "complex H")
    print(f"{'k':>2} {'epsilon':>8} {'optimum':>8} {names[0]:>17} {names[1]:>14} {names[2]:>14} {'uniform':>8}")
    for k, epsilon in CASES:
        itself, processed = captured(m, k, epsilon / 2, "complex")
        optimum, uniform = np.sum(np.diagonal(m)[:k]), k * np.trace(m) / len(m)
        print(
            f"{k:>2} {epsilon:>8g} {optimum:>8.1f} {real_cell(m, k, epsilon / 2):>17} "
            f"{cell(processed):>14} {cell(itself):>14} {uniform:>8.1f}"
        )


if __name__ == "__main__":
    main()
