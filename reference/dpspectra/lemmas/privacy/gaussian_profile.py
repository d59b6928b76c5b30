"""Noise ``N(0, sigma^2 I)`` on two points at distance ``c`` has ``delta(epsilon) = Phi(m/2 - e/m) - e^e Phi(-m/2 - e/m)``.

Here ``m = c / sigma`` and ``e = epsilon``. By rotation only the coordinate along the difference matters; there the
log-ratio is increasing, so the worst event is a half-line. The profile grows with ``m``: the worst neighbours are those
at the full sensitivity, and the least noise is ``c / m`` at the one root ``m`` of ``delta(epsilon) = delta``. Both orders
of the pair give the same. In no case is the mechanism private with ``delta = 0``, except when ``c = 0``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from mpmath import mp

from dpspectra.fast import gaussian as fast
from dpspectra.ledger import AtMost, Equal, Statement, Verdict
from dpspectra.ledger.outcomes import Outcome
from dpspectra.strategies import ball_vectors, deltas, epsilons
