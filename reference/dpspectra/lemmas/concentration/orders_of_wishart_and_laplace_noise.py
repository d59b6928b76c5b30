"""The printed order of Wishart noise, ``d log d``, is at most ``2 / e`` times that of Laplace noise, ``d sqrt(d)``.

``log(d) / sqrt(d)`` is largest at ``d = e^2``. It compares the numbers of Table 1 only: the Wishart mechanism does not
have the privacy that the table says.
"""

import math
from typing import Any

from mpmath import mp

from dpspectra.ledger import AtMost, Parts, Slack, Verdict, statement
from dpspectra.strategies import st


@statement
class OrdersOfWishartAndLaplaceNoise:
    labels = ("JXZ-R2",)
    claim = {"orders of magnitude": r"d\log d\le\tfrac2e\,d\sqrt d"}
    printed = (
        r"Not at hand; read as: for the same privacy the utility bound of the Wishart mechanism, of the order "
        r"$`\frac{d\log d}{n\varepsilon}`$, is always better than that of the Laplace mechanism, "
        r"$`\frac{d\sqrt d}{n\varepsilon}`$."
    )
    verdict = Verdict.VERIFIED
    note = "concentration.md#orders-of-wishart-and-laplace-noise"
    without_beyond = "It holds for every dimension, and asks for nothing else."
    slack = {"orders of magnitude": Slack(0.999635, "the dimension is a whole number, and the square of e is none")}

    def cases(self) -> Any:
        return st.tuples(st.integers(1, 10**6))

    def fast(self, d: int) -> Parts:
        yield AtMost(d * math.log(d), 2 / math.e * d * math.sqrt(d), part="orders of magnitude")

    def oracle(self, d: int) -> Parts:
        yield AtMost(d * mp.log(d), 2 * mp.exp(-1) * mp.mpf(d) ** mp.mpf(1.5), part="orders of magnitude")

    def tight(self) -> list[Any]:
        return [(7,)]
