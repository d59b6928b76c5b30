"""Points that are far apart, drawn: on spheres of lines, and counted in a small space."""

import math

import numpy as np

from dpspectra.fast import nets, packing
from dpspectra.lemmas.packing import grassmann_packing, images, orbit_packing, projectors_in_spectral_norm
from dpspectra.report.drawing import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Axis, linear
from dpspectra.report.pictures.picture import Dots, Line, Picture, curve

SEED = 2026
TURN = np.linspace(0, 2 * np.pi, 121)


def plane(across: str, upwards: str, reach: float) -> tuple[Axis, Axis]:
    """Axes of one scale, so that circles are round."""
    wide = reach * (WIDTH - LEFT - RIGHT) / (HEIGHT - TOP - BOTTOM)
    return linear(across, -wide, wide), linear(upwards, -reach, reach)


def circle(title: str, radius: float) -> Line:
    """Return a circle about the origin."""
    return Line(title, [(radius * math.cos(t), radius * math.sin(t)) for t in TURN])


def grassmannian() -> Picture:
    """Lines of the complex plane as points of a sphere, seen from above the centre of the ball."""
    radius, separation = 0.6, 0.2
    bases = grassmann_packing.witness(1, 1, radius, separation, "complex", SEED)
    p = packing.projectors(bases)
    x, y = 2 * p[:, 0, 1].real, 2 * p[:, 0, 1].imag
    height = 1 - radius**2
    least = math.exp(packing.log_local_packing(1, 1, radius, separation))
    return Picture(
        f"Lines of the complex plane in a ball of radius {radius:g}, all more than {separation:g} apart",
        *plane("first coordinate on the sphere of lines", "second coordinate", 1.1),
        [circle("the sphere of all lines", 1.0), circle("the ball", math.sqrt(1 - height**2))],
        f"The bound promises {math.ceil(least)} such lines; a greedy choice among random ones finds {len(bases)}.",
        [Dots("lines of the packing", list(zip(x, y, strict=True)), radius=4)],
    )


def orbit() -> Picture:
    """Points of an orbit, with the units of the matrix."""
    spectrum, radius, separation = (5.0, 1.0), 2.0, 0.6
    gap = float(images.gap(spectrum, 1, 1))
    bases = grassmann_packing.candidates(1, 1, radius / gap, "complex", SEED)
    points = images.images(bases, spectrum)
    kept = points[packing.greedy_packing(points, separation)]
    entry = kept[:, 0, 1]
    least = math.exp(orbit_packing.bound(spectrum, radius, separation))
    cosine = 1 - (radius / gap) ** 2
    return Picture(
        f"Points of the orbit of diag(5, 1) in a ball of radius {radius:g}, all more than {separation:g} apart",
        *plane("real part of the entry above the diagonal (rows²)", "imaginary part (rows²)", 2.2),
        [circle("the whole orbit", gap / 2), circle("the ball", gap / 2 * math.sqrt(1 - cosine**2))],
        f"The bound promises {math.ceil(least)} such points, a greedy choice finds {len(kept)}: so many "
        "matrices must be told apart.",
        [Dots("points of the packing", [(float(z.real), float(z.imag)) for z in entry], radius=4)],
    )


def net() -> Picture:
    """Draw a net of the sphere."""
    points = nets.fibonacci_sphere(80)
    front = points[points[:, 2] >= 0]
    back = points[points[:, 2] < 0]
    return Picture(
        f"A net of {len(points)} points of the sphere",
        *plane("first coordinate", "second coordinate", 1.1),
        [circle("outline of the sphere", 1.0)],
        f"Every point of the sphere is within {nets.sphere_radius(points):.3f} of one of these, in a straight line.",
        [
            Dots("behind", [(float(a), float(b)) for a, b, _ in back], hollow=True, radius=4),
            Dots("in front", [(float(a), float(b)) for a, b, _ in front], radius=4),
        ],
    )


def spectral_lines() -> Picture:
    """Lines of space, far apart in spectral norm."""
    separation, rng = 0.35, np.random.default_rng(SEED)
    g = rng.standard_normal((1500, 3))
    g *= np.where(g[:, 2] < 0, -1, 1)[:, None] / np.linalg.norm(g, axis=1)[:, None]
    distances = np.sqrt(np.maximum(0.0, 1 - (g @ g.T) ** 2))
    kept = g[nets.greedy_packing(distances, separation)]
    least = math.exp(-float(projectors_in_spectral_norm.log_ball(separation, 1, 3)))
    return Picture(
        f"Lines of space whose projectors are more than {separation:g} apart in spectral norm, seen from above",
        *plane("first coordinate of the unit vector", "second coordinate", 1.1),
        [circle("lines of the horizontal plane", 1.0)],
        f"There are at least {math.ceil(least)} such lines by volume, and a greedy choice among random ones "
        f"finds {len(kept)}.",
        [Dots("one end of each line", [(float(a), float(b)) for a, b, _ in kept], radius=4)],
    )


def numbers() -> Picture:
    """Packing and covering numbers of a few points."""
    rng = np.random.default_rng(SEED)
    points = rng.random((11, 2))
    distances = np.linalg.norm(points[:, None] - points[None], axis=-1)
    grid = np.linspace(0.005, 0.8, 160)
    return Picture(
        f"Packing and covering numbers of {len(points)} random points of a square",
        linear("radius ζ (sides of the square)", 0, 0.8),
        linear("number of points", 0, 12),
        [
            curve("packing number at ζ", lambda r: packing.packing_number(distances, r), grid),
            curve("covering number at ζ", lambda r: packing.covering_number(distances, r), grid),
            curve("packing number at 2 ζ", lambda r: packing.packing_number(distances, 2 * r), grid),
        ],
        "At every radius the covering number lies between the two packing numbers.",
    )


PICTURES = {
    "MWKTV-L8.1X": grassmannian,
    "MWKTV-T2.7R": orbit,
    "MWKTV-NET": net,
    "JXZ-L5": spectral_lines,
    "MWKTV-E4": numbers,
}
