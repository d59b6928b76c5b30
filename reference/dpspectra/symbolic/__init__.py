"""Follow noise through unmodified code: draws stay symbols, and what code looks at is written on a tape.

A run on one data set *records*, a run on its neighbour *replays* what was looked at, and the two tapes give the exact
log-ratio of the likelihoods of what was seen. Data flow one way: `laws`, `tape`, `values`, `computed`, then the sources
of randomness (`drawing`, `numpy_sources`, `standard_sources`, `scipy_sources`, `replacing`, `earlier`), `canonical`
forms of outputs, `running`, the likelihoods (`integrals`, `systems`, `parts`), and what is concluded from them
(`paths`, `bets`, `confirming`, `verdict`).
"""
