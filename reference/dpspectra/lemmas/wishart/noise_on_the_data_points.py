"""Normal noise on the data points is not the Wishart mechanism: that appends ``d + 1`` rows of noise.

``[X; G]'[X; G] = X'X + G'G`` is the matrix of the data with more rows, and it never is below ``X'X``. Noise on the
points has products with the data, too, and can make a row shorter.
"""

from mpmath import mp

from dpspectra.ledger import AtMost, Verdict, statement


@statement
class NoiseOnTheDataPoints:
    labels = ("JXZ-R1",)
    claim = r"X^\top X+W\text{ and }(X+G)^\top(X+G)\text{ have one law}\quad\text{(false)}"
    printed = "Not at hand; read as: the Wishart mechanism is equivalent to normal noise on the data points."
    where = {
        "X": "data matrix, whose rows are points",
        "G": "matrix of independent normal entries",
        "W": "Wishart noise",
    }
    verdict = Verdict.REFUTED
    uses = ("JXZ-A2",)
    instead = ("JXZ-T4-R2",)
    note = "wishart.md#noise-on-the-data-points"

    def as_printed(self, size: float) -> AtMost:
        """Probabilities that the first entry is below 1, for one row ``e_1`` in any dimension.

        The noise on the points has this standard deviation.
        """
        below = mp.ncdf(0) - mp.ncdf(-2 / mp.mpf(size))
        return AtMost(below, mp.mpf(0), part="printed form")

    def hypotheses(self, size: float) -> dict[str, AtMost]:
        return {"the noise is not 0": AtMost(0, size)}

    def counterexample(self) -> tuple[float]:
        return (1.0,)

    certificate = (
        "one row e_1, standard deviation 1: (1 + g)^2 < 1 for g in (-2, 0); 1 + W_11 is never below 1",
        ["sub", "1/2", ["normal_cdf", "-2"]],
        "0",
    )
