"""The exact methods, one record each, and the choice among them; all methods sample the same law."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpspectra.ground.array_types import Array
from dpspectra.ground.values import nearest
from dpspectra.sampling import (
    angular_gaussian,
    ball_chart,
    cftp,
    gelfand_tsetlin,
    matrix_angular_gaussian,
    two_part,
    vertex,
)
from dpspectra.sampling.frame_law import FrameLaw, frame_law
from dpspectra.sampling.identity_plus_low_rank import Draw
from dpspectra.sampling.rejection import Rejection


@dataclass(frozen=True, slots=True)
class Method:
    """An exact sampler of the laws on orbits.

    It draws either frames of an eigenspace (for a spectrum of two values) or matrices in the eigenbasis of ``M``. A law
    is given by the descending ``values`` of ``M``, the descending ``spectrum`` of ``H``, and ``kappa``.
    """

    name: str
    fields: tuple[str, ...]
    refusal: Callable[[Array, Array, float], str | None]
    """Why the method cannot serve a law, if so; nothing is drawn."""
    frames: Callable[[FrameLaw, str], Rejection] | None = None
    """Sampler of frames in a field, for a method that draws frames."""
    matrices: Callable[[Array, Array, float], Draw] | None = None
    """Sampler of matrices, for a method that draws matrices."""
    patterns: Callable[[Array, Array, float], Rejection] | None = None
    """Sampler behind ``matrices``, where that is a rejection sampler."""

    def rejection(self, values: Array, spectrum: Array, kappa: float, field: str) -> Rejection | None:
        """Return the rejection sampler for a law that is not refused; None if the method never rejects."""
        if self.patterns is not None:
            return self.patterns(values, spectrum, kappa)
        law = frame_law(values, spectrum, kappa)
        return self.frames(law, field) if self.frames is not None and law is not None else None


METHODS = {
    method.name: method
    for method in (
        Method(
            "ball_chart",
            ("complex",),
            ball_chart.refusal,
            frames=lambda law, field: ball_chart.frames(law.exponents, law.k),
        ),
        Method(
            "macg",
            ("real", "complex"),
            matrix_angular_gaussian.refusal,
            frames=lambda law, field: matrix_angular_gaussian.frames(law.exponents, law.k, field),
        ),
        Method(
            "bingham",
            ("real", "complex"),
            angular_gaussian.refusal,
            frames=lambda law, field: angular_gaussian.frames(law.exponents, law.k, field),
        ),
        Method(
            "two_part",
            ("real",),
            two_part.refusal,
            frames=lambda law, field: two_part.frames(law.exponents, law.k),
        ),
        Method("vertex", ("complex",), vertex.refusal, matrices=vertex.sampler, patterns=vertex.patterns),
        Method("gelfand_tsetlin", ("complex",), gelfand_tsetlin.refusal, matrices=gelfand_tsetlin.sampler),
        Method("cftp", ("complex",), lambda values, spectrum, kappa: None, matrices=cftp.sampler),
    )
}
"""The methods by name; `cftp` serves every complex law."""

PRACTICAL = 2.0**-9
"""Acceptance from which rejection is preferred to a method that never rejects."""
PILOT = 2**22
"""Numbers in the proposals of a pilot run; a method that accepted none of them is given up."""
PILOT_SEED = 20
"""Seed of every pilot run. It is always the same, so that a choice depends on the law alone."""


def serving(field: str) -> list[str]:
    """Names of the methods that draw in this field."""
    return [method.name for method in METHODS.values() if field in method.fields]


def choose(values: Array, spectrum: Array, kappa: float, field: str, method: str = "auto") -> str:
    """Settle the method for descending ``values`` of ``M`` and ``spectrum`` of ``H``; depends on its arguments only.

    Besides the names in `METHODS` there are ``constant`` (the orbit is a point) and ``haar`` (the density is constant).
    Raises ``ValueError`` where no exact method, or not the one asked for, is practical.
    """
    if spectrum[0] == spectrum[-1]:
        return "constant"
    if method != "auto":
        return _asked_for(method, values, spectrum, kappa, field)
    law = frame_law(values, spectrum, kappa)
    if law is None and kappa * (values[0] - values[-1]) == 0:
        return "haar"
    return _best_real(law) if field == "real" else _best_complex(law, values, spectrum, kappa)


def _asked_for(name: str, values: Array, spectrum: Array, kappa: float, field: str) -> str:
    """Return the method asked for, if it samples the law at a bearable cost."""
    if name not in (known := serving(field)):
        served = f"{', '.join(known)} in the {field} field"
        raise ValueError(f"method must be one of auto, {served}, got {name!r}{nearest(name, known)}")
    reason = METHODS[name].refusal(values, spectrum, kappa)
    if reason is None:
        sampler = METHODS[name].rejection(values, spectrum, kappa, field)
        if sampler is not None and pilot(sampler) == 0:
            reason = f"it accepted none of {patience(sampler)} proposals of a pilot run"
    if reason is not None:
        raise ValueError(f"method must be 'auto' or one that serves this law, got {name!r}: {reason}")
    return name


def _best_real(law: FrameLaw | None) -> str:
    if law is None:
        reason = "is built for more than two distinct eigenvalues"
    elif law.k == 1:
        return "bingham"
    else:
        sampler = two_part.frames(law.exponents, law.k)
        if pilot(sampler) > 0:
            return "two_part"
        reason = f"is practical here: two_part accepted none of {patience(sampler)} proposals of a pilot run"
    raise ValueError(
        f"field must be 'complex', which real M may be used with: no exact sampler of the real one {reason}"
    )


def _best_complex(law: FrameLaw | None, values: Array, spectrum: Array, kappa: float) -> str:
    """Rejection where it accepts enough; else a method that does not reject (the last one always serves).

    In the ball chart ``|Y| <= 1`` fails with probability at most the mean of its squared Frobenius norm, which may
    settle it at once. A draw by coupling from the past costs a few times ``d^4`` numbers.
    """
    names = ["vertex"]
    if law is not None:
        rates = ball_chart.rates(law.exponents, law.k)
        if np.all(rates > 0) and np.sum(1 / rates) <= 0.5:
            return "ball_chart"
        names = ["ball_chart", "bingham" if law.k == 1 else "macg"]
    served = [METHODS[name] for name in names if METHODS[name].refusal(values, spectrum, kappa) is None]
    samplers = {method.name: method.rejection(values, spectrum, kappa, "complex") for method in served}
    trials = [(pilot(sampler), name, sampler.width) for name, sampler in samplers.items() if sampler is not None]
    share, best, width = max(trials, default=(0.0, "cftp", 1))
    if share >= PRACTICAL or best == "bingham":
        return best
    if gelfand_tsetlin.refusal(values, spectrum, kappa) is None:
        return "gelfand_tsetlin"
    return best if share * len(values) ** 4 > width else "cftp"


def pilot(sampler: Rejection) -> float:
    """Return the acceptance of a sampler, estimated from at most `patience` proposals."""
    return sampler.acceptance(np.random.default_rng(PILOT_SEED), patience(sampler))


def patience(sampler: Rejection) -> int:
    """Proposals of a pilot run: fewer where each is large."""
    return int(np.clip(PILOT // sampler.width, 2**8, 2**14))
