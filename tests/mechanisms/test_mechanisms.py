"""The contract of every mechanism in each of its modes: arithmetic, seeds, forms of data, and one law of its noise."""

import json
from functools import partial

import numpy as np
import pytest
from scipy import stats
from scipy.sparse.linalg import aslinearoperator

import dpspectra as dps
from dpspectra.audit import GDP, audit
from dpspectra.certified import noise_on_grid
from dpspectra.fast.gaussian_profile import mu_for
from dpspectra.ledger import Verdict, labels
from dpspectra.mechanisms import power
from dpspectra.mechanisms.claims import IDEAL_REALS, VALUE_ONLY
from dpspectra.mechanisms.randomness import SECRET_ENTROPY, SECRET_KEY
from tests.support.contracts import CALLS, CERTIFIED, TITLED, mode, numbers, whole
from tests.support.forms import MATRICES, ORDERS, ROWS
from tests.support.helpers import ALARM, entropy
from tests.support.releases import PRIVATE
from tests.support.rounds import PRIVACY, A
from tests.support.rows import unit_rows

VERDICTS = {label.label: label.verdict for label in labels()}
BASE = {"DPS-AMBIGUOUS", "DPS-KERNELS", "DPS-REPLAY", "DPS-ROUNDED", "DPS-UPWARD"}
SUMS = {"DPS-QUANTISER", "DPS-EXACTSUM"}
ORBIT = {"DPS-CORRECTION", "DPS-EIGENBASIS", "DPS-GTMONO", "DPS-GTREC", "DPS-MACG", "DPS-RESIDUAL", "DPS-ROOT"}
CUT = {"DPS-TOWARDZERO"}
RESTS = {
    "private_mean": {"DPS-QUANTISER"},
    "private_scaler": {"DPS-QUANTISER"},
    "private_norm_bound": set(),
    "private_score_histogram": set(),
    "private_spectrum": {*SUMS, "DPS-RESIDUAL"},
    "private_power_method": {"DPS-CONTRACTION", "DPS-QUANTISEDSTEP"},
    "private_range_finder": {*CUT, "DPS-SHIFTED"},
    "project_find_prune": {*CUT, "DPS-SHIFTED"},
    "private_projection": CUT,
    "randomized_response_low_rank": CUT,
}
"""Statements on which certified arithmetic rests besides `BASE`, by mechanism, if not `SUMS`."""


def rests(title):
    """The statements behind the certified arithmetic of a mode."""
    record, given = TITLED[title]
    found = RESTS.get(record.name, SUMS)
    if "orbit" in title:
        found = {*SUMS, *ORBIT, "DPS-TILTEDCHART", "DPS-VERTEX"}
    return BASE | (found - SUMS if "form" in given else found)


UNCOUNTED = [
    title
    for title, (record, given) in TITLED.items()
    if record.of_rows and "add_remove" in record.relations and not given.keys() & {"form", "center"}
]
"""Modes in which it may be private how many rows there are."""


@pytest.mark.parametrize("title", UNCOUNTED)
def test_a_refusal_does_not_tell_of_the_last_row_if_rows_may_come_and_go(title):
    none, one = (mode(title, lambda rows, n=n: rows[:n])(relation="add_remove") for n in (0, 1))
    assert np.shape(numbers(none)) == np.shape(numbers(one))
    assert none.claim == one.claim
    with pytest.raises(ValueError, match="empty"):
        mode(title, lambda rows: rows[:0])(relation="replace")


@pytest.mark.parametrize("title", CERTIFIED)
def test_claims_say_which_arithmetic_ran(title):
    """A release that needs no draw, as that of a spectrum of zeros, has a probability below 1e-60 here."""
    call, ideal = CALLS[title], [CALLS[title](**given) for given in ({"rng": 0}, {"arithmetic": "ideal"})]
    fresh, keyed = call(), call(rng=entropy())
    assert SECRET_ENTROPY in fresh.claim.assumptions
    assert SECRET_KEY in keyed.claim.assumptions
    for release in (fresh, keyed):
        claim, steps = release.claim, [key for key in release.details if key.endswith("step")]
        assert claim.asdict()["arithmetic"] == claim.arithmetic == "certified"
        assert VALUE_ONLY in claim.assumptions
        assert IDEAL_REALS not in claim.assumptions
        assert set(claim.labels) - set(ideal[0].claim.labels) == rests(title)
        assert set(ideal[0].claim.labels) < set(claim.labels) <= VERDICTS.keys()
        assert release.details.keys() - set(steps) == ideal[0].details.keys()
        assert steps
        assert all(np.log2(release.details[key]).astype(int) == pytest.approx(np.log2(release.details[key]), abs=0)
                   for key in steps)  # fmt: skip
    for release in ideal:
        assert release.claim.arithmetic == "ideal"
        assert IDEAL_REALS in release.claim.assumptions
        assert not any("eigen" in text for text in release.claim.assumptions)
        assert not [key for key in release.details if key.endswith("step")]
    assert (numbers(fresh) != numbers(call())).any()
    assert numbers(keyed).tobytes() == numbers(call(rng=entropy(), arithmetic="certified")).tobytes()


@pytest.mark.parametrize("title", CALLS)
def test_a_seed_gives_one_value_and_a_claim(title):
    first, second, other = (CALLS[title](rng=seed) for seed in (1, 1, 2))
    assert numbers(first).tobytes() == numbers(second).tobytes()
    assert (numbers(first) != numbers(other)).any()
    claim = first.claim.asdict()
    assert json.loads(json.dumps(claim)) == claim
    record, given = TITLED[title]
    relation = given.get("relation", record.relations[0])
    assert claim["relation"] == ("matrix_" * ("form" in given and record.sums) + relation)
    assert (claim["epsilon"], claim["delta"] > 0) == (given.get("epsilon", 1.0), "delta" in {*given, *record.needs})
    assert claim["assumptions"]
    assert claim["labels"]
    assert {VERDICTS[label] for label in claim["labels"]}.isdisjoint({Verdict.REFUTED, Verdict.CONJECTURE})


@pytest.mark.parametrize("title", CERTIFIED)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"arithmetic": "certified", "rng": 0}, "rng must be None or an Entropy for certified arithmetic, got 0"),
        ({"arithmetic": "exact"}, "arithmetic must be one of certified, ideal, got 'exact'"),
        ({"arithmetic": "ideal", "rng": entropy()}, "arithmetic must be 'certified' or None if rng is an Entropy"),
    ],
)
def test_an_arithmetic_and_a_source_that_do_not_go_together_are_refused(title, options, message):
    with pytest.raises(ValueError, match=message):
        CALLS[title](**options)


@pytest.mark.parametrize("title", CERTIFIED)
def test_floats_decide_as_balls_do(title, monkeypatch):
    fast = numbers(CALLS[title](rng=entropy(3)))
    monkeypatch.setattr(noise_on_grid, "SLACK", 1.0)  # no estimate is certain
    assert fast.tobytes() == numbers(CALLS[title](rng=entropy(3))).tobytes()


# ---------------------------------------------------------------- the data


SHAPED = [
    (title, form)
    for title in CERTIFIED
    if title in PRIVATE or TITLED[title][1].get("form") is whole
    for form in (ROWS | ORDERS if TITLED[title][0].of_rows else MATRICES)
    if title in PRIVATE or form not in ("lists", "csr with duplicates", "coo with duplicates")
]
"""Lists declare no type, and halves of integers are floats: integers are read as others there."""


@pytest.mark.parametrize(("title", "form"), SHAPED)
def test_the_form_of_the_data_changes_no_bit(title, form):
    """Sums of floats in ideal arithmetic may be rounded otherwise."""
    plain, shaped, ideal, other = (
        mode(title, shape)(rng=rng(), epsilon=100.0)
        for rng in (entropy, lambda: 1)
        for shape in (np.asarray, (ROWS | ORDERS)[form])
    )
    assert numbers(shaped).tobytes() == numbers(plain).tobytes()
    np.testing.assert_allclose(numbers(other), numbers(ideal), rtol=1e-9, atol=1e-12)
    assert shaped.details.keys() == plain.details.keys()
    assert (shaped.claim.labels, other.claim.labels) == (plain.claim.labels, ideal.claim.labels)


@pytest.mark.parametrize("title", [title for title, (record, _) in TITLED.items() if record.data == "matrix"])
def test_an_operator_has_no_entries_to_be_exact_of(title):
    call = mode(title, aslinearoperator)
    assert {call(**given).claim.arithmetic for given in ({}, {"rng": 0}, {"arithmetic": "ideal"})} == {"ideal"}
    found, wanted = (numbers(ready(rng=0, epsilon=100.0)) for ready in (call, CALLS[title]))
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-8)
    for given in ({"arithmetic": "certified"}, {"rng": entropy()}):
        with pytest.raises(ValueError, match="A must have entries "):
            call(**given)


# ---------------------------------------------------------------- the law


ROWS_OF_2, TABLE = unit_rows(3, 2, 5), 3 * np.random.default_rng(0).integers(-5, 6, (4, 3))
BASIS = np.linalg.qr(np.arange(8.0).reshape(4, 2) ** 2)[0]
POWER = {"k": 2, "width": 3, "epsilon": 1.0, "iterations": 1, "low_rank": True, "start": np.eye(12)[:, :3] + 0.1}
LAWS = {
    "Laplace": (900, partial(dps.laplace_covariance, ROWS_OF_2, 1.0)),
    "normal": (900, partial(dps.gaussian_covariance, ROWS_OF_2, 1.0, 1e-6)),
    "normal on the triangle": (900, partial(dps.gaussian_covariance, ROWS_OF_2, 1.0, 1e-6, shape="triangle")),
    "symmetric Wishart": (900, partial(dps.symmetric_wishart_covariance, ROWS_OF_2, 1.0)),
    "difference": (900, partial(dps.symmetric_wishart_covariance, ROWS_OF_2, 1.0, relation="zero_out")),
    "Wishart": (900, partial(dps.wishart_covariance, ROWS_OF_2, 1.0, 1e-3)),
    "spectrum": (900, partial(dps.private_spectrum, dps.Matrix(ROWS_OF_2.T @ ROWS_OF_2), 2, 1.0)),
    "range finder": (400, partial(dps.private_range_finder, TABLE, 1, 4.0, 0.1, oversampling=1)),
    "projection": (400, partial(dps.private_projection, TABLE, BASIS, 4.0, 0.1)),
    "both stages": (400, partial(dps.project_find_prune, TABLE, 1, 4.0, 0.1, share=0.5)),
    "every entry": (400, partial(dps.randomized_response_low_rank, TABLE, 3, 4.0, 0.1)),
} | {
    f"power, {relation}, delta {delta}": (
        200, partial(dps.private_power_method, A, delta=delta, relation=relation, **POWER))
    for delta in PRIVACY.values() for relation in ("pair", "spectral", "rank_one")
}  # fmt: skip
"""Numbers of releases of small data, and calls. The second product of a power method depends on the first one."""


@pytest.mark.parametrize("name", LAWS)
def test_ideal_and_certified_arithmetic_have_one_law(name):
    """Kolmogorov and Smirnov on some numbers of the releases: seeds are fixed, and false alarms below 1e-3 each."""
    size, call = LAWS[name]
    certified, ideal = (
        np.array([numbers(call(rng=rng(i))) for i in range(size)]) for rng in (entropy, np.random.default_rng)
    )
    for x, y in list(zip(certified.T, ideal.T, strict=True))[:: 1 + certified.shape[1] // 12]:
        assert stats.ks_2samp(x, y).pvalue > (1e-3 if size != 400 else ALARM)


PLANE = {"k": 1, "width": 1, "epsilon": 1.0, "iterations": 1, "low_rank": False, "start": np.eye(2, 1)}
AUDITED = {
    "Laplace": (lambda x, rng: dps.laplace_covariance(x, 1.0, rng=rng).value,
                (np.zeros((1, 1)), np.ones((1, 1))), 1.0, 4_000),
    "projection": (lambda x, rng: dps.private_projection(x, np.eye(2, 1), 1.0, 0.01, rng=rng).value.right,
                   (np.zeros((2, 1)), np.eye(2, 1)), GDP(mu_for(1.0, 0.01)), 1_024),
    "power": (lambda x, rng: dps.private_power_method(x, rng=rng, **PLANE).value,
              (np.zeros((2, 2)), np.eye(2)[::-1]), 1.0, 1_024),
}  # fmt: skip
"""Mechanisms, pairs, claims and draws; of the power method one product of a public block, seen as it is."""


@pytest.mark.parametrize("name", AUDITED)
def test_the_auditor_refutes_ideal_noise_by_its_bits_and_not_certified_noise(name, monkeypatch):
    """A false alarm has probability at most 1e-3."""
    monkeypatch.setattr(power, "orthonormal", lambda y, **_: y)
    released, pair, claim, draws = AUDITED[name]
    assert audit(lambda x, *, rng: released(x, rng), pair, claim, bits=True, rng=0).violated
    certified = audit(lambda x, *, seed: released(x, entropy(seed)), pair, claim, bits=True, draws=draws, rng=0)
    assert not certified.violated
