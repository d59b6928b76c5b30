"""How an audit is to be carried out: what every form of audit may be asked for, checked once and passed on whole."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dpspectra.audit.betting import power_by_event_class
from dpspectra.audit.calling.arguments import Statistic, checked_callback, checked_classifier
from dpspectra.audit.result import UNREAD, AuditResult
from dpspectra.ground import checks

Watch = Callable[[AuditResult], object]
CALLBACKS = {"log_ratio": ("output",), "support": ("output", "data"), "watch": ("result",)}
"""Arguments of the functions that an audit calls, by the option that holds them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of an audit: all arguments but mechanism, data and claim; each field means what it means in `audit`.

    Raises ``ValueError`` for a value that is not allowed.
    """

    confidence: float
    draws: int
    seconds: float = 60.0
    log_ratio: Statistic | None = None
    statistics: Mapping[str, Statistic] | None = None
    support: Callable[[Any, Any], Any] | None = None
    classifier: Any = None
    snap: int = 30
    bits: bool = False
    independent: bool = False
    workers: int | None = None
    require_power: float | str | None = None
    accept_unread: float = UNREAD
    resume: AuditResult | None = None
    estimate: bool = False
    watch: Watch | None = None
    rng: Any = 0

    def __post_init__(self) -> None:
        checks.probability(self.confidence, "confidence")
        checks.integer(self.draws, "draws", 2)
        checks.positive(self.seconds, "seconds")
        self._check_functions()
        if self.classifier is not None:
            checked_classifier(self.classifier)
        checks.integer(self.snap, "snap", 1, 52)
        for name in ("bits", "independent", "estimate"):
            checks.flag(getattr(self, name), name)
        power_by_event_class.required(self.require_power)
        checks.probability(self.accept_unread, "accept_unread", zero=True)
        if self.workers is not None:
            checks.integer(self.workers, "workers", 1)
        if not isinstance(self.resume, (AuditResult, type(None))):
            raise ValueError(f"resume must be an AuditResult or None, got {checks.shown(self.resume)}")
        checks.generator(self.rng)

    def _check_functions(self) -> None:
        for name, arguments in CALLBACKS.items():
            function = getattr(self, name)
            if checks.function(function, name) is not None:
                checked_callback(function, name, *arguments)
        if not isinstance(self.statistics, (Mapping, type(None))):
            found = checks.shown(self.statistics)
            raise ValueError(f"statistics must be a mapping from names to functions, got {found}")
        for name, function in (self.statistics or {}).items():
            if not isinstance(name, str):
                raise ValueError(f"names of statistics must be strings, got {checks.shown(name)}")
            checked_callback(function, f"the statistic {name}", "output")

    @property
    def risk(self) -> float:
        """Probability with which a sound mechanism may be called violated."""
        return 1 - self.confidence

    @property
    def required(self) -> tuple[float | None, str]:
        """Loss that must be refutable, if any, and the class of the events that carry it."""
        return power_by_event_class.required(self.require_power)

    @property
    def rounding(self) -> int | None:
        """Binary digits of the scale of outputs to which they are rounded; ``None`` to see all bits."""
        return None if self.bits else self.snap

    @property
    def own_statistics(self) -> dict[str, Statistic]:
        """The caller's statistics by name, with the declared log ratio of the densities."""
        declared = {} if self.log_ratio is None else {"declared log ratio": self.log_ratio}
        return dict(self.statistics or {}) | declared

    def entropy(self) -> int:
        """Draw from ``rng`` the integer from which all randomness of one audit is derived."""
        return int(checks.generator(self.rng).integers(2**63))
