"""Does a sampler draw from the law it should? A bet on the difference, and exact tests of what is known of the law.

`conforms` is an audit of one data set under two mechanisms: if both laws agree, no event is more likely under either.
It needs draws of a reference only, stops as soon as it may, and covers statistics that were not thought of before.
`fits` compares one-dimensional statistics with their exact distribution functions (Kolmogorov and Smirnov): no draws of
a reference, milliseconds, but the number of draws is fixed beforehand and only the named statistics are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpspectra.audit.calling.arguments import checked_callback, checked_function
from dpspectra.audit.calling.arms import Arm, told_data
from dpspectra.audit.calling.caller import Caller, copies
from dpspectra.audit.calling.plain_numbers import as_numbers
from dpspectra.audit.claims import Closeness
from dpspectra.audit.engine import contest
from dpspectra.audit.options import Options, Watch
from dpspectra.audit.reading.stacked_outputs import Stacks, gathered, together
from dpspectra.audit.result import UNREAD, AuditResult
from dpspectra.ground import checks
from dpspectra.ground.array_types import Array

FAILURE = "failure of the candidate"
"""Key of the p-value 0 in a `Fit` of a candidate that does not return finite arrays of one shape."""


def conforms(
    candidate: Callable[..., Any],
    reference: Callable[..., Any],
    x: Any,
    *,
    tv_tolerance: float = 0.0,
    confidence: float = 0.999,
    draws: int = 100_000,
    seconds: float = 60.0,
    statistics: Mapping[str, Callable[[Any], float]] | None = None,
    classifier: Any = None,
    snap: int = 30,
    bits: bool = False,
    independent: bool = False,
    workers: int | None = None,
    require_power: float | str | None = None,
    accept_unread: float = UNREAD,
    resume: AuditResult | None = None,
    watch: Watch | None = None,
    rng: Any = 0,
) -> AuditResult:
    """Try to show that ``candidate(x)`` and ``reference(x)`` have laws further apart than ``tv_tolerance``.

    The claim is that their total variation distance is at most ``tv_tolerance``, for the law of a row. Numbers are
    compared, not what holds them: a list, a tuple and an array of any type are one sample. Choose inputs
    where the law is concentrated too: near the uniform law, a rejection sampler that accepts everything cannot be told
    from a right one.

    Parameters
    ----------
    candidate, reference
        Functions, called as `audit` calls a mechanism (``size`` or the like for many draws at once, ``rng``), each with
        its own randomness. `dpspectra.audit.references` has references for the samplers and the noise laws of this
        package. In messages the first data set is that of the candidate, the second that of the reference.
    x
        The input of both.
    tv_tolerance
        Largest distance that is claimed.
    independent
        Declares that rows of the reference are independent, as those of a numpy sampler are, and those of the candidate
        ought to be: one whose rows depend on each other does not conform then.
    confidence, draws, seconds, statistics, classifier, snap, bits, workers, require_power, accept_unread, resume
        As in `audit`.
    watch, rng
        As in `audit`.

    Returns
    -------
    AuditResult
        ``violated`` with probability at most ``1 - confidence`` if the claim is true. If it is violated, ``bound`` is a
        certified lower bound on the distance.

    Raises
    ------
    ValueError
        As `audit`, and if a reference raises, which is no fault of the candidate.

    Examples
    --------
    >>> def fair(sides, size, rng):
    ...     return rng.integers(sides, size=size)
    >>> def loaded(sides, size, rng):
    ...     return np.maximum(rng.integers(sides, size=size), rng.integers(sides, size=size))
    >>> conforms(loaded, fair, 6, rng=0).violated
    True

    """
    callers = _caller(candidate, "candidate", x), _caller(reference, "reference", x)
    arms, claim = (Arm(callers[0], x), Arm(callers[1], x, trusted=True)), Closeness(tv_tolerance)
    options = Options(
        confidence=confidence,
        draws=draws,
        seconds=seconds,
        statistics=statistics,
        classifier=classifier,
        snap=snap,
        bits=bits,
        independent=independent,
        workers=workers,
        require_power=require_power,
        accept_unread=accept_unread,
        resume=resume,
        watch=watch,
        rng=rng,
    )
    return contest(arms, claim, options, first_calls_count=False)


@dataclass(frozen=True, slots=True)
class Marginal:
    """Hold a real statistic of outputs and its exact distribution function.

    Parameters
    ----------
    name
        What the statistic is called in the report.
    statistic
        Function of outputs that are stacked along the first axis; returns an array of shape ``(n,)``.
    cdf
        Distribution function of the statistic, for an array of its values.

    Raises
    ------
    ValueError
        If ``name`` is no string, or if a function cannot be called.

    """

    name: str
    statistic: Callable[[Array], Array]
    cdf: Callable[[Array], Array]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ValueError(f"name must be a string, got {checks.shown(self.name)}")
        checked_callback(self.statistic, "statistic", "outputs")
        checked_callback(self.cdf, "cdf", "values")


@dataclass(frozen=True, slots=True)
class Reference:
    """A law for every input: call it like a sampler, ``reference(x, size=..., rng=...)``."""

    name: str
    draw: Callable[[Any, int, np.random.Generator], Array]
    marginals: Callable[[Any], tuple[Marginal, ...]]
    """One-dimensional statistics whose exact distribution functions are known, for a given input."""

    def __call__(self, x: Any, *, size: int, rng: np.random.Generator) -> Array:
        """``size`` draws along the first axis."""
        return self.draw(x, size, rng)


@dataclass(frozen=True, slots=True)
class Fit:
    """Outcome of `fits`."""

    p_values: Mapping[str, float]
    """Exact p-value of each statistic."""

    @property
    def p_value(self) -> float:
        """p-value of all statistics together (Bonferroni)."""
        return min(1.0, len(self.p_values) * min(self.p_values.values()))

    @property
    def worst(self) -> str:
        """The statistic with the smallest p-value."""
        return min(self.p_values, key=self.p_values.__getitem__)


def fits(
    candidate: Callable[..., Any], marginals: tuple[Marginal, ...], x: Any, *, draws: int = 1000, rng: Any = 0
) -> Fit:
    """Test ``draws`` outputs of ``candidate(x)`` against exact distribution functions, by Kolmogorov and Smirnov.

    Parameters
    ----------
    candidate
        Called as `audit` calls a mechanism; it returns one array.
    marginals
        Statistics of an output with their exact laws.
    x
        Input of the candidate.
    draws
        Number of outputs.
    rng
        A seed or a numpy Generator; None for fresh entropy.

    Returns
    -------
    Fit
        P-values by the names of the marginals. A draw that fails has p-value 0, as no law here fails.

    Raises
    ------
    ValueError
        If a number is out of its range, or if there are no marginals.

    """
    from scipy.stats import kstest

    checks.integer(draws, "draws", 1)
    _check_marginals(marginals)
    caller = _caller(candidate, "candidate", x)
    generator = checks.generator(rng)
    values = _values(caller, x, draws, generator)
    if values is None:
        return Fit({FAILURE: 0.0})
    exact = {m.name: kstest(m.statistic(values), m.cdf, method="exact").pvalue for m in marginals}
    return Fit({name: float(p) for name, p in exact.items()})


def _values(caller: Caller, x: Any, draws: int, rng: np.random.Generator) -> Array | None:
    """Draws stacked along the first axis; ``None`` if one of them fails, is not finite or unlike the others."""
    if caller.batched:
        call = caller.many(copies(x), rng, draws)()
        if call is None:
            return None
        rows = together([call])
    else:
        run = caller.one_by_one(copies(x), rng)
        rows = gathered([run() for _ in range(draws)], caller.shape)
    if not isinstance(rows, Stacks) or rows.bundled:
        return None
    (values,) = rows.arrays.values()
    return values if np.isfinite(values).all() else None


def _caller(function: Any, name: str, x: Any) -> Caller:
    return Caller.checked(as_numbers(told_data(checked_function(function, name), x, x)), name, x)


def _check_marginals(marginals: Any) -> None:
    if not isinstance(marginals, (tuple, list)) or not all(isinstance(each, Marginal) for each in marginals):
        raise ValueError(f"marginals must be a tuple of Marginal, got {checks.shown(marginals)}")
    if not marginals:
        raise ValueError("marginals must hold a statistic, got none")
    names = [each.name for each in marginals]
    if len(set(names)) < len(names):
        raise ValueError(f"marginals must have names of their own, got {', '.join(map(repr, names))}")
