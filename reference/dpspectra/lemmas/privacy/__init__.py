"""What differential privacy promises, and what the basic mechanisms cost."""

WHERE = {
    "P": "law of the output on one data set",
    "Q": "law of the output on a neighbouring data set",
    "S": "event: a set of outputs",
    "M": "second-moment matrix of the data, the sum of $`xx^*`$ over the rows",
    "M'": "second-moment matrix of a neighbouring data set",
    "H": "released matrix, a point of the orbit",
    r"\lambda_i": "the values of the spectrum of the released matrix, in descending order",
    r"\kappa": "inverse temperature: factor of the score in the exponent",
    "p_M": "density of the released matrix when the data have the second moments $`M`$",
    "p_{M'}": "density of the released matrix on a neighbouring data set",
    r"\mu": "Gaussian privacy: number of standard deviations between the means on two neighbouring data sets, at most",
    r"\sigma": "standard deviation of the noise",
}
"""Meanings of letters that several statements of the chapter share."""
