"""The complex law of `bingham` when it is concentrated: squared moduli are exponentials conditioned on the simplex.

Under the uniform law on the complex sphere the squared moduli are uniform on the simplex; the tilt
``exp(-sum a_i |x_i|^2)`` makes all but the first independent exponentials, given that they sum to at most 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.sampling.rejection import accepted


def coordinates(exponents: NDArray[Any], size: int, rng: np.random.Generator) -> NDArray[Any]:
    """Complex unit vectors with density proportional to ``exp(-sum_i a_i |x_i|^2)``, shape ``(size, d)``.

    The first exponent must be the least. Each other squared modulus is drawn from its exponential law cut to
    ``[0, 1]`` (uniform at rate 0), and the draw is kept if they sum to at most 1; phases are uniform.
    """
    rates = np.asarray(exponents[1:], dtype=float) - exponents[0]

    def propose(count: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        u = rng.random((count, len(rates)))
        moduli = np.where(rates > 0, -np.log1p(u * np.expm1(-rates)) / np.where(rates > 0, rates, 1.0), u)
        return moduli, moduli.sum(axis=1) <= 1

    rest = accepted(propose, size, len(exponents))
    moduli = np.concatenate([1 - rest.sum(axis=1, keepdims=True), rest], axis=1)
    return np.sqrt(moduli) * np.exp(2j * np.pi * rng.random(moduli.shape))
