"""Releases: a value, the privacy claim that its mechanism makes, and bounds on its error."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from dpspectra.certified.entropy import Entropy
from dpspectra.ground import checks
from dpspectra.mechanisms.claims import Claim, Guarantee

Value = TypeVar("Value", covariant=True)


class Private(Mapping[str, Any]):
    """A field for whoever runs the mechanism: in no text, copy or pickle, and hence in no `dataclasses.asdict`."""

    __slots__ = ("_known",)

    def __init__(self, known: Mapping[str, Any]) -> None:
        self._known = dict(known)

    def __getitem__(self, name: str) -> Any:
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __repr__(self) -> str:
        return "Private()"

    def __reduce__(self) -> tuple[Any, ...]:
        return Private, ({},)

    def __deepcopy__(self, memo: object) -> Private:
        return Private({})


@dataclass(frozen=True, slots=True)
class Release(Generic[Value]):
    """Hold the output of a mechanism, with its claim.

    ``value`` is what the claim covers. It may be published with the ``claim`` and the ``details``, which are functions
    of public numbers and of the released value. ``private`` is for whoever runs the mechanism, as what a sampler did
    may depend on the data; it is in no ``repr``, file, copy or pickle.
    """

    value: Value
    claim: Claim
    details: Mapping[str, Any] = field(default_factory=dict)
    private: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "private", Private(self.private))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.value, self.claim, self.details)

    def asdict(self) -> dict[str, Any]:
        """Return what may be published: the value as it is, the claim and the details as plain data.

        Returns
        -------
        dict
            ``value``, ``claim`` and ``details``.

        """
        plain = {k: asdict(v) if isinstance(v, Guarantee) else v for k, v in self.details.items()}
        return {"value": self.value, "claim": self.claim.asdict(), "details": plain}

    def to_json(self) -> str:
        """Return what may be published as strict JSON; every number of the value is exactly as it is.

        Returns
        -------
        str
            JSON, which `from_json` reads.

        Raises
        ------
        ValueError
            If the value or a detail is no number, text, array or product of two arrays.

        Examples
        --------
        >>> release = Release(np.eye(2), Claim("replace", 1.0), {"scale": 0.5})
        >>> same = Release.from_json(release.to_json())
        >>> np.array_equal(same.value, release.value), same.claim == release.claim, dict(same.details)
        (True, True, {'scale': 0.5})

        """
        from dpspectra.mechanisms import release_text

        return release_text.written(self.value, self.claim, self.details)

    @classmethod
    def from_json(cls, text: str) -> Release[Any]:
        """Read `to_json` back.

        Parameters
        ----------
        text
            JSON of one release.

        Returns
        -------
        Release
            The same value, claim and details.

        Raises
        ------
        ValueError
            For anything else.

        """
        from dpspectra.mechanisms import release_text

        return Release(*release_text.read(text))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return what does not stand out from the noise of the mechanism, and promises that say nothing, in words.

        They follow from public numbers and the released ones alone. Empty means that more shows than noise alone would:
        every eigenvalue and direction, falsely in at most two of a hundred cases; of a matrix, or of counts, something.
        Noise here is what the mechanism adds: how far few rows are from a population is another question.
        """
        from dpspectra.mechanisms.remarks import remarks
        from dpspectra.mechanisms.usefulness import described

        return remarks(self.claim, described(self.value, self.details))

    def summary(self) -> str:
        """Return what is released and what is claimed, with its `remarks`; it may be published.

        The first line is for who decides: what was computed and of which rows, for whom, and how sure it is.

        Returns
        -------
        str
            Several lines.

        Examples
        --------
        >>> Release(np.eye(2), Claim("replace", 0.5, 1e-6)).summary().splitlines()[1:3]
        ['value: ndarray of shape 2 x 2', 'claim: epsilon 0.5 nats, delta 1e-06']

        """
        return "\n".join(f"{key}: {value}" for key, value in self._facts().items())

    def plot(self, columns: Sequence[str] | None = None, *, width: float = 9.0, all_cells: bool = False) -> Any:
        """Draw the release, from what may be published alone; takes the extra ``plot``.

        Eigenvalues stand beside the edge of noise alone, with the intervals of `eigenvalue_intervals`, and so do shares
        of the variance; directions are a map of loadings; of a `private_score_histogram` the cells that stand out from
        noise are shown. Above stands what stands out, below the claim, the guarantee and the `remarks`.

        Parameters
        ----------
        columns
            Names of the columns; those of a table that was released are known.
        width
            In inches, from 3 to 30: panels stand side by side where there is room, else one above the other.
        all_cells
            Whether a score histogram shows the counts that may be noise, too.

        Returns
        -------
        matplotlib.figure.Figure
            Its ``savefig`` writes .svg, .png and .pdf.

        Raises
        ------
        ValueError
            For a release without eigenvalues, directions or counts of scores, and for other numbers of names.
        ImportError
            Without matplotlib; it names the extra.

        """
        drawing = importlib.import_module("dpspectra.mechanisms.release_plot")  # by its name, as it needs this module
        return drawing.figure(self, columns, width, all_cells)

    def _repr_html_(self) -> str:
        """`summary` as a table, for notebooks."""
        from dpspectra.mechanisms import release_text

        return release_text.table(self._facts())

    def _facts(self) -> dict[str, str]:
        from dpspectra.mechanisms import release_text

        found = release_text.facts(self.value, self.claim, self.details)
        return found | ({"of use": "; ".join(self.remarks)} if self.remarks else {})


class ReusedSeedWarning(UserWarning):
    """Two releases of one process got their noise from one seed or key: both together show differences of the data."""


_seeded: set[str] = set()
"""States in which seeds have put the generators of releases in this process."""
_keyed: dict[str, object] = {}
"""Whose key served a release in this process, by its fingerprint."""


def noise_source(rng: checks.Rng, depth: int = 1) -> np.random.Generator:
    """Return a numpy Generator for the noise of a release, from what `checks.generator` takes.

    Issues `ReusedSeedWarning` if ``rng`` is a seed that a release had before, in the name of who called the function
    ``depth`` calls above. A Generator goes on where it stands, and is not looked at.
    """
    generator = checks.generator(rng)
    if rng is None or isinstance(rng, (np.random.Generator, np.random.BitGenerator, np.random.RandomState)):
        return generator
    state = repr(generator.bit_generator.state)
    if state in _seeded:
        _warn("a seed that", depth + 1)
    _seeded.add(state)
    return generator


def note_key(entropy: Entropy, depth: int = 1) -> None:
    """Remember that a release takes its noise from this key; `ReusedSeedWarning` if another object of it served one.

    One object never gives the same bits twice. ``depth`` as in `noise_source`.
    """
    if _keyed.setdefault(entropy.fingerprint, entropy.identity) is not entropy.identity:
        _warn("an Entropy whose key", depth + 1)


def _warn(what: str, depth: int) -> None:
    reason = "equal noise reveals the difference of the data. Take another, or leave rng out"
    message = f"rng should be {what} no release had before: {reason}"
    warnings.warn(message, ReusedSeedWarning, stacklevel=depth + 2)
