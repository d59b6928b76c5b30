"""Matrices whose mass is spread over rows."""

WHERE = {
    "A": r"real $`m\times n`$ matrix, the data",
    "m": "number of rows of $`A`$",
    "n": "number of columns of $`A`$",
    "A_i": "the rows of $`A`$",
    "C": "coherence $`C(A)`$: how much larger the largest row is than an even spread makes it (HR-D5.1)",
    r"\varrho": "largest norm of a row of $`A`$",
    r"\mu_0": "coherence of the range (HR-D5.5): largest leverage of a row in units of the mean one",
    "U": "public matrix of orthonormal columns",
    "V": "orthonormal basis of the range of $`U`$ and of random directions",
    "Q": "basis that the private range finder releases, with orthonormal columns",
    "V_i": "the rows of $`V`$",
    "r": "rank of $`A`$, or number of columns of $`U`$",
    "L": r"the logarithm $`\log\frac m\beta`$",
    r"\beta": "probability of the exception",
    r"\tau_k": "error in Frobenius norm of the best approximation of rank $`k`$",
    r"\tau": "leverage level: rows of the basis with a larger norm are pruned",
    "s": "standard deviation of the noise of the range finder",
    "k'": "number of columns of the range finder's basis, $`2k+1`$",
    r"\mu": (
        "Gaussian privacy of the projection: number of standard deviations between the means on two "
        "neighbouring data sets, at most"
    ),
    "B": "second output: the noisy product of the pruned basis with $`A`$",
    "G": "matrix of independent standard normal entries",
    r"\alpha": "level above which entries of the basis are pruned",
    r"\mathrm{orth}": "orthonormal basis of the range",
    "S": "set of the rows that are pruned",
    r"\mathrm{GS}": "Gram-Schmidt: an orthonormal basis of the columns, in their order",
}
"""Meanings of letters that several statements of the chapter share."""
