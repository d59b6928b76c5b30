"""Audits of one claim on several pairs of data sets, which share the risk of a false alarm.

The pairs are fixed before the first draw, and each is audited at the same share of the risk: if the claim holds, one of
them refutes it with probability at most the sum of the shares, whatever is drawn and whenever one stops.

Do not change lightly: records of users are in the form of `AuditedPairs.to_json`.
"""

from __future__ import annotations

import functools
import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpspectra.audit.calling.arguments import checked_callback, checked_pair
from dpspectra.audit.calling.arms import Arm, two_arms
from dpspectra.audit.claim_arguments import claim_of
from dpspectra.audit.claims import CurveClaim
from dpspectra.audit.engine import contest
from dpspectra.audit.options import Options
from dpspectra.audit.result import UNREAD, AuditResult, result_from
from dpspectra.audit.strict_json import strict
from dpspectra.audit.verdicts import NOT_REFUTED, REFUTED, UNDECIDED, Verdict
from dpspectra.ground import checks, records

LEAST = 1e-3
"""Seconds that an audit is given at least, so that it can say that there was no time."""


@dataclass(frozen=True, slots=True)
class AuditedPairs:
    """Outcome of `audit_pairs`: the result on each pair, and one verdict on the claim."""

    results: Mapping[str, AuditResult]
    """By the name of the pair, each at its share of the risk. Pairs after one that refuted the claim are not audited,
    and have none."""
    names: tuple[str, ...]
    """All pairs that share the risk, in the order in which they are audited."""
    confidence: float
    """A sound mechanism is called violated, on whichever pair, with probability at most ``1 - confidence``."""

    @property
    def violated(self) -> bool:
        """Whether the claim is refuted on one of the pairs."""
        return any(result.violated for result in self.results.values())

    @property
    def decisive(self) -> str:
        """Name of the pair on which the verdict rests: it refutes, or is undecided, or shows most."""
        for word in (REFUTED, UNDECIDED):
            for name, result in self.results.items():
                if result.verdict == word:
                    return name
        return max(self.results, key=lambda name: self.results[name].bound)

    @property
    def judged(self) -> Verdict:
        """The verdict with its reason: "not refuted" needs that of all pairs."""
        verdict = self.results[self.decisive].judged
        waiting = [name for name in self.names if name not in self.results]
        if verdict.word == NOT_REFUTED and waiting:
            return Verdict(UNDECIDED, f"no audit was made on {', '.join(waiting)}")
        if verdict.word == NOT_REFUTED:
            return Verdict(NOT_REFUTED, f"the outputs on {len(self.names)} pairs do not contradict the claim")
        return Verdict(verdict.word, f"on {self.decisive}: {verdict.reason}")

    @property
    def verdict(self) -> str:
        """``"refuted"``, ``"not refuted"`` or ``"undecided"``."""
        return self.judged.word

    @property
    def reason(self) -> str:
        """The reason of the verdict in one sentence."""
        return self.judged.reason

    def summary(self) -> str:
        """Return the verdict, and a line for each pair.

        Returns
        -------
        str
            One pair a line: its name, the verdict, the certified bound and the draws.

        """
        told = dict.fromkeys(self.names, "not audited")
        for name, result in self.results.items():
            bound = f"{result.claim.parameter} at least {result.bound:.6g}"
            told[name] = f"{result.verdict}, {bound}, {result.draws} draws on each data set"
        return "\n".join([str(self.judged), *(f"{name}: {line}" for name, line in told.items())])

    def to_json(self) -> str:
        """Return all results and the verdict as strict JSON.

        Returns
        -------
        str
            One JSON object with the fields, the verdict and its reason; `from_json` reads it back. ``audits`` holds
            what `AuditResult.to_json` gives, by the name of the pair.

        """
        audits = {name: json.loads(result.to_json()) for name, result in self.results.items()}
        plain = {"names": self.names, "confidence": self.confidence, "audits": audits}
        return json.dumps(strict(plain | {"verdict": self.verdict, "reason": self.reason}), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> AuditedPairs:
        """Read what `to_json` has written.

        Parameters
        ----------
        text
            JSON of results.

        Returns
        -------
        AuditedPairs
            The results; the verdict is computed again.

        Raises
        ------
        ValueError
            If the text is no JSON of results.

        """
        found = records.read(text, PAIRS, "text must be the JSON of audited pairs, got something else")
        if not set(found["audits"]) <= set(found["names"]):
            raise ValueError("text must be the JSON of audited pairs, got results on other ones")
        return cls(found["audits"], found["names"], found["confidence"])


PAIRS = records.record(
    {
        "names": records.listed(records.text),
        "confidence": records.number(0, math.nextafter(1, 0), above=0),
        "audits": records.named(result_from),
    },
    {"verdict": records.text, "reason": records.text},
)
"""Fields of the record of several audits."""


def audit_pairs(
    mechanism: Callable[..., Any],
    pairs: Mapping[str, tuple[Any, Any]],
    epsilon: float | CurveClaim,
    delta: float = 0.0,
    *,
    confidence: float = 0.999,
    draws: int = 100_000,
    seconds: float = 60.0,
    statistics: Mapping[str, Callable[[Any], float]] | None = None,
    support: Callable[[Any, Any], Any] | None = None,
    classifier: Any = None,
    snap: int = 30,
    bits: bool = False,
    independent: bool = False,
    workers: int | None = None,
    require_power: float | str | None = None,
    accept_unread: float = UNREAD,
    resume: AuditedPairs | None = None,
    watch: Callable[[AuditedPairs], object] | None = None,
    rng: Any = 0,
) -> AuditedPairs:
    """Try to refute a privacy claim of ``mechanism`` on several pairs, one after the other, at one common risk.

    Each pair gets the same share of the risk, and what is left of the time in equal parts. The first refutation ends
    it.

    Parameters
    ----------
    mechanism, epsilon, delta
        As in `audit`.
    pairs
        Pairs of neighbouring data sets by name, chosen without a look at the mechanism's outputs; see `number_pairs`,
        `histogram_pairs`, `text_pairs` and `table_pairs`. The claim must be about all of them.
    confidence
        A sound mechanism is called violated with probability at most ``1 - confidence``, on whichever pair. The power
        that results state, and ``require_power`` asks for, is that at a pair's share of the risk.
    draws
        Largest number of draws on each data set of each pair.
    seconds
        Time of all audits together. The first call on each data set of the first pair, which may load or compile, does
        not count, as in `audit`.
    statistics, support, classifier, snap, bits, independent, workers, require_power, accept_unread
        As in `audit`.
    resume
        An earlier result on pairs of these names: its audits go on from what they had found.
    watch
        Function that is called with the results so far, the audit under way among them, as that of `audit` is.
    rng
        A seed, a Generator or None, as in `audit`; the draws on a pair do not depend on those on the others.

    Returns
    -------
    AuditedPairs
        Refuted if the claim is refuted on one pair, undecided if it is not and one audit is undecided.

    Raises
    ------
    ValueError
        As `audit`, for no pairs, and for earlier results on others; before any draw.

    Examples
    --------
    >>> from dpspectra.audit import number_pairs
    >>> def noisy(x, size, rng):
    ...     return x + rng.laplace(scale=1.0, size=size)
    >>> found = audit_pairs(noisy, number_pairs(0.0, 3.0), 1.0, rng=0)
    >>> found.verdict, found.decisive
    ('refuted', 'smallest to largest')

    """
    start, claim = time.perf_counter(), claim_of(epsilon, delta)
    names, arms = _checked(mechanism, pairs)
    if not isinstance(resume, (AuditedPairs, type(None))):
        raise ValueError(f"resume must be an AuditedPairs or None, got {checks.shown(resume)}")
    if resume is not None and resume.names != names:
        raise ValueError(f"resume must be on the pairs {', '.join(names)}, got {', '.join(resume.names)}")
    if checks.function(watch, "watch") is not None:
        checked_callback(watch, "watch", "result")
    options = Options(
        confidence=confidence,
        draws=draws,
        seconds=seconds,
        statistics=statistics,
        support=support,
        classifier=classifier,
        snap=snap,
        bits=bits,
        independent=independent,
        workers=workers,
        require_power=require_power,
        accept_unread=accept_unread,
        rng=rng,
    )
    found = {} if resume is None else dict(resume.results)

    def looked(name: str, result: AuditResult) -> None:
        found[name] = result
        if watch is not None:
            watch(AuditedPairs(dict(found), names, confidence))

    seeds = np.random.SeedSequence(options.entropy()).spawn(len(names))
    for i, (name, seed) in enumerate(zip(names, seeds, strict=True)):
        left = (start + seconds - time.perf_counter()) / (len(names) - i)
        own = replace(
            options,
            confidence=1 - options.risk / len(names),
            seconds=max(left, LEAST),
            resume=found.get(name),
            watch=functools.partial(looked, name),
            rng=np.random.default_rng(seed),
        )
        result = contest(arms[name], claim, own, first_calls_count=i > 0)
        start += result.first_calls
        if result.violated or result.stopped == "interrupted":
            break
    return AuditedPairs(found, names, confidence)


def _checked(mechanism: Any, pairs: Any) -> tuple[tuple[str, ...], dict[str, tuple[Arm, Arm]]]:
    """Return the names of the pairs, and the two sides of each audit."""
    if not isinstance(pairs, Mapping) or not all(isinstance(name, str) for name in pairs):
        raise ValueError(f"pairs must be a mapping from names to pairs, got another {type(pairs).__name__}")
    if not pairs:
        raise ValueError("pairs must hold a pair of data sets, got none")
    for name, pair in pairs.items():
        try:
            checked_pair(pair)
        except ValueError as problem:
            raise ValueError(f"pairs must hold two neighbouring data sets each, got {name!r}: {problem}") from None
    return tuple(pairs), {name: two_arms(mechanism, pair) for name, pair in pairs.items()}
