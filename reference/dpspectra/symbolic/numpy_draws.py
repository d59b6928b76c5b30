"""Methods of numpy's generators as draws that are followed.

Each asks the real method first, with the same arguments, so that what numpy refuses is refused here.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.symbolic.few_outcomes import counted, drawn_without, one_byte
from dpspectra.symbolic.given_draws import affine, chosen, into, ordered, shape_of, symbols, whole_numbers
from dpspectra.symbolic.laws import EXPONENTIAL, GUMBEL, LAPLACE, LOGISTIC, NORMAL, UNIFORM, Law, of_name
from dpspectra.symbolic.noisy_numbers import Noisy, seen
from dpspectra.symbolic.normal_vectors import normal_vectors
from dpspectra.symbolic.number_kinds import of_kind
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.refused_draws import TRIAL, UNCHECKED, checked, shaped, tried
from dpspectra.symbolic.tape import current

PCG64, RealGenerator = np.random.PCG64, np.random.Generator


def _located(name: str, law: Law) -> Callable[..., Any]:
    """Return the method of that name, of a law with a place and a scale."""

    def method(self: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        checked(name, loc, scale, size)
        return affine(law, loc, scale, size)

    return method


class Drawing:
    """Methods of generators, by the names that numpy gives them."""

    normal = _located("normal", NORMAL)
    laplace = _located("laplace", LAPLACE)
    gumbel = _located("gumbel", GUMBEL)
    logistic = _located("logistic", LOGISTIC)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Uniform draws."""
        checked("uniform", low, high, size)
        return affine(UNIFORM, low, np.subtract(high, low), size)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """Exponential draws."""
        checked("exponential", scale, size)
        return affine(EXPONENTIAL, 0.0, scale, size)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Return normal draws at scale 1."""
        return into(out, symbols(NORMAL, out.shape if out is not None else shape_of(size)))

    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, method: Any = "zig", out: Any = None
    ) -> Any:
        """Exponential draws at scale 1."""
        return into(out, symbols(EXPONENTIAL, out.shape if out is not None else shape_of(size)))

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Uniform draws of [0, 1)."""
        return into(out, symbols(UNIFORM, out.shape if out is not None else shape_of(size)))

    def random_sample(self, size: Any = None) -> Any:
        """Uniform draws of [0, 1)."""
        return self.random(size)

    ranf = sample = random_sample

    def rand(self, *shape: Any) -> Any:
        """Uniform draws of [0, 1)."""
        return self.random(shape or None)

    def randn(self, *shape: Any) -> Any:
        """Return normal draws at scale 1."""
        return self.standard_normal(shape or None)

    def standard_cauchy(self, size: Any = None) -> Any:
        """Cauchy draws."""
        return symbols(of_name("cauchy"), shape_of(size))

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
        """Exponentials of normal draws."""
        checked("lognormal", mean, sigma, size)
        return np.exp(affine(NORMAL, mean, sigma, size))

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Any:
        """Whole numbers, looked at."""
        low, high, size = seen(low), seen(high), seen(size)
        tried(TRIAL.integers, low, high, size, dtype, endpoint)
        low, high = (0, low) if high is None else (low, high)
        found = whole_numbers(low, np.subtract(high, low) + int(endpoint), size, "integers")
        return (
            found
            if size is None and np.ndim(found) == 0 and dtype in (int, np.int64)
            else np.asarray(found).astype(dtype)[()]
        )

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        """Whole numbers, looked at."""
        return self.integers(low, high, size, dtype)

    def random_integers(self, low: Any, high: Any = None, size: Any = None) -> Any:
        """Whole numbers with both ends, looked at."""
        return self.integers(1 if high is None else low, low if high is None else high, size, endpoint=True)

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
    ) -> Any:
        """Choices, looked at."""
        a, size, p = seen(a), seen(size), seen(p)
        tried(TRIAL.choice, a, size, replace, p, axis)
        count = int(a) if np.ndim(a) == 0 else np.shape(a)[axis]
        index = chosen(count, p, size, replace, "choice", shuffle)
        if np.ndim(a) == 0:
            return index
        return np.take(np.asarray(a), index, axis=axis)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Return a permutation, which is looked at; the permuted array stays symbolic."""
        count = int(x) if np.ndim(x) == 0 else np.shape(x)[axis]
        order = ordered(count, "permutation")
        return order if np.ndim(x) == 0 else np.take(x if type(x) is Noisy else np.asarray(x), order, axis=axis)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Shuffle in place."""
        order = ordered(len(x) if axis == 0 else np.shape(x)[axis], "permutation")
        if isinstance(x, list):
            x[:] = [x[i] for i in order]
        else:
            x[...] = np.take(x, order, axis=axis).copy()

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Any:
        """Poisson draws."""
        return shaped("poisson", (lam,), size)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """Binomial draws."""
        return shaped("binom", (n, p), size, "binomial")

    def negative_binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """Negative binomial draws."""
        return shaped("nbinom", (n, p), size, "negative_binomial")

    def geometric(self, p: Any, size: Any = None) -> Any:
        """Geometric draws, from 1 on."""
        return shaped("geom", (p,), size, "geometric")

    def standard_gamma(self, shape: Any, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Gamma draws at scale 1."""
        return into(out, shaped("gamma", (shape,), size if out is None else out.shape, "standard_gamma"))

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
        """Gamma draws."""
        checked("gamma", seen(shape), scale, size)
        return self.standard_gamma(shape, shape_of(size, shape, scale) or None) * scale

    def chisquare(self, df: Any, size: Any = None) -> Any:
        """Chi-square draws."""
        return shaped("chi2", (df,), size, "chisquare")

    def beta(self, a: Any, b: Any, size: Any = None) -> Any:
        """Beta draws."""
        return shaped("beta", (a, b), size)

    def standard_t(self, df: Any, size: Any = None) -> Any:
        """Student draws."""
        return shaped("t", (df,), size, "standard_t")

    def rayleigh(self, scale: Any = 1.0, size: Any = None) -> Any:
        """Rayleigh draws."""
        checked("rayleigh", scale, size)
        return symbols(of_name("rayleigh"), shape_of(size, scale)) * scale

    def weibull(self, a: Any, size: Any = None) -> Any:
        """Weibull draws."""
        return shaped("weibull_min", (a,), size, "weibull")

    def pareto(self, a: Any, size: Any = None) -> Any:
        """Pareto draws, from 0 on."""
        return shaped("lomax", (a,), size, "pareto")

    def power(self, a: Any, size: Any = None) -> Any:
        """Draws with a power of the number as density on [0, 1]."""
        return shaped("powerlaw", (a,), size, "power")

    def f(self, dfnum: Any, dfden: Any, size: Any = None) -> Any:
        """Draws of Fisher's law."""
        return shaped("f", (dfnum, dfden), size)

    def zipf(self, a: Any, size: Any = None) -> Any:
        """Zipf draws."""
        return shaped("zipf", (a,), size)

    def logseries(self, p: Any, size: Any = None) -> Any:
        """Draws of the logarithmic series."""
        return shaped("logser", (p,), size, "logseries")

    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None) -> Any:
        """Triangular draws."""
        left, mode, right = seen(left), seen(mode), seen(right)
        checked("triangular", left, mode, right, size)
        peak = np.divide(np.subtract(mode, left), np.subtract(right, left))
        z = shaped("triang", (peak,), shape_of(size, left, mode, right), UNCHECKED)
        return z * np.subtract(right, left) + left

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> Any:
        """Numbers of good ones in samples, looked at."""
        given = tuple(seen(x) for x in (ngood, nbad, nsample))
        checked("hypergeometric", *given, size)
        if size is None and all(np.ndim(x) == 0 for x in given):
            return drawn_without(*map(int, given))
        shape = shape_of(size, *given)
        cells = zip(*(np.broadcast_to(x, shape).ravel() for x in given), strict=True)
        return np.array([drawn_without(*map(int, cell)) for cell in cells], dtype=np.int64).reshape(shape)

    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> Any:
        """Return counts, looked at."""
        n, pvals = seen(n), np.asarray(seen(pvals), dtype=float)
        checked("multinomial", n, pvals, size)
        if np.ndim(n) or pvals.ndim != 1:
            raise current().stop(f"multinomial of several laws at {place()} is not followed")
        shape = () if size is None else shape_of(size)
        rows = [counted(int(n), pvals) for _ in range(int(np.prod(shape)))]
        return np.array(rows, dtype=np.int64).reshape(*shape, len(pvals))

    def multivariate_normal(self, mean: Any, cov: Any, size: Any = None, *args: Any, **options: Any) -> Any:
        """Return normal vectors."""
        cov, size = seen(cov), seen(size)
        args, options = tuple(map(seen, args)), {k: seen(v) for k, v in options.items()}
        if "method" in options and not isinstance(self, RealGenerator):
            raise current().stop(f"RandomState.multivariate_normal at {place()} takes no method")
        tried(TRIAL.multivariate_normal, mean, cov, size, *args, **options)
        return normal_vectors(mean, cov, () if size is None else shape_of(size))

    def bytes(self, length: Any) -> Any:
        """Return one byte, looked at."""
        checked("bytes", seen(length))
        return one_byte(seen(length), "bytes")

    def spawn(self, n_children: int) -> Any:
        """Return generators that draw independently."""
        return [SPAWN[0]() for _ in range(int(n_children))]


def _of_python(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that gives single numbers of Python, as those of numpy's generators do.

    An array without axes is followed as a number of numpy; that nothing was to be changed in it, plain runs tell.
    """

    @functools.wraps(method)
    def called(*args: Any, **options: Any) -> Any:
        without_axes = any(type(a) is tuple and not a for a in (*args, *options.values()))
        found = method(*args, **options)
        if type(found) is Noisy and not found.ndim:
            return of_kind(found, found.whole, not without_axes)
        if without_axes and np.ndim(found) == 0 and type(found) is not bytes:
            return np.array(found)
        return found.item() if isinstance(found, np.generic) else found

    return called


for _name, _method in list(vars(Drawing).items()):
    if not _name.startswith("_") and _name not in ("choice", "permutation", "shuffle", "spawn", "integers", "randint"):
        setattr(Drawing, _name, _of_python(_method))

SPAWN: list[Callable[[], Any]] = []
"""How a followed generator is made; `numpy_sources` says it."""
