"""A release as text: JSON that is read back to the same numbers, a summary, a table; what is private is in none."""

import json
import pickle
from typing import Any

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.mechanisms.remarks import UNKNOWN
from tests.support.releases import ROWS, X

CLAIM = dps.Claim("replace", 1.0, 1e-6, 0.25, labels=("JXZ-T1",))
SECRET = {"method": "7315246"}
VALUES: dict[str, Any] = {
    "real": np.array([[0.1, -0.0], [1e-320, 3.0]]),
    "single": np.array([0.1, 2.0], dtype=np.float32),
    "complex": np.array([[1 + 2j, 0.1j]]),
    "columns": np.asfortranarray([[1.0, 2.0], [3.0, 4.0]]),
    "none": np.empty((0, 3)),
    "one": np.array(0.5),
    "signs": np.array([True, False]),
    "number": 0.1,
}


@pytest.mark.parametrize("name", VALUES)
def test_values_are_read_back_exactly(name):
    release = dps.Release(VALUES[name], CLAIM, {"same": VALUES[name], "pair": (1, "a", None)}, SECRET)
    text = release.to_json()
    assert "7315246" not in text
    json.loads(text, parse_constant=pytest.fail)
    found = dps.Release.from_json(text)
    assert found.claim == CLAIM
    assert found.details["pair"] == (1, "a", None)
    for value in (found.value, found.details["same"]):
        assert np.asarray(value).dtype == np.asarray(VALUES[name]).dtype
        assert np.asarray(value).tobytes() == np.asarray(VALUES[name]).tobytes()
        assert np.asarray(value).shape == np.asarray(VALUES[name]).shape


@pytest.mark.parametrize("name", ROWS)
def test_every_mechanism_s_release_goes_through_text_and_pickles(name):
    release = ROWS[name](X, 0)
    for found in (dps.Release.from_json(release.to_json()), pickle.loads(pickle.dumps(release))):
        assert found.to_json() == release.to_json()
        assert found.summary() == release.summary()
        assert found.claim == release.claim
    assert f"epsilon {release.claim.epsilon:g} nats" in release.summary()
    assert all(label in release.summary() for label in release.claim.labels)


def test_people_see_the_claim_and_no_markup():
    release = dps.Release(np.eye(2), CLAIM, {"guarantee": dps.Guarantee("<b> & error", 0.5, 0.95)}, SECRET)
    lines = release.summary().splitlines()
    assert lines[0].startswith("in short: Who knows all of the data but one row")
    assert lines[1:3] == ["value: ndarray of shape 2 x 2", "claim: epsilon 1 nats, delta 1e-06, 0.25-Gaussian private"]
    assert lines[-2] == "guarantee: <b> & error: at most 0.5 with probability 0.95"
    assert lines[-1] == f"of use: {UNKNOWN}"
    html = release._repr_html_()
    assert "&lt;b&gt; &amp; error: at most 0.5" in html
    assert html.count("<tr>") == len(lines)
    assert "7315246" not in html + release.summary()
    short = {"few": np.array([0.25, 1 / 3]), "flags": np.array([True, False]), "many": np.zeros(11)}
    assert dps.Release(np.eye(2), CLAIM, short).summary().splitlines()[-4:-1] == [
        *("few: 0.25, 0.333333", "flags: True, False", "many: ndarray of shape 11")
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "3", "{}", '{"value": 1, "claim": {}, "details": {}}', '{"value": 1, "claim": [], "details": []}'),
        '{"value": 1, "claim": {"relation": "replace", "epsilon": 1, "more": 2}, "details": {}}',
        '{"value": {"values": [1], "dtype": "O", "shape": [1]}, "claim": {}, "details": {}}',
        '{"value": {"values": [1], "dtype": "<f8", "shape": [2]}, "claim": {}, "details": {}}',
        None,
    ],
)
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match=r"text must be that of Release\.to_json, got something else"):
        dps.Release.from_json(text)


def test_what_is_no_number_is_not_written():
    for value in (np.array([object()]), {1: 2}, 1j):
        with pytest.raises(ValueError, match="a release must hold numbers, text and arrays to be written, got"):
            dps.Release(value, CLAIM).to_json()
    with pytest.raises(ValueError, match="a release must hold finite numbers to be written, got others"):
        dps.Release(np.array([np.nan]), CLAIM).to_json()


def test_an_audit_pickles():
    result = dps.audit.audit(lambda x, *, size, rng: rng.normal(x, 1.0, size), (0.0, 1.0), 4.0, draws=2000)
    assert pickle.loads(pickle.dumps(result)).to_json() == result.to_json()
