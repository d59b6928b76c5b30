"""Optimisation and approximation over unitary orbits."""

WHERE = {
    "M": "Hermitian matrix of the data, the sum of $`xx^*`$ over the rows",
    "H": "released matrix, a point of the orbit",
    r"\Lambda": "diagonal matrix of the spectrum that the release has",
    r"\mathcal O_\Lambda": r"orbit: all Hermitian matrices with the spectrum $`\Lambda`$",
    r"\lambda_i": "the values of the released spectrum, in descending order",
    r"\gamma_i": "the eigenvalues of $`M`$, in descending order",
    r"\kappa": r"inverse temperature: the release has a density proportional to $`e^{\kappa\langle M,H\rangle}`$",
    r"\mathrm{gap}": r"utility that is lost: $`\sum_i\lambda_i\gamma_i-\langle M,H\rangle`$, at least zero",
    r"\mathrm{OPT}": r"largest possible $`\langle M,H\rangle`$ on the orbit, $`\sum_i\lambda_i\gamma_i`$",
    "n": "number of pairs of distinct values of the spectrum",
    r"\beta": "probability of the exception",
    "q_n": "quantile: the number at which the tail $`Q_n`$ of the Gamma law of shape $`n`$ has this value",
    r"\nu_M": r"law of the release: density proportional to $`e^{\kappa\langle M,H\rangle}`$ on the orbit",
    r"\mu_\Lambda": "uniform (Haar) law on the orbit",
}
"""Meanings of letters that several statements of the chapter share."""
