"""Follow noise through unmodified code: draws stay symbols, and what code looks at is written on a tape.

A run on one data set *records*, a run on its neighbour *replays* what was looked at, and the two tapes give the exact
log-ratio of the likelihoods of what was seen. Data flow one way: `laws`, `tape`, `noisy_numbers`, `computed_noise`,
then the sources of randomness (`given_draws`, `numpy_sources`, `standard_sources`, `scipy_sources`,
`replaced_sources`, `existing_generators`), `canonical_output`, `one_run`, the likelihoods (`log_concave_integrals`,
`observed_constraints`, `independent_constraints`), and what is concluded from them (`decision_paths`, `loss_bets`,
`faithful_runs`, `verdict`).
"""
