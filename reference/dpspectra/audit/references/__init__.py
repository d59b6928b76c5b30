"""Second implementations of the laws that the samplers and mechanisms of this package should follow.

A `Reference` draws from its law by another method than the sampler under test, and knows exact distribution functions
of some one-dimensional statistics; its input is called ``x``. `own_samplers` pairs each with its sampler; `conforms`
compares them. Do not draw from `dpspectra.sampling` here, except where a docstring says so: a shared fault would go
unseen. Noise scales do come from lemmas and mechanisms: these tests check the noise's law, not its calibration.
"""

from dpspectra.audit.conformance import Reference
from dpspectra.audit.references.noise import (
    centred_wishart,
    knorm_noise,
    noisy_spectrum,
    shaped_normal_noise,
    tilted_difference,
    triangle_noise,
    wishart_difference,
)
from dpspectra.audit.references.numbers import discrete_gaussian, discrete_laplace, laplace, normal, uniform
from dpspectra.audit.references.samplers import bingham, coordinate_cdf, haar, orbit, unit_vectors, utility_cdf

__all__ = [
    "Reference",
    "bingham",
    "centred_wishart",
    "coordinate_cdf",
    "discrete_gaussian",
    "discrete_laplace",
    "haar",
    "knorm_noise",
    "laplace",
    "noisy_spectrum",
    "normal",
    "orbit",
    "shaped_normal_noise",
    "tilted_difference",
    "triangle_noise",
    "uniform",
    "unit_vectors",
    "utility_cdf",
    "wishart_difference",
]
