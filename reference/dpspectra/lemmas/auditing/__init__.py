"""Audits that may be read at any time: wealth from betting against a privacy claim."""

WHERE = {
    "P": "law of the output on the first data set",
    "Q": "law of the output on the second data set",
    "E": "event: a set of outputs",
    r"\mathcal F_i": "what is known after this many pairs of draws",
    r"\mathcal F": "what is known before the call",
    "K_n": "wealth of the bettor after $`n`$ pairs of draws",
    "K_i": "wealth of the bettor after this many pairs of draws",
    "n": "number of pairs of draws",
    "g": "fraction of the wealth that is at stake",
    "a": "risk: probability of a false alarm, at most",
}
"""Meanings of letters that several statements of the chapter share."""
