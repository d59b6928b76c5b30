"""A mechanism as data: facts about it that need no call. It imports no mechanism."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from dpspectra.relations import Relation, among

if TYPE_CHECKING:
    from fractions import Fraction

    from dpspectra.mechanisms.added_noise import AddedNoise, Privacy
    from dpspectra.mechanisms.claims import Claim
    from dpspectra.mechanisms.release import Release

ROOM = "dpspectra.mechanisms"
ROWS, MOMENTS, MATRIX, BATCHES = "rows", "moments", "matrix", "batches"
"""Data: a person a row; such rows, or a `Matrix` that somebody summed; any matrix; rows that come in batches."""


class Noise(Protocol):
    """A module of `mechanisms.noises`: a law with its scale, and what it costs directions."""

    def sized(
        self, d: int, privacy: Privacy, square: Fraction, relation: str = ..., share: Fraction = ...
    ) -> AddedNoise:
        """Return noise on ``(d, d)`` sums that hides a row of squared norm ``square`` at this share of the loss."""

    def variance(self, d: int, epsilon: float, delta: float) -> float:
        """Return the variance off the diagonal in a generic basis, for rows of norm 1; infinite if it never wins."""


@dataclass(frozen=True, slots=True)
class Ideal:
    """A law of `audit.references` that a call of the mechanism must follow."""

    reference: str
    given: tuple[Any, ...]
    """Arguments of the reference."""
    call: Mapping[str, Any]
    """Arguments of the mechanism besides the data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """A public function that releases something."""

    name: str
    """Name of the function, in `dpspectra` and in `dpspectra.mechanisms`."""
    home: str
    """Its module in `dpspectra.mechanisms`."""
    text: str
    """The released value and its claim, in one line, with a semicolon between them."""
    data: str = ROWS
    """Content of its first argument: ``"rows"``, ``"moments"``, ``"matrix"`` or ``"batches"``."""
    needs: tuple[str, ...] = ()
    """Public arguments without default besides epsilon."""
    takes: tuple[str, ...] = ()
    """Those of ``delta`` and ``k`` that it may have besides."""
    relations: tuple[Relation, ...] = (Relation.REPLACE,)
    """Neighbours that it can be private for, its default first."""
    labels: tuple[str, ...] = ()
    """Statements of the ledger that a claim in ideal arithmetic may rest on."""
    gaussian: bool = False
    """Whether a claim with a delta is Gaussian private, with its exact mu."""
    noise: str = ""
    """Module in `mechanisms.noises`, if others may choose this noise by the name of the mechanism."""
    centred: bool = False
    """Whether the call has a ``center``; `choice.center_of` says what its word stands for."""
    chooses: bool = False
    """Whether the call takes such a noise, told by `choice.foretold`."""
    alone: tuple[str, ...] = ()
    """Laws of what its noise alone would return, by their names in `remarks.LAWS`: each release states one or more.

    One that is private and has none fails a test.
    """
    scales: tuple[str, ...] = ()
    """Functions of `oracle.noise_scales` that say how much noise its claim needs; none if the noise is another's."""
    ideals: tuple[Ideal, ...] = ()
    """Laws by which the conformance suite judges it."""
    offered: bool = False
    """Whether ``dpspectra release`` offers it."""
    bounded: bool = True
    """Whether it needs a bound on the norms of rows."""
    moments: int = 2
    """Order of the moments that it needs of rows; 0 if it needs the rows themselves."""
    arrays: int = 5
    """Arrays of float64, of the size of second moments, that a certified release of many columns holds at a time."""
    private: bool = True

    @property
    def computed(self) -> str:
        """The released value, in words."""
        return self.text.rpartition(";")[0]

    @property
    def of_rows(self) -> bool:
        """Whether data are rows, or may be."""
        return self.data in (ROWS, MOMENTS)

    @property
    def sums(self) -> bool:
        """Whether data may be a `Matrix`."""
        return self.data == MOMENTS

    @property
    def known(self) -> tuple[str, ...]:
        """Options that it needs or takes."""
        return self.needs + self.takes

    def function(self) -> Callable[..., Release[Any]]:
        """Return the function itself; imports its module."""
        return cast("Callable[..., Release[Any]]", getattr(importlib.import_module(f"{ROOM}.{self.home}"), self.name))

    def law(self) -> Noise:
        """Return its noise; imports what this law needs, and no other one."""
        return cast(Noise, importlib.import_module(f"{ROOM}.noises.{self.noise}"))

    def promise(self, epsilon: float, delta: float) -> dict[str, Any]:
        """Return what a claim says of delta: the fields ``delta`` and ``gdp_mu``."""
        if "delta" not in self.known or not delta:
            return {"delta": 0.0, "gdp_mu": None}
        if not self.gaussian:
            return {"delta": delta, "gdp_mu": None}
        from dpspectra.mechanisms.gaussian_mu import whole_mu

        return {"delta": delta, "gdp_mu": whole_mu((epsilon, delta))}

    def planned(self, **arguments: Any) -> Claim:
        """Return the claim that a call with these arguments makes, or a larger one, from public numbers alone.

        The mechanism itself starts from it, and adds the arithmetic and the labels. Of data it looks at the outside
        (`door.outside`); where the choice of the noise hangs on more, the claim has the delta given, and no mu. Raises
        ``ValueError`` as the call would.
        """
        from dpspectra.ground import checks
        from dpspectra.mechanisms.claims import IDEAL_ASSUMPTIONS, Claim
        from dpspectra.mechanisms.planning import Takes, unit_of

        relation = among(arguments.get("relation", self.relations[0]), self.relations)
        epsilon = checks.epsilon(arguments["epsilon"])
        delta = checks.probability(arguments.get("delta", 0.0), "delta", zero="delta" not in self.needs)
        choice = importlib.import_module(f"{ROOM}.choice") if self.chooses else None
        if choice and self.centred:
            arguments["center"] = choice.center_of(**arguments)
        chosen = choice.foretold(**arguments) if choice else None
        takes = Takes(self.of_rows, self.sums, self.bounded, self.moments, (chosen or self).arrays)
        unit = unit_of(takes, relation, arguments)
        unit["assumptions"] = (*IDEAL_ASSUMPTIONS, *unit["assumptions"])
        return Claim(epsilon=epsilon, **(chosen or self).promise(epsilon, delta), **unit)
