"""The bound of Kapralov and Talwar is false as it is quoted: its condition has the wrong direction.

A condition that ``lambda_1`` is *large* would allow every ``omega`` near 1 for any data, and so demand an error of
nearly ``lambda_1`` from everything. But a line that is drawn uniformly, without data, errs by two thirds of
``lambda_1`` in the mean. Read with a small ``lambda_1`` it says that data of few rows are not answered well.
"""

from mpmath import mp

from dpspectra.ledger import AtMost, Relation, Verdict, statement


@statement
class BoundQuotedFromKapralovAndTalwar:
    labels = ("MWKTV-R2.4KT",)
    claim = (
        r"\lambda_1>\frac{k(d-k)}\varepsilon\log\frac1\omega\ \Rightarrow\ \mathbb E\|M-\mathcal A(M)\|_2"
        r"\ge\lambda_{k+1}+\omega\lambda_1\quad\text{(false)}"
    )
    printed = (
        r"Quoted from Kapralov and Talwar: if $`\lambda_1>k(d-k)\log(\frac1\omega)/\varepsilon`$, then every "
        r"$`\varepsilon`$-DP mechanism has an error of at least $`\lambda_{k+1}+\omega\lambda_1`$ in spectral norm."
    )
    where = {
        r"\omega": "a number below 1",
        "k": "rank of the output",
    }
    verdict = Verdict.REFUTED
    relation = (Relation.REPLACE,)
    instead = ("MWKTV-R2.3c", "JXZ-T10")
    note = "lower_bounds.md#bound-quoted-from-kapralov-and-talwar"

    def as_printed(self, largest: float, omega: float, epsilon: float) -> AtMost:
        """Compare the bound for ``diag(lambda_1, 0)`` with the mean error of a uniform line of the complex plane.

        The squared sine of its angle to any given line is uniform, and the error is ``lambda_1`` times the sine.
        """
        mean = mp.mpf(largest) * mp.quad(mp.sqrt, [0, 1])
        return AtMost(mp.mpf(omega) * largest, mean, part="printed form")

    def hypotheses(self, largest: float, omega: float, epsilon: float) -> dict[str, AtMost]:
        needed = mp.log(1 / mp.mpf(omega)) / epsilon
        return {
            "lambda_1 is above k (d - k) log(1 / omega) / epsilon": AtMost(needed, mp.mpf(largest)),
            "omega is in (0, 1), and epsilon is positive": AtMost(0, min(omega, 1 - omega, epsilon)),
        }

    def counterexample(self) -> tuple[float, float, float]:
        return 1.0, 0.9375, 1.0

    certificate = (
        "diag(1, 0), k = 1, epsilon = 1, omega = 15/16: log(16/15) < 1, and a uniform line errs by 2/3 in the mean",
        "15/16",
        "2/3",
    )
