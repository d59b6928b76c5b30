"""Other libraries' mechanisms and claims. What needs a library that is missing here is skipped."""

import functools
import importlib
import math

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.audit import GDP, ApproxDP, Profile, PureDP, Renyi, adapters, audit
from dpspectra.audit.adapters import _above
from dpspectra.fast import gaussian_profile
from tests.support.helpers import optional

NUMBERS = (0.0, 1.0)


# ---------------------------------------------------------------- estimators


class NoisyMean:
    """An estimator with noise of the given scale on the mean of two rows."""

    def __init__(self, scale=1.0, random_state=None):
        self.scale, self.random_state = scale, random_state

    def get_params(self, deep=True):
        return {"scale": self.scale, "random_state": self.random_state}

    def set_params(self, **settings):
        vars(self).update(settings)
        return self

    def fit(self, X, y=0.0):
        assert not hasattr(self, "mean_"), "every draw fits a fresh copy"
        noise = np.random.default_rng(self.random_state).laplace(0, self.scale)
        self.mean_, self.target_ = np.mean(X) + noise, np.sum(y)
        return self


def test_estimators_are_copied_seeded_and_judged():
    model = NoisyMean(0.5)
    mechanism = adapters.from_estimator(model, "mean_")
    pair = np.array([[0.0], [0.0]]), np.array([[0.0], [1.0]])
    result = audit(mechanism, pair, 1.0, draws=512)
    assert result.seeded
    assert not result.violated
    assert audit(mechanism, pair, 0.4, draws=4096) == audit(mechanism, pair, 0.4, draws=4096)
    assert audit(mechanism, pair, 0.4, draws=4096).violated
    assert vars(model) == {"scale": 0.5, "random_state": None}
    mean, target = adapters.from_estimator(model, ["mean_", "target_"])((pair[0], [1, 2]), random_state=3)
    assert (mean.shape, target) == ((), 3)


def test_a_real_estimator_reveals_its_data():
    sklearn = optional("sklearn.decomposition")
    mechanism = adapters.from_estimator(sklearn.PCA(1), "mean_")
    result = audit(mechanism, (np.eye(2), np.array([[1.0, 0.0], [0.0, 0.0]])), 1.0, draws=1024)
    assert result.violated
    assert result.failures == 0
    linear = importlib.import_module("sklearn.linear_model").LinearRegression()
    seedless = adapters.from_estimator(linear, ("coef_", "intercept_"))
    assert not audit(seedless, ((np.eye(2), [0.0, 1.0]), (np.eye(2), [1.0, 1.0])), 0.0, draws=64).seeded


# ---------------------------------------------------------------- diffprivlib and OpenDP


def test_diffprivlib_mechanisms_and_models():
    mechanisms, models = optional("diffprivlib.mechanisms"), optional("diffprivlib.models")
    laplace = adapters.from_diffprivlib(mechanisms.Laplace(epsilon=1.0, sensitivity=1.0))
    assert not audit(laplace, NUMBERS, 1.0, draws=2000).violated
    assert audit(laplace, NUMBERS, 0.5, draws=5000) == audit(laplace, NUMBERS, 0.5, draws=5000)
    assert audit(laplace, NUMBERS, 0.5, draws=5000).violated
    scaler = adapters.from_estimator(models.StandardScaler(epsilon=1.0, bounds=(0, 1)), ["mean_", "var_"])
    result = audit(scaler, (np.eye(2), np.ones((2, 2))), 1.0, draws=100)
    assert result.failures == 0


class Randomiser:
    """As diffprivlib's mechanisms are: settings in attributes, a seed among them."""

    def __init__(self, *, epsilon, random_state=None):
        self.epsilon, self.random_state = epsilon, random_state
        self._rng = np.random.default_rng(random_state)

    def randomise(self, value):
        return value + self._rng.laplace(0, 1 / self.epsilon)


def test_randomisers_are_seeded():
    mechanism = adapters.from_diffprivlib(Randomiser(epsilon=2.0))
    drawn = mechanism(0.0, size=3, random_state=5)
    assert len(set(drawn.tolist())) == 3
    assert np.array_equal(drawn, mechanism(0.0, size=3, random_state=5))
    assert audit(mechanism, NUMBERS, 1.0).violated
    assert not audit(mechanism, NUMBERS, 2.0, draws=2000).violated


@pytest.fixture(scope="module")
def opendp():
    prelude = optional("opendp.prelude")
    prelude.enable_features("contrib")
    return prelude


def test_opendp_measurements_and_their_claims(opendp):
    space = opendp.atom_domain(T=float, nan=False), opendp.absolute_distance(T=float)
    laplace = space >> opendp.m.then_laplace(scale=1.0)
    claim = adapters.claim_of_opendp(laplace, 1.0)
    assert claim == PureDP(1.0)
    mechanism = adapters.from_opendp(laplace)
    result = audit(mechanism, NUMBERS, claim, draws=1000, confidence=1 - 1e-6)
    assert not result.violated  # false alarm below 1e-6, unseeded: the measurement draws from the system
    assert not result.seeded
    assert audit(mechanism, (np.float64(0), np.array(4.0)), claim, draws=1000).violated  # misses below 1e-6


def test_opendp_curves(opendp):
    vectors = opendp.vector_domain(opendp.atom_domain(T=float, nan=False)), opendp.l2_distance(T=float)
    noise = vectors >> opendp.m.then_gaussian(scale=1.0)
    claim = adapters.claim_of_opendp(noise, 1.0)
    assert isinstance(claim, Profile)
    for epsilon, delta in claim.curve:  # no better than the truth, and not much worse
        true = gaussian_profile.profile(epsilon, 1.0)
        assert true <= delta + 1e-12
        assert delta <= max(12 * true, 1e-5) or epsilon == 0
    approximate = opendp.c.make_zCDP_to_approxDP(noise)
    assert adapters.claim_of_opendp(approximate, 1.0) == claim
    fixed = adapters.claim_of_opendp(opendp.c.make_fix_delta(approximate, 1e-5), 1.0)
    assert isinstance(fixed, ApproxDP)
    assert fixed.delta == 1e-5
    assert gaussian_profile.profile(fixed.epsilon, 1.0) <= 1e-5
    assert len(audit(adapters.from_opendp(noise), (np.zeros(2), np.ones(2)), claim, draws=16).history) > 0


def test_other_measures_are_refused():
    class Odd:
        output_measure = "RenyiDivergence"

        def __call__(self, data):
            return data

        map = None

    with pytest.raises(ValueError, match="must have a measure that implies"):
        adapters.claim_of_opendp(Odd(), 1)
    for adapt in (
        adapters.from_opendp,
        adapters.from_diffprivlib,
        functools.partial(adapters.from_estimator, attributes="x"),
    ):
        with pytest.raises(ValueError, match="got float"):
            adapt(1.0)


# ---------------------------------------------------------------- dp_accounting


@pytest.fixture(scope="module")
def pld():
    optional("dp_accounting")
    return optional("dp_accounting.pld.privacy_loss_distribution")


EPSILONS = np.linspace(-2, 4, 25)


@pytest.mark.parametrize("claim", [PureDP(1.0), ApproxDP(1.0, 1e-3), ApproxDP(0.0, 0.25)])
def test_claims_become_the_loss_distributions_that_the_library_makes_of_them(pld, claim):
    common = importlib.import_module("dp_accounting.pld.common")
    parameters = common.DifferentialPrivacyParameters(claim.epsilon, getattr(claim, "delta", 0.0))
    ours, theirs = adapters.pld_of(claim), pld.from_privacy_parameters(parameters)
    for mine, other in ((ours, theirs), (ours.compose(ours), theirs.compose(theirs))):
        assert np.allclose(mine.get_delta_for_epsilon(EPSILONS), other.get_delta_for_epsilon(EPSILONS), atol=1e-12)


def test_gaussian_curves_go_there_and_back(pld):
    there = adapters.pld_of(GDP(1.0))
    curve = adapters.claim_of_pld(there)
    for epsilon, delta in curve.curve:
        assert delta == pytest.approx(gaussian_profile.profile(epsilon, 1.0), rel=1e-3, abs=1e-9)
    back = adapters.pld_of(curve)
    for epsilon, delta in curve.curve:  # moved up to the grid of losses: a little less private
        assert delta - 1e-12 <= back.get_delta_for_epsilon(epsilon) <= delta + 1e-4
    between = np.linspace(0.05, 4, 40)
    true = gaussian_profile.profile(between, 1.0)
    found = np.array(back.get_delta_for_epsilon(between))
    assert np.all(found >= true - 1e-9)
    assert np.all(found <= true * 1.1 + 1e-6)


def test_pure_privacy_is_found_at_the_end_of_a_curve(pld):
    curve = adapters.claim_of_pld(pld.from_laplace_mechanism(1.0)).curve
    assert curve[-1][1] == 0.0
    assert curve[-1][0] == pytest.approx(1.0, abs=1e-3)
    assert curve[0][0] == 0.0
    assert curve[0][1] == pytest.approx(1 - math.exp(-0.5), abs=1e-3)


@pytest.mark.parametrize(
    "claim", [Renyi(4.0, 0.5), Profile(((0.5, 0.3), (1.0, 0.29), (2.0, 0.001))), Profile(((3.0, 0.5),))]
)
def test_tables_become_the_worst_that_they_allow(pld, claim):
    """The curve of the result is through or below each point, symmetric, and as high as convexity lets it be."""
    found = adapters.pld_of(claim)
    points = claim.points(claim.value)
    for epsilon, delta in points:
        assert found.get_delta_for_epsilon(epsilon) <= delta + 1e-4
    epsilons = np.arange(0, 30000) * 1e-4
    deltas = np.array(found.get_delta_for_epsilon(epsilons))
    mirrored = 1 - np.exp(-epsilons) * (1 - deltas)
    assert np.allclose(found.get_delta_for_epsilon(-epsilons[::-1]), mirrored[::-1], atol=1e-9)
    both = np.concatenate([-epsilons[::-1], epsilons[1:]])
    heights = np.array(found.get_delta_for_epsilon(both))
    slopes = np.diff(heights) / np.diff(np.exp(both))
    assert np.all(slopes <= 1e-9)
    assert np.all(np.diff(slopes) >= -1e-7)
    kinks = both[1:-1][np.diff(slopes) > 1e-6]
    corners = np.array([sign * epsilon for epsilon, _ in points for sign in (1, -1)])
    assert np.all(np.min(np.abs(kinks[:, None] - corners[None, :]), axis=1) < 3e-4), "bent at points of the claim only"


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "dp_accounting.pld.privacy_loss_distribution", None)
    with pytest.raises(ImportError, match=r"need dp_accounting: pip install 'dpspectra\[accounting\]'"):
        adapters.pld_of(PureDP(1.0))
    with pytest.raises(ValueError, match="interval must be positive"):
        adapters.pld_of(PureDP(1.0), 0)


def test_a_point_on_the_chord_counts_as_above():
    assert _above((0, 1.0), (1, 0.5), (2, 0.0))
    assert not _above((0, 1.0), (1, 0.4), (2, 0.0))


# ---------------------------------------------------------------- our releases, for others


def accounted(events, times):
    """Epsilon at a delta of 1e-6 by an accountant of theirs."""
    theirs = optional("dp_accounting")
    accountant = optional("dp_accounting.rdp").RdpAccountant(
        neighboring_relation=theirs.NeighboringRelation.REPLACE_ONE
    )
    for event in events:
        accountant.compose(event, times)
    return accountant.get_epsilon(1e-6)


@pytest.mark.parametrize("delta", [0.0, 1e-7])
@pytest.mark.parametrize("times", [1, 8])
def test_events_have_the_loss_of_claims(delta, times):
    """Not less than is true, and at most a third more: Renyi orders lose something."""
    claim = dps.private_mean(np.eye(3), 0.5, delta, rng=0).claim
    found = accounted([adapters.event_of(claim)], times)
    if delta:
        least = gaussian_profile.epsilon_for(1e-6, claim.gdp_mu * times**0.5)
    else:
        least = adapters.pld_of(PureDP(0.5)).self_compose(times).get_epsilon_for_delta(1e-6)
    assert least * 0.999 <= found <= least * 1.34


def test_what_is_no_event_is_refused():
    claim = dps.wishart_covariance(np.eye(3), 1.0, 1e-6, rng=0).claim
    with pytest.raises(ValueError, match="claim must be pure or have a gdp_mu to be an event, got delta = 1e-06"):
        adapters.event_of(claim)
    with pytest.raises(ValueError, match="claim must be of type Claim, got"):
        adapters.event_of(PureDP(1.0))


@pytest.fixture(scope="module")
def user_defined(opendp):
    opendp.enable_features("honest-but-curious")
    return opendp


def test_a_mechanism_becomes_a_measurement_of_opendp(user_defined):
    rows = np.eye(3)
    claim = dps.private_mean(rows, 0.5, rows="clip").claim
    measured = adapters.to_opendp(lambda x: dps.private_mean(x, 0.5, rows="clip"), claim)
    assert (measured.map(1), measured.map(3)) == (0.5, 1.5)
    assert np.shape(measured(rows)) == (3,)
    assert adapters.claim_of_opendp(measured, 1) == PureDP(0.5)
    both = user_defined.c.make_composition([measured, measured])
    assert both.map(1) == 1.0
    assert len(both(rows)) == 2
    gaussian_claim = dps.private_mean(rows, 0.5, 1e-6, relation="replace").claim
    with_delta = adapters.to_opendp(lambda x: dps.private_mean(x, 0.5, 1e-6), gaussian_claim)
    assert with_delta.map(1) == (0.5, 1e-6)
    with pytest.raises(Exception, match="the distance must be at most 1 for a claim with a delta"):
        with_delta.map(2)
    with pytest.raises(Exception, match="X must have rows of norm at most 1, but row 0 is longer"):
        with_delta(2 * rows)
    assert [with_delta.input_domain.member(x) for x in (rows, 2 * rows, "rows")] == [True, False, False]


def test_a_measurement_that_would_claim_more_is_refused(user_defined):
    claim = dps.private_mean(np.eye(3), 0.5, rows="clip").claim
    for mechanism in (lambda x: dps.private_mean(x, 0.6, rows="clip"), lambda x: dps.private_mean(x, 0.5)):
        with pytest.raises(Exception, match=r"mechanism must claim at most epsilon 0\.5 of these neighbours"):
            adapters.to_opendp(mechanism, claim)(np.eye(3))
    with pytest.raises(ValueError, match="claim must be of relation replace or add_remove, got row"):
        adapters.to_opendp(abs, dps.Claim("row", 1.0))


def test_a_loss_distribution_is_of_what_an_audit_takes():
    claim = dps.Claim("replace", 1.0, 1e-6, gdp_mu=0.25)
    with pytest.raises(ValueError, match=r"must be of type CurveClaim, got Claim.*or GDP\(claim.gdp_mu\)"):
        adapters.pld_of(claim)
