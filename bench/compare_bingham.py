"""One table of samplers of a private eigenvector: ours, those of diffprivlib and OpenDP, and two for comparison.

``python bench/compare_bingham.py``. The law on the real sphere is ``exp(epsilon/4 x'Cx)`` with
``C = diag(linspace(0, 20, d))`` and ``epsilon = 1``. Rivals come with the extras ``diffprivlib`` and ``opendp`` and are
left out where absent. Times are the best of several runs, and of each library's own sampler. The last column checks our
draws and those of the Gibbs chains: their mean of ``x'Cx`` less the exact one, in standard errors. Gibbs sweeps are a
heuristic at any length; theirs are counted in effective draws.
"""

import importlib.util
import time

import numpy as np
from scipy import stats

from dpspectra.fast.frames import log_sphere_normaliser
from dpspectra.sampling import bingham

DIMENSIONS = (4, 10, 50)
EPSILON, TOP = 1.0, 20.0
RUNS = 7
CHAINS, SWEEPS, BURN_IN = 256, 400, 100


def best_time(function, runs=RUNS):
    """Smallest number of seconds that a call takes, of several."""

    def once():
        start = time.perf_counter()
        function()
        return time.perf_counter() - start

    return min(once() for _ in range(runs))


def ours(c, size, rng):
    return bingham(-EPSILON / 4 * c, size=size, rng=rng)


def diffprivlib(d):
    """A function that draws one vector."""
    from diffprivlib.mechanisms import Bingham

    mechanism = Bingham(epsilon=EPSILON, sensitivity=1.0, random_state=0)
    return lambda c: mechanism.randomise(c)


def opendp(d):
    """A function that draws one vector."""
    import opendp.prelude as dp
    from opendp.extras.numpy import _sscp_domain
    from opendp.extras.sklearn._make_eigenvector import make_private_eigenvector

    dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")
    domain = _sscp_domain(num_features=d, norm=1.0, p=2, T="f64")
    return make_private_eigenvector(domain, dp.symmetric_distance(), EPSILON)


def gibbs(exponents, rng):
    """Exponents ``x' diag(exponents) x`` along vectorised chains, ``(sweeps, chains)``.

    A sweep pairs the coordinates at random; given the others, twice the angle of a pair is a von Mises variable.
    """
    d = len(exponents)
    x = rng.standard_normal((CHAINS, d))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    trace = np.empty((SWEEPS, CHAINS))
    for sweep in range(SWEEPS):
        i, j = rng.permutation(d)[: d - d % 2].reshape(2, -1)
        square = x[:, i] ** 2 + x[:, j] ** 2
        pull = (exponents[j] - exponents[i]) * square / 2
        angle = (rng.vonmises(0.0, np.abs(pull)) + np.pi * (pull < 0)) / 2 + np.pi * rng.integers(2, size=pull.shape)
        x[:, i], x[:, j] = np.sqrt(square) * np.cos(angle), np.sqrt(square) * np.sin(angle)
        trace[sweep] = x**2 @ exponents
    return trace


def autocorrelation_time(trace):
    """Integrated autocorrelation time of chains ``(sweeps, chains)``; sums of neighbours are added while positive."""
    centred = trace - np.mean(trace)
    covariance = np.array([np.mean(centred[lag:] * centred[: len(centred) - lag]) for lag in range(len(trace) // 4)])
    pairs = covariance[: len(covariance) // 2 * 2].reshape(-1, 2).sum(axis=1) / covariance[0]
    positive = pairs[: np.argmax(pairs <= 0) or len(pairs)]
    return max(1.0, 2 * float(np.sum(positive)) - 1)


def exact_mean(exponents):
    """Mean of ``x' diag(exponents) x``: the derivative of the logarithm of the normaliser."""
    h = 1e-4
    low, high = (log_sphere_normaliser((1 + s) * exponents, 0.5) for s in (-h, h))
    return (low - high) / (2 * h)


def score(values, mean, effective=None):
    """Standard errors between the mean of the values and the exact one."""
    return (np.mean(values) - mean) / (np.std(values) / np.sqrt(effective or len(values)))


def rows(d):
    """Name, seconds a draw in batches and one at a time, standard errors off the mean; None where not measured."""
    c = np.diag(np.linspace(0.0, TOP, d))
    exponents = EPSILON / 4 * (TOP - np.diagonal(c))
    mean, size, rng = exact_mean(exponents), 200_000 // d, np.random.default_rng(0)

    batch = best_time(lambda: ours(c, size, rng)) / size
    single = best_time(lambda: [ours(c, None, rng) for _ in range(100)]) / 100
    yield "dpspectra", batch, single, score(ours(c, 100_000, rng) ** 2 @ exponents, mean)
    for name, make in (("diffprivlib", diffprivlib), ("opendp", opendp)):
        if importlib.util.find_spec(name) is None:
            print(f"{name} is not installed: pip install dpspectra[{name}]")
            continue
        draw = make(d)
        seconds = best_time(lambda draw=draw: [draw(c) for _ in range(20)], 5) / 20
        yield name, None, seconds, None
    seconds = best_time(lambda: stats.ortho_group.rvs(d, size=size // d, random_state=0)) / (size // d)
    yield "scipy ortho_group (uniform, d x d)", seconds, None, None
    start = time.perf_counter()
    trace = gibbs(exponents, rng)
    seconds, trace = time.perf_counter() - start, trace[BURN_IN:]
    length = autocorrelation_time(trace)
    effective = trace.size / length
    yield f"Gibbs (heuristic, {length:.1f} sweeps)", seconds / effective, None, score(trace.ravel(), mean, effective)


def cell(value, form):
    return "-" if value is None else format(value, form)


def main():
    head = f"{'d':>3} {'sampler':<36} {'batch, us':>10} {'ours x':>9} {'single, us':>11} {'ours x':>7} {'mean off':>9}"
    print(head)
    for d in DIMENSIONS:
        (own, batch, single, off), *others = rows(d)
        print(f"{d:>3} {own:<36} {1e6 * batch:>10.3f} {1:>9} {1e6 * single:>11.1f} {1:>7} {off:>9.1f}")
        for name, many, one, error in others:
            bulk = (many or one) / batch
            print(
                f"{d:>3} {name:<36} {cell(many and 1e6 * many, '.3f'):>10} {bulk:>9.0f} "
                f"{cell(one and 1e6 * one, '.1f'):>11} {cell(one and one / single, '.1f'):>7} {cell(error, '.1f'):>9}"
            )


if __name__ == "__main__":
    main()
