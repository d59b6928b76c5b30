"""The spiked covariance model is round: in every subspace a Gaussian is about as long as the root of its trace.

``z ~ N(0, (U diag(spikes^2) U' + s^2) / D)``. With probability at most ``Phi(-u)`` the length of a Gaussian vector
exceeds its root mean square by more than ``u`` times its largest standard deviation; ``D`` is chosen so that this gives
the first condition at ``t = 1``, and then it holds for all ``t >= 1``. The published lemma has unnamed constants, which
these are; if the mean square is normalised to 1 instead, the first condition fails at ``t = 1`` for the standard normal
law in three dimensions.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp
from scipy.special import ndtri

from dpspectra.fast import streaming
from dpspectra.ledger import AtMost, Frequency, Outcome, Parts, Real, Slack, Verdict, statement
from dpspectra.oracle import streaming as oracle
from dpspectra.strategies import dyadics, seeds, st

TRIALS = 4000
"""Number of samples drawn for a frequency."""


LEVEL = -float(ndtri(math.exp(-1)))
"""Number of standard deviations that a normal number exceeds with probability ``exp(-1)``: 0.3375."""


FACTOR = (1 + LEVEL) ** 2
"""Factor in ``B`` for every ``p``, due to the exact tails: 1.789."""


class Case(NamedTuple):
    """Dimension, number and size of equal spikes, noise, rank of a projection, ``t``, and a seed."""

    d: int
    k: int
    spike: float
    noise: float
    p: int
    t: float
    seed: int


def normaliser(trace: Any, top: Any) -> Any:
    """``D``, from the trace ``tr spikes^2 + d s^2`` and the largest variance ``spikes_1^2 + s^2``."""
    return (np.sqrt(trace) + LEVEL * np.sqrt(top)) ** 2


def roundness(trace: Any, top: Any, d: int, p: int = 1) -> Any:
    """``B`` for projections of rank ``p`` and more."""
    return (1 + LEVEL / np.sqrt(p)) ** 2 * top * d / normaliser(trace, top)


def exact_level() -> Any:
    """`LEVEL` in mpmath."""
    return mp.sqrt(2) * mp.erfinv(1 - 2 * mp.exp(-1))


@statement
class SpikedModel:
    labels = ("HP-L3.6",)
    given = (
        r"z\sim N\big(0,\tfrac1D(U\Lambda^2U^\top+\sigma^2I)\big),\ "
        r"D=\big(\sqrt{\operatorname{tr}\Lambda^2+d\sigma^2}+u_1\sqrt{\lambda_1^2+\sigma^2}\big)^2,\ "
        r"B=\Big(1+\frac{u_1}{\sqrt p}\Big)^2\frac{d(\lambda_1^2+\sigma^2)}D,\ \Phi(-u_1)=e^{-1},\ t\ge1"
    )
    claim = {
        "tail of the length": r"\Pr[\|z\|>t]\le e^{-t}",
        "tail of projected length": r"\Pr\big[\|Pz\|>t\sqrt{Bp/d}\big]\le e^{-t}",
    }
    printed = (
        "The spiked model is $`(B,p)`$-round for "
        r"$`B=O\big(\frac{\lambda_1^2+\sigma^2}{\mathrm{tr}(\Lambda^2)/d+\sigma^2}\big)`$."
    )
    where = {
        "U": "directions of the signals, orthonormal columns",
        "P": "projector of rank $`p`$",
        "t": "length, in units of the typical one",
    }
    verdict = Verdict.VERIFIED
    uses = ("HP-D3.1",)
    note = "streaming.md#the-spiked-model-is-round"
    digits = 25
    examples = 35
    slack = {
        "tail of the length": Slack(
            0.839227, "0.863 in the limit: the length is Lipschitz, its fluctuation sqrt 2 smaller"
        ),
        "tail of projected length": Slack(0.839227, "0.863 in the limit, for the same reason as the whole length"),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        """A model in up to eight dimensions, from pure noise to spikes of 16 standard deviations."""
        d = draw(st.integers(1, 8))
        k, p = draw(st.integers(1, d)), draw(st.integers(1, d))
        spike, noise = draw(dyadics(0, 4, 2)), draw(st.sampled_from([1.0, 0.5, 0.25]))
        return Case(d, k, spike, noise, p, draw(st.sampled_from([1.0, 2.0, 1.25, 4.0])), draw(seeds()))

    def fast(self, d: int, k: int, spike: float, noise: float, p: int, t: float, seed: int) -> Parts:
        """Samples and their projections on the first ``p`` axes, spikes first."""
        top, trace = spike**2 + noise**2, k * spike**2 + d * noise**2
        scale, rng = normaliser(trace, top), np.random.default_rng(seed)
        z = streaming.spiked(np.eye(d)[:, :k], np.full(k, spike), noise, scale, TRIALS, rng)
        limit = t * np.sqrt(roundness(trace, top, d, p) * p / d)
        above, above_inside = (int(np.sum(np.linalg.norm(x, axis=1) > y)) for x, y in ((z, t), (z[:, :p], limit)))
        yield Frequency(above, TRIALS, float(np.exp(-t)), part="tail of the length")
        yield Frequency(above_inside, TRIALS, float(np.exp(-t)), part="tail of projected length")

    def oracle(self, d: int, k: int, spike: Real, noise: Real, p: int, t: Real, _seed: int) -> Parts:
        rest, spike = noise**2, spike**2
        top, trace = spike + rest, k * spike + d * rest
        level = exact_level()
        scale = (mp.sqrt(trace) + level * mp.sqrt(top)) ** 2
        square = (mp.sqrt(p) + level) ** 2 * top / scale  # B p / d
        whole = oracle.weighted_tail(scale * t**2, top, k, rest, d - k)
        projected = oracle.weighted_tail(scale * t**2 * square, top, min(k, p), rest, max(p - k, 0))
        limit = mp.exp(-t)
        yield AtMost(whole, limit, scale=1, part="tail of the length")
        yield AtMost(projected, limit, scale=1, part="tail of projected length")

    def tight(self) -> list[Any]:
        """No spikes, 400 dimensions, all of them in the projection, at ``t = 1``."""
        return [Case(400, 400, 0.0, 1.0, 400, 1.0, 0)]

    def beyond(self) -> dict[str, Outcome]:
        """The standard normal law in three dimensions divided by its root mean square, at ``t = 1``."""
        tail = oracle.weighted_tail(mp.mpf(3), mp.mpf(1), 3, mp.mpf(0), 0)
        return {"D is above the trace": AtMost(tail, mp.exp(-1), part="tail of the length")}
