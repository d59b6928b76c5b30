"""Refutation of HP-L4.12 and HP-L4.13: the private power method neither commutes with rotations nor has uniform signs.

Printed: if an orthogonal ``O`` commutes with ``A``, rotating start and noise rotates the iterates, so a column of an
iterate has independent uniform signs in an eigenbasis of ``A``. True for noise of fixed scale; false for the printed
scale, the largest entry of the last iterate, which a rotation changes. The certificates repeat the numbers of the
counterexamples in exact form: change both together. `SECOND_DERIVATIVE` bounds the error of the midpoint rule and is
proved in the note, not computed.
"""

from typing import Any

from mpmath import mp

from dpspectra.ledger import AtMost, Verdict, inequality, statement

PIECES = 16
"""Number of intervals of the midpoint rule."""
SECOND_DERIVATIVE = 16
"""Upper bound on the second derivative of the counterexample's integrand on [-1, 1], shown in the note."""


@statement
class RotatedNoise:
    labels = ("HP-L4.12",)
    claim = r"OA=AO,\ O^\top O=I\ \Rightarrow\ X_L(OG_0,\dots,OG_L)=O\,X_L(G_0,\dots,G_L)\quad\text{(for PPM)}"
    printed = (
        r"The iterates of PPM satisfy $`X_L(OG_0,\dots,OG_L)=O\,X_L(G_0,\dots,G_L)`$ for an orthogonal $`O`$ "
        "with the eigenbasis of $`A`$."
    )
    where = {
        "O": "orthogonal matrix that commutes with $`A`$",
        "X_L(": (r"X_L(G_0,\dots,G_L)", "last iterate, as a function of the start and the noise"),
    }
    verdict = Verdict.REFUTED
    uses = ("HP-F3", "HP-L4.11")
    note = "power.md#rotated-noise"

    def as_printed(self, legs: tuple[int, int, int], second: float, start: Any, noise: Any, sigma: float) -> AtMost:
        """Cross product of the first blocks ``Y_1`` from rotated input and rotated afterwards; 0 if they are parallel.

        ``legs`` is a Pythagorean triple, the first eigenvector; the eigenvalues are 1 and ``second``. ``O`` reflects
        the second eigenvector.
        """
        c, s = mp.mpf(legs[0]) / legs[2], mp.mpf(legs[1]) / legs[2]
        u = mp.matrix([[c, -s], [s, c]])
        a, o = u * mp.diag([1, second]) * u.T, u * mp.diag([1, -1]) * u.T
        x, n = mp.matrix(start), mp.matrix(noise)

        def block(x: Any, n: Any) -> Any:
            return a * x + max(map(abs, x)) * sigma * n

        one, other = block(o * x, o * n), o * block(x, n)
        return AtMost(abs(one[0] * other[1] - one[1] * other[0]), mp.mpf(0), part="printed form")

    def hypotheses(
        self, legs: tuple[int, int, int], second: float, start: Any, noise: Any, sigma: float
    ) -> dict[str, AtMost]:
        """The eigenvectors have legs of a right triangle, so that ``O`` is orthogonal and commutes with ``A``."""
        return {
            "the eigenvectors are orthonormal": AtMost(abs(legs[0] ** 2 + legs[1] ** 2 - legs[2] ** 2), 0),
            "the start has length 1": AtMost(abs(sum(x * x for x in start) - 1), 0),
        }

    def counterexample(self) -> Any:
        return (3, 4, 5), 0.5, [1, 0], [0, 1], 1.0

    certificate = (
        "the start (1, 0) has largest entry 1, its reflection (-7, 24) / 25 has 24/25: the noise (0, 1) is added in"
        " different amounts, and the two blocks span an area of (1 - 24/25) A_11 = (1/25)(17/25)",
        ["mul", ["sub", "1", "24/25"], "17/25"],
        "0",
    )


@statement
class UniformSigns:
    labels = ("HP-L4.13",)
    claim = (
        r"x\text{ a column of }X_l,\ A=\textstyle\sum\lambda_iu_iu_i^\top:\quad"
        r"(\mathrm{sign}\langle u_i,x\rangle)_i\text{ uniform on }\{\pm1\}^d\quad\text{(for PPM)}"
    )
    printed = (
        "For a column $`x`$ of an iterate of PPM and the eigenvectors $`u_i`$ of $`A`$ the signs of "
        r"$`\langle u_i,x\rangle`$ are uniform on $`\{-1,1\}^d`$."
    )
    where = {
        "x": "column of an iterate",
        r"\lambda_i": "the eigenvalues of $`A`$",
        "u_i": "the eigenvectors of $`A`$",
        r"\mathrm{sign}": "sign of a number",
    }
    verdict = Verdict.REFUTED
    uses = ("HP-F3",)
    note = "power.md#signs-of-the-iterates"

    def as_printed(self, legs: tuple[int, int, int], second: float, sigma: float) -> AtMost:
        """The claimed 1/2 against a bound on the probability that both coordinates have the same sign after a round.

        The start is uniform on the circle. If its larger entry is the first, it is along ``(1, t)``, ``|t| <= 1``;
        given the start, the signs are independent with means ``2 Phi(lambda_i <u_i, (1, t)> / sigma) - 1``.
        """
        c, s = mp.mpf(legs[0]) / legs[2], mp.mpf(legs[1]) / legs[2]

        def mean(x: Any) -> Any:
            return 2 * mp.ncdf(x / sigma) - 1

        def integrand(t: Any) -> Any:
            first = mean(c + s * t) * mean(second * (-s + c * t))
            other = mean(c * t + s) * mean(second * (-s * t + c))
            return (first + other) / (1 + t * t)

        h = mp.mpf(2) / PIECES
        middle = mp.fsum(h * integrand(-1 + h * (i + mp.mpf(1) / 2)) for i in range(PIECES))
        error = h**2 / 12 * SECOND_DERIVATIVE
        return AtMost(mp.mpf(1) / 2, mp.mpf(1) / 2 + (middle + error) / (2 * mp.pi), part="printed form")

    def hypotheses(self, legs: tuple[int, int, int], second: float, sigma: float) -> dict[str, AtMost]:
        return {
            "the eigenvectors are orthonormal": AtMost(abs(legs[0] ** 2 + legs[1] ** 2 - legs[2] ** 2), 0),
            "the noise has a positive scale": AtMost(0, sigma),
        }

    def counterexample(self) -> Any:
        return ((12, 5, 13), 0.375, 0.375)

    def certificate(self) -> dict[str, Any]:
        """The midpoint rule as a tree; arguments of the normal law are divided by ``sigma = second = 3/8``."""

        def mean(numerator: int, denominator: int) -> list[Any]:
            return ["sub", ["mul", "2", ["normal_cdf", f"{numerator}/{denominator}"]], "1"]

        terms = []
        for i in range(PIECES):
            n = 2 * i + 1 - PIECES  # t = n / PIECES
            large, small = 13 * PIECES * 3, 13 * PIECES
            for first, other in (
                (12 * PIECES + 5 * n, -5 * PIECES + 12 * n),
                (12 * n + 5 * PIECES, -5 * n + 12 * PIECES),
            ):
                weight = f"{2 * PIECES}/{PIECES**2 + n**2}"  # h / (1 + t^2)
                terms.append(["mul", mean(8 * first, large), mean(other, small), weight])
        error = f"{4 * SECOND_DERIVATIVE}/{12 * PIECES**2}"
        upper = ["add", "1/2", ["div", ["add", *terms, error], ["mul", "2", ["pi"]]]]
        return inequality(
            "HP-L4.13",
            "eigenvectors (12, 5) / 13 and (-5, 12) / 13, eigenvalues 1 and 3/8, sigma = 3/8, one column, one "
            "round: both signs agree with probability at most this midpoint rule plus its error, below one half",
            "1/2",
            upper,
        )
