"""Wishart noise: the refuted mechanism, its exact profile, and the repairs."""

WHERE = {
    "n": "number of rows of the data",
    "A": r"second-moment matrix of the data, $`\frac1n\sum_ix_ix_i^\top`$",
    "A'": "that of a data set with one row replaced",
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
    "f_A": "density of the released matrix",
    "f_{A'}": "density of the released matrix on a neighbouring data set",
    r"\nu": "degrees of freedom $`m-d+1`$ of the noise",
    "a": "squared length of a row in units of the scale",
    "F_i": "distribution function of the chi-squared law with this many degrees of freedom",
    r"\delta^-_\nu": (
        r"smallest delta at the first argument for $`T`$ against $`T`$ plus the second argument, where $`T`$ is "
        r"chi-squared with $`\nu`$ degrees of freedom: a row appears"
    ),
    r"\delta^+_\nu": r"the same for $`T`$ plus the second argument against $`T`$: a row becomes zero",
    r"\delta_\nu": r"the larger one of $`\delta^-_\nu`$ and $`\delta^+_\nu`$",
    r"\Delta_*": "sensitivity in nuclear norm: how far the matrix moves, at most",
    r"\Delta_1": "sensitivity in l1: the sum of the moduli of the changes in the upper triangle, at most",
}
"""Meanings of letters that several statements of the chapter share."""
