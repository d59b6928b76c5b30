"""Claims as data: every field is compared and written, groups pay for every step."""

import dataclasses
import math
from fractions import Fraction

import pytest

import dpspectra as dps
from dpspectra.fast.gaussian_profile import profile
from dpspectra.mechanisms.claims import VALUE_ONLY

CLAIM = dps.Claim("row", 1.0, float(profile(1.0, 0.25)), 0.25, change=1.0)
OTHERS = {
    "relation": "entry",
    "epsilon": 2.0,
    "delta": 0.5,
    "gdp_mu": None,
    "assumptions": (),
    "labels": ("JXZ-T1",),
    "arithmetic": "certified",
    "norm_bound": 1.0,
    "change": 1e-9,
    "domain": ("all numbers are finite",),
    "people": "each person has rows in one part of the data only",
    "public": ("basis: sha256 ab12",),
    "used_mu": 0.125,
    "rho": 0.25,
}


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(dps.Claim)])
def test_every_field_is_compared_written_and_needed(name):
    claim = dps.Claim("replace", 1.0, gdp_mu=0.25) if name == "norm_bound" else CLAIM
    other = dataclasses.replace(claim, **{name: OTHERS[name]})
    assert other != claim
    plain = other.asdict()
    assert dps.Claim.read(plain) == other
    if name == "rho":  # which older files do not have
        assert "rho" not in claim.asdict()
        return
    del plain[name]
    with pytest.raises(ValueError, match="a claim must have all its fields and no other"):
        dps.Claim.read(plain)


def test_what_is_no_claim_is_not_read():
    for plain in (None, [], CLAIM.asdict() | {"more": 1}):
        with pytest.raises(ValueError, match="a claim must have all its fields and no other"):
            dps.Claim.read(plain)


def test_time_is_outside_of_every_claim():
    assert VALUE_ONLY in dps.Claim("replace", 1.0).assumptions


@pytest.mark.parametrize("times", [1, 2, 10])
def test_a_group_pays_the_exact_profile_not_a_multiple_of_delta(times):
    """Referee 12: (1, 1e-6) doubled is no (2, 2e-6); at ten steps delta is 4.8e-4."""
    mu = 0.2104
    found = dps.Claim("row", 1.0, float(profile(1.0, mu)), mu).grouped(times)
    assert (found.epsilon, found.change) == (times, times)
    assert found.delta >= float(profile(times, times * mu))
    assert found.delta == pytest.approx(float(profile(times, times * mu)), rel=1e-9)
    assert found.delta > times * float(profile(1.0, mu)) or times == 1


def test_a_pure_group_is_rounded_against_nobody():
    found = dps.Claim("pair", 0.1, change=0.1).grouped(3)
    assert Fraction(found.epsilon) >= 3 * Fraction(0.1) > Fraction(math.nextafter(found.epsilon, 0.0))
    assert Fraction(found.change) <= 3 * Fraction(0.1) < Fraction(math.nextafter(found.change, 1.0))


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (dps.Claim("replace", 1.0), "relation must be one with a change to be grouped, got replace"),
        (dps.Claim("row", 1.0, 1e-6), "delta must be 0 or come with a gdp_mu to be grouped, got 1e-06"),
        (dps.Claim("row", 1.0, domain=("entries are of type int64",)), "entries must be real numbers to be grouped"),
        (dps.Claim("row", 1e308), "the numbers of a claim must be below"),
    ],
)
def test_what_has_no_steps_is_not_grouped(claim, message):
    with pytest.raises(ValueError, match=message):
        claim.grouped(2)
