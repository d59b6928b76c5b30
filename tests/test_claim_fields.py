"""A claim or a guarantee that says nothing, or nothing that can be true, is refused when it is made."""

import math

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.relations import Relation


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"relation": "row_replace"}, "relation must be one of replace, add_remove, .*, got 'row_replace'"),
        ({"relation": None}, "relation must be one of replace"),
        ({"epsilon": -1.0}, "epsilon must be non-negative and finite, got -1.0"),
        ({"epsilon": math.inf}, "epsilon must be non-negative and finite, got inf"),
        ({"epsilon": math.nan}, "epsilon must be non-negative and finite, got nan"),
        ({"epsilon": "1"}, "epsilon must be a real number, got '1'"),
        ({"epsilon": True}, "epsilon must be a real number, got True"),
        ({"delta": 1.0}, r"delta must lie in \[0, 1\), got 1.0"),
        ({"delta": -1e-9}, r"delta must lie in \[0, 1\), got -1e-09"),
        ({"gdp_mu": 0.0}, "gdp_mu must be positive and finite, got 0.0"),
        ({"gdp_mu": "a"}, "gdp_mu must be a real number, got 'a'"),
        ({"assumptions": "one"}, "assumptions must be texts in a tuple, got 'one'"),
        ({"labels": ("A", 3)}, "labels must be texts in a tuple, got 3 among them"),
        ({"labels": None}, "labels must be texts in a tuple, got None"),
        ({"arithmetic": "exact"}, "arithmetic must be one of certified, ideal, got 'exact'"),
    ],
)
def test_what_is_no_claim_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        dps.Claim(**{"relation": "replace", "epsilon": 1.0, **fields})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"quantity": 3}, "quantity must be text, got 3"),
        ({"bound": -0.5}, "bound must be non-negative and finite, got -0.5"),
        ({"bound": math.nan}, "bound must be non-negative and finite, got nan"),
        ({"probability": 1.0}, r"probability must lie in \(0, 1\), got 1.0"),
        ({"probability": 0}, r"probability must lie in \(0, 1\), got 0"),
    ],
)
def test_what_is_no_guarantee_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        dps.Guarantee(**{"quantity": "error", "bound": 1.0, "probability": 0.95, **fields})


def test_fields_have_one_type():
    claim = dps.Claim("replace", 1, np.float32(0.5), labels=["JXZ-T1"])
    assert claim == dps.Claim(Relation.REPLACE, 1.0, 0.5, labels=("JXZ-T1",))
    assert [type(x) for x in (claim.relation, claim.epsilon, claim.delta)] == [Relation, float, float]
    assert type(dps.Guarantee("error", 1, 0.5).bound) is float
    assert dps.Claim("replace", 0.0).epsilon == 0.0
