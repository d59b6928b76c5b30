"""Exact sampling from exponential laws on unitary and orthogonal orbits."""

WHERE = {
    "M": "Hermitian matrix, the data; here of diagonal form",
    "H": "point of the orbit that is drawn",
    r"\kappa": r"inverse temperature: the law has a density proportional to $`e^{\kappa\langle M,H\rangle}`$",
    r"\Lambda": "diagonal matrix of the spectrum",
    r"\lambda_i": "the values of the spectrum, in descending order",
    r"\mu_\Lambda": "uniform (Haar) law on the orbit",
    r"d\mu_\Lambda": (r"\mu_\Lambda", "uniform (Haar) law on the orbit"),
    r"\gamma_i": "the eigenvalues of $`M`$, in descending order",
    "m_i": "the diagonal of $`M`$",
    r"\mu": r"row of the pattern, interlacing the row $`\lambda`$ above it",
    r"\mu_i": "the entries of the row, in descending order",
    r"\lambda": r"row of the pattern above $`\mu`$, with one entry more",
    "r": "number of a row of the pattern, and of its entries",
    "x_i": "row of the pattern: the eigenvalues of the leading minor of this order",
    "x_{r,j}": "entry $`j`$ of row $`r`$ of the pattern",
    r"\langle\operatorname{diag}m,H\rangle": "score of the drawn matrix: the sum of $`m_rH_{rr}`$",
    r"\mathcal{CN}": "complex normal law of this mean and mean square",
    r"\Gamma": "Gamma function; with two arguments, the upper incomplete one",
}
"""Meanings of letters that several statements of the chapter share."""
