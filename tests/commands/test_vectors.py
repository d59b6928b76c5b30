"""The language-neutral test vectors: valid by their own schema, known to their last digit, met by the fast path."""

import json
import sys
from collections.abc import Callable
from typing import Any

import jsonschema
import numpy as np
import pytest
from mpmath import mp
from scipy.optimize import brentq

import dpspectra as dps
from dpspectra import Matrix
from dpspectra.cli import run
from dpspectra.commands import vectors
from dpspectra.fast import (
    bingham_laws,
    chi_square_profile,
    composition,
    divergence,
    gaussian_profile,
    hciz,
    linalg,
    orbit_privacy_loss,
)

ROW = np.zeros((1, 3))
"""Data of one row, so that a scale over the number of rows is that on the sum."""


def stated(release, name="scale"):
    """What a release says of its noise."""
    return release.details[name]


FAST: dict[str, Callable[..., Any]] = {
    "gaussian_profile": gaussian_profile.profile,
    "gaussian_mu": gaussian_profile.mu_for,
    "chi_square_profile": chi_square_profile.profile,
    "optimal_composition": composition.optimal_delta,
    "hockey_stick": lambda p, q, epsilon: divergence.hockey_stick(np.array(p), np.array(q), epsilon),
    "log_orbit_normaliser": hciz.log_normaliser,
    "orbit_privacy_loss": lambda first, second, spectrum, kappa: orbit_privacy_loss.privacy_loss(
        np.array(first), np.array(second), np.array(spectrum), kappa
    ),
    "log_sphere_normaliser": lambda exponents: bingham_laws.log_sphere_normaliser(np.array(exponents), 0.5),
    "eigenvalues": lambda matrix: linalg.eigenvalues(np.array(matrix)),
    "laplace_scale": lambda epsilon, d: stated(dps.laplace_covariance(np.zeros((1, d)), epsilon, rng=0)),
    "gaussian_scale": lambda epsilon, delta: stated(dps.gaussian_covariance(ROW, epsilon, delta, rng=0)),
    "symmetric_wishart_scale": lambda epsilon: stated(dps.symmetric_wishart_covariance(ROW, epsilon, rng=0)),
    "knorm_scale": lambda epsilon: stated(dps.knorm_covariance(ROW, epsilon, rng=0)),
    "wishart_scale": lambda epsilon, delta, degrees: (
        1 / brentq(lambda shift: chi_square_profile.profile(epsilon, degrees, shift) - delta, 1e-9, 1e3, xtol=1e-15)
    ),
    "l2_gamma_scale": lambda epsilon: stated(dps.private_mean(ROW, epsilon, rng=0)),
    "gaussian_sum_scale": lambda epsilon, delta: stated(dps.private_mean(ROW, epsilon, delta, rng=0)),
    "column_squares_scale": lambda epsilon: stated(dps.private_scaler(ROW, epsilon, rng=0), "squares_scale"),
    "counts_scale": lambda epsilon: stated(dps.private_norm_bound(ROW, epsilon, 0.1, 1.0, rng=0)),
    "columns_scale": lambda epsilon, delta: stated(dps.private_scaler(ROW, epsilon, delta, rng=0)),
    "spectrum_scale": lambda epsilon: stated(dps.private_spectrum(Matrix(np.eye(3)), 2, epsilon, rng=0)),
    "exponential_scale": lambda epsilon, spread: stated(
        dps.private_orbit(Matrix(np.eye(2)), [spread, 0.0], epsilon, rng=0), "kappa"
    ),
    "power_scale": lambda epsilon, delta, rounds, width: stated(
        dps.private_power_method(
            *(np.eye(6), 1, epsilon, delta),
            **{"width": width, "iterations": rounds, "start": np.eye(6, width), "relation": "spectral", "rng": 0},
        ),
        "noise",
    )[0],
    "principal_angles": lambda u, v: linalg.principal_angles(*(np.linalg.qr(np.array(x))[0] for x in (u, v))),
}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    path = tmp_path_factory.mktemp("vectors") / "vectors.json"
    assert run(["vectors", "--out", str(path)]) == 0
    return json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail)


def each(loaded):
    return [(q["name"], v) for q in loaded["quantities"] for v in q["vectors"]]


def exact(vector):
    written = vector["exact"]
    return [mp.mpf(x) for x in (written if isinstance(written, list) else [written])]


def test_the_file_obeys_the_schema_that_it_carries(loaded):
    validator = jsonschema.Draft202012Validator(loaded["schema"])
    validator.check_schema(loaded["schema"])
    validator.validate(loaded)
    for break_it in (
        lambda v: v.update(exact=0.5),
        lambda v: v.update(exact=[]),
        lambda v: v["flags"].append("no such flag"),
        lambda v: v["inputs"].update(epsilon="1"),
        lambda v: v.pop("flags"),
    ):
        broken = json.loads(json.dumps(loaded))
        break_it(broken["quantities"][0]["vectors"][0])
        assert not validator.is_valid(broken)


def test_inputs_are_doubles_exactly(loaded):
    """Each is a dyadic number of few bits, so that no parser can read another one."""
    for _, vector in each(loaded):
        for x in vectors._flat(list(vector["inputs"].values())):
            assert float(x) * 2**40 % 1 == 0
            assert json.loads(json.dumps(x)) == x


def test_exact_values_have_all_their_digits(loaded):
    """Computed again with three times the digits."""
    with mp.workdps(3 * vectors.DIGITS):
        for quantity, written in zip(vectors.QUANTITIES, loaded["quantities"], strict=True):
            for vector in written["vectors"][:: 1 + len(written["vectors"]) // 6]:
                again = vectors._flat(vectors._settled(quantity, vector["inputs"]))
                for ours, theirs in zip(exact(vector), again, strict=True):
                    assert abs(ours - theirs) <= abs(theirs) * mp.mpf(10) ** (1 - vectors.DIGITS)


def test_the_fast_path_meets_them(loaded):
    assert FAST.keys() == {q["name"] for q in loaded["quantities"]}
    for name, vector in each(loaded):
        values = np.atleast_1d(FAST[name](**vector["inputs"]))
        for value, true in zip(values, exact(vector), strict=True):
            # relative, except what cancels or underflows: a profile is a difference of two numbers of order one
            assert value == pytest.approx(float(true), rel=1e-9, abs=1e-15), (name, vector)


def test_noise_of_a_wishart_matrix_is_hardly_more_than_it_needs(loaded):
    """The largest shift is found to six digits, from below."""
    scales = [(vector["inputs"], exact(vector)[0]) for name, vector in each(loaded) if name == "wishart_scale"]
    assert scales
    for given, needed in scales:
        degrees = {"degrees_of_freedom": given["degrees"], "relation": "zero_out"}
        scale = stated(dps.wishart_covariance([[0.0]], given["epsilon"], given["delta"], **degrees, rng=0))
        assert needed <= scale <= needed * (1 + 2e-6)


def test_flags_say_what_is_special(loaded):
    assert {flag for _, v in each(loaded) for flag in v["flags"]} == set(loaded["flags"])
    for name, v in each(loaded):
        values = exact(v)
        assert ("zero" in v["flags"]) == (0 in values)
        assert ("tiny" in v["flags"]) == any(0 < abs(x) < sys.float_info.min for x in values)
        if name == "log_orbit_normaliser":
            assert ("tie" in v["flags"]) == any(
                len(set(v["inputs"][k])) < len(v["inputs"][k]) for k in ("gamma", "spectrum")
            )
        if name == "gaussian_profile":
            assert ("large" in v["flags"]) == (v["inputs"]["epsilon"] == 750)


def test_what_cannot_be_known_to_its_digits_is_not_written():
    noise = vectors.Quantity("noise", "a number that is 0, by cancellation", lambda x: mp.sin(x * mp.pi), ({"x": 1.0},))
    with pytest.raises(ArithmeticError, match="is not known to 52 digits"):
        vectors._vector(noise, noise.cases[0])


def test_bad_usage(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    assert run(["vectors", "--out", str(tmp_path / "file" / "v.json")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_an_older_file_stays_unless_it_may_be_replaced(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(vectors, "QUANTITIES", ())
    (tmp_path / "v.json").write_text("mine")
    assert run(["vectors", "--out", str(tmp_path / "v.json")]) == 2
    assert "say --force" in capsys.readouterr().err
    assert (tmp_path / "v.json").read_text() == "mine"
    assert run(["vectors", "--out", str(tmp_path / "v.json"), "--force"]) == 0
