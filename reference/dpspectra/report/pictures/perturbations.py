"""How eigenvalues and subspaces move when a matrix changes."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast import alignment, linalg
from dpspectra.formulas import sin_theta, sin_theta_symmetric
from dpspectra.lemmas.perturbation import (
    davis_kahan,
    equal_spectra,
    nearly_top_subspace,
    noise_as_columns,
    orbit_map,
    truncation_error,
)
from dpspectra.report.drawing import linear
from dpspectra.report.pictures.picture import Line, Picture, curve, level

SHARES = np.linspace(0, 1, 61)
CHANGE = np.array([[-0.5, 0.5, 0.25], [0.5, 0.25, 0.0], [0.25, 0.0, 0.75]])
"""A symmetric change with entries of both signs."""


def eigenvalue_lines(path: Callable[[float], NDArray[Any]], names: list[str]) -> list[Line]:
    """Return the descending eigenvalues along a path of matrices."""
    values = np.array([linalg.eigenvalues(path(t)) for t in SHARES])
    return [Line(name, list(zip(SHARES, values[:, i], strict=True))) for i, name in enumerate(names)]


def weyl() -> Picture:
    """Eigenvalues under a change of norm up to 1."""
    a, change = np.diag([3.0, 2.0, 0.0]), CHANGE / linalg.spectral_norm(CHANGE)
    lines = eigenvalue_lines(lambda t: a + t * change, ["λ₁", "λ₂", "λ₃"])
    cone = [Line("λ₁ ± t: as far as it may move", [(1.0, 4.0), (0.0, 3.0), (1.0, 2.0)])]
    return Picture(
        "Eigenvalues of diag(3, 2, 0) + t E for a change E of spectral norm 1",
        linear("t: spectral norm of the change", 0, 1),
        linear("eigenvalue", -1, 4.5),
        lines + cone,
        "No eigenvalue moves by more than the norm of the change: each stays in a cone like the one that is "
        "drawn for λ₁.",
    )


def downdate() -> Picture:
    """Eigenvalues when a row is taken away."""
    m, v = np.diag([3.0, 2.0, 0.5]), np.array([1.0, 0.8, 0.5])
    lines = eigenvalue_lines(lambda t: m - t * linalg.outer(v), ["λ₁", "λ₂", "λ₃"])
    x = linear("t: share of the row that is taken away", 0, 1)
    second = float(linalg.eigenvalues(m)[1])
    return Picture(
        "Eigenvalues of M − t v v* for M = diag(3, 2, 0.5)",
        x,
        linear("eigenvalue", -1, 3.5),
        [*lines, level("λ₂ of M", second, x)],
        "Every eigenvalue falls, but λ₁ not below the old λ₂, and λ₂ not below the old λ₃: they interlace.",
    )


def sum_of_moves() -> Picture:
    """Draw the moves of the eigenvalues, which add up to the squared norm of the row."""
    m, v = np.diag([3.0, 2.0, 0.5]), np.array([1.0, 0.8, 0.5]) / np.linalg.norm([1.0, 0.8, 0.5])
    before = linalg.eigenvalues(m)
    moves = np.array([before - linalg.eigenvalues(m - t * linalg.outer(v)) for t in SHARES])
    lines = [Line(f"fall of λ{sign}", list(zip(SHARES, moves[:, i], strict=True))) for i, sign in enumerate("₁₂₃")]
    return Picture(
        "How far the eigenvalues of M fall when a row of squared norm t is taken away",
        linear("squared norm of the row", 0, 1),
        linear("fall (rows²)", 0, 1),
        [*lines, Line("sum of all falls", list(zip(SHARES, moves.sum(axis=1), strict=True)))],
        "All eigenvalues fall, and the falls add up to the squared norm of the row: the spectrum has l1 sensitivity 1.",
    )


def turned(k: int) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """Return a matrix with a gap after ``k``, and how it changes."""
    a = np.diag([2.0, 1.0, 0.0]) if k == 1 else np.diag([2.0, 2.0, 0.0])
    return a, [a + 0.8 * t * CHANGE for t in SHARES[1:]]


def against_change(title: str, norm: str, distance: Any, bounds: dict[str, Any], caption: str, top: float) -> Picture:
    """Draw a distance of top projectors and bounds on it, against the size of the change."""
    size = linalg.frobenius_norm if norm == "Frobenius" else linalg.spectral_norm
    a, changed = turned(1)
    sizes = [float(size(b - a)) for b in changed]
    lines = {"distance of the projectors": distance, **bounds}
    return Picture(
        title,
        linear(f"{norm} norm of the change", 0, max(sizes)),
        linear(f"{norm} norm", 0, top),
        [
            Line(name, [(s, float(f(a, b, s))) for s, b in zip(sizes, changed, strict=True)])
            for name, f in lines.items()
        ],
        caption,
    )


def _gaps(a: Any, b: Any) -> tuple[float, float, float]:
    """Return the one-sided gap after the first value, and the gaps of both matrices."""
    first, second = linalg.eigenvalues(a), linalg.eigenvalues(b)
    return float(first[0] - second[1]), float(first[0] - first[1]), float(second[0] - second[1])


def _moved(size: Callable[[Any], Any]) -> Callable[[Any, Any, float], Any]:
    return lambda a, b, _: size(linalg.top_projector(a, 1) - linalg.top_projector(b, 1))


def one_sided() -> Picture:
    """Draw the bound with the one-sided gap."""
    return against_change(
        "How far the top eigenvector of diag(2, 1, 0) turns, and the bound with the one-sided gap",
        "Frobenius",
        _moved(linalg.frobenius_norm),
        {"bound": lambda a, b, s: sin_theta.bound(s, _gaps(a, b)[0])},
        "The bound is the change divided by the one-sided gap, times the root of 2.",
        1.6,
    )


def symmetric() -> Picture:
    """Draw the bound with the average of both gaps."""
    return against_change(
        "How far the top eigenvector of diag(2, 1, 0) turns, and two bounds",
        "Frobenius",
        _moved(linalg.frobenius_norm),
        {
            "bound with the average gap": lambda a, b, s: sin_theta_symmetric.bound(s, *_gaps(a, b)[1:]),
            "bound with the one-sided gap": lambda a, b, s: sin_theta.bound(s, _gaps(a, b)[0]),
        },
        "With the average of both gaps the constant is 1 instead of the root of 2.",
        1.6,
    )


def spectral() -> Picture:
    """Davis and Kahan in spectral norm."""
    return against_change(
        "How far the top eigenvector of diag(2, 1, 0) turns in spectral norm, and Davis and Kahan's bound",
        "spectral",
        _moved(linalg.spectral_norm),
        {"bound": lambda a, b, s: davis_kahan.bound(s, _gaps(a, b)[0])},
        "The sine of the angle stays below the norm of the change divided by the one-sided gap.",
        0.8,
    )


def rotation() -> Picture:
    """Equal spectra: a turned matrix."""
    spectrum, grid = np.array([2.0, 1.0, 0.0]), np.linspace(0, 90, 91)
    m = np.diag(spectrum)

    def pair(degrees: float, plane: int) -> tuple[float, float]:
        turn, angle = np.eye(3), np.radians(degrees)
        turn[np.ix_([0, plane], [0, plane])] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        n = turn @ m @ turn.T
        moved = linalg.frobenius_norm(linalg.top_projector(m, 1) - linalg.top_projector(n, 1))
        return float(moved), float(equal_spectra.bound(linalg.frobenius_norm(m - n), spectrum, 1))

    return Picture(
        "A matrix with the eigenvalues 2, 1, 0 is turned: its top projector moves, and the bound",
        linear("angle of the turn (degrees)", 0, 90),
        linear("Frobenius distance of the projectors", 0, 3),
        [
            curve("projectors", lambda t: pair(t, 1)[0], grid),
            curve("bound, turned towards the second axis", lambda t: pair(t, 1)[1], grid),
            curve("bound, turned towards the third axis", lambda t: pair(t, 2)[1], grid),
        ],
        "A turn towards the second axis attains the bound; one towards the third moves the matrix twice as "
        "far for the same angle.",
    )


def residual() -> Picture:
    """Draw the loss of a nearly right subspace against its angle."""
    top, following = 1.0, 0.3
    a = np.diag([top, following, 0.0])

    def lost(sine: float, axis: int) -> float:
        u = np.zeros(3)
        u[0], u[axis] = np.sqrt(1 - sine**2), sine
        return float(linalg.spectral_norm(a - linalg.outer(u) @ a))

    return Picture(
        "What a line at an angle to the top singular vector of diag(1, 0.3, 0) loses",
        linear("sine of the angle", 0, 1),
        linear("spectral norm of what is lost", 0, 1.2),
        [
            curve("bound", lambda s: nearly_top_subspace.bound(top, following, s), SHARES),
            curve("turned towards the second vector", lambda s: lost(s, 1), SHARES),
            curve("turned towards the third vector", lambda s: lost(s, 2), SHARES),
        ],
        "A turn towards the second vector attains the bound; one towards the third costs nothing up to the sine σ₂/σ₁.",
    )


def truncated() -> Picture:
    """Draw a noisy matrix cut to rank one."""
    spectrum, k = np.array([2.0, 1.0, 0.0]), 1
    a, unit = np.diag(spectrum), CHANGE / linalg.spectral_norm(CHANGE)
    psd = linalg.psd_projection(unit)
    psd = psd / linalg.spectral_norm(psd)

    def error(noise: NDArray[Any]) -> float:
        values, vectors = linalg.eigenvectors(a + noise)
        kept = np.argsort(-np.abs(values))[:k]
        return float(linalg.spectral_norm(a - (vectors[:, kept] * values[kept]) @ vectors[:, kept].T))

    grid = np.linspace(0, 1.5, 61)
    return Picture(
        "Error of the best rank 1 of diag(2, 1, 0) with noise",
        linear("spectral norm of the noise", 0, 1.5),
        linear("spectral norm of the error", 0, 4.2),
        [
            curve("bound for any noise", lambda t: truncation_error.bound(spectrum[k], t, False), grid),
            curve("noise of both signs", lambda t: error(t * unit), grid),
            curve("bound for positive noise", lambda t: truncation_error.bound(spectrum[k], t, True), grid),
            curve("positive noise", lambda t: error(t * psd), grid),
        ],
        "Both errors start at σ₂, the best that rank 1 can do; noise of both signs may cost twice its norm, "
        "positive noise once.",
    )


def augmented() -> Picture:
    """Singular values with noise as columns."""
    values, grid = np.array([3.0, 1.5, 0.5]), np.linspace(0, 3, 61)
    return Picture(
        "Singular values of [A | s I] when A has 3, 1.5 and 0.5, and a fourth row",
        linear("noise s", 0, 3),
        linear("singular value", 0, 5),
        [
            curve(f"value {i + 1}", lambda s, i=i: noise_as_columns.augmented_singular_values(values, s, 4)[i], grid)
            for i in range(4)
        ],
        "Noise lifts every value to the root of its square plus s²: the small ones most, so that the "
        "spectrum flattens.",
    )


def map_of_lines() -> Picture:
    """Draw the orbit map of a line."""
    spectrum, grid = np.array([2.0, 0.5, -1.0]), np.linspace(0, 90, 46)

    def pair(degrees: float, axis: int) -> tuple[float, float]:
        basis = np.zeros((3, 1))
        angle = np.radians(degrees)
        basis[0, 0], basis[axis, 0] = np.cos(angle), np.sin(angle)
        apart = linalg.frobenius_norm(basis @ basis.T - np.diag([1.0, 0.0, 0.0]))
        image = linalg.frobenius_norm(alignment.orbit_point(basis, spectrum) - np.diag(spectrum))
        return float(image), float(orbit_map.bound(spectrum, apart))

    return Picture(
        "How far the orbit map carries a line that turns, for the spectrum (2, 0.5, −1)",
        linear("angle of the line to the first axis (degrees)", 0, 90),
        linear("distance on the orbit (rows²)", 0, 5),
        [
            curve("bound", lambda t: pair(t, 2)[1], grid),
            curve("exact, towards the third axis", lambda t: pair(t, 2)[0], grid),
            curve("exact, towards the second axis", lambda t: pair(t, 1)[0], grid),
        ],
        "A turn towards the last axis attains the bound; others move the matrix less.",
    )


PICTURES = {
    "JXZ-L4": weyl,
    "MWKTV-E19": downdate,
    "MWKTV-L7.2": sum_of_moves,
    "MWKTV-L8.2": one_sided,
    "MWKTV-L8.2S": symmetric,
    "JXZ-L3": spectral,
    "MWKTV-E13": rotation,
    "HP-E3": residual,
    "JXZ-T9": truncated,
    "HR-C4.4": augmented,
    "MWKTV-E34": map_of_lines,
}
