"""Noise and claim of a private run of the power method, round by round."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

from dpspectra.certified import calibrate
from dpspectra.formulas import quantised_step
from dpspectra.ground import checks, records
from dpspectra.ground.array_types import Array
from dpspectra.matrices.tall_blocks import largest_entry
from dpspectra.mechanisms.claims import CERTIFIED, IDEAL, Claim
from dpspectra.mechanisms.gaussian_mu import delta_of
from dpspectra.mechanisms.privacy_unit import RELATIONS
from dpspectra.mechanisms.release import Private
from dpspectra.relations import Relation, among

DILATED = {Relation.ENTRY: Relation.PAIR, Relation.SPECTRAL: Relation.SPECTRAL}
SCALES = ("row", "max", "fixed", "doubling")


class LargeEntryError(RuntimeError):
    """An iterate has an entry above the public bound that the noise was calibrated for. Releasing this is private."""


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """A private run in public numbers."""

    relation: Relation
    inner: Relation
    """The relation for the matrix that is multiplied, which may be a dilation."""
    epsilon: float
    delta: float
    mu: float | None
    """Parameter of Gaussian differential privacy of the whole run; ``None`` where the noise is Laplace noise."""
    rounds: int
    """Products released, that for the low-rank approximation included."""
    scale: str
    entry_bound: float | None
    dtype: str
    """Type of the products: its rounding is part of the release."""
    assumptions: tuple[str, ...]
    labels: tuple[str, ...]
    arithmetic: str
    domain: tuple[str, ...] = ()
    """Conditions on both of two neighbours."""
    public: tuple[str, ...] = ()
    """Facts that were taken as known."""

    def claim(self, done: int) -> Claim:
        """Privacy of so many rounds, which may be more than those of one run; its numbers are rounded upward.

        Who stops a run with normal noise early may do so because of what was released, and then no smaller delta holds
        for all that was seen: the claim is that of the whole run, and says what was used besides.
        """
        epsilon, delta, mu, used, share = self.epsilon, self.delta, self.mu, None, Fraction(done, self.rounds)
        if mu is None:
            epsilon = calibrate.least(lambda e: e >= share * Fraction(self.epsilon), share * Fraction(epsilon))
        elif share < 1:
            used = calibrate.at_least_root(share * Fraction(mu) ** 2, 1.0) if done else None
        elif share > 1:
            mu = calibrate.at_least_root(share * Fraction(mu) ** 2, 1.0)
            delta = delta_of(epsilon, mu)
        return Claim(
            self.relation,
            epsilon,
            delta,
            mu,
            self.assumptions,
            self.labels,
            self.arithmetic,
            domain=self.domain,
            public=self.public,
            used_mu=used,
        )

    def noise(self, x: Array, largest: float, unit: Fraction = quantised_step.WHOLE) -> float:
        """Return the noise for the product with ``x``, rounded upward: standard deviation (normal) or scale (Laplace).

        ``largest`` bounds the entries of all blocks so far, ``unit`` is that of the entries of the matrix.
        """
        square = self._squared_sensitivity(x, largest, unit)
        if self.mu is None:
            return calibrate.at_least_root(self.rounds**2 * square, self.epsilon)
        return calibrate.at_least_root(self.rounds * square, self.mu)

    def _squared_sensitivity(self, x: Array, largest: float, unit: Fraction) -> Fraction:
        """Square of the sensitivity of ``A -> A X`` in Frobenius or l1 norm."""
        l1 = self.mu is None
        if self.scale == "row" or self.inner in (Relation.SPECTRAL, Relation.RANK_ONE):
            return quantised_step.squared(x, self.inner, l1=l1, unit=unit)
        entry, p = Fraction(self._entry(x, largest)), x.shape[1]
        return (2 * p * entry) ** 2 if l1 else 2 * p * entry**2

    def _entry(self, x: Array, largest: float) -> float:
        """Return the bound on entries that a scale other than ``"row"`` goes by."""
        entry = largest_entry(x)
        if self.scale == "doubling":
            mantissa, exponent = math.frexp(max(entry, largest))
            return math.ldexp(1.0, exponent - (mantissa == 0.5))
        if self.entry_bound is None:
            return entry
        if entry > self.entry_bound:
            raise LargeEntryError(f"an iterate has an entry of {entry:.6g}, above the bound {self.entry_bound:.6g}")
        return self.entry_bound


TEXTS = records.listed(records.text)
PLAN = records.record(
    {
        "relation": partial(among, allowed=RELATIONS),
        "inner": partial(among, allowed=RELATIONS),
        "epsilon": records.number(above=0),
        "delta": records.number(0, math.nextafter(1, 0)),
        "mu": records.optional(records.number(above=0)),
        "rounds": records.whole(1, checks.LARGEST_INTEGER),
        "scale": records.among(*SCALES),
        "entry_bound": records.optional(records.number(above=0)),
        "dtype": records.among("float64", "float32"),
        "assumptions": TEXTS,
        "labels": TEXTS,
        "arithmetic": records.among(CERTIFIED, IDEAL),
        "domain": TEXTS,
        "public": TEXTS,
    }
)
"""Fields of a plan in a file."""
NOISE = records.listed(records.number(above=0))
LARGEST_KEY = 2**256 - 1


@dataclass(frozen=True, slots=True)
class PowerState:
    """A private run between two rounds: what its releases show, and what they have cost. It may be published.

    ``private`` is for whoever runs it: a run that goes on recognises its matrix by it. It is in no ``repr``, copy or
    pickle, only in the file that `save` writes.
    """

    iterate: Array
    """The orthonormal ``(d, width)`` block to be multiplied next."""
    largest_entry: float
    """Largest modulus of an entry of any iterate so far, the start included."""
    noise: tuple[float, ...]
    """Standard deviation (normal) or scale (Laplace) of the noise in each round done."""
    plan: PowerPlan
    """The public numbers that the run was started with. To go on with others would use a noise twice."""
    private: Mapping[str, Any] = field(default_factory=lambda: Private({}), repr=False, compare=False)
    singular_values: tuple[float, ...] = ()
    """Those of the last product, as they are compared with its noise."""

    def __reduce__(self) -> tuple[Any, ...]:
        given = self.iterate, self.largest_entry, self.noise, self.plan, Private({}), self.singular_values
        return type(self), given

    @property
    def rounds(self) -> int:
        """Rounds done."""
        return len(self.noise)

    @property
    def claim(self) -> Claim:
        """Privacy of the rounds done: with normal noise that of the whole run, and what they used as ``used_mu``."""
        return self.plan.claim(self.rounds)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a new file, to go on from in another process; the file is private, as telling as the matrix.

        The file may be read by its owner alone, and is whole or not there at all.

        Parameters
        ----------
        path : str or path
            Name of a file that does not exist.

        Raises
        ------
        FileExistsError
            If there is one already.
        OSError
            Where none can be written.
        ValueError
            If ``path`` is no path.

        Examples
        --------
        >>> import tempfile, dpspectra, numpy as np
        >>> A, states = np.diag([9.0, 1.0, 0.0]), []
        >>> release = dpspectra.private_power_method(A, 1, 1.0, iterations=2, checkpoint=states.append)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     states[0].save(f"{folder}/run.state")
        ...     state = dpspectra.PowerState.load(f"{folder}/run.state")
        >>> state.rounds, state.plan == states[0].plan
        (1, True)

        """
        from dpspectra.mechanisms import power_file

        fields = {name: getattr(self, name) for name in self.__slots__}
        power_file.save(path, {**fields, "plan": asdict(self.plan)})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> PowerState:
        """Read a run that `save` wrote.

        Parameters
        ----------
        path : str or path
            Name of the file.

        Returns
        -------
        PowerState
            The state, with what it knows its matrix by.

        Raises
        ------
        OSError
            If the file cannot be read.
        ValueError
            If it holds anything else, or has changed.

        Examples
        --------
        >>> PowerState.load("no such file")
        Traceback (most recent call last):
        FileNotFoundError: [Errno 2] No such file or directory: 'no such file'

        """
        from dpspectra.mechanisms import power_file

        known = records.record({}, {"key": records.whole(0, LARGEST_KEY), "product": power_file.matrix})
        fields = {"iterate": power_file.matrix, "largest_entry": records.number(above=0), "noise": NOISE}
        fields |= {"plan": PLAN, "private": known}
        found = power_file.load(path, fields, {"singular_values": records.listed(records.number(0))})
        plan = PowerPlan(**found["plan"])
        state = cls(**{**found, "plan": plan, "private": Private(found["private"])})
        try:
            possible = state._possible and state.claim
        except (ValueError, ArithmeticError):  # no plan has such numbers
            possible = False
        if not possible:
            raise ValueError("path must be a file of a run that there can be, got another one")
        return state

    @property
    def _possible(self) -> bool:
        """Whether the parts fit together, as those of a file need not."""
        known, plan = self.private, self.plan
        return (
            self.rounds <= plan.rounds
            and str(self.iterate.dtype) == plan.dtype
            and (plan.mu is None) == (plan.delta == 0)
            and set(known) in (set(), {"key", "product"})
            and (not known or known["product"].shape[0] == len(self.iterate))
        )

    def continued(self, times: int) -> Claim:
        """Return the privacy of all releases if the run is finished so many times from here, each with its own noise.

        Parameters
        ----------
        times
            Number of runs to the end. The rounds done are paid for once, those to come each time.

        Returns
        -------
        Claim
            The claim about all of them together.

        Raises
        ------
        ValueError
            For a number below 1, and for so many times that ``delta`` is 1.

        """
        checks.integer(times, "times", 0)
        return self.plan.claim(self.rounds + times * (self.plan.rounds - self.rounds))


def multiplied(relation: Relation, square: bool) -> Relation:
    """Return what ``relation`` on a matrix is for the symmetric one that is multiplied, itself or its dilation.

    Raises ``ValueError`` where there is no such thing: by one entry alone a symmetric matrix becomes one that is not,
    and to refuse that one would tell the two apart.
    """
    if square and relation is not Relation.ENTRY:
        return relation
    if not square and relation in DILATED:
        return DILATED[relation]
    allowed = "'pair', 'spectral' or 'rank_one' for a square" if square else "'entry' or 'spectral' for a rectangular"
    raise ValueError(f"relation must be {allowed} matrix A, got {str(relation)!r}")
