"""Principal components from a stream."""

WHERE = {
    "z": r"sample, a random vector with $`A=\mathbb Ezz^\top`$",
    "A": "second-moment matrix of one sample",
    "d": "dimension of a sample",
    "k": "target rank",
    "p": "number of columns of an iterate, at least $`k`$",
    "n": "number of samples",
    r"\sigma_i": "the eigenvalues of $`A`$, in descending order",
    "U": "leading eigenvectors of $`A`$, as columns",
    r"\mathrm{gap}": r"gap $`\sigma_k-\sigma_{k+1}`$, above 0",
    r"\gamma": r"relative gap $`1-\sigma_{k+1}/\sigma_k`$",
    r"\epsilon": "bound on the tangent of the angle that is reached",
    r"\theta_k": "last principal angle between the ranges of $`U`$ and of the iterate",
    "B": "roundness: how much longer a projection of a sample may be than that of a uniform direction",
    "X_i": r"the iterates: $`d\times p`$ matrices with orthonormal columns, in round 0, 1, ...",
    "X": r"$`d\times p`$ matrix with orthonormal columns",
    "L": "number of rounds",
    "T": "number of samples of a round",
    "N": "normal law with this mean and covariance",
    "D": "factor that makes samples as short as the definition asks (HP-L3.6)",
    r"\Lambda": "diagonal matrix of the strengths of the $`k`$ signals",
    r"\lambda_i": "the strengths of the signals, in descending order",
    r"\sigma": "standard deviation of the noise in every coordinate",
    "u_1": "place above which a standard normal number lies with probability $`1/e`$",
    r"\mathrm{GS}": "Gram-Schmidt: an orthonormal basis of the columns, in their order",
}
"""Meanings of letters that several statements of the chapter share."""
