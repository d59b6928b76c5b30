"""Laws of `scipy.stats`: ``rvs`` draws symbols of the law, with its own density."""

import inspect
from typing import Any

import numpy as np

from dpspectra.symbolic.given_draws import affine, chosen, shape_of, symbols
from dpspectra.symbolic.given_seed import GivenSeed, is_fresh
from dpspectra.symbolic.laws import EXPONENTIAL, GUMBEL, LAPLACE, LOGISTIC, NORMAL, UNIFORM, Law, of_scipy
from dpspectra.symbolic.noisy_numbers import Noisy, seen
from dpspectra.symbolic.number_kinds import of_kind
from dpspectra.symbolic.numpy_draws import Drawing
from dpspectra.symbolic.numpy_sources import by_its_seed, followed_state
from dpspectra.symbolic.poisson_differences import LARGEST_MEAN, poisson_difference
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.quantiles import quantile_of
from dpspectra.symbolic.refused_draws import tried
from dpspectra.symbolic.rounded_laws import two_sided_geometric
from dpspectra.symbolic.tape import current, following

KNOWN: dict[str, Law] = {
    "norm": NORMAL,
    "laplace": LAPLACE,
    "uniform": UNIFORM,
    "expon": EXPONENTIAL,
    "gumbel_r": GUMBEL,
    "logistic": LOGISTIC,
}
_REAL_STATE, RealState = np.random.mtrand._rand, np.random.RandomState


def replacements() -> list[tuple[Any, str, Any]]:
    """Return the replacements: owner, name, replacement."""
    from scipy.stats import _distn_infrastructure as laws
    from scipy.stats import _multivariate

    def followed(real: Any) -> Any:
        return lambda law, *args, **options: rvs(real, law, *args, **options)

    def rvs(real: Any, law: Any, *args: Any, **options: Any) -> Any:
        if not following():
            return real(law, *args, **options)
        state, size = _state(options.pop("random_state", None)), options.pop("size", None)
        if state is not None and not isinstance(state, Drawing):
            plain = {k: seen(v) for k, v in options.items()}
            return real(law, *map(seen, args), size=seen(size), random_state=state, **plain)
        if law._random_state is not _REAL_STATE and not isinstance(law._random_state, Drawing):
            raise current().stop(f"the law at {place()} draws from a state of its own")
        with by_its_seed():
            private = RealState(0)
        plain = {k: _located(v) for k, v in options.items()}
        trial = tried(real, law, *map(_located, args), size=size, random_state=private, **plain)
        shapes, loc, scale = law._parse_args(*args, **options)
        if type(law) is laws.rv_sample and not vars(law).keys() & {"_rvs", "_ppf"}:
            return _listed(law, loc, size, np.asarray(trial).dtype)
        if not _is_of_scipy(law) or len(shapes) != law.numargs or any(np.ndim(s) for s in shapes):
            raise current().stop(f"{law.name or type(law).__name__} at {place()} is a law that is not followed")
        found = drawn(law, shapes, loc, scale, size)
        if type(found) is Noisy and not found.ndim:
            return of_kind(found, found.whole, found.whole)
        return np.float64(found) if type(found) is float else found

    def drawn(law: Any, shapes: Any, loc: Any, scale: Any, size: Any) -> Any:
        if law.name in KNOWN:
            return affine(KNOWN[law.name], loc, scale, size)
        if law.name == "dlaplace":
            return symbols(two_sided_geometric(float(np.asarray(seen(shapes[0])))), shape_of(size, loc)) + loc
        shapes = tuple(np.asarray(seen(s)).item() for s in shapes)
        if law.name == "skellam" and sum(shapes) <= LARGEST_MEAN:
            return symbols(poisson_difference(*map(float, shapes)), shape_of(size, loc)) + loc
        z = symbols(
            of_scipy(" ".join([law.name, *map(repr, map(float, shapes))]), law(*shapes)), shape_of(size, loc, scale)
        )
        return z + loc if isinstance(law, laws.rv_discrete) else z * scale + loc

    kinds = [kind for kind in (laws.rv_generic, laws.rv_continuous, laws.rv_discrete) if "rvs" in vars(kind)]
    found: list[tuple[Any, str, Any]] = [(kind, "rvs", followed(kind.rvs)) for kind in kinds]
    found += [(laws.rv_continuous, name, _quantile(vars(laws.rv_continuous)[name], name)) for name in ("ppf", "isf")]
    for name, kind in vars(_multivariate).items():
        if isinstance(kind, type) and "rvs" in vars(kind):
            normal = name.startswith("multivariate_normal")
            found.append((kind, "rvs", (_normal if normal else _unknown)(f"rvs of {name}", vars(kind)["rvs"])))
    return found


def _is_of_scipy(law: Any) -> bool:
    """Whether a law is one of scipy's as it is there: no subclass of it, and nothing of it is replaced."""
    from scipy import stats

    known, kind = getattr(stats, str(law.name), None), type(law)
    if known is None or type(known) is not kind or (law.a, law.b) != (known.a, known.b):
        return False
    inner = [vars(owner).get(name) for owner in kind.__mro__ for name in vars(owner) if name[0] == "_" != name[1]]
    whole = all(str(getattr(one, "__module__", "scipy")).startswith("scipy") for one in inner if callable(one))
    return whole and not set(vars(law)) & set(dir(kind)) - {"__doc__"}


def _quantile(real: Any, name: str) -> Any:
    """Return an inverse cumulative that knows those of uniform draws."""

    def called(law: Any, q: Any, *args: Any, **options: Any) -> Any:
        found = None
        if type(q) is Noisy and _is_of_scipy(law):
            shapes, loc, scale = law._parse_args(*args, **options)
            plain = not any(type(s) is Noisy or np.ndim(s) for s in shapes) and type(scale) is not Noisy
            if plain and len(shapes) == law.numargs and np.all(np.asarray(scale) > 0):
                found = _standard(real, law, tuple(map(float, shapes)), name, q)
        if found is None:
            return real(law, seen(q), *map(seen, args), **{k: seen(v) for k, v in options.items()})
        return found * scale + loc

    return called


def _standard(real: Any, law: Any, shapes: tuple[float, ...], name: str, q: Noisy) -> Any:
    own = KNOWN.get(law.name) or of_scipy(" ".join([law.name, *map(repr, shapes)]), law(*shapes))
    survival = name == "isf"
    cumulative = law.sf if survival else law.cdf
    return quantile_of(own, lambda u: real(law, u, *shapes), lambda z: cumulative(z, *shapes), q, falling=survival)


def _state(given: Any) -> Any:
    """Return the generator that is asked for; ``None`` for the law's own."""
    if type(given) is GivenSeed and is_fresh(given):
        return followed_state()
    return current().seeded.get("numpy") if given is None else given


def _listed(law: Any, loc: Any, size: Any, dtype: Any) -> Any:
    """Draws of a law whose values are listed, looked at; what the masses leave of 1 is the first value's."""
    ends = np.minimum(law.qvals, 1.0)
    masses = np.diff(ends, prepend=0.0)
    masses[0] += 1 - ends[-1]
    found = law.xk[chosen(len(masses), masses, seen(size), True, "rv_discrete")] + seen(loc)
    return np.asarray(found, dtype=dtype)[()]


def _normal(name: str, real: Any) -> Any:
    """Let scipy ask a followed generator for normal vectors."""
    signature = inspect.signature(real)

    def method(*args: Any, **options: Any) -> Any:
        if not following():
            return real(*args, **options)
        given = signature.bind(*args, **options).arguments
        state = _state(given.pop("random_state", None))
        if state is not None and not isinstance(state, Drawing):
            return real(**{k: v if k == "self" else seen(v) for k, v in given.items()}, random_state=state)
        law = given["self"]
        own = getattr(law, "_dist", law)._random_state
        if own is not _REAL_STATE and not isinstance(own, Drawing):
            raise current().stop(f"{name} at {place()} draws from a state of its own")
        return real(**given, random_state=followed_state() if state is None else state)

    return method


def _located(x: Any) -> Any:
    return np.zeros(x.shape) if type(x) is Noisy else x


def _unknown(name: str, real: Any) -> Any:
    def method(*args: Any, **options: Any) -> Any:
        if not following():
            return real(*args, **options)
        raise current().stop(f"{name} at {place()} is a source of randomness that is not followed")

    return method
