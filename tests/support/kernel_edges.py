"""Words at which the kernels of certified noise change their way."""

import math


def near(k, width=2):
    return [k + j for j in range(-width, width + 1) if 2**48 <= k + j < 2**63]


EDGES = sorted({
    *(k for e in range(48, 64) for k in near(2**e)),
    *(k for e in range(48, 63) for k in near(int(2**e * math.sqrt(2)))),
    *(k for e in range(1, 48) for k in near(2**63 - 2**e)),
    *near(int(2**63 * math.exp(-(2.0**-15))), 40),
})  # fmt: skip
"""Upper 63 bits of words where the kernel of the logarithm changes its way, or cancels."""
