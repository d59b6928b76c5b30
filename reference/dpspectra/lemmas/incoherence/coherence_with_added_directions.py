"""Adding ``k`` random directions to an incoherent subspace keeps it incoherent.

``r mu0`` grows by at most ``k + 2 sqrt(k L) + 2 L`` with probability at least ``1 - beta``, ``L = log(m / beta)``. As
printed (in our reading), ``mu0`` at most doubles, plus a term of order ``log m``, under a condition on ``m``; here
there is no condition, and every constant is at most half.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Parts, Real, Slack, Verdict, statement
from dpspectra.lemmas.incoherence.leverages_with_random_directions import (
    chi_square_quantile,
    exact_quantile,
    sizes,
    uniform_level,
)

COUNTS = "equality only where the added directions do not count"


@statement
class CoherenceWithAddedDirections:
    labels = ("HR-L5.8",)
    given = r"l=\tfrac rm\mu_0(U),\ L=\log\tfrac m\beta,\quad\Pr\big[(r+k)\,\mu_0(V)>m(l+(1-l)b)\big]\le\beta"
    claim = {
        "level of the quantile": r"m\big(l+(1-l)b\big)\le r\mu_0(U)+k+2\sqrt{kL}+2L",
        "twice ours is below the printed form": (
            r"2\big(r\mu_0(U)+k+2\sqrt{kL}+2L\big)\le(r+k)\Big(2\mu_0(U)+\frac{4k+8L}{r+k}\Big)"
        ),
    }
    printed = (
        r"Not at hand; read as: if $`m`$ is large against $`k(r+k)\log(r+k)`$, a basis of the span of $`U`$ "
        r"and $`k`$ random directions has $`\mu_0\le2\mu_0(U)+O(\log m)`$ with probability $`\frac{99}{100}`$."
    )
    where = {
        "U": "matrix of $`r`$ orthonormal columns",
        "k": "number of random directions",
        "r": "number of columns of $`U`$",
        "l": "largest leverage of a row of $`U`$",
        "b": r"upper quantile at $`\beta/m`$ of the law $`\mathrm{Beta}(k/2,(m-r-k)/2)`$ (HR-L5.8R)",
    }
    verdict = Verdict.VERIFIED
    uses = ("HR-L5.8R",)
    note = "incoherence.md#adding-random-directions"
    digits = 20
    slack = {
        "level of the quantile": Slack(0.884582, COUNTS),
        "twice ours is below the printed form": Slack(0.809875, COUNTS),
    }
    examples = 35

    def cases(self) -> Any:
        return sizes().map(lambda drawn: (float(np.max(drawn[0])), len(drawn[0]), *drawn[1:]))

    def fast(self, largest: float, m: int, r: int, width: int, beta: float) -> Parts:
        """The level from the quantile, in units of ``1 / m``; the printed form is at least twice ours."""
        logarithm = np.log(m / beta)
        ours = m * largest + chi_square_quantile(width, logarithm)
        printed_form = 2 * (r + width) * m / r * largest + 4 * width + 8 * logarithm
        yield AtMost(m * uniform_level(largest, m, r, width, beta), ours, part="level of the quantile")
        yield AtMost(2 * ours, printed_form, part="twice ours is below the printed form")

    def oracle(self, largest: Real, m: int, r: int, width: int, beta: Real) -> Parts:
        logarithm, own = mp.log(m / beta), m * largest
        b = exact_quantile(m, r, width, beta) if largest < 1 else mp.mpf(1)
        ours = own + mp.fsum([width, 2 * mp.sqrt(width * logarithm), 2 * logarithm])
        printed_form = (r + width) * (2 * own / r + (4 * width + 8 * logarithm) / (r + width))
        yield AtMost(own + m * (1 - largest) * b, ours, part="level of the quantile")
        yield AtMost(2 * ours, printed_form, part="twice ours is below the printed form")

    def tight(self) -> list[Any]:
        """A flat subspace of 64 of very many dimensions and 16 directions: every term counts."""
        return [(2.0**-14, 2**20, 64, 16, 2.0**-10)]

    def beyond(self) -> dict[str, AtMost]:
        """A flat line in 100 dimensions with an axis added: its leverage is 1; ``beta`` is 1/2."""
        allowed = chi_square_quantile(1, mp.log(200), mp.sqrt) + 1
        return {"directions independent of the subspace": AtMost(mp.mpf(100), allowed, part="level of the quantile")}
