"""The streaming power method is the noisy power method with the error of a block's second moment as its noise.

Samples are cut into ``L`` blocks of ``T = floor(n / L)``; a round multiplies by the second moment of its block, which
needs one pass and a memory of ``2 p d`` numbers. For every matrix ``A`` the product is ``A X + G`` with
``G = (A_l - A) X``.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg, power, streaming
from dpspectra.ledger import Equal, Matrix, Parts, Verdict, statement
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import linalg as exact
from dpspectra.oracle import power as exact_power
from dpspectra.oracle import streaming as oracle
from dpspectra.strategies import independent_columns, rectangular, st

FULL_RANK = 2.0**-10
"""Smallest singular value of a product, relative to the largest, for which its span is judged in float64."""


@statement
class StreamingPowerMethod:
    labels = ("HP-F2",)
    given = (
        r"\hat A_l=\tfrac1T\sum_{i\in B_l}z_iz_i^\top,\ T=\lfloor n/L\rfloor,\ G_l=(\hat A_l-A)X_{l-1},\ "
        r"X_l=\operatorname{GS}(AX_{l-1}+G_l)"
    )
    claim = {"iterate of the stream": (r"X_l=\operatorname{GS}\big(\tfrac1T\sum_{i\in B_l}z_i(z_i^\top X_{l-1})\big)")}
    printed = (
        r"The stream is cut into $`L`$ blocks of $`T`$ samples; $`Y_\ell=\sum_iz_iz_i^\top X_{\ell-1}`$ over "
        "the block, and QR as before."
    )
    where = {
        "G_i": "the errors of the rounds: what a mini-batch does in place of $`A`$",
        "B_i": "the blocks of samples, one a round",
        "z_i": "the samples",
        r"\hat A_i": "the second-moment matrix of a block of samples",
    }
    verdict = Verdict.DEFINITION
    uses = ("HP-F1",)
    note = "streaming.md#the-streaming-power-method"
    without_beyond = (
        "It defines an algorithm, and states an identity for every stream; only blocks of full rank have a basis."
    )
    digits = 30

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Integer samples, a start, the number of rounds, and a batch; some samples may be left over."""
        d, p, rounds = draw(st.sampled_from([(2, 1, 2), (3, 2, 2), (3, 1, 3), (2, 2, 1), (1, 1, 2)]))
        n = rounds * (d + draw(st.integers(1, 3))) + draw(st.integers(0, rounds - 1))
        return draw(rectangular(n, d, entries=4)), draw(independent_columns(d, p)), rounds, draw(st.integers(1, 4))

    def fast(self, stream: Any, start: Any, rounds: int, batch: int) -> Parts:
        """The noise is the distance from the second moment of all samples."""
        size, a = len(stream) // rounds, linalg.gram(stream) / len(stream)
        x, noises = orthonormal(start), []
        for number in range(rounds):
            block = linalg.gram(stream[number * size : (number + 1) * size]) / size
            sizes = np.linalg.svd(block @ x, compute_uv=False)
            if sizes[-1] <= FULL_RANK * sizes[0]:
                return
            noises.append((block - a) @ x)
            x = orthonormal(a @ x + noises[-1])
        one, other = streaming.iterates(stream, start, rounds, batch)[-1], power.iterates(a, start, noises)[-1]
        for p, q in zip(one.ravel(), other.ravel(), strict=True):
            yield Equal(p, q, scale=1, part="iterate of the stream")

    def oracle(self, stream: Matrix, start: Matrix, rounds: int, _batch: int) -> Parts:
        """The iterates by second moments, against sums over samples."""
        rows, size = [stream[i, :].T for i in range(stream.rows)], stream.rows // rounds
        x = exact_power.iterates(mp.zeros(stream.cols), start, [])[0]
        for number in range(rounds):
            y = mp.zeros(x.rows, x.cols)
            for z in rows[number * size : (number + 1) * size]:
                y += z * (z.T * x) / size
            sizes = exact.singular_values(y)
            if sizes[-1] <= FULL_RANK * sizes[0]:
                return
            x = exact_power.iterates(mp.zeros(x.rows), x, [y])[-1]
        for p, q in zip(oracle.iterates(stream, start, rounds)[-1], x, strict=True):
            yield Equal(p, q, scale=1, part="iterate of the stream")

    def tight(self) -> list[Any]:
        """Five samples of the plane in two blocks of two, the last one left over; a batch of three."""
        stream = np.array([[2.0, 1.0], [0.0, 3.0], [1.0, -1.0], [4.0, 1.0], [1.0, 1.0]])
        return [(stream, np.array([[1.0], [1.0]]), 2, 3)]
