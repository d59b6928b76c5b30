"""tmlt.core 0.20.0: bits drawn by the processor through randomgen, noise by balls of python-flint."""

import numpy as np
from tmlt.core.domains.numpy_domains import NumpyFloatDomain
from tmlt.core.measurements import noise_mechanisms as m

from bench.foreign import COMPILED, Mechanism
from dpspectra.audit import GDP, ZCDP

LAPLACE = m.AddLaplaceNoise(scale=1, input_domain=NumpyFloatDomain())
GEOMETRIC = m.AddGeometricNoise(alpha=1)
DISCRETE = m.AddDiscreteGaussianNoise(sigma_squared=4)
GAUSSIAN = m.AddGaussianNoise(sigma_squared=4, input_domain=NumpyFloatDomain())
MECHANISMS = [
    Mechanism("AddLaplaceNoise", lambda x: float(LAPLACE(np.float64(x))), (0.0, 1.0), loss=1.0, noise=COMPILED),
    Mechanism("AddGeometricNoise", lambda x: int(GEOMETRIC(np.int64(x))), (0, 1), loss=1.0, noise=COMPILED),
    Mechanism(
        "AddDiscreteGaussianNoise",
        lambda x: int(DISCRETE(np.int64(x))),
        (0, 1),
        ZCDP(1 / 8),
        within=True,
        noise=COMPILED,
    ),
    Mechanism(
        "AddGaussianNoise", lambda x: float(GAUSSIAN(np.float64(x))), (0.0, 1.0), GDP(0.5), mu=0.5, noise=COMPILED
    ),
]
