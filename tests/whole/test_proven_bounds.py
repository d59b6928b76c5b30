"""Proven error bounds hold at least what their proofs ask for, term by term, and at most half as much again.

No draw needs these bounds: a term that is lost changes no release, and the proof is gone. So each bound is compared
with its formula, from the notes and docstrings, in exact numbers. Each term of a formula counts in some case: the bound
would be too small without it, unless the term is of second order.
"""

import inspect
import itertools
import math
from contextlib import contextmanager
from fractions import Fraction
from types import SimpleNamespace

import flint
import numpy as np
import pytest
from flint import acb_mat, arb
from mpmath import mp

from dpspectra.ball import row_series
from dpspectra.certified import (
    ball_chart,
    ball_noise,
    bingham,
    composition,
    correction,
    eigenbasis,
    enclosed_eigenvalues,
    grid,
    kernels,
    l2_gamma,
    noise_on_grid,
    one_sided_wishart_profile,
    orbit,
    patterns,
    sketch,
    trace_noise,
    vertex,
)
from dpspectra.certified.grid import Steps
from tests.support.faults import planted
from tests.support.helpers import entropy
from tests.support.orbits import MATRICES, decomposed, hermitian, wrong

U = mp.mpf(2) ** -53
E, N = mp.mpf(2) ** -47, mp.mpf(2) ** -45
"""Bounds on the errors of exponential and of normal numbers (DPS-KERNELS)."""
SECOND_ORDER = "second order"
"""Name of terms that are far below what others have to spare."""
LOOSE = 1.5
"""Largest ratio of a bound to its formula."""
BITS = 400


@pytest.fixture(autouse=True)
def _precisely():
    with mp.workprec(BITS), flint.ctx.workprec(BITS):
        yield


def exact(x):
    """A float, a rational number or a ball's midpoint in mpmath."""
    if isinstance(x, arb):
        man, exponent = x.mid().man_exp()
        return mp.ldexp(int(man), int(exponent))
    if isinstance(x, mp.mpf):
        return x
    x = Fraction(float(x)) if isinstance(x, np.floating) else Fraction(x)
    return mp.mpf(x.numerator) / x.denominator


def norm(m):
    """Frobenius norm of floats."""
    m = np.ravel(m)
    return mp.sqrt(mp.fsum(exact(x) ** 2 for part in (m.real, m.imag) for x in part.tolist()))


def matrix(m):
    return mp.matrix([[mp.mpc(exact(x.real), exact(x.imag)) for x in row] for row in np.atleast_2d(m).tolist()])


def norm_of(m):
    return mp.sqrt(mp.fsum(abs(x) ** 2 for x in m))


@contextmanager
def watched(module, *names):
    """What a module makes of these classes and functions, by name; `rounded` only notes bounds."""
    made = {name: [] for name in names}
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            home = module if hasattr(module, name) else module.noise_on_grid
            inner = getattr(home, name)

            def noted(*given, name=name, inner=inner):
                if name == "rounded":
                    made[name].append(np.concatenate([each(bound, len(numbers)) for numbers, _, bound in given[0]]))
                    return np.zeros(len(made[name][-1]), dtype=np.int64)
                made[name].append(inner(*given))
                return made[name][-1]

            patch.setattr(home, name, noted)
        yield made


def zeros(size):
    return Steps.of(np.zeros(size, dtype=np.int64), 0)


def each(bound, size):
    return np.broadcast_to(np.asarray(bound, dtype=float), (size,))


# ---------------------------------------------------------------- bounds, and the terms of their formulas

RATIOS = 2.0**-12, 2.0**24


def numbers_with_noise(module):
    """``ratio (error + 20.9 u) + 1.6 u`` (DPS-AMBIGUOUS)."""
    for (name, error), ratio in itertools.product((("laplace", E), ("gaussian", N)), RATIOS):
        with watched(module, "rounded") as made:
            getattr(module, name)(zeros(3), ratio, entropy())
        yield made["rounded"][0][0], {"kernel": ratio * error, "product": 20.9 * ratio * U, "fraction": 1.6 * U}


def wishart_entries(module):
    """``sum (x + e)(y + f) - x y``, and the rounding of as many products and sums, also if it is directed."""
    cases = [(2, 3, (1,), 512), (2, 600, (1, -1), 512), (1, 2000, (1,), 1), (1, 1, (1, -1) * 1000, 512)]
    for (d, degrees, signs, columns), ratio in itertools.product(cases, RATIOS):
        with watched(module, "rounded", "Normals") as made, pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "COLUMNS", columns)
            module.wishart(zeros(d * (d + 1) // 2), d, degrees, ratio, signs, entropy())
        blocks = made["Normals"][0].values.reshape(len(signs), d, degrees)
        length, numbers = [norm(blocks[:, i]) for i in range(d)], degrees * len(signs)
        sums = min(degrees, columns) + math.ceil(degrees / columns) + len(signs) - 1 + 4
        for bound, i, j in zip(made["rounded"][0], *np.triu_indices(d), strict=True):
            terms = {
                "kernel": ratio * mp.sqrt(numbers) * N * (length[i] + length[j]),
                "rounding": ratio * 2 * sums * U * length[i] * length[j],
                SECOND_ORDER: ratio * numbers * N**2,
                "slack": 2 * U,
            }
            yield bound, terms


def shaped_entries(module):
    """On the diagonal ``sqrt 2 (1 + 1)`` errors, and ``d + 10`` roundings of 3 times the largest number."""
    for d, ratio in itertools.product((1, 4, 90), RATIOS):
        size = d * (d + 1) // 2
        with watched(module, "rounded", "Normals") as made:
            module.gaussian(zeros(size), d, ratio, entropy())
        on = np.equal(*np.triu_indices(d))
        largest = exact(np.max(np.abs(made["Normals"][0].values[0][on])))
        for i in (0, size - 1, *([1] if d > 1 else [])):
            terms = {"kernel": ratio * N, "product": 20.9 * ratio * U, "fraction": 1.6 * U}
            if on[i]:
                terms["kernel"] *= 2 * mp.sqrt(2)
                terms["sums"] = ratio * 3 * (d + 10) * U * largest
            yield made["rounded"][0][i], terms


def tilted_entries(module):
    """Products as for Wishart matrices, times factors that are known up to a relative error each."""
    for d, ratio in itertools.product((1, 3, 40), RATIOS):
        size, normals = d * (d + 1) // 2, d * (d + 1)
        with watched(module, "rounded", "Normals", "Traces") as made:
            module.tilted_wishart(zeros(size), d, ratio, entropy())
        traces, blocks = made["Traces"][0], made["Normals"][0].values.reshape(2, d, d + 1)
        rows, columns = np.triu_indices(d)
        for place in (0, size - 1):
            i, j = rows[place], columns[place]
            terms = dict.fromkeys(("kernel", SECOND_ORDER, "rounding", "length", "trace", "factor"), mp.mpf(0))
            for g, trace in zip(blocks, (traces.larger, traces.smaller), strict=True):
                square = norm(g) ** 2
                factor, one, other = exact(trace) / square * ratio, norm(g[i]), norm(g[j])
                inner = abs(mp.fsum(exact(x) * exact(y) for x, y in zip(g[i], g[j], strict=True)))
                terms["kernel"] += factor * mp.sqrt(d + 1) * N * (one + other)
                terms[SECOND_ORDER] += factor * (d + 1) * N**2
                terms["rounding"] += factor * 2 * (d + 6) * U * one * other
                terms["length"] += factor * inner * 2 * N * mp.sqrt(normals / square)
                terms["trace"] += factor * inner * exact(traces.error)
                terms["factor"] += factor * inner * (2 * d + 8) * U
            yield made["rounded"][0][place], terms | {"slack": 2 * U}


def traces(module):
    """Each number is off by its bound, with nearly twice that to spare; ``2 d + 8`` roundings."""
    for d in (1, 60):
        found = module.Traces(d, entropy())
        yield found.error, {"kernel": 1.9 * E * d * (d + 1) / exact(found.larger), "sums": (2 * d + 8) * U}


def rotated_vectors(module):
    """``T g / |g|``: the error of ``g``, and relative ones of the length, the sum and the roundings."""
    for d, ratio in itertools.product((1, 3, 400), RATIOS):
        with watched(module, "rounded", "Normals") as made:
            module.l2_gamma(zeros(d), ratio, entropy())
        source, g = entropy(), made["Normals"][0].values[0]
        source.words(d + d % 2)
        total = mp.fsum(map(exact, kernels.exponentials(source.words(d).values)[0].tolist()))
        length, i = norm(g), int(np.argmax(np.abs(g)))
        size = ratio * total / length
        terms = {
            "kernel": size * N,
            "length": size * abs(exact(g[i])) * mp.sqrt(d) * N / length,
            "sum": size * abs(exact(g[i])) * d * E / total,
            "rounding": size * abs(exact(g[i])) * (4 * d + 16) * U,
            "slack": 2 * U,
        }
        yield made["rounded"][0][i], terms


BASES = [
    (m.astype(complex if np.iscomplexobj(m) else float), library)
    for m in (hermitian("floats"), hermitian("complex"), hermitian("floats", 8))
    for library in (np.linalg.eigh, wrong(1e-3, 1.0), wrong(0.0, 1.01), wrong(1e-14, 1 + 1e-14))
]


LARGE = np.array([[int(x * 2**70) + i for i, x in enumerate(row)] for row in np.diag([3.0, 2.0, 1.0]).tolist()])
LARGE += LARGE.T
"""Integers that are no floats."""


def rounding_of(v):
    return (len(v) + 4) * (3 if np.iscomplexobj(v) else 1) * U


def defects(module):
    """``|V* V - I|`` and the rounding of the product."""
    for m, library in BASES:
        v = library(m)[1]
        found = norm_of(matrix(v).H * matrix(v) - mp.eye(len(v)))
        yield module.defect(v), {"distance": found, "rounding": rounding_of(v) * norm(v) ** 2}


def residuals(module):
    """``|A V - V W| + .517 delta (|A| + |W|)`` (DPS-RESIDUAL), and the rounding of both products, and of integers."""
    for m, library in [*BASES, (LARGE, np.linalg.eigh)]:
        w, v = library(m.astype(float) if m.dtype == object else m)
        a, vectors, size = matrix(m), matrix(v), norm(m) + exact(np.max(np.abs(w)))
        away = norm_of(a * vectors - vectors * mp.diag([exact(x) for x in w]))
        apart = norm_of(vectors.H * vectors - mp.eye(len(v)))
        terms = {
            "residual": away,
            "rounding": rounding_of(m) * size * norm(v),
            "defect": mp.mpf("0.517") * apart * size,
            "rounding of the defect": mp.mpf("0.517") * rounding_of(v) * norm(v) ** 2 * size,
            SECOND_ORDER: U * norm(m) if m.dtype == object else mp.mpf(0),
        }
        yield module.residual_bound(m, v, w), terms


def eigenvalues_with_noise(module):
    """The error of an eigenvalue, the rounding of the sum, twice to spare, and the noise."""
    m = np.diag([3.0, 1.0])
    for error, exponent, ratio in (
        (0.0, -30, 2.0**24),
        (2.0**-60, -30, 2.0**-12),
        (0.0, -45, 2.0**-12),
        (0, -8, 2.0**-12),
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module.noise_on_grid, "rounded", lambda parts, count, value: parts[0][2])
            bounds = module.laplace(m, np.array([3.0, 1.0]), error, 2, exponent, ratio, entropy())
        for bound, value in zip(bounds, (3, 1), strict=True):
            terms = {
                "eigenvalue": mp.ldexp(exact(error), -exponent),
                "rounding": 4 * U * mp.ldexp(value, -exponent),
                "kernel": ratio * E,
                "product": 20.9 * ratio * U,
                "fraction": 1.6 * U,
            }
            yield bound, terms


def bases(module):
    """The residual in floats, and what forming the matrix in them rounds: entries and products, also if directed."""
    for m in (*MATRICES.values(), np.array([[2.0**-600]])):
        for library in (None, wrong(0.1, 1.05)) if len(m) > 1 else (None,):
            temperature = 0.3 if len(m) > 1 else 2.0**-560
            basis = decomposed(m, temperature, library, module)
            a = m.astype(complex if np.iscomplexobj(m) else float) * temperature
            terms = {
                "residual": exact(enclosed_eigenvalues.residual_bound(a, basis.vectors, basis.weights)),
                "forming": 4 * U * norm(a),
                "underflow": mp.mpf(2) ** -900,
            }
            yield basis.error, terms


def distances(module):
    """``.517 delta`` (DPS-RESIDUAL)."""
    for library in (None, wrong(0.1, 1.05)):
        basis = decomposed(MATRICES["complex"], 1.0, library, module)
        yield basis.distance, {"defect": mp.mpf("0.517") * exact(enclosed_eigenvalues.defect(basis.vectors))}


def complex_products(module):
    for rows, columns in ((2, 1), (3, 40)):
        a, b = (np.random.default_rng(i).standard_normal((rows, columns)) * (1 + 2j) for i in (0, 1))
        yield module.product_error(a, b), {"rounding": 3 * (columns + 4) * 2 * U * norm(a) * norm(b)}


def real_products(module):
    for terms in (1, 40):
        yield module.product_error(terms, 3.0, 7.0), {"rounding": 2 * (terms + 4) * U * 21}


CHARTS = [([9.0, 8.0, 6.0, 0.5, 0.0, -2.0], 3), ([1.0] + [0.0] * 60, 1), ([1e9, 0.0], 1)]


def chart_of(module, weights, k):
    chart = module.BallChart(np.array(weights), k)
    return chart, module._Proposals(chart, 1, entropy())


def matrices_of_charts(module):
    """``2**-44 |s| + 12 u |Y|`` (DPS-ROOT)."""
    for weights, k in CHARTS:
        chart, found = chart_of(module, weights, k)
        yield found._errors[0], {"kernel": 2 * N * norm(chart.deviations), "products": 12 * U * norm(found._y[0])}


def complements_of_charts(module):
    """``2 |Y| e + e**2``, products of ``2 (d - k)`` terms, the difference and the Hermitian part (DPS-ROOT)."""
    for weights, k in CHARTS:
        _, found = chart_of(module, weights, k)
        y, e = norm(found._y[0]), exact(found._errors[0])
        terms = {
            "matrix": 2 * y * e,
            SECOND_ORDER: e**2,
            "products": 2 * (3 * (len(weights) - k) + 8) * U * y**2,
            "difference": 8 * U * (mp.sqrt(k) + y**2),
        }
        yield found._c_errors[0], terms


def positive_matrices():
    x = np.random.default_rng(3).standard_normal((3, 3)) / 4
    for c in (np.eye(1) * 0.25, x @ x.T + 1e-3 * np.eye(3) + 0j):
        for error in (0.0, 1e-3 * float(np.linalg.eigvalsh(c)[0])):
            yield c, error, *np.linalg.eigh(c)


def roots(module):
    """The residual over the sum of the smallest eigenvalues (DPS-ROOT), that of the float root off by its rounding."""
    for c, error, values, vectors in positive_matrices():
        least = float(values[0]) - error
        root, found = module.root_within(c, error, values, vectors, least)
        half = vectors * values**0.25
        below = 3 * (len(c) + 4) * 2 * U * norm(half) ** 2
        over = mp.sqrt(exact(least)) - below
        terms = {
            "residual": norm_of(matrix(root) ** 2 - matrix(c)) / over,
            "rounding": 3 * (len(c) + 4) * 2 * U * norm(root) ** 2 / over,
            "matrix": exact(error) / over,
        }
        yield found, terms


def projectors_of_charts(module):
    """``e (2 + e)`` and the rounding of the product (DPS-ROOT)."""
    for error in (0.0, 1e-3, 0.25):
        frame = np.linalg.qr(np.random.default_rng(2).standard_normal((5, 2)))[0] + 0j
        e = exact(error)
        terms = {
            "frame": 2 * e,
            "square": e**2,
            "rounding": 36 * U * norm(frame) ** 2,
        }
        yield module._Projector(None, frame, error).error, terms


def roots_in_balls(module):
    """The residual over a root of a number below the smallest eigenvalue, a power of 1/4."""
    for values, least in (((0.25,), 2), ((0.3, 0.9), 1), ((0.01, 0.5), 4)):
        width = arb(2) ** -60
        c = acb_mat(len(values), len(values))
        for i, value in enumerate(values):
            c[i, i] = arb(value) + arb(0, 1) * width
        found = module.positive_root(c, 200).entries()
        yield float(max(x.real.rad() for x in found)), {"residual": len(values) * mp.mpf(2) ** (least - 60)}


LINES = [([3.0, 1.0, 0.0], 1, "real"), ([1.0] + [0.0] * 200, 1, "complex"), ([1e9, 0.0, 0.0], 1, "real")]


def lines(module):
    """``2 (2**-45 |s| + 12 u |y|) / |y|``, and ``2 nu + 4`` roundings."""
    for weights, rank, field in LINES:
        law = module.Bingham(np.array(weights), rank, field)
        with watched(module, "Normals") as made:
            found = module._Proposals(law, 1, entropy())
        length = norm(made["Normals"][0].values[0] * law.deviations)
        terms = {
            "kernel": 2 * N * norm(law.deviations) / length,
            "deviations": 24 * U,
            "sums": 2 * (len(law.excess) + 4) * U,
        }
        yield found._errors[0], terms


def acceptances_of_lines(module):
    """The error of ``s``, of slope at most ``1 + 1/t``, that of the logarithm, roundings, and an exponential number."""
    for weights, rank, field in LINES:
        law = module.Bingham(np.array(weights), rank, field)
        found = module._Proposals(law, 4, entropy())
        for i in range(4):
            if not math.isfinite(found._high[i]):
                continue
            half, most, e = exact(law.half), exact(np.max(law.excess)), exact(found._errors[i])
            s = mp.fsum(exact(a) * exact(x) ** 2 for a, x in zip(law.excess, found._x[i], strict=True))
            t = (exact(law.b) + s) / half
            terms = {
                "vector": 2 * mp.sqrt(most * s) * e * (1 + 1 / t),
                SECOND_ORDER: most * e**2 * (1 + 1 / t),
                "sums": (len(law.excess) + 8) * 2 * U * s * (1 + 1 / t),
                "logarithm": half * mp.mpf(2) ** -48,
                "rounding": half * 16 * U * (1 + t + abs(mp.log(t))),
                "kernel": E,
            }
            yield (found._high[i] - found._low[i]) / 2, terms


def projectors_on_lines(module):
    """``e (2 + e)``, four roundings and a difference; as many more for a hyperplane's diagonal."""
    x = np.array([0.6, 0.8, 0.0])
    for error, hyperplane in ((0.0, False), (0.0, True), (0.25, False), (1e-3, True)):
        e = exact(error)
        terms = {
            "vector": 2 * e,
            "square": e**2,
            "rounding": 12 * U,
            "difference": 12 * U * len(x) * hyperplane,
        }
        yield module._Projector(None, 0, x, error, hyperplane).error, terms


def rooms(module):
    """Each of two entries: all slacks off by the kernel's error over their rates, and ``d + 4`` roundings."""
    for weights, levels in (([5.0, 1.0, 0.0], [2.0, 1.0, 0.0]), ([9e3, 5e3, 0.0], [1e6, 1.0, 0.0])):
        law = module.Vertex(np.array(weights), np.array(levels))
        source = entropy()
        found = module._Proposals(law, source)
        words = entropy().words(law.batch * law.count)
        slacks = kernels.exponentials(words.values)[0].reshape(law.batch, -1) / law.rates
        size = exact(max(map(abs, levels))) + mp.fsum(map(exact, slacks[0].tolist()))
        fixed = mp.fsum(E / exact(rate) for rate in law.rates.tolist())
        yield found.errors[0], {"kernel": 2 * fixed, "rounding": 2 * (len(levels) + 4) * 2 * U * size}


def lost_shares(module):
    """``|r|`` times the error of the draw; three roundings a product and ``d`` sums, for both parts of ``h``."""
    basis = decomposed(np.diag([3.0, 1.0, 0.5]), 1.0)
    raised = np.array([2.0**30, 1.0, 0.0])
    for given, h, error in (([9.0, 9.0, 8.0], 8.0, 0.0), ([9.0, 1.0, 0.0], 6.0, 0.0), ([9.0, 1.0, 0.0], 6.0, 1e-3)):
        levels = np.array(given)
        step = module.Correction(basis, basis.weights + raised, levels)
        draw = SimpleNamespace(estimate=h * np.eye(3), error=error)
        r = [abs(exact(x)) for x in step._raised]
        base = exact(levels[-1])
        sums = 2 * (3 + 4) * U
        terms = {
            "draw": norm(step._raised) * exact(error),
            "difference": sums * mp.fsum(r) * abs(exact(h) - base),
            "eigenvalue": sums * mp.fsum(r) * abs(base),
        }
        yield step._lost(draw)[1], terms


def corrections(module):
    """``e sum_i |lambda_i - c|``, ``c`` the median (DPS-CORRECTION)."""
    for library in (None, wrong(0.1, 1.0)):
        basis = decomposed(np.diag([3.0, 1.0, 0.5]), 1.0, library)
        for levels, length in (([4.0, 1.0, 0.0], 4), ([1.0, 1.0, 0.0], 1)):
            step = module.Correction(basis, basis.weights, np.array(levels))
            yield step._most, {"error": exact(basis.error) * length}


def longer(m):
    """Eigenvectors that are too long."""
    values, vectors = np.linalg.eigh(m)
    return values, 1.02 * vectors


def turned_matrices(module):
    """``(1 + q)**2`` times ``2 q |H|``, the error of the draw, and the rounding of two products."""
    rng = np.random.default_rng(4)
    for library, error, d in ((None, 0.0, 3), (wrong(0.05, 1.0), 0.0, 3), (None, 1e-9, 3), (longer, 1e-2, 3)):
        m = hermitian("floats", d)
        values, vectors = np.linalg.eigh(m)
        law = module.Orbit(m, 1.0, values[::-1], vectors[:, ::-1], np.array([1.0, 0.0, 0.0]), "complex")
        law._basis = decomposed(m, 1.0, library)
        h = rng.standard_normal((d, d)) + 0j
        draw = SimpleNamespace(estimate=h, error=error)
        v, q = law._basis.vectors, exact(law._basis.distance)
        first = v @ h
        times = (1 + q) ** 2
        terms = {
            "basis": times * 2 * q,
            "draw": times * exact(error),
            "first product": times * 6 * (d + 4) * U * norm(v) * norm(h),
            "second product": times * 6 * (d + 4) * U * norm(first) * norm(v),
        }
        yield law._turned(draw)[1], terms


def matrices_of_patterns(module):
    """The distance of the floats from balls, radii included."""
    law = vertex.Vertex(np.array([9.0, 4.0, 0.0]), np.array([2.0, 1.0, 0.0]))

    def rows(_, bits):
        """Wide balls."""
        return [[arb(1)], [arb(x, 2.0**-62) for x in (1.5, 0.5)], [arb(2), arb(1), arb(0)]]

    fixed = type("Fixed", (module.PatternMatrix,), {"rows": rows})
    draw = fixed(law, entropy().words(law.count))
    with ball_noise.precision(ball_noise.FIRST + ball_noise.GUARD):
        apart = (acb_mat(draw.estimate.tolist()) - draw._matrix(ball_noise.FIRST)).entries()
        squares = [exact((abs(x)).upper()) ** 2 for x in apart]
    yield draw.error, {"distance": mp.sqrt(mp.fsum(squares))}


def ratios(module):
    """Each mass is off by ``4 outputs`` roundings, a sum by as many more as it has terms, also if they are directed.

    The excess over the ratio without errors, relative to it; ``P`` counts more the nearer it is to the target.
    """
    for outputs, share in ((400, 1e-9), (400, 0.9), (40, 1e-9)):
        masses = np.full(outputs + 1, 1 / (outputs + 1))
        target = share / (outputs + 1)
        exactly = [Fraction(float(x)) for x in masses]
        sums = list(itertools.accumulate(exactly))
        best = max((p - Fraction(target)) / q for p, q in zip(sums, itertools.accumulate(exactly), strict=True))
        found = Fraction(module._ratio(masses, outputs, target)) / best - 1
        margin = (8 * outputs + 2 * len(masses)) * U
        place = max(range(len(sums)), key=lambda i: (sums[i] - Fraction(target)) / sums[i])
        yield float(found), {"first": margin * exact(sums[place] / (sums[place] - Fraction(target))), "second": margin}


def sums_of_epsilons(module):
    """The smallest float from the exact sum on."""
    for numbers in ([0.1] * 10, [1.0, 2.0**-60], [1.0, 2.0**-53, 2.0**-80]):
        total = sum(map(Fraction, numbers), Fraction(0))
        yield module.total(numbers), {"sum": exact(total)}


def rules(module):
    """``2 M / (exp(2 pi a / h) - 1)`` on a strip of half-width ``a``, with its ``M`` (DPS-DEGREES)."""
    for degrees, power in ((2, 30), (9, 60), (120, 40)):
        error = arb(2) ** -power
        log = power * math.log(2) + 1
        radii, angles = module._radii(degrees, arb(1), error), module._angles(degrees, error)
        a = mp.mpf(min(math.sqrt(2 * log / (degrees + 1)), 1.25))
        h = abs(mp.log(exact(radii.nodes[1][0]) / exact(radii.nodes[0][0])))
        yield radii.error.upper(), {"M": 2 * mp.cos(a) ** -(degrees + 1) / mp.expm1(2 * mp.pi * a / h)}
        a = mp.mpf(min(math.sqrt(log / (1.5 * degrees)), 0.625))
        h = mp.acosh(1 / mp.sqrt(exact(angles.nodes[1][0])))
        m = mp.cos(a) ** -degrees * mp.cos(2 * a) ** -(mp.mpf(degrees + 1) / 2)
        yield angles.error.upper(), {"M": 2 * m / mp.expm1(2 * mp.pi * a / h)}


def double_sums(module):
    """``e_t + (1 + e_t) e_x``, and the weights that are left out: ``(1 + e_t)(1 + e_x)`` less those that are not."""
    for first, second, left_out in ((0.5, 0.0, 0.0), (0.0, 0.5, 0.0), (0.25, 0.25, 0.0), (0.0, 0.0, 0.25)):
        with pytest.MonkeyPatch.context() as patch:
            node = [(arb(1), arb(1 - left_out))]
            patch.setattr(module, "_radii", lambda *_, first=first, node=node: module._Rule(node, arb(first)))
            patch.setattr(module, "_angles", lambda *_, second=second: module._Rule([(arb(1), arb(1))], arb(second)))
            patch.setattr(module, "_cdf", lambda *_: arb(0))
            found = module.orthogonal(Fraction(1), 2, Fraction(1), 1e-3)
        t, x = mp.mpf(first), mp.mpf(second)
        yield found.upper(), {"radii": t, "angles": (1 + t) * x, "weights": (1 + t) * (1 + x) - (1 - left_out)}


def lengths(module):
    """Roots from above; half a unit for each of ``n k`` numbers (DPS-SHIFTED); a unit for each entry of a row."""
    for n, width in ((2, 1), (17770, 21)):
        yield module.lengthening(n, width), {"length": mp.sqrt(n * width) * mp.mpf(2) ** -21}
        for change in (2.0**-30, 3.0):
            terms = {"change": exact(change), "rounding": mp.sqrt(n) * mp.mpf(2) ** -20}
            yield module.rounded_change(change, n, 20), terms


def projections(module):
    """The longest row times the change over ``mu``, a float from above."""
    digits = module.cut(np.array([[0.5, -0.25], [0.1, 0.7]]))
    longest = mp.sqrt(max(sum(int(x) ** 2 for x in row) for row in digits.tolist())) * mp.mpf(2) ** -20
    yield module.projection_noise(digits, Fraction(3), 0.3), {"length": 3 * longest / exact(0.3)}


def tails_of_series(module):
    """What a power series leaves out, by ``c_(n+1) <= c_n max(b) / (n + 2 - i)``, as a geometric series."""
    for terms, order in ((9, 0), (14, 0), (9, 1)):
        nodes, top = [arb(0.5), arb(2)], arb(1)
        full = module.Series.of(nodes, 2, top)
        cut = module.Series(nodes, top, {i: c[:terms] for i, c in full.taylor.items()})
        for i, found in zip(cut.taylor, cut.functions(order), strict=True):
            c, n = cut.taylor[i], terms - 1
            start = max(i - 1 - order, 0)
            ratio = exact(nodes[i - 1]) / (n + 2 - i) * (n + 1) / (n + 1 - order)
            last = math.perm(n, order) * exact(c[n])
            width = exact((found[start] - math.perm(start + order, order) * c[start + order]).upper())
            left = sum(math.perm(m, order) * exact(x) for m, x in enumerate(full.taylor[i]) if m >= terms)
            assert width >= left
            yield float(width), {"rest": last * ratio / (1 - ratio)}


def fractions_of_steps(module):
    """Half a unit in the last place of a number below 1, at most; the float is that near."""
    for bits in (10, 61, 70):
        steps = module.Steps.of(np.array([2**bits - 1, 3], dtype=object), -bits)
        for i, found in enumerate(steps.fractions.tolist()):
            assert abs(Fraction(found) - steps.fraction(i)) <= Fraction(1, 2**54)
    yield 2.0**-54, {"rounding": U / 2}


def radii_asked(module, law):
    """How near to ideal numbers a law wants those that are stored, where all words are open; in ascending order."""
    asked, inner = set(), ball_noise.within
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "LEAST_WORD", np.uint64(2**63))
        patch.setattr(ball_noise, "within", lambda value, radius: asked.add(radius) or inner(value, radius))
        law(module)
    return sorted(asked)


def open_normals(module):
    """A quarter of the bound on others: there is one more rounding, and some to spare."""
    for found in radii_asked(module, lambda module: module.Normals((2, 2), entropy())):
        yield found, {"quarter": N / 4}


def open_traces(module):
    """A quarter of the bound on others; the ratio to a rounding."""
    found = radii_asked(module, lambda module: module.Traces(2, entropy()))
    yield from zip(found, ({"rounding": U}, {"quarter": E / 4}), strict=True)


def open_lengths(module):
    """A quarter of the bounds on others, of exponential and of normal numbers."""
    found = radii_asked(module, lambda module: module.l2_gamma(zeros(2), 1.0, entropy()))
    yield from zip(found, ({"quarter": E / 4}, {"quarter": N / 4}), strict=True)


def words_in_balls(module):
    """Half of what the bits that are read leave open."""
    words = entropy().words(1)
    for bits in (1, 64):
        found = module.uniform(int(words.values[0]), 63, words, 0, bits)
        yield float(found.rad()), {"open": mp.mpf(2) ** -(64 + bits)}


BOUNDS = {
    noise_on_grid: (numbers_with_noise, wishart_entries, real_products, open_normals),
    trace_noise: (shaped_entries, tilted_entries, traces, open_traces),
    l2_gamma: (rotated_vectors, open_lengths),
    enclosed_eigenvalues: (defects, residuals, eigenvalues_with_noise),
    eigenbasis: (bases, distances),
    ball_chart: (
        complex_products,
        matrices_of_charts,
        complements_of_charts,
        roots,
        projectors_of_charts,
        roots_in_balls,
    ),
    bingham: (lines, acceptances_of_lines, projectors_on_lines),
    vertex: (rooms,),
    correction: (lost_shares, corrections),
    orbit: (turned_matrices,),
    patterns: (matrices_of_patterns,),
    composition: (ratios, sums_of_epsilons),
    one_sided_wishart_profile: (rules, double_sums),
    sketch: (lengths, projections),
    row_series: (tails_of_series,),
    grid: (fractions_of_steps,),
    ball_noise: (words_in_balls,),
}
CASES = [pytest.param(module, bound, id=f"{module.__name__.split('.')[-1]}, {bound.__name__}")
         for module, bounds in BOUNDS.items() for bound in bounds]  # fmt: skip


def holds(found, terms):
    """Whether a bound is what it should be, up to the rounding of this comparison."""
    total = mp.fsum(terms.values())
    return total * (1 - mp.mpf(2) ** -60) <= exact(found) <= LOOSE * total


@pytest.mark.parametrize(("radius", "bits"), [(2.0**-9, 64), (2.0**-10, 128), (2.0**-11, 128), (2.0**-30, 256)])
def test_a_number_is_asked_for_until_its_ball_is_small_enough(radius, bits):
    asked = []

    def value(bits):
        asked.append(bits)
        return arb(0.3, {64: 2.0**-10, 128: 2.0**-20}.get(bits, 0))

    assert abs(ball_noise.within(value, radius) - 0.3) < 1e-15
    assert asked[-1] == bits


@pytest.mark.parametrize(("module", "bound"), CASES)
def test_a_bound_holds_its_formula_and_not_much_more(module, bound):
    needed = set()
    for found, terms in bound(module):
        assert holds(found, terms), terms
        needed |= {name for name in terms if not holds(exact(found) - terms[name], terms)}
    assert {name for _, terms in bound(module) for name in terms} - needed <= {SECOND_ORDER}


FAULTS = {
    noise_on_grid: {
        "no product": ("(error + ROUNDING)", "error"),
        "no kernel of exponential numbers": ("error = kernels.EXPONENTIAL_ERROR if", "error = 0.0 if"),
        "no kernel of normal numbers": ("else kernels.NORMAL_ERROR", "else 0.0"),
        "rounding with a minus": ("(near + product_error(", "(near - product_error("),
        "no rounding": ("near + product_error(additions(degrees) + len(signs) - 1, one, other)", "near"),
        "no pieces": ("+ -(-columns // COLUMNS)", ""),
        "no matrices": ("additions(degrees) + len(signs) - 1", "additions(degrees)"),
        "one vector": ("* kernels.NORMAL_ERROR * (one + other)", "* kernels.NORMAL_ERROR * one"),
        "no root of the number": ("near = math.sqrt(numbers) *", "near ="),
        "half of the rounding": ("return 2 * (terms + 4)", "return (terms + 4)"),
        "no slack": ("bound[upper] * ratio + SLACK", "bound[upper] * ratio"),
        "farther": ("kernels.NORMAL_ERROR / 4", "kernels.NORMAL_ERROR"),
    },
    trace_noise: {
        "no errors on the diagonal": ("2 * kernels.NORMAL_ERROR + 4 *", "4 *"),
        "no sums on the diagonal": ("+ 4 * (d + 10)", "+ 0 * (d + 10)"),
        "no kernel": ("near = math.sqrt(d + 1) * error * (one + other) +", "near ="),
        "no products": ("(d + 1) * error**2 + product_error(terms, one, other)", "(d + 1) * error**2"),
        "no length": ("relative = 2 * share +", "relative ="),
        "no traces": ("+ traces.error + (2 * d", "+ (2 * d"),
        "no roundings of factors": ("traces.error + (2 * d + 8) * kernels.UNIT", "traces.error"),
        "no kernel in traces": ("self.error = 2 * kernels.EXPONENTIAL_ERROR * last / self.larger +", "self.error ="),
        "farther": ("kernels.EXPONENTIAL_ERROR / 4", "kernels.EXPONENTIAL_ERROR"),
        "no sums in traces": ("/ self.larger + (2 * d + 8) * kernels.UNIT", "/ self.larger"),
    },
    l2_gamma: {
        "no kernel": ("(kernels.NORMAL_ERROR + relative * np.abs(g))", "(relative * np.abs(g))"),
        "no length": ("relative = spread + d", "relative = d"),
        "no sum": ("d * kernels.EXPONENTIAL_ERROR / total +", "0 +"),
        "no roundings": ("/ total + (4 * d + 16) * kernels.UNIT", "/ total"),
        "no slack": ("ratio * bounds + noise_on_grid.SLACK", "ratio * bounds"),
        "farther": ("kernels.EXPONENTIAL_ERROR / 4", "kernels.EXPONENTIAL_ERROR"),
    },
    enclosed_eigenvalues: {
        "no residual": ("1.01 * math.sqrt(_square(m @ v - v * w)) +", ""),
        "no rounding": ("+ 1.1 * gamma * size * 1.01 * math.sqrt(_square(v))", ""),
        "no defect": ("(residual + NEAREST * apart * size + rounding)", "(residual + rounding)"),
        "no weights": ("+ float(np.max(np.abs(w)))", ""),
        "complex as real": ("kernels.UNIT * (3 if np.iscomplexobj(m) else 1)", "kernels.UNIT"),
        "no rounding of the defect": ("+ 1.1 * gamma * 1.01**2 * _square(v)", ""),
        "a constant that is too small": ("NEAREST = 0.52", "NEAREST = 0.5"),
        "no error of eigenvalues": ("bound = float(np.ldexp(error, -exponent)) +", "bound ="),
        "no rounding of sums": ("+ 4 * kernels.UNIT * np.abs(estimate)", "+ 0 * estimate"),
        "no noise": ("(kernels.EXPONENTIAL_ERROR + noise_on_grid.ROUNDING)", "noise_on_grid.ROUNDING"),
    },
    eigenbasis: {
        "no forming": ("self.weights) + formed", "self.weights)"),
        "half of the forming": ("formed = 4 *", "formed = 2 *"),
        "no underflow": ("np.linalg.norm(a)) + TINY", "np.linalg.norm(a))"),
    },
    ball_chart: {
        "radius times .98": (
            "arb(0, (residual * arb(2) ** halvings).upper())",
            "arb(0, .98 * (residual * arb(2) ** halvings).upper())",
        ),
        "half of the radius": (
            "arb(0, (residual * arb(2) ** halvings).upper())",
            "arb(0, .5 * (residual * arb(2) ** halvings).upper())",
        ),
        "no deviations": ("+ 6 * ROUND * sizes", "+ 0 * sizes"),
        "no matrix": ("2 * sizes * self._errors +", ""),
        "no forming": ("self._errors**2 + formed)", "self._errors**2)"),
        "no difference": ("+ 4 * ROUND * (math.sqrt(k) + sizes**2)", ""),
        "real products": ("return 3 * (a.shape[1]", "return (a.shape[1]"),
        "no product in the root": ("+ product_error(root, root) + error", "+ error"),
        "no error in the root": ("product_error(root, root) + error", "product_error(root, root)"),
        "no residual": ("residual = norm(root @ root - c) +", "residual ="),
        "no square": ("error * (2 + error) + product_error", "error * 2 + product_error"),
        "no product": ("error * (2 + error) + product_error(frame, frame)", "error * (2 + error)"),
    },
    bingham: {
        "once": ("(2 * (kernels.NORMAL_ERROR * spread", "(1 * (kernels.NORMAL_ERROR * spread"),
        "no deviations": ("/ lengths + 6 * ROUND)", "/ lengths)"),
        "no sums": ("+ (n + 4) * ROUND)", ")"),
        "no slope": ("near * (1 + 1 / t) + rounding", "near + rounding"),
        "no logarithm": ("(kernels.LOGARITHM_ERROR + 8", "(8"),
        "no rounding": ("LOGARITHM_ERROR + 8 * ROUND * (1 + t + np.abs(log))", "LOGARITHM_ERROR"),
        "no exponential": ("+ rounding) + kernels.EXPONENTIAL_ERROR", "+ rounding)"),
        "no sums of squares": ("* errors + (n + 8) * ROUND * s", "* errors"),
        "no square": ("error * (2 + error) + 6", "error * 2 + 6"),
        "no difference": ("(1 + len(x) * hyperplane)", "1"),
    },
    vertex: {
        "one entry": ("2.02 * (fixed", "1.01 * (fixed"),
        "no kernel": ("(fixed + (d + 4)", "((d + 4)"),
        "no rounding": ("(fixed + (d + 4) * ROUND * size)", "fixed + 0 * size"),
        "no slacks": ("+ np.sum(slacks, axis=1)", "+ 0 * np.sum(slacks, axis=1)"),
    },
    correction: {
        "no eigenvalue": ("(np.abs(apart) + np.abs(self._from))", "np.abs(apart)"),
        "no difference": ("(np.abs(apart) + np.abs(self._from))", "np.abs(self._from)"),
        "no draw": ("float(np.linalg.norm(self._raised)) * draw.error", "0.0"),
        "no rounding": ("error + 2 * (len(apart) + 4) * kernels.UNIT * size", "error"),
        "half of the length": ("1.01 * basis.error", "0.5 * basis.error"),
    },
    orbit: {
        "no basis": ("near = 2 * distance * self._size +", "near ="),
        "no draw": ("+ draw.error + products", "+ products"),
        "one product": ("product_error(v, draw.estimate) +", ""),
        "the other product": ("+ product_error(first, v)", ""),
        "no spectral norm": ("(1 + distance) ** 2 *", ""),
    },
    patterns: {
        "no radii": ("x.abs_upper() ** 2", "x.mid().abs_upper() ** 2"),
        "the largest alone": ("sum(squares, arb(0)).sqrt()", "max(squares).sqrt()"),
    },
    composition: {
        "divided": ("* (1 - margin)", "/ (1 - margin)"),
        "none at all": ("* 2.0**-53\n", "* 0.0\n"),
        "no outputs": ("(8 * outputs + 2", "(2"),
        "no terms": ("2 * len(masses) + 64", "64"),
        "not the first": ("* (1 + margin) + SMALL", "+ SMALL"),
        "to nearest": ("return rounded if Fraction(rounded) >= exact else", "return rounded if True else"),
    },
    one_sided_wishart_profile: {
        "half of the rule": ("return step, 2 * mass", "return step, mass"),
        "another strip": ("arb(a).cos() ** -(degrees + 1)", "arb(a).cos() ** -degrees"),
        "another strip of angles": ("arb(a).cos() ** -degrees *", "1 *"),
        "no rule of angles": ("off = radii.error + (1 + radii.error) * angles.error", "off = radii.error"),
        "no rule of radii": ("off = radii.error + (1 + radii.error)", "off = (1 + radii.error)"),
        "nothing left out": ("(1 + radii.error) * (1 + angles.error) - weight", "0"),
    },
    sketch: {
        "a quarter of a unit": ("/ 2 ** (GRID + 1)", "/ 2 ** (GRID + 2)"),
        "rounded down": ("math.isqrt(square << 64) + 1", "math.isqrt(square << 64)"),
        "no rounding": ("Fraction(change) + root_above(columns) * Fraction(2) ** -exponent", "Fraction(change)"),
    },
    row_series: {
        "no series": ("* ratio / (1 - ratio)", "* ratio"),
        "no first term": ("* ratio / (1 - ratio)", "/ (1 - ratio) * 0"),
        "another order": ("/ (n + 2 - i) *", "/ (n + 3 - i) *"),
    },
    ball_noise: {"a quarter": ("arb(0.5, 0.5)", "arb(0.5, 0.25)"), "none": ("arb(0.5, 0.5)", "arb(0.5)")},
}
"""Terms that are lost, by module: a piece of its text that it has once, and what replaces it."""


def sees(module, fault):
    """Whether some bound of a module with a fault is not what it should be."""
    faulty = planted(inspect.getsource(module), *fault)
    try:
        return not all(holds(*case) for bound in BOUNDS[module] for case in bound(faulty))
    except AssertionError:
        return True


@pytest.mark.parametrize(
    ("module", "fault"),
    [
        pytest.param(module, fault, id=f"{module.__name__.split('.')[-1]}, {name}")
        for module, faults in FAULTS.items()
        for name, fault in faults.items()
    ],
)
def test_a_term_that_is_lost_is_seen(module, fault):
    assert sees(module, fault)
