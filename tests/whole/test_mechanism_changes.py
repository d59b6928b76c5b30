"""What a change of the data costs, for every mechanism and relation: all of the claim, and never more."""

import functools
import inspect
import math

import numpy as np
import pytest

import dpspectra as dps
from dpspectra import Matrix, private_low_rank
from dpspectra.fast import chi_square_profile
from dpspectra.fast.gaussian_profile import mu_for, profile
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.mechanisms import range_finding
from tests.support.releases import PRIVATE
from tests.support.scales import BASIS, GRAM, PRIVACY, PURE, RELATIONS, ROWS, UNITS

# ---------------------------------------------------------------- what a change costs


@pytest.mark.parametrize(("n", "bound"), [(1, 1.0), (8, 3.0)])
def test_the_worst_replacement_moves_a_covariance_by_all_of_epsilon(n, bound):
    """In the plane: the eigenvectors of ``[[1, 1/2], [1/2, -1]]`` for the l1 norm, the axes for the l2 norm."""
    turned, axes = np.linalg.eigh(np.array([[1.0, 0.5], [0.5, -1.0]]))[1].T, np.eye(2)
    shifts = {}
    triangle = functools.partial(dps.gaussian_covariance, shape="triangle")
    for name, mechanism, pair, privacy in (
        ("laplace", dps.laplace_covariance, turned, PURE),
        ("gaussian", triangle, axes, PRIVACY),
    ):
        rows = [np.vstack([bound * x, np.zeros((n - 1, 2))]) for x in pair]
        one, other = (mechanism(x, **privacy, norm_bound=bound, rng=4) for x in rows)
        shifts[name] = (other.value - one.value)[np.triu_indices(2)] / one.details["scale"]
    assert np.sum(np.abs(shifts["laplace"])) == pytest.approx(PURE["epsilon"], rel=1e-9)
    assert mu_for(*PRIVACY.values()) * (1 - 1e-9) < one.claim.gdp_mu <= mu_for(*PRIVACY.values())
    assert np.linalg.norm(shifts["gaussian"]) == pytest.approx(one.claim.gdp_mu, rel=1e-9)
    assert profile(PRIVACY["epsilon"], one.claim.gdp_mu) == pytest.approx(PRIVACY["delta"], rel=1e-9)


@pytest.mark.parametrize("d", [1, 2, 7])
def test_the_worst_replacements_move_the_best_shape_by_all_of_mu(d):
    """A row appears, or is replaced by an orthogonal one; the trace has the variance ``2 d / (d + 1)``."""
    rows = np.eye(d)[0], np.zeros(d), np.eye(d)[-1]
    values = [dps.gaussian_covariance([x], **PRIVACY, rng=4) for x in rows]
    for other in values[1:] if d > 1 else values[1:2]:
        moved = (other.value - values[0].value) / values[0].details["scale"]
        trace = np.trace(moved)
        square = np.sum((moved - trace / d * np.eye(d)) ** 2) / 2 + trace**2 * (d + 1) / (2 * d)
        assert math.sqrt(square) == pytest.approx(values[0].claim.gdp_mu, rel=1e-9)


@pytest.mark.parametrize(("relation", "moved"), [("replace", [1.0, -1.0, 0.0]), ("add_remove", [0.0, 1.0, 0.0])])
def test_the_worst_neighbour_moves_the_spectrum_by_all_of_epsilon(relation, moved):
    before = np.array([9e3, 6e3, 3e3])
    one, other = (
        dps.private_spectrum(Matrix(np.diag(x)), 3, 0.5, relation=relation, rng=4)
        for x in (before, before + np.array(moved))
    )
    shift = np.sum(np.abs(other.value - one.value)) / one.details["scale"]
    assert shift == pytest.approx(0.5, rel=1e-9)


@pytest.mark.parametrize("spectrum", [[3.0, 1.0, 1.0], [3.0, 2.0, -1.0]])
@pytest.mark.parametrize(("relation", "times"), [("replace", 2), ("add_remove", 1)])
def test_the_score_of_an_orbit_moves_by_epsilon_at_most(spectrum, relation, times):
    """``<xx', H>`` runs from the smallest to the largest eigenvalue; a replacement moves two such scores apart."""
    kappa = dps.private_orbit(Matrix(np.eye(3)), spectrum, 0.5, relation=relation, rng=4).details["kappa"]
    assert times * kappa * (spectrum[0] - spectrum[-1]) == pytest.approx(0.5)


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize(("relation", "times"), [("replace", 2), ("add_remove", 1)])
@pytest.mark.parametrize("split", [0.25, 0.75])
def test_both_stages_of_a_low_rank_approximation_spend_the_claim(k, relation, times, split):
    """The noise on the eigenvalues, drawn again from the seed, and the temperature tell what each stage spent."""
    values = np.array([900.0, 400.0, 100.0])
    release = private_low_rank(
        Matrix(np.diag(values)), k, 2.0, mechanism="orbit", relation=relation, split=split, rng=4
    )
    released = release.details["eigenvalues"]
    noise = np.random.default_rng(4).laplace(scale=1.0, size=k)
    first = (times if k > 1 else 1) * noise / (released - values[:k])
    assert first == pytest.approx(2.0 * split, rel=1e-9)
    spread = released[0] - 0.0
    second = times * release.details["kappa"] * spread
    assert first[0] + second == pytest.approx(release.claim.epsilon, rel=1e-9)
    assert release.details["epsilon_spectrum"] + release.details["epsilon_vectors"] == pytest.approx(2.0)


@pytest.mark.parametrize("row_change", [1.0, 3.0])
def test_a_changed_row_moves_a_projection_by_mu(row_change):
    """The row of the largest leverage moves it by all of ``mu``, any other one by less."""
    zero, shifts = np.zeros((12, 30)), []
    one = dps.private_projection(zero, BASIS, **PRIVACY, row_change=row_change, rng=4)
    for row in range(12):
        a = zero.copy()
        a[row, 7] = row_change
        other = dps.private_projection(a, BASIS, **PRIVACY, row_change=row_change, rng=4)
        shifts.append(np.linalg.norm(other.value.right - one.value.right) / one.details["noise"])
    assert max(shifts) == pytest.approx(one.claim.gdp_mu, rel=1e-9)
    assert profile(PRIVACY["epsilon"], one.claim.gdp_mu) == pytest.approx(PRIVACY["delta"], rel=1e-9)


def test_a_changed_entry_moves_a_noisy_matrix_by_mu():
    zero, a = np.zeros((4, 3)), np.zeros((4, 3))
    a[2] = np.array([2.0, 2.0, 1.0])
    one, other = (dps.randomized_response_low_rank(x, 3, **PRIVACY, row_change=3.0, rng=4) for x in (zero, a))
    shift = np.linalg.norm(other.value.toarray() - one.value.toarray()) / one.details["noise"]
    assert shift == pytest.approx(mu_for(*PRIVACY.values()), rel=1e-9)


@pytest.mark.parametrize("row_bound", [None, 60.0])
def test_no_row_moves_the_measurement_of_a_pruned_range_by_more_than_its_share(row_bound, monkeypatch):
    """For one range: what is measured in the second stage moves by at most ``mu``; rows left out do not move it."""
    q = np.linalg.qr(np.random.default_rng(5).standard_normal((40, 5)) * np.r_[30.0, np.ones(39)][:, None])[0]
    monkeypatch.setattr(range_finding, "orthonormal", lambda *_, **__: q)
    zero, shifts = np.zeros((40, 200)), []
    options = PRIVACY | {"k": 2, "row_change": 3.0, "row_bound": row_bound, "share": 0.5, "rng": 4}
    one = dps.project_find_prune(zero, **options)
    for row in range(40):
        a = zero.copy()
        a[row, 7] = 3.0
        other = dps.project_find_prune(a, **options)
        shifts.append(np.linalg.norm(other.value.right - one.value.right) / one.details["noise"])
    assert max(shifts) == pytest.approx(one.details["projection_mu"], rel=1e-9)
    assert one.details["projection_mu"] == pytest.approx(mu_for(*PRIVACY.values()) / 2)
    assert shifts.count(0.0) == one.details["pruned"]
    assert (one.details["pruned"] > 0) == (row_bound is not None)


@pytest.mark.parametrize(("n", "bound"), [(1, 1.0), (8, 3.0)])
@pytest.mark.parametrize("degrees", [None, 40])
def test_a_row_that_vanishes_costs_a_wishart_release_all_of_delta(n, bound, degrees):
    """The profile at the squared norm of the row in units of the scale: exactly delta for given degrees of freedom."""
    rows = np.zeros((n, 3))
    release = dps.wishart_covariance(
        rows, **PRIVACY, degrees_of_freedom=degrees, norm_bound=bound, relation="zero_out", rng=4
    )
    shift = bound**2 / n / release.details["scale"]
    left = release.details["degrees_of_freedom"] - 2
    spent = chi_square_profile.profile(PRIVACY["epsilon"], left, shift)
    if degrees is None:
        assert spent <= PRIVACY["delta"] < chi_square_profile.profile(PRIVACY["epsilon"], left - 1, shift)
    else:
        assert spent == pytest.approx(PRIVACY["delta"], rel=2e-6)


def worst(relation, x):
    """A neighbour's change that moves ``A X`` most in the Frobenius norm, for orthonormal ``X``."""
    d = len(x)
    if relation == "pair":
        i, j = np.argsort(np.sum(x**2, axis=1))[-2:]
        change = np.zeros((d, d))
        change[i, j] = change[j, i] = 1.0
        return change
    return x @ x.T if relation == "spectral" else np.outer(x[:, 0], x[:, 0])


@pytest.mark.parametrize("relation", ["pair", "spectral", "rank_one"])
@pytest.mark.parametrize("low_rank", [False, True])
@pytest.mark.parametrize("scale", ["row", "max", "doubling", "fixed"])
def test_the_rounds_of_a_power_method_spend_the_claim(relation, low_rank, scale, seen):
    """Squared shifts over noise add up to ``mu**2``, products released included; to less for the larger noises."""
    options = {"k": 2, "width": 3, "iterations": 3, "relation": relation, "low_rank": low_rank, "scale": scale}
    bound = 1.0 if scale == "fixed" else None
    release = dps.private_power_method(GRAM, **PRIVACY, **options, entry_bound=bound, rng=4)
    blocks = [orthonormal(y) for y in seen] if low_rank else [orthonormal(y) for y in seen[:-1]]
    spent = 0.0
    for x, noise in zip(blocks, release.details["noise"], strict=True):
        spent += np.linalg.norm(worst(relation, x) @ x) ** 2 / noise**2
    assert (1 - 1e-12) * mu_for(*PRIVACY.values()) <= release.claim.gdp_mu <= mu_for(*PRIVACY.values())
    if scale == "row" or relation != "pair":
        assert math.sqrt(spent) == pytest.approx(release.claim.gdp_mu, rel=1e-9)
    else:
        assert math.sqrt(spent) < release.claim.gdp_mu


@pytest.mark.parametrize("done", [1, 2, 3])
def test_doubling_noise_is_that_of_a_power_of_two_above_all_entries_so_far(done, seen):
    states = []
    options = {"k": 1, "width": 2, "iterations": 3, "scale": "doubling", "checkpoint": states.append}
    release = dps.private_power_method(GRAM, **PRIVACY, **options, rng=4)
    entries = [float(np.max(np.abs(orthonormal(y)))) for y in seen]
    largest = max(entries[:done])
    bound = next(2.0**e for e in range(-10, 2) if 2.0**e >= largest)
    sensitivity = math.sqrt(2 * 2) * bound
    assert release.details["noise"][done - 1] == pytest.approx(
        sensitivity * math.sqrt(3) / mu_for(*PRIVACY.values()), rel=1e-9
    )
    assert states[done - 1].largest_entry == pytest.approx(max(entries[: done + 1]))


def test_an_entry_just_above_the_bound_is_refused():
    start = np.eye(5)[:, :2]
    options = PRIVACY | {"k": 1, "width": 2, "iterations": 1, "scale": "fixed", "start": start, "rng": 4}
    dps.private_power_method(GRAM, **options, entry_bound=1.0)
    with pytest.raises(dps.LargeEntryError):
        dps.private_power_method(GRAM, **options, entry_bound=0.99)


# ---------------------------------------------------------------- relations


@pytest.mark.parametrize(
    ("call", "key", "larger"),
    [
        (functools.partial(dps.symmetric_wishart_covariance, ROWS, 0.75), "scale", "replace"),
        (functools.partial(dps.private_spectrum, Matrix(GRAM), 2, 0.75), "scale", "replace"),
        (functools.partial(dps.private_orbit, Matrix(GRAM), [2.0, 0, 0, 0, 0], 0.75), "kappa", "add_remove"),
        (functools.partial(dps.private_orbit, Matrix(GRAM), [2.0, 1, 0, 0, 0], 0.75), "kappa", "add_remove"),
        (functools.partial(dps.private_pca, ROWS, 1, 0.75, mechanism="orbit"), "kappa", "add_remove"),
        (functools.partial(dps.private_pca, ROWS, 2, 0.75, mechanism="orbit"), "kappa", "add_remove"),
        (functools.partial(dps.row_counting_direction, ROWS, 0.75, aligned=9), "kappa", "add_remove"),
    ],
)
def test_a_replacement_counts_for_two_changes(call, key, larger):
    smaller = next(r for r in RELATIONS[call.func.__name__] if r != larger)
    one, other = (call(relation=relation, rng=5) for relation in (smaller, larger))
    assert other.details[key] == pytest.approx(2 * one.details[key], rel=1e-12)
    assert (one.claim.relation.removeprefix("matrix_"), other.claim.relation.removeprefix("matrix_")) == (
        smaller,
        larger,
    )


def test_the_tables_name_every_private_mechanism_and_relation():
    functions = dict(inspect.getmembers(dps.mechanisms, inspect.isfunction))
    private = set(PRIVATE)
    named = {case.values[0].func.__name__ for case in UNITS} | {"private_power_method"}
    assert named == private
    assert set(RELATIONS) == {name for name in private if "relation" in inspect.signature(functions[name]).parameters}
