"""trasgoDP 2.1.0: noise by the global generator of numpy."""

import numpy as np
import pandas as pd
from trasgodp.categorical import (
    dp_exponential_array,
    dp_randomized_response_binary_array,
    dp_randomized_response_kary_array,
)
from trasgodp.numerical import dp_clip_gaussian_array, dp_clip_laplace, dp_clip_laplace_array

from bench.foreign import Mechanism
from dpspectra.audit import ApproxDP

ROWS = (np.array([0.25, 0.0]), np.array([0.25, 1.0]))
BITS = (np.array(["no", "yes", "no"]), np.array(["no", "yes", "yes"]))
KINDS = (np.array(["a", "b", "c", "a"]), np.array(["a", "b", "c", "b"]))
MECHANISMS = [
    Mechanism("dp_clip_laplace_array", lambda x: dp_clip_laplace_array(x, 1.0, 0.0, 1.0), ROWS, loss=1.0),
    Mechanism(
        "dp_clip_laplace_array of integers",
        lambda x: dp_clip_laplace_array(x, 1.0, 0, 4),
        (np.array([0, 2]), np.array([4, 2])),
        within=True,
        proof="a function of Laplace noise of scale 4",
    ),
    Mechanism(
        "dp_clip_laplace of a table",
        lambda x: dp_clip_laplace(pd.DataFrame({"age": x}), "age", 1.0, 0.0, 1.0),
        ROWS,
        loss=1.0,
    ),
    Mechanism(
        "dp_clip_gaussian_array",
        lambda x: dp_clip_gaussian_array(x, 1.0, 0.0, 1.0, 0.01),
        ROWS,
        ApproxDP(1.0, 0.01),
        within=True,
        proof="a function of normal noise with mu 0.32",
    ),
    Mechanism(
        "dp_randomized_response_binary_array",
        lambda x: dp_randomized_response_binary_array(x, 1.0, "yes"),
        BITS,
        loss=1.0,
        proof="odds e",
    ),
    Mechanism(
        "dp_randomized_response_kary_array", lambda x: dp_randomized_response_kary_array(x, 1.0), KINDS, loss=1.0
    ),
    Mechanism(
        "dp_exponential_array",
        lambda x: dp_exponential_array(x, 1.0),
        KINDS,
        loss=0.5,
        proof="the true one has weight exp(1/2), each other one 1",
    ),
]
