"""A word that is no option is told the options that it is near to, whoever asks."""

import re

import pytest

import dpspectra as dps
from dpspectra import Matrix
from dpspectra.ground import checks
from dpspectra.relations import Relation, among

COVARIANCES = ("gaussian_covariance", "laplace_covariance", "wishart_covariance")


@pytest.mark.parametrize(
    ("value", "near"),
    [
        ("gausian_covariance", "; near: gaussian_covariance"),
        ("laplace_covarianc", "; near: laplace_covariance"),
        ("Gaussian_covariance", "; near: gaussian_covariance"),
        ("laplace", "; near: laplace_covariance"),
        ("covariance", "; near: gaussian_covariance, laplace_covariance, wishart_covariance"),
        ("lap", ""),
        ("orbit", ""),
        ("", ""),
        (None, ""),
        (["laplace_covariance"], ""),
    ],
)
def test_near_names_end_the_line(value, near):
    said = f"mechanism must be one of {', '.join(COVARIANCES)}, got {value!r}{near}"
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        checks.choice(value, "mechanism", COVARIANCES)


@pytest.mark.parametrize(
    ("call", "near"),
    [
        (lambda: among("replaced", tuple(Relation)), "replace"),
        (lambda: dps.private_pca([[1.0]], 1, 1.0, mechanism="knorm_covarianc"), "knorm_covariance"),
        (lambda: dps.private_orbit(Matrix([[1.0]]), [1.0], 1.0, field="complx"), "complex"),
        (lambda: dps.sampling.orbit([[1.0]], [1.0], 1.0, field="real", method="binghm"), "bingham"),
        (lambda: dps.Budget(1.0, method="optimall"), "optimal"),
        (lambda: dps.advise("low rank", d=2, n=1, epsilon=1.0), "low_rank"),
    ],
)
def test_every_option_of_every_function_says_so(call, near):
    with pytest.raises(ValueError, match=f"; near: {near}$"):
        call()
