"""How few points cover an orbit."""

WHERE = {
    "M": "Hermitian matrix of the data",
    "H": "released matrix, a point of the orbit",
    "N": "covering number: how many closed balls of this radius, with centres in the set, cover the set, at least",
    r"\Lambda": "diagonal matrix of the spectrum that the release has",
    r"\mathcal O_\Lambda": r"orbit: all Hermitian matrices with the spectrum $`\Lambda`$",
    r"\lambda_i": "the values of the released spectrum, in descending order",
    r"\gamma_i": "the eigenvalues of $`M`$, in descending order",
    r"\kappa": r"inverse temperature: the release has a density proportional to $`e^{\kappa\langle M,H\rangle}`$",
    r"\mathrm{gap}": (
        r"utility that is lost: largest possible $`\langle M,H\rangle`$ on the orbit less the one that is had"
    ),
    r"\mu": "uniform (Haar) law on the orbit",
    r"\beta_{\mathbb F}": "2 over the complex numbers, 1 over the reals",
    r"\Gamma": "trace of $`M`$",
    r"\zeta": "radius of the balls",
    "U": r"$`d\times k`$ frame of orthonormal columns",
    "V": "another such frame",
}
"""Meanings of letters that several statements of the chapter share."""
