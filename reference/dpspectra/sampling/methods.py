"""The exact methods by name, and the choice among them; all methods sample the same law."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from dpspectra.sampling.rejection import Rejection

Array = NDArray[Any]

FRAMES: dict[str, Callable[[FrameLaw, str], Rejection]] = {
    "ball_chart": lambda law, field: ball_chart.frames(law.exponents, law.k),
    "macg": lambda law, field: matrix_angular_gaussian.frames(law.exponents, law.k, field),
    "bingham": lambda law, field: angular_gaussian.frames(law.exponents, law.k, field),
    "two_part": lambda law, field: two_part.frames(law.exponents, law.k),
}
"""Methods that draw a frame of an eigenspace."""
MATRICES: dict[str, Callable[[Array, Array, float, int, np.random.Generator], Array]] = {
    "vertex": vertex.draw,
    "gelfand_tsetlin": gelfand_tsetlin.draw,
    "cftp": cftp.draw,
}
"""Methods that draw a matrix in the eigenbasis of ``M``."""
REFUSALS: dict[str, Callable[[Array, Array, float], str | None]] = {
    "ball_chart": ball_chart.refusal,
    "macg": matrix_angular_gaussian.refusal,
    "bingham": angular_gaussian.refusal,
    "two_part": two_part.refusal,
    "vertex": vertex.refusal,
    "gelfand_tsetlin": gelfand_tsetlin.refusal,
}
"""`cftp` never refuses."""
CERTAIN = ("gelfand_tsetlin", "cftp")
"""Methods that do not reject."""
METHODS = ("auto", *FRAMES, *MATRICES)
SERVING = {"real": ("macg", "bingham", "two_part"), "complex": ("ball_chart", "macg", "bingham", *MATRICES)}

PRACTICAL = 2.0**-9
"""Acceptance from which rejection is preferred to a method that never rejects."""
PILOT = 2**22
"""Numbers in the proposals of a pilot run; a method that accepted none of them is given up."""
PILOT_SEED = 20
"""Pilot runs have a stream of their own, always the same, so that a choice depends on the law alone."""


def choose(values: Array, spectrum: Array, kappa: float, field: str, method: str = "auto") -> str:
    """Settle the method for descending ``values`` of ``M`` and ``spectrum`` of ``H``; depends on its arguments only.

    Besides the names in `METHODS` there are ``constant`` (the orbit is a point) and ``haar`` (the density is constant).
    Raises ``ValueError`` where no exact method, or not the one asked for, is practical.
    """
    if spectrum[0] == spectrum[-1]:
        return "constant"
    if method != "auto":
        return _serving(method, values, spectrum, kappa, field)
    law = frame_law(values, spectrum, kappa)
    if law is None and kappa * (values[0] - values[-1]) == 0:
        return "haar"
    return _best_real(law) if field == "real" else _best_complex(values, spectrum, kappa)


def _serving(method: str, values: Array, spectrum: Array, kappa: float, field: str) -> str:
    """The method asked for, if it samples the law at a bearable cost."""
    if method not in SERVING[field]:
        raise ValueError(
            f"method must be one of auto, {', '.join(SERVING[field])} in the {field} field, got {method!r}"
        )
    reason = REFUSALS[method](values, spectrum, kappa) if method in REFUSALS else None
    if reason is None and method not in CERTAIN:
        sampler = rejection(method, values, spectrum, kappa, field)
        if pilot(sampler) == 0:
            reason = f"it accepted none of {patience(sampler)} proposals of a pilot run"
    if reason is not None:
        raise ValueError(f"method must be 'auto' or one that serves this law, got {method!r}: {reason}")
    return method


def rejection(method: str, values: Array, spectrum: Array, kappa: float, field: str) -> Rejection:
    """The sampler behind a method that rejects."""
    if method == "vertex":
        return vertex.patterns(values, spectrum, kappa)
    law = frame_law(values, spectrum, kappa)
    assert law is not None, method
    return FRAMES[method](law, field)


def _best_real(law: FrameLaw | None) -> str:
    if law is None:
        found = "is built for more than two distinct eigenvalues"
    elif law.k == 1:
        return "bingham"
    else:
        sampler = FRAMES["two_part"](law, "real")
        if pilot(sampler) > 0:
            return "two_part"
        found = f"is practical here: two_part accepted none of {patience(sampler)} proposals of a pilot run"
    raise ValueError(
        f"field must be 'complex', which real M may be used with: no exact sampler of the real one {found}"
    )


def _best_complex(values: Array, spectrum: Array, kappa: float) -> str:
    """Rejection where it accepts enough; else a method that does not reject, of which the last serves always.

    In the ball chart ``|Y| <= 1`` fails with probability at most the mean of its squared Frobenius norm, which may
    settle it at once. A draw by coupling costs a few times ``d^4`` numbers.
    """
    law = frame_law(values, spectrum, kappa)
    names = ["vertex"]
    if law is not None:
        rates = ball_chart.rates(law.exponents, law.k)
        if np.all(rates > 0) and np.sum(1 / rates) <= 0.5:
            return "ball_chart"
        names = ["ball_chart", "bingham" if law.k == 1 else "macg"]
    served = [name for name in names if REFUSALS[name](values, spectrum, kappa) is None]
    samplers = {name: rejection(name, values, spectrum, kappa, "complex") for name in served}
    share, best = max(((pilot(sampler), name) for name, sampler in samplers.items()), default=(0.0, "cftp"))
    if share >= PRACTICAL or best == "bingham":
        return best
    if gelfand_tsetlin.refusal(values, spectrum, kappa) is None:
        return "gelfand_tsetlin"
    return best if samplers and share * len(values) ** 4 > samplers[best].width else "cftp"


def pilot(sampler: Rejection) -> float:
    """Acceptance of a sampler, estimated from at most `patience` proposals."""
    return sampler.acceptance(np.random.default_rng(PILOT_SEED), patience(sampler))


def patience(sampler: Rejection) -> int:
    """Proposals of a pilot run: fewer where each is large."""
    return int(np.clip(PILOT // sampler.width, 2**8, 2**14))
