"""A budget of privacy loss that releases are paid from, before they are made."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ParamSpec, Self, TypeVar

from dpspectra.accounting.budget_entries import Book, bound_to, keyed
from dpspectra.accounting.budget_file import FIRST, Entry, File, Memory
from dpspectra.accounting.disjoint_claims import worst
from dpspectra.accounting.limits import Privacy
from dpspectra.accounting.measures import LABEL, convert
from dpspectra.accounting.privacy_filter import ADAPTIVE, BudgetError, Filter, exceeds, larger
from dpspectra.accounting.terms import HasTerms, terms_of
from dpspectra.ground import checks
from dpspectra.mechanisms import catalogue
from dpspectra.mechanisms.claims import Claim
from dpspectra.mechanisms.private_data import Sealed
from dpspectra.mechanisms.release import Release

P = ParamSpec("P")
T = TypeVar("T")
Value = TypeVar("Value")


class Budget(HasTerms):
    """Hold what releases of one data set may spend together: epsilon and delta, or one of ``rho``, ``mu``, ``renyi``.

    `release` makes a release if the budget allows it; `spend` enters one that was made elsewhere.

    Parameters
    ----------
    epsilon, delta
        What may be spent: nats above 0, and a probability.
    rho, mu, renyi
        In place of epsilon: ``rho`` of zCDP, ``mu`` of Gaussian privacy, or Renyi divergences by their orders, as
        ``{8: 0.5}``, none of which is exceeded. Each claim costs what follows from it (DPS-MEASURES), and must be pure
        or of Gaussian noise. Costs add up without a tolerance, also if they are chosen by earlier outputs.
    relation
        Neighbours of all claims.
    method
        How claims add up, as in `dpspectra.compose`. ``"basic"`` holds whatever is released next: what, and how much of
        the budget it gets, may be chosen by earlier outputs; so does ``"gaussian"`` (DPS-COMPOSE). ``"optimal"``,
        ``"best"`` and ``"pld"`` spend less for many releases, and hold if epsilons, deltas and the number of releases
        were fixed before the first.
    norm_bound
        All claims must hold for the neighbours of the budget, its unit. ``"first"`` takes that of the first claim; a
        number fixes the bound on the norms of rows, and ``None`` asks for claims for any rows. Rows are refused at this
        one bound only, so that refusals tell no more than one bit; at any other they must be clipped.
    parts
        Names of parts of the data, which share no people. `part` pays from one: each person pays for all data and for
        the own part only (DPS-PARTS). Under add_remove the part must follow from the row alone; where the number of
        rows is public, claims are about rows that stay in their part. Whoever moves from one part to another between
        two releases would pay in both, and the budget cannot see it: leave their rows out, or take no parts.
    file
        Path on a local disk, from which all copies and processes spend, also later. It is made if it is not there;
        `Budget.open` never makes it. Without one the budget belongs to the process that made it.
    receipt
        From `Budget.receipt`: extends the check of the file to what another process has seen, and the file must be
        there.

    Raises
    ------
    ValueError
        For bad arguments, and if the file is that of a budget with other terms.
    OSError
        If the file is gone, empty, foreign, or older than what this object has seen of it, and in a child of a fork
        without a file. Nothing is released then.

    Notes
    -----
    A budget may be used from several threads, and a copy of it is the budget itself. Without a file it cannot be
    pickled. Whoever brings back an older file and receipt together, or writes entries of the chain, stays undetected. A
    copy of the file is another budget, unless the receipt is of a later entry.

    Examples
    --------
    >>> from dpspectra import laplace_covariance
    >>> budget = Budget(1.0)
    >>> release = budget.release(laplace_covariance, [[0.6, 0.8]], epsilon=0.75)
    >>> budget
    Budget(epsilon=1, delta=0, relation=replace, method=basic): 1 claim, epsilon 0.75 spent, 0.25 left
    >>> budget.release(laplace_covariance, [[0.6, 0.8]], epsilon=0.5)
    Traceback (most recent call last):
    dpspectra.accounting.privacy_filter.BudgetError: the budget of epsilon 1 must not be exceeded, got 1.25 with this \
release: 0.25 is left, so ask for less

    """

    def __init__(
        self,
        epsilon: float | None = None,
        delta: float = 0.0,
        *,
        rho: float | None = None,
        mu: float | None = None,
        renyi: Mapping[float, float] | None = None,
        relation: str = "replace",
        method: str = "basic",
        norm_bound: float | str | None = FIRST,
        parts: Iterable[str] = (),
        file: str | os.PathLike[str] | None = None,
        receipt: str | None = None,
    ) -> None:
        amounts = {"epsilon": epsilon, "rho": rho, "mu": mu, "renyi": renyi}
        self._terms = terms_of(amounts, delta, relation, method, norm_bound, parts)
        if file is None and receipt is not None:
            raise ValueError("receipt must come with the file that it is of, got no file")
        self._filter = Filter(self._terms)
        self._account = Memory() if file is None else File(Path(file), self._terms.asdict(), receipt)
        self._book = Book(self._filter, self._account)

    @classmethod
    def open(cls, file: str | os.PathLike[str], *, receipt: str | None = None) -> Budget:
        """Return the budget in a file that exists, with the terms that it was made with.

        Parameters
        ----------
        file, receipt
            As for the constructor.

        Returns
        -------
        Budget
            It spends from this file.

        Raises
        ------
        OSError
            If there is no file, and for what the constructor refuses.
        ValueError
            For a bad receipt.

        """
        account = File(Path(file), None, receipt)
        renyi = account.terms["renyi"]
        terms = account.terms | {"renyi": None if renyi is None else dict(renyi)}
        try:
            cls(**terms)
        except ValueError:
            raise OSError(f"the budget's file {file} must hold the terms of a budget, found others") from None
        return cls(**terms, file=file, receipt=receipt or account.receipt)

    @property
    def receipt(self) -> str | None:
        """Number and digest of the last entry in the file, to be kept elsewhere; ``None`` without a file."""
        return self._account.receipt

    def part(self, name: str) -> Budget:
        """Return the budget for releases of one part of the data.

        Parameters
        ----------
        name
            One of ``parts``.

        Returns
        -------
        Budget
            It spends from the same account; `spent` and `left` are of the people of this part.

        Raises
        ------
        ValueError
            For another name.

        """
        if not self.parts:
            raise ValueError(f"parts must be named when a budget is made, got none: Budget(..., parts=[{name!r}, ...])")
        return self._with(part=checks.choice(name, "part", self.parts))

    def noted(
        self, *, by: str | None = None, note: str | None = None, data: Iterable[str | os.PathLike[str]] = ()
    ) -> Budget:
        """Return the budget with words that its trail gets with each release.

        Parameters
        ----------
        by, note
            Who releases, and what for; taken as they are.
        data
            Paths of the data files. The trail holds their SHA-256, keyed by the name of the budget, so that nobody
            without the file of the budget can compare guesses of the data with them.

        Returns
        -------
        Budget
            It spends from the same account.

        Raises
        ------
        ValueError
            For words that are no text.
        OSError
            For a file that cannot be read.

        """
        words = {"by": by, "note": note}
        given = {name: checks.text(word, name) for name, word in words.items() if word is not None}
        digests = tuple(map(self.digest, data))
        return self._with(trail=self._book.trail._replace(**given, data=digests or self._book.trail.data))

    def digest(self, path: str | os.PathLike[str]) -> str:
        """Return the word by which the trail knows a data file.

        Parameters
        ----------
        path
            A data file.

        Returns
        -------
        str
            Its SHA-256, keyed by the name of the budget.

        Raises
        ------
        OSError
            For a file that cannot be read.

        """
        return keyed(self._account.name, Path(path))

    def _with(self, **changed: Any) -> Budget:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, _book=replace(self._book, **changed))
        return other

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Return the claims that were spent, in order, each with its part and its trail."""
        with self._account.open() as entries:
            return tuple(entries.values())

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Return the claims that were spent, in order; a release under way has the most that it may claim."""
        return tuple(entry.claim for entry in self.entries)

    @property
    def claim(self) -> Claim | None:
        """Return the claim of all releases together, whatever is released next; ``None`` if there are none.

        Pure claims add up whoever chose them. Deltas and ``gdp_mu`` may have been chosen by earlier outputs, unless the
        method excludes this. Then only the epsilon and delta of the whole budget hold for all that was seen, and the
        claim has these. Raises ``ValueError`` if some function claimed another relation.
        """
        if self.measure != "epsilon":
            raise ValueError(
                f"the claim of a budget of {self.measure} must have a delta, got none: call claim_at(1e-6)"
            )
        with self._account.open() as entries:
            groups = [[*group.values()] for group in self._filter.groups(entries, self._book.part)]
        composed = [self._filter.composed(group) for group in groups if group]
        if not composed:
            return None
        claim = self._for_all(functools.reduce(worst, composed))
        if self.method not in ADAPTIVE or not any(each.delta for group in groups for each in group):
            return claim
        return replace(claim, epsilon=self.epsilon, delta=self.delta, gdp_mu=None)

    def claim_at(self, delta: float) -> Claim | None:
        """Return the claim of all releases together that a whole budget of ``rho``, ``mu`` or ``renyi`` implies.

        Parameters
        ----------
        delta
            Probability at which the claim quotes its epsilon, above 0.

        Returns
        -------
        Claim or None
            It holds whatever is released next; ``None`` if nothing was.

        Raises
        ------
        ValueError
            For a bad delta, and for a budget of epsilon, which has a `claim`.

        """
        if self.measure == "epsilon":
            raise ValueError(
                "claim_at must be asked of a budget of rho, mu or renyi, got one of epsilon: take its claim"
            )
        epsilon = convert("epsilon", delta=delta, **{self.measure: getattr(self, self.measure)})
        if not (claims := self.claims):
            return None
        claim = self._for_all(functools.reduce(worst, claims))
        labels = tuple(dict.fromkeys((*claim.labels, LABEL)))
        return replace(claim, epsilon=epsilon, delta=delta, gdp_mu=self.mu, used_mu=None, rho=self.rho, labels=labels)

    def _for_all(self, claim: Claim) -> Claim:
        """Return a claim for the neighbours of the budget: with parts a replaced row stays in its part."""
        return replace(claim, people=self._filter.unit_of(claim).people)

    @property
    def spent(self) -> Privacy:
        """Bookkeeping: sums of epsilon and delta for ``"basic"``, else epsilon at the budget's delta; no claim.

        In another measure it is what was spent of it, rounded upward. With parts it is the most of any part.
        """
        with self._account.open() as entries:
            return self._filter.spent(entries, self._book.part)

    @property
    def left(self) -> Privacy:
        """The unspent part of the budget. Unless the method is basic, one more release may cost less than it claims."""
        with self._account.open() as entries:
            return self._filter.spent(entries, self._book.part, left=True)

    def release(self, mechanism: Callable[P, Release[Value]], /, *args: P.args, **kwargs: P.kwargs) -> Release[Value]:
        """Return ``mechanism(*args, **kwargs)`` and enter its claim, if the budget allows the epsilon and delta given.

        The claim that it may make is entered before the call. A mechanism of this package gets its data in a box. It is
        given back what it was charged if it ends before it opens that box, as for bad public arguments, and for nothing
        else: refused rows, an interruption, a full disk or a failing ``checkpoint`` are paid for. The function of
        somebody else always pays, and the larger of what was planned and what it claims.

        Parameters
        ----------
        mechanism
            Function that takes ``epsilon`` by this name, and ``delta``, ``relation`` and ``norm_bound`` where it has
            them, as those of this package do.
        *args, **kwargs
            Its arguments.

        Returns
        -------
        Release
            That of the mechanism.

        Raises
        ------
        BudgetError
            If the budget does not allow the release; and, after it was paid for, if the claim turns out to be larger
            than was asked for, or for other neighbours: the release is withheld then.
        ValueError
            If the mechanism takes no epsilon, or another relation.

        """
        if not callable(mechanism):
            raise ValueError(f"mechanism must be a function, got {checks.shown(mechanism)}")
        record = catalogue.of(mechanism)
        bound = bound_to(mechanism, args, kwargs)
        given = bound.arguments
        box = Sealed(None)
        if record is not None:
            name = next(iter(given))
            box = given[name] = Sealed(given[name], counted=self.relation.counted)
        called = record.name if record else getattr(mechanism, "__qualname__", type(mechanism).__name__)
        told = record is not None or given.get("norm_bound") is not None
        planned = record.planned(**given) if record else self._book.promised(given)
        with self._account.open() as entries:
            told = told or self._filter.unit_in(entries) is not None  # else the first claim says whom it is for
        entry = self._book.enter(planned, called)
        release: Any
        if record is None:
            release = self._paid(lambda: mechanism(*args, **kwargs), planned)
        else:
            function = record.function()
            release = self._paid(lambda: function(*bound.args, **bound.kwargs), planned, box, entry)
        claim = getattr(release, "claim", None)
        if not isinstance(claim, Claim):
            found = f"got {type(release).__name__}; {charged(planned)}"
            raise BudgetError(f"the mechanism must return a release with a claim, {found}")
        unit = self._filter.unit_of(planned if told and claim.relation == planned.relation else claim)
        if claim.relation != planned.relation or not claim.unit.covers(unit):
            self._book.add(claim, called)
            found = f"got {claim.neighbours[:-1]!r}; {charged(planned)}, and what it claims was charged, too"
            raise BudgetError(f"the mechanism must claim {planned.neighbours[:-1]!r}, {found}")
        kept = claim if record is not None else larger(claim, planned)
        self._book.replace(entry, kept)
        if exceeds(claim, planned):
            found = f"got {checks.shown(claim)}; {charged(kept)}"
            raise BudgetError(f"the mechanism must claim what was asked for at most, {found}")
        return release

    def _paid(self, call: Callable[[], T], planned: Claim, box: Sealed | None = None, entry: Any = None) -> T:
        """Make a call that was charged; a failure says so, or is given back if the data stayed in their box."""
        try:
            return call()
        except BaseException as problem:
            if box is not None and not box.touched:
                self._book.replace(entry, None)
                raise
            if box is None or type(problem) is not ValueError:
                problem.add_note(charged(planned))
                raise
            words = f"{problem}; {charged(planned)}"
        raise ValueError(words)

    def spend(self, claim: Claim | Release[Any]) -> None:
        """Enter the claim of a release that is made elsewhere.

        Parameters
        ----------
        claim
            The claim, or the release that carries it.

        Raises
        ------
        BudgetError
            If the budget does not allow it.
        ValueError
            For anything else than a claim or a release, and for other neighbours.

        """
        entered = claim.claim if isinstance(claim, Release) else claim
        if not isinstance(entered, Claim):
            raise ValueError(f"claim must be a Claim or a Release, got {checks.shown(claim)}")
        self._book.enter(entered)

    def __copy__(self) -> Budget:
        return self

    def __deepcopy__(self, memo: object) -> Budget:
        return self

    def __sklearn_clone__(self) -> Self:
        return self

    def __repr__(self) -> str:
        number, spent, left = len(self.claims), self.spent, self.left
        said = f"{spent} spent, {left} left"
        if self.measure == "epsilon":
            delta = f"; delta {spent.delta:g} spent, {left.delta:g} left" if self.delta else ""
            said = f"epsilon {spent.epsilon:g} spent, {left.epsilon:g} left{delta}"
        return f"Budget({', '.join(self._terms.told(self._book.part))}): {number} claim{'s' * (number != 1)}, {said}"


def charged(claim: Claim) -> str:
    """Say what a budget paid for a release that was not made."""
    besides = f" and delta {claim.delta:g}" if claim.delta else ""
    return f"the budget was charged epsilon {claim.epsilon:g}{besides}, as this refusal is an answer about the data"
