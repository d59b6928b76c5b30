"""How large noise gets."""

WHERE = {
    "d": "dimension, the order of the matrices",
    r"\eta": "probability of the exception",
    "b": "scale of the Laplace law",
    "t": "threshold, a free number",
    "U": "public matrix of $`k`$ orthonormal columns",
    "G_i": r"the noise matrices, independent, $`d\times p`$",
    "L": "number of noise matrices",
    "p": "number of columns of a noise matrix",
    "k": "number of columns of $`U`$",
}
"""Meanings of letters that several statements of the chapter share."""
