"""Wishart noise: the refuted mechanism, its exact profile, and the repairs."""

WHERE = {
    "n": "number of rows of the data",
    "A": r"second-moment matrix of the data, $`\frac1n\sum_ix_ix_i^\top`$",
    "A'": "that of a data set with one row replaced",
    "X": "data matrix, whose rows have norm at most 1",
    "X'": "data matrix with one row replaced",
    "W": "Wishart matrix that is added as noise",
    "W'": "another Wishart matrix, independent of the first one",
    "W_d": "Wishart law in $`d`$ dimensions, with these degrees of freedom and this scale matrix",
    "c": "scale of the noise: its scale matrix is $`cI`$",
    "S": "event: a set of outputs",
    "K": "released matrix",
    "v": "row before the change",
    "w": "row after the change",
    "m": "degrees of freedom of the Wishart law",
    "C": "scale matrix of the Wishart law",
    r"\Delta_*": "sensitivity in nuclear norm: how far the matrix moves, at most",
    r"\Delta_1": "sensitivity in l1: the sum of the moduli of the changes in the upper triangle, at most",
}
"""Meanings of letters that several statements of the chapter share."""
