"""Which mechanism serves leading directions best, by public numbers only, so that the choice costs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import ArrayLike

from dpspectra.fast.gaussian_profile import mu_for
from dpspectra.ground import checks
from dpspectra.mechanisms.catalogue import NOISES, get
from dpspectra.mechanisms.mechanism_record import Mechanism
from dpspectra.mechanisms.private_data import SUM, outside
from dpspectra.relations import Relation

if TYPE_CHECKING:
    from dpspectra.mechanisms.added_noise import AddedNoise, Privacy

AUTO, ORBIT = "auto", "orbit"
NONE, MEAN, PAIRS = "none", "mean", "pairs"
CENTERS = (AUTO, NONE, MEAN, PAIRS)
"""Words for what directions are about."""
WEAK, STRONG = 1.1, 2.5
"""Where the largest eigenvalue times ``epsilon / d`` is between these, a line from the orbit beats other lines."""

MECHANISMS = (AUTO, ORBIT, *NOISES)
SIMPLEST = "symmetric_wishart_covariance"


class Choice(NamedTuple):
    """A mechanism by name, and why it was chosen, in words."""

    mechanism: str
    reason: str

    def details(self) -> dict[str, Any]:
        """Return the entries of a release's details."""
        return {"mechanism": self.mechanism, "reason": self.reason}


def smallest_noise(d: int, epsilon: float, delta: float) -> str:
    """Return the noisy covariance with the smallest variance off the diagonal.

    In one dimension all pure noise is the same. Seconds and memory do not count, nor does the machine, so that a call
    makes the same claim everywhere: of 1,000 columns and more this noise is the quickest, too, with a delta, and
    without one the only quicker, Laplace noise, is 19 times as large.
    """
    if d == 1:
        return "gaussian_covariance" if delta and mu_for(epsilon, delta) ** 2 > epsilon**2 / 2 else SIMPLEST
    return min(NOISES, key=lambda name: NOISES[name].law().variance(d, epsilon, delta))


def for_directions(
    d: int, k: int, epsilon: float, delta: float, square: float, spectrum: ArrayLike | None = None
) -> Choice:
    """Return the mechanism for ``k`` leading directions of rows of length ``d``.

    Eigenvectors of a noisy covariance are near the best nearly everywhere. The orbit mechanism may be far behind; it is
    ahead for one direction whose eigenvalue is known to be just above the noise.
    ``spectrum`` is a public guess of the eigenvalues of ``X'X``; ``square`` the largest trace of one person's part.
    """
    if k == d:
        return Choice(ORBIT, "the whole space says nothing about the data")
    if spectrum is not None:
        strength = float(checks.spectrum(spectrum, d, "spectrum")[0]) * epsilon / (d * square)
        if k == 1 and WEAK < strength < STRONG and smallest_noise(d, epsilon, delta) != "gaussian_covariance":
            return Choice(ORBIT, f"one direction, {strength:.2g} times the noise of a covariance by the public guess")
    return for_noise(d, epsilon, delta)


def for_noise(d: int, epsilon: float, delta: float) -> Choice:
    """Return the noisy covariance with the least noise."""
    name = smallest_noise(d, epsilon, delta)
    return Choice(name, f"of covariances with this claim the one with the least noise for d = {d}")


def for_matrices(d: int, is_complex: bool, epsilon: float, delta: float, asked: Sequence[str]) -> Choice:
    """Return the mechanism for approximations of a matrix: its size and declared type count, not its entries.

    ``asked`` are arguments of the orbit mechanism that were given.
    """
    if asked:
        return Choice(ORBIT, f"its {asked[0]} was given")
    if is_complex:
        return Choice(ORBIT, "the matrix is complex")
    return Choice(smallest_noise(d, epsilon, delta), f"of noises with this claim the least for d = {d}")


def center_of(
    center: str = AUTO,
    mechanism: str = AUTO,
    relation: str = Relation.REPLACE,
    field: str | None = None,
    spectrum: ArrayLike | None = None,
    **_: Any,
) -> str:
    """Return what directions are about: the mean, by pairs of rows, unless a call says else.

    The orbit, with the options that ask for it, and ``"add_remove"`` have no pairs: these directions are about zero.
    """
    if checks.choice(center, "center", CENTERS) != AUTO:
        return center
    paired = mechanism != ORBIT and relation == Relation.REPLACE and field is None and spectrum is None
    return PAIRS if paired else NONE


def foretold(
    epsilon: float, delta: float = 0.0, mechanism: str = AUTO, k: int | None = None, **arguments: Any
) -> Mechanism | None:
    """Return the covariance whose noise such a call takes; ``None`` for the orbit, or if it depends on more.

    Of the data the outside is looked at. Raises ``ValueError`` for an unknown ``mechanism``, and if it
    needs a delta.
    """
    if checks.choice(mechanism, "mechanism", MECHANISMS) in NOISES:
        if "delta" in NOISES[mechanism].needs:
            checks.probability(delta, "delta")
        return NOISES[mechanism]
    looked = outside(arguments.get("X"))
    asked = [name for name in ("spectrum", "field", "split", "lambda1") if arguments.get(name) is not None]
    if mechanism == ORBIT or asked or not looked.width:
        return None
    width = looked.width + (arguments.get("constant") is not None and arguments.get("center") != PAIRS)
    summed_complex = looked.kind == SUM and looked.dtype is not None and looked.dtype.kind == "c"
    whole_space = looked.width == k and looked.kind != SUM and arguments.get("center", NONE) == NONE
    if summed_complex or whole_space:
        return None
    return NOISES[smallest_noise(width, epsilon, delta)]


def chosen_noise(
    asked: str, d: int, privacy: Privacy, square: Fraction, relation: str, share: Fraction = Fraction(1)
) -> tuple[Choice, AddedNoise, dict[str, Any]]:
    """Return the covariance that was asked for by name, or the one with the least noise, with its `named_noise`."""
    choice = Choice(asked, "asked for") if asked != AUTO else for_noise(d, *privacy)
    return choice, *named_noise(choice.mechanism, d, privacy, square, relation, share)


def named_noise(
    name: str, d: int, privacy: Privacy, square: Fraction, relation: str, share: Fraction = Fraction(1)
) -> tuple[AddedNoise, dict[str, Any]]:
    """Return the noise of a covariance by its name, for a share of the loss, and what the claim says of delta.

    ``square`` is that of the longest row. A row that appears or goes replaces one of zeros, or is replaced by it.
    """
    record = get(name, NOISES)
    return record.law().sized(d, privacy, square, relation, share), record.promise(*privacy)
