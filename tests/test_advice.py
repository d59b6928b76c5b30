"""Advice by public numbers: predictions against simulations, the order of mechanisms, and the command. Fixed seeds."""

import inspect
import itertools
import json
from fractions import Fraction

import numpy as np
import pytest

import dpspectra as dps
from dpspectra import cli
from dpspectra.advice import GOALS, advise
from dpspectra.fast import power_loss
from dpspectra.fast.linalg import eigenvectors
from dpspectra.fast.noisy_spectra import lost_by_noise, lost_on_orbit, low_rank_excess, overlap
from dpspectra.fast.power_loss import lost_by_power_method
from dpspectra.fast.spectral_noise import semicircle, wishart_difference
from dpspectra.mechanisms import added_noise
from dpspectra.mechanisms.choice import for_directions
from dpspectra.postprocessing import best_rank, shrink
from dpspectra.report import offers


def spectrum(kind, d, k, n=1000.0):
    values = {
        "spiked": np.r_[np.full(k, 0.6 / k), np.zeros(d - k)] + 0.4 / d,
        "slow": 1 / np.arange(1, d + 1),
        "flat": np.linspace(1.5, 1, d),
    }[kind]
    return n * values / np.sum(values)


def noises(d, epsilon):
    return {
        "wishart": added_noise.symmetric_wishart(d, Fraction(epsilon), Fraction(1)),
        "gaussian": added_noise.gaussian(d, epsilon / 4, Fraction(1)),
        "laplace": added_noise.laplace(d, Fraction(epsilon), Fraction(1)),
    }


# ---------------------------------------------------------------- predictions

CELLS = [
    (d, epsilon, kind, k)
    for d in (6, 25)
    for epsilon in (0.5, 4.0)
    for kind in ("spiked", "slow", "flat")
    for k in (1, 3)
]


@pytest.mark.parametrize("name", ["wishart", "gaussian", "laplace"])
def test_losses_of_directions_are_predicted(name):
    """Means of 120 draws in 24 cells: 80 of 100 within 15 %, all within 40 %."""
    rng, ratios = np.random.default_rng(1), []
    for d, epsilon, kind, k in CELLS:
        values, noise = spectrum(kind, d, k), noises(d, epsilon)[name]
        losses = []
        for _ in range(120):
            v = eigenvectors(np.diag(values) + noise.law.ideal(d, noise.scale, rng))[1][:, :k]
            losses.append(np.sum(values[:k]) - np.trace(v.T @ np.diag(values) @ v))
        ratios.append(lost_by_noise(values, k, noise.spectral(d, noise.scale)) / np.mean(losses))
    away = np.abs(np.log(ratios))
    assert np.mean(away < 0.15) > 0.8
    assert np.max(away) < 0.4


@pytest.mark.parametrize(("k", "factor"), [(1, 1.25), (3, 1.6)])
def test_losses_on_orbits_are_predicted(k, factor):
    for d, kappa, kind in [(6, 0.05, "slow"), (6, 0.2, "spiked"), (15, 0.1, "slow")]:
        values = spectrum(kind, d, k)
        drawn = dps.sampling.orbit(
            np.diag(values),
            np.r_[np.ones(k), np.zeros(d - k)],
            kappa,
            size=200,
            field="real" if k == 1 else "complex",
            rng=2,
        )
        losses = []
        for h in drawn:
            v = eigenvectors(h.real)[1][:, :k]
            losses.append(np.sum(values[:k]) - np.trace(v.T @ np.diag(values) @ v))
        assert 1 / factor < lost_on_orbit(values, k, kappa) / np.mean(losses) < factor


def test_low_rank_errors_are_predicted():
    rng, d, k = np.random.default_rng(3), 60, 2
    values = np.r_[600.0, 300.0, np.zeros(d - 2)]
    noise = noises(d, 1.0)["wishart"]
    seen = noise.spectral(d, noise.scale)
    errors = []
    for _ in range(20):
        noisy = np.diag(values) + noise.law.ideal(d, noise.scale, rng)
        errors.append(np.sum((best_rank(shrink(noisy, seen), k) - np.diag(values)) ** 2))
    assert low_rank_excess(values, k, seen) == pytest.approx(np.mean(errors), rel=0.25)


@pytest.mark.parametrize("noise", [semicircle(40, 1.5, 1.0), wishart_difference(40, 0.5, 1.0)])
def test_overlaps_vanish_at_the_threshold_and_tend_to_one(noise):
    assert overlap(noise.threshold, noise) == 0.0
    assert 0 < overlap(1.01 * noise.threshold, noise) < 0.05
    assert overlap(100 * noise.threshold, noise) > 0.999
    sizes = noise.threshold * np.geomspace(1.0, 50.0, 30)
    assert (np.diff([overlap(size, noise) for size in sizes]) > 0).all()


def test_the_overlap_with_gaussian_noise_is_the_known_one():
    noise = semicircle(40, 1.5, 1.0)
    assert overlap(3 * noise.threshold, noise) == pytest.approx(1 - 1 / 9)


def test_nothing_is_lost_of_the_whole_space_and_no_more_than_by_chance():
    values, noise = spectrum("slow", 8, 2), wishart_difference(8, 1e6, 1.0)
    assert lost_by_noise(values, 8, noise) == lost_on_orbit(values, 8, 1.0) == 0.0
    assert lost_by_noise(values, 2, noise) == pytest.approx(np.sum(values[:2]) - np.sum(values) / 4, rel=0.02)
    assert lost_on_orbit(values, 2, 1e-9) == pytest.approx(np.sum(values[:2]) - np.sum(values) / 4)


# ---------------------------------------------------------------- advice


@pytest.mark.parametrize("d", [30, 200])
def test_losses_of_the_power_method_are_predicted(d):
    """Means of 40 runs, after 14 rounds, when few starts show any more: six of ten within 5 %, all within 35 %."""
    rng, ratios = np.random.default_rng(3), []
    for k, kind, size in itertools.product((1, 3, 6), ("spiked", "slow"), (0.1, 0.3)):
        values = spectrum(kind, d, k)
        deviation, losses = size * values[k - 1] / np.sqrt(d), []
        for _ in range(40):
            x = np.linalg.qr(rng.standard_normal((d, k)))[0]
            for _ in range(14):
                x = np.linalg.qr(values[:, None] * x + deviation * rng.standard_normal((d, k)))[0]
            losses.append(np.sum(values[:k]) - np.sum(values[:, None] * x**2))
        ratios.append(lost_by_power_method(values, k, deviation, 14) / np.mean(losses))
    assert np.quantile(np.abs(np.log(ratios)), 0.6) < 0.05
    assert np.max(np.abs(np.log(ratios))) < 0.3


def test_groups_of_eigenvalues_change_little_and_nothing_is_found_without_signal():
    values = 1e4 / np.arange(1, 3001)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(power_loss, "GROUPS", 10**6)
        exact = lost_by_power_method(values, 3, 5.0, 6)
    assert lost_by_power_method(values, 3, 5.0, 6) == pytest.approx(exact, rel=0.02)
    nothing = np.sum(values[:3]) - 3 * np.mean(values)
    assert lost_by_power_method(values, 3, 1e9, 6) == pytest.approx(nothing, rel=0.02)
    assert lost_by_power_method(np.array([2.0, 0, 0]), 2, 1.0, 3) == pytest.approx(2 - 4 / 3)


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
                    ways = advise("pca", d=d, k=k, n=5000, epsilon=epsilon, delta=delta)
                    chosen = for_directions(d, k, epsilon, delta, 1.0).mechanism
                    (own,) = (way for way in ways if way.arguments["mechanism"] == chosen)
                    within.append(own.expected_error <= 1.1 * min(way.expected_error for way in ways))
    assert np.mean(within) >= 0.95


@pytest.mark.parametrize("goal", GOALS)
def test_arguments_are_ready_for_the_call(goal):
    x = np.random.default_rng(4).standard_normal((50, 6)) / 10
    for way in advise(goal, d=6, k=2, n=50, epsilon=2.0, delta=1e-5):
        data = x if way.mechanism == "private_pca" or way.mechanism.endswith("covariance") else x.T @ x
        release = getattr(dps, way.mechanism)(data, **way.arguments)
        assert (release.claim.epsilon, release.claim.delta) == (way.claim.epsilon, way.claim.delta)
        assert set(way.claim.labels) >= {label for label in release.claim.labels if not label.startswith("DPS-")}
        assert release.claim.relation == way.claim.relation


def test_guarantees_are_those_of_the_releases():
    x = np.zeros((50, 6))
    for way in advise("covariance", d=6, n=50, epsilon=2.0, delta=1e-5):
        found = getattr(dps, way.mechanism)(x, **way.arguments).details["guarantee"].bound
        assert way.guaranteed_error == pytest.approx(found)
    for way in advise("pca", d=6, k=2, n=50, epsilon=2.0, delta=1e-5):
        if way.guaranteed_error is not None:
            release = dps.private_pca(x, **way.arguments)
            total = 0.4 * 2 / 6 + 0.6
            assert way.guaranteed_error * total == pytest.approx(release.details["guarantee"].bound)
    (way,) = advise("spectrum", d=6, k=2, n=50, epsilon=2.0)
    assert 50 * way.guaranteed_error == pytest.approx(
        dps.private_spectrum(np.eye(6), 2, 2.0).details["guarantee"].bound
    )


def test_pure_mechanisms_are_listed_beside_others_and_may_be_first():
    few, many = (advise("covariance", d=d, n=100, epsilon=1.0, delta=1e-6) for d in (4, 100))
    assert [way.mechanism for way in few] == ["knorm_covariance", "symmetric_wishart_covariance", "gaussian_covariance"]
    assert [way.mechanism for way in many] == ["gaussian_covariance", "symmetric_wishart_covariance"]
    assert [way.mechanism for way in advise("covariance", d=8, n=100, epsilon=1.0)] == ["symmetric_wishart_covariance"]


def test_the_orbit_comes_last_without_a_guess_and_where_it_belongs_with_one():
    given = {"d": 50, "k": 1, "n": 100, "epsilon": 1.0}
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
        ({"k": None}, "k must be an integer, got None"),
        ({"k": 7}, "k must be between 1 and 6, got 7"),
        ({"n": 0}, "n must be at least 1"),
        ({"epsilon": 0.0}, "epsilon must be positive"),
        ({"delta": 1.0}, "delta must lie in"),
        ({"norm_bound": -1.0}, "norm_bound must be positive"),
        ({"relation": "zero_out"}, "relation must be one of replace, add_remove"),
        ({"spectrum": [1.0]}, "spectrum must have length 6"),
    ],
)
def test_bad_input_is_refused(change, message):
    given = {"goal": "pca", "d": 6, "k": 2, "n": 100, "epsilon": 1.0}
    with pytest.raises(ValueError, match=message):
        advise(**{**given, **change})


# ---------------------------------------------------------------- the command


def run(capsys, *words):
    status = cli.run(["advise", *words])
    return status, capsys.readouterr()


GIVEN = "pca", "--d", "20", "--k", "2", "--n", "5000", "--epsilon", "1"


def test_the_command_prints_what_the_function_returns(capsys):
    status, told = run(capsys, *GIVEN, "--delta", "1e-6", "--json")
    assert status == 0
    ways = advise("pca", d=20, k=2, n=5000, epsilon=1.0, delta=1e-6)
    assert json.loads(told.out) == json.loads(json.dumps([way.asdict() for way in ways]))
    status, told = run(capsys, *GIVEN)
    assert status == 0
    lines = told.out.splitlines()
    assert max(map(len, lines)) <= 130
    assert lines[3].startswith("private_pca, symmetric_wishart_covariance")
    status, told = run(capsys, *GIVEN, "--spectrum", "0.3", "0.2", "--json")
    assert json.loads(told.out)[0]["bracket"] is None


def test_the_plot_draws_every_mechanism(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "errors.svg"
    status, _ = run(capsys, *GIVEN, "--delta", "1e-6", "--plot", str(file))
    assert status == 0
    text = file.read_text(encoding="utf-8")
    assert text.startswith("<svg")
    for name in ("orbit", "gaussian_covariance", "symmetric_wishart_covariance"):
        assert name in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*GIVEN, "--plot", "errors.png"), "must end in .svg"),
        ((*GIVEN[:-1], "-1"), "epsilon must be positive"),
        ((*GIVEN, "--spectrum", "0.1", "0.2"), "spectrum must be descending"),
    ],
)
def test_bad_usage_is_refused(capsys, words, message):
    status, told = run(capsys, *words)
    assert status == 2
    assert message in told.err
    assert told.out == ""


def test_goals_are_listed_once():
    assert offers.GOALS == GOALS
    assert set(inspect.signature(dps.advise).parameters) >= {"goal", "d", "k", "n", "epsilon", "delta", "spectrum"}
