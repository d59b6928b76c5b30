"""Advice by public numbers: the order of mechanisms, ready arguments, honest guarantees."""

import re

import numpy as np
import pytest

import dpspectra as dps
from dpspectra import Matrix
from dpspectra.advice import GOALS, advise
from dpspectra.fast.quadratic_ratios import mean_shares
from dpspectra.mechanisms.choice import for_directions
from tests.support.spectra import spectrum


@pytest.mark.parametrize("relation", ["replace", "add_remove"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_subspace_of_a_large_matrix_is_what_the_power_method_gives(relation, delta):
    """The noise of a run is what the advice goes by; the mean loss of 12 runs is within a third of the expected one."""
    d, k, n = 60, 2, 4000 if delta else 400_000
    guess = spectrum("spiked", d, k, 1.0)
    ways = advise("subspace", d=d, k=k, n=n, epsilon=2.0, delta=delta, relation=relation, spectrum=guess)
    (way,) = (each for each in ways if each.mechanism == "private_power_method")
    kept = []
    for seed in range(12):
        release = dps.private_power_method(np.diag(n * guess), **way.arguments, rng=np.random.default_rng(seed))
        kept.append(np.sum(guess[:, None] * release.value**2) / np.sum(guess[:k]))
    noise = np.mean(release.details["noise"]) * np.sqrt(d) * (1 if delta else np.sqrt(2))
    assert n * guess[k - 1] / noise == pytest.approx(way.strength, rel=0.15)
    assert 1 - np.mean(kept) == pytest.approx(way.expected_error, rel=0.35)
    assert len(ways) > 1
    assert len(advise("subspace", d=10**6, k=k, n=10**7, epsilon=2.0, delta=delta)) == 1


def test_the_first_is_what_auto_chooses_nearly_everywhere():
    """A grid of 24 cells: the predicted loss of the automatic choice is within 10 % of the best in 95 of 100."""
    within = []
    for d in (3, 20):
        for k in (1, 2):
            for epsilon in (0.1, 1.0, 10.0):
                for delta in (0.0, 1e-6):
                    ways = advise("pca", d=d, k=k, n=5000, epsilon=epsilon, delta=delta, center="none")
                    chosen = for_directions(d, k, epsilon, delta, 1.0).mechanism
                    (own,) = (way for way in ways if way.arguments["mechanism"] == chosen)
                    within.append(own.expected_error <= 1.1 * min(way.expected_error for way in ways))
    assert np.mean(within) >= 0.95


@pytest.mark.parametrize("goal", GOALS)
def test_arguments_are_ready_for_the_call(goal):
    x = np.random.default_rng(4).standard_normal((50, 6)) / 10
    for way in advise(goal, d=6, k=2, n=50, epsilon=2.0, delta=1e-5):
        data = x.T @ x if way.mechanism == "private_power_method" else x
        release = getattr(dps, way.mechanism)(data, **way.arguments)
        assert (release.claim.epsilon, release.claim.delta) == (way.claim.epsilon, way.claim.delta)
        assert set(way.claim.labels) >= {label for label in release.claim.labels if not label.startswith("DPS-")}
        assert release.claim.relation == way.claim.relation
        assert (release.claim.norm_bound, release.claim.change) == (way.claim.norm_bound, way.claim.change)


BOX = dps.ColumnBounds([-4.0] * 5, [9.0] * 5)


@pytest.mark.parametrize("bounds", [None, BOX])
@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_the_release_that_is_then_made_is_predicted(delta, bounds):
    """The mean loss and strength of 60 releases of normal rows, far from zero, of which noise takes most."""
    rng, spread = np.random.default_rng(1), np.sqrt([0.5, 0.3, 0.1, 0.05, 0.05])
    way = advise("pca", d=5, k=2, n=3000, epsilon=0.1, delta=delta, spectrum=spread**2, bounds=bounds)[0]
    shares = mean_shares(spread**2)
    lost, strengths = [], []
    for _ in range(60):
        release = dps.private_pca(rng.normal(size=(3000, 5)) * spread + 3, **way.arguments, rng=rng)
        lost.append(1 - np.sum(shares[:, None] * release.value**2) / np.sum(shares[:2]))
        strengths.append(release.details["eigenvalues"][1] / release.details["visible_from"])
    claim = dps.private_pca(np.ones((3000, 5)), **way.arguments).claim
    assert claim == way.claim
    assert np.mean(lost) == pytest.approx(way.expected_error, rel=0.35)
    assert np.mean(strengths) == pytest.approx(way.strength, rel=0.15)


def test_a_step_of_a_pipeline_is_predicted_by_what_comes_out_of_the_scaler():
    """Columns of any units, all correlations a half: the scaler changes units, and no noise of the step after it."""
    estimators = pytest.importorskip("dpspectra.estimators")
    from sklearn.pipeline import make_pipeline

    rng, values, units = np.random.default_rng(2), np.array([3.0, 0.5, 0.5, 0.5, 0.5]), np.array([1, 10, 100, 1, 5])
    bounds = dps.ColumnBounds(-4.0 * units, 8.0 * units)
    way = advise("pca", d=5, k=1, n=4000, epsilon=0.1, spectrum=values)[0]
    shares, lost = mean_shares(values), []
    for seed in range(40):
        rows = (rng.normal(size=(4000, 5)) + rng.normal(size=(4000, 1))) * units + 2 * units
        pca = estimators.PrivatePCA(1, epsilon=0.1, random_state=seed)
        make_pipeline(estimators.PrivateStandardScaler(epsilon=200.0, bounds=bounds, random_state=seed), pca).fit(rows)
        first = np.mean(pca.components_[0]) ** 2 * 5
        lost.append((1 - first) * (shares[0] - shares[1]) / shares[0])
    assert np.mean(lost) == pytest.approx(way.expected_error, rel=0.35)


def test_with_pairs_neither_bound_nor_unit_matters():
    ways = [
        advise("pca", d=5, k=1, n=300, epsilon=1.0, **given) for given in ({}, {"norm_bound": 9.0}, {"bounds": BOX})
    ]
    numbers = [(way[0].expected_error, way[0].strength, way[0].guaranteed_error) for way in ways]
    assert np.allclose(numbers, numbers[0], rtol=1e-9)
    one, other = (advise("pca", d=3, k=1, n=9, epsilon=1.0, spectrum=[s, 0, 0])[0].strength for s in (1.0, 1e-9))
    assert one == pytest.approx(other)
    assert all(way.arguments["mechanism"] != "orbit" for way in ways[0])


def test_mean_shares_are_those_of_normal_rows_of_unit_length():
    rows = np.random.default_rng(0).normal(size=(100_000, 4)) * np.sqrt([2.0, 1.0, 0.25, 0.0])
    found = mean_shares(np.array([2.0, 1.0, 0.25, 0.0]))
    assert np.allclose(np.mean(dps.unit_rows(rows) ** 2, axis=0), found, atol=5e-3)
    assert np.sum(found) == pytest.approx(1, rel=1e-12)
    assert mean_shares(np.full(7, 3e-300)) == pytest.approx(np.full(7, 1 / 7))
    assert mean_shares(np.array([1.0, 0.0])).tolist() == pytest.approx([1.0, 0.0])


def test_guarantees_are_those_of_the_releases():
    x = np.zeros((50, 6))
    for way in advise("covariance", d=6, n=50, epsilon=2.0, delta=1e-5):
        found = getattr(dps, way.mechanism)(x, **way.arguments).details["guarantee"].bound
        assert way.guaranteed_error == pytest.approx(found)
    for way in advise("pca", d=6, k=2, n=50, epsilon=2.0, delta=1e-5):
        if way.guaranteed_error is not None:
            release = dps.private_pca(x, **way.arguments)
            total = np.sum(mean_shares(np.r_[[0.4 / 6 + 0.3] * 2, [0.4 / 6] * 4])[:2])
            assert way.guaranteed_error * total >= release.details["guarantee"].bound  # which knows its own gap
    (way,) = advise("spectrum", d=6, k=2, n=50, epsilon=2.0)
    assert 50 * way.guaranteed_error == pytest.approx(
        dps.private_spectrum(Matrix(np.eye(6)), 2, 2.0).details["guarantee"].bound
    )


def test_pure_mechanisms_are_listed_beside_others_and_may_be_first():
    few, many = (advise("covariance", d=d, n=100, epsilon=1.0, delta=1e-6) for d in (4, 100))
    assert [way.mechanism for way in few] == ["knorm_covariance", "symmetric_wishart_covariance", "gaussian_covariance"]
    assert [way.mechanism for way in many] == ["gaussian_covariance", "symmetric_wishart_covariance"]
    assert [way.mechanism for way in advise("covariance", d=8, n=100, epsilon=1.0)] == ["symmetric_wishart_covariance"]


def test_the_orbit_comes_last_without_a_guess_and_where_it_belongs_with_one():
    given = {"d": 50, "k": 1, "n": 100, "epsilon": 1.0, "center": "none"}
    assert [way.arguments["mechanism"] for way in advise("pca", **given)][-1] == "orbit"
    guess = np.r_[0.9, np.full(49, 0.1 / 49)]
    assert advise("pca", **given, spectrum=guess)[0].arguments["mechanism"] == "orbit"
    assert advise("pca", **{**given, "n": 1000}, spectrum=guess)[-1].arguments["mechanism"] == "orbit"
    assert all(way.bracket is None for way in advise("pca", **given, spectrum=guess))


def test_errors_scale_with_the_norm_bound_and_the_rows():
    one, other = (advise("covariance", d=6, n=n, epsilon=1.0, norm_bound=b)[0] for n, b in ((100, 1.0), (400, 3.0)))
    assert other.expected_error == pytest.approx(one.expected_error * 9 / 4)
    one, other = (advise("pca", d=6, k=1, n=100, epsilon=1.0, norm_bound=b)[0] for b in (1.0, 3.0))
    assert other.expected_error == pytest.approx(one.expected_error)
    assert other.strength == pytest.approx(one.strength)


def test_a_person_who_comes_or_goes_takes_less_noise():
    one, other = (
        advise("pca", d=6, k=1, n=100, epsilon=1.0, relation=relation)[0] for relation in ("replace", "add_remove")
    )
    assert other.expected_error < one.expected_error
    assert other.claim.relation == "add_remove"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"goal": "median"}, "goal must be one of pca, covariance, low_rank, spectrum, subspace, got 'median'"),
        ({"k": None}, "k must be given for pca, got None"),
        ({"k": 7}, "k must be between 1 and 6, got 7"),
        ({"n": 0}, "n must be at least 1"),
        ({"epsilon": 0.0}, "epsilon must be positive"),
        ({"delta": 1.0}, "delta must lie in"),
        ({"norm_bound": -1.0}, "norm_bound must be positive"),
        ({"relation": "zero_out"}, "relation must be one of replace, add_remove"),
        ({"spectrum": [1.0]}, "spectrum must have length 6"),
        ({"center": "pairs", "relation": "add_remove"}, "relation must be replace for center='pairs', got add_remove"),
        ({"center": "mean"}, "center must be one of auto, none, pairs, got 'mean'"),
        ({"goal": "low_rank", "center": "pairs"}, "center must be one of auto, none, got 'pairs'"),
        ({"bounds": BOX}, "d must be left out or be that of bounds, 5, got 6"),
        ({"bounds": BOX, "d": None, "norm_bound": 2.0}, "norm_bound must be at most 1 with bounds"),
        ({"d": None}, "d must be an integer, got None"),
    ],
)
def test_bad_input_is_refused(change, message):
    given = {"goal": "pca", "d": 6, "k": 2, "n": 100, "epsilon": 1.0}
    with pytest.raises(ValueError, match=message):
        advise(**{**given, **change})


@pytest.mark.parametrize(("goal", "loss"), [("pca", 0.2), ("covariance", 0.01), ("spectrum", 0.003), ("subspace", 0.2)])
def test_the_fewest_rows_are_enough_and_no_fewer_would_be(goal, loss):
    given = {"d": 6, "k": 2, "epsilon": 1.0, "delta": 1e-6}
    best, *_ = advise(goal, loss=loss, **given)
    assert best.expected_error <= loss
    assert advise(goal, n=best.rows, **given)[0] == best
    if best.rows > 1:
        assert advise(goal, n=best.rows - 1, **given)[0].expected_error > loss


def test_ten_times_the_rows_lose_a_hundredth_however_little_is_lost():
    rows = [advise("pca", d=5, k=2, epsilon=1.0, loss=loss)[0].rows for loss in (1e-14, 1e-16, 1e-20)]
    assert [each / rows[0] for each in rows] == pytest.approx([1, 10, 1000], rel=0.01)


def test_rows_or_a_loss_are_needed_and_not_both():
    for given in ({}, {"n": 10, "loss": 0.1}):
        with pytest.raises(ValueError, match="one of n and loss must be given, got n = "):
            advise("pca", d=4, k=1, epsilon=1.0, **given)
    with pytest.raises(ValueError, match="k must be given for pca, got None"):
        advise("pca", d=4, n=10, epsilon=1.0)
    with pytest.raises(ValueError, match=r"loss must be reached by 2\*\*50 rows, got 1e-60: allow more"):
        advise("covariance", d=4, loss=1e-60, epsilon=1.0)
    with pytest.raises(ValueError, match="loss must be below 1, as it is a share of the variance, got 1"):
        advise("pca", d=4, k=1, loss=1.0, epsilon=1.0)
    for goal in ("pca", "subspace"):
        with pytest.raises(ValueError, match="k must be below d with a loss, got 4 of 4: all directions lose nothing"):
            advise(goal, d=4, k=4, loss=0.1, epsilon=1.0)
    assert advise("pca", d=4, k=1, loss=0.99, epsilon=1.0)[0].expected_error <= 0.99
    assert advise("covariance", d=4, loss=1.5, epsilon=1.0)[0].expected_error <= 1.5


@pytest.mark.parametrize(("d", "k", "share"), [(6, 2, 73), (6, 6, 100), (4, 3, 90), (100, 1, 60)])
def test_a_guess_says_the_share_that_errors_are_computed_for(d, k, share):
    given = {"d": d, "k": k, "n": 5000, "epsilon": 1.0, "center": "none"}
    said = advise("pca", **given)
    words = re.search(r"(\d+) % of it", said[0].guess)
    assert int(words[1]) == share
    exact = 0.6 + 0.4 * k / d
    same = [exact / k] * k + [(1 - exact) / max(1, d - k)] * (d - k)
    errors, others = (
        {str(way.arguments): way.expected_error for way in ways}
        for ways in (said, advise("pca", **given, spectrum=same))
    )
    assert errors == pytest.approx(others)
