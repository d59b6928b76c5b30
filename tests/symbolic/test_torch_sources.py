import math

import pytest

from dpspectra.audit.claims import GDP
from dpspectra.audit.from_inside import inside
from dpspectra.symbolic.tape import NotFollowed
from tests.support.noise_runs import followed_nearby, runner

torch = pytest.importorskip("torch", reason="torch is not installed here; it is no dependency")

PAIR = torch.zeros(3), torch.tensor([1.0, 0.0, 0.0])
LAWS = torch.distributions
NORMAL = {
    "randn": lambda x: x + 2 * torch.randn(3),
    "randn_like": lambda x: x + 2 * torch.randn_like(x),
    "normal": lambda x: x + torch.normal(0.0, 2.0, size=(3,)),
    "normal around data": lambda x: torch.normal(x, 2.0),
    "normal of tensors": lambda x: torch.normal(x, torch.full((3,), 2.0)),
    "normal_": lambda x: x + torch.empty(3).normal_(0, 2),
    "law": lambda x: x + LAWS.Normal(0.0, 2.0).sample((3,)),
    "law around data": lambda x: LAWS.Normal(x, 2.0).rsample(),
    "in a list": lambda x: (x + 2 * torch.randn(3)).tolist(),
    "doubles": lambda x: (x + 2 * torch.randn(3, dtype=torch.float64)).numpy(),
}


@pytest.mark.parametrize("mechanism", NORMAL.values(), ids=NORMAL)
def test_normal_noise_loses_its_distance_in_standard_deviations(mechanism):
    right, wrong = inside(mechanism, PAIR, GDP(0.5)), inside(mechanism, PAIR, GDP(0.49))
    assert (right.verdict, wrong.verdict) == ("explained", "refuted")
    assert right.mu == pytest.approx(0.5, abs=1e-12)
    assert "test_torch_sources.py" in wrong.calls[0].place


def test_laplace_noise_loses_its_distance_in_scales():
    for mechanism in (
        lambda x: LAWS.Laplace(x, 2.0).sample(),
        lambda x: x + LAWS.Laplace(torch.zeros(3), torch.full((3,), 2.0)).rsample(),
        lambda x: (x.sum() + LAWS.Laplace(0.0, 2.0).sample()).item(),
    ):
        assert inside(mechanism, PAIR, 0.5).verdict == "explained"
        assert inside(mechanism, PAIR, 0.49).verdict == "refuted"


def test_noise_that_not_every_number_can_be_is_refuted():
    for mechanism in (lambda x: x + torch.rand(3), lambda x: x + torch.zeros(3).exponential_(0.1)):
        assert inside(mechanism, PAIR, 0.5).verdict == "refuted"


def test_noise_by_uniform_and_exponential_numbers_is_that_of_laplace():
    def by_uniform(x):
        u = torch.rand((), dtype=torch.float64) - 0.5
        return float(x.sum() - 2 * torch.sign(u) * torch.log(1 - 2 * torch.abs(u)))

    def by_exponentials(x):
        noise = torch.empty(2).exponential_(0.5)
        return float(x.sum() + noise[0] - noise[1])

    for mechanism in (by_uniform, by_exponentials):
        right, wrong = (inside(mechanism, PAIR, epsilon, seconds=120) for epsilon in (0.5, 0.49))
        assert (right.verdict, wrong.verdict) == ("explained", "refuted")
        assert right.bound == pytest.approx(0.5)


FEW = {
    "bernoulli": (lambda x: torch.bernoulli((1 + x) / 4).tolist(), math.log(2)),
    "in place": (lambda x: torch.empty(3).bernoulli_(0.25 + float(x[0]) / 4), 3 * math.log(2)),
    "multinomial": (lambda x: int(torch.multinomial(x + 1, 1)), math.log(3 / 2)),
    "multinomial without one": (lambda x: torch.multinomial(torch.tensor([0.0, 1.0, 3 - 2 * x[0]]), 1), math.log(2)),
}


@pytest.mark.parametrize(("mechanism", "loss"), FEW.values(), ids=FEW)
def test_draws_of_a_few_outcomes_lose_what_their_chances_say(mechanism, loss):
    right, wrong = inside(mechanism, PAIR, loss * 1.001), inside(mechanism, PAIR, loss * 0.999)
    assert (right.verdict, wrong.verdict) == ("explained", "refuted")
    assert right.loss == pytest.approx(loss)


def test_a_chance_of_one_and_dropped_entries_hide_nothing():
    assert inside(lambda x: torch.bernoulli(x), PAIR, 0.5).verdict == "refuted"
    assert inside(lambda x: torch.nn.functional.dropout(x + 1), PAIR, 0.5).verdict == "refuted"


def test_a_scale_that_depends_on_data_is_refuted():
    assert inside(lambda x: x + 2 * (1 + x.sum()) * torch.randn(3), PAIR, GDP(0.5)).verdict == "refuted"


def by_its_seed(x, seed):
    torch.manual_seed(seed)
    return x + 2 * torch.randn(3)


def by_its_seed_twice(x, seed):
    torch.manual_seed(seed)
    first = torch.randn(3)
    torch.manual_seed(seed)
    return x + 2 * torch.randn(3), first


def test_the_seed_that_is_handed_over_is_fresh_once():
    assert inside(by_its_seed, PAIR, GDP(0.5)).verdict == "explained"
    assert "a second generator" in inside(by_its_seed_twice, PAIR, GDP(0.5)).reasons[0]


def seeded(x):
    torch.manual_seed(0)
    return x + 2 * torch.randn(3)


def put_back(x):
    state = torch.get_rng_state()
    torch.randn(3)
    torch.set_rng_state(state)
    return x + 2 * torch.randn(3)


OF_ITS_OWN = torch.Generator()
UNKNOWN = {
    "seeded": seeded,
    "put back": put_back,
    "a generator": lambda x: x + torch.randn(3, generator=torch.Generator()),
    "an earlier generator": lambda x: x + torch.randn(3, generator=OF_ITS_OWN),
    "with a seed": lambda x: x + torch.randn(3, generator=torch.Generator().manual_seed(1)),
    "the shared one": lambda x: x + torch.default_generator.seed() % 2,
    "its seed": lambda x: x + torch.initial_seed() % 2,
    "permutation": lambda x: x[torch.randperm(3)],
    "randint": lambda x: x + torch.randint(0, 2, (3,)),
    "gamma": lambda x: x + LAWS.Gamma(1.0, 1.0).sample((3,)),
    "several of a few": lambda x: torch.multinomial(x + 1, 2),
    "a chance of noise": lambda x: torch.bernoulli(torch.rand(3)),
    "one of a few by noise": lambda x: torch.multinomial(x + 1 + torch.rand(3), 1),
    "a scale of noise": lambda x: torch.normal(x, torch.randn(3)),
    "loader": lambda x: list(torch.utils.data.DataLoader([1, 2, 3], shuffle=True)),
}


@pytest.mark.parametrize("mechanism", UNKNOWN.values(), ids=UNKNOWN)
def test_other_randomness_ends_the_run_with_its_line(mechanism):
    it = runner(mechanism, PAIR)
    with followed_nearby(), pytest.raises(NotFollowed, match=r"test_torch_sources\.py"):
        it.record(0)
