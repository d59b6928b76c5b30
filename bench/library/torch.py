"""torch 2.13.0 and opacus 1.6.0: noise drawn by torch, steps written by hand or taken from an optimizer."""

import math

import torch
from opacus.optimizers import DPOptimizer

from bench.foreign import Mechanism
from dpspectra.audit import GDP, ApproxDP, PureDP

ROWS = torch.tensor([[0.5, 0.5], [3.0, 0.0]], dtype=torch.float64)
FEWER = torch.tensor([[0.5, 0.5], [0.0, 0.0]], dtype=torch.float64)
STEPS = (ROWS, FEWER)
ARRAYS = (ROWS.numpy(), FEWER.numpy())
NUMBERS = (0.0, 1.0)


def _clipped(rows):
    lengths = rows.norm(dim=1, keepdim=True)
    return (rows * (1.0 / lengths.clamp(min=1.0))).sum(dim=0)


def step_by_randn(rows):
    total = _clipped(rows)
    return total + 2.0 * torch.randn(total.shape, dtype=total.dtype)


def step_by_normal(rows):
    total = _clipped(rows)
    return total + torch.normal(mean=0.0, std=2.0, size=total.shape, dtype=total.dtype)


def step_by_like(rows):
    total = _clipped(rows)
    return (total + torch.randn_like(total) * 2.0) / len(rows)


def step_in_place(rows):
    total = _clipped(rows)
    total.add_(torch.empty_like(total).normal_(0.0, 2.0))
    return total.tolist()


def step_of_a_parameter(rows):
    weight = torch.zeros(2, dtype=torch.float64)
    weight -= 0.1 * (_clipped(rows) + torch.normal(0.0, 2.0, (2,), dtype=torch.float64))
    return weight.numpy()


def step_of_an_array(rows):
    return step_by_randn(torch.as_tensor(rows)).numpy()


def step_without_clipping(rows):
    return rows.sum(dim=0) + 2.0 * torch.randn(2, dtype=torch.float64)


def step_clipped_by_batch(rows):
    mean = rows.mean(dim=0)
    mean = mean * (1.0 / mean.norm().clamp(min=1.0))
    return mean + torch.randn(2, dtype=torch.float64) * (2.0 / len(rows))


def step_of_the_optimizer(rows):
    weight = torch.nn.Parameter(torch.zeros(2, dtype=torch.float64))
    inner = torch.optim.SGD([weight], lr=1.0)
    made = DPOptimizer(inner, noise_multiplier=2.0, max_grad_norm=1.0, expected_batch_size=2)
    weight.grad_sample = rows.clone()
    made.step()
    return weight.detach().numpy()


def laplace(x):
    return float(torch.distributions.Laplace(x, 1.0).sample())


def laplace_by_uniform(x):
    u = torch.rand((), dtype=torch.float64) - 0.5
    return float(x - torch.sign(u) * torch.log(1 - 2 * torch.abs(u)))


def normal(x):
    return float(torch.distributions.Normal(x, 1.0).sample())


def exponentials(x):
    noise = torch.empty(2, dtype=torch.float64).exponential_(1.0)
    return float(x + noise[0] - noise[1])


def answer(bit):
    truth = torch.rand(()) < math.e / (1 + math.e)
    return bool(bit) if truth else not bit


def flipped(bit):
    return int(torch.bernoulli(torch.tensor(0.75 if bit else 0.25)))


def chosen(x):
    weights = torch.exp(torch.tensor([0.5 * x, 0.5 * (1 - x), 0.0], dtype=torch.float64))
    return int(torch.multinomial(weights / weights.sum(), 1))


def largest(scores):
    noise = torch.distributions.Gumbel(0.0, 2.0).sample((len(scores),))
    return int(torch.argmax(torch.as_tensor(scores) + noise))


def step(run):
    name, proof = run.__name__.replace("_", " "), "a row of length 1 after clipping, deviation 2"
    return Mechanism(name, run, STEPS, GDP(0.5), mu=0.5, proof=proof)


MECHANISMS = [
    step(step_by_randn),
    step(step_by_normal),
    step(step_by_like),
    step(step_in_place),
    step(step_of_a_parameter),
    step(step_of_the_optimizer),
    Mechanism("step of an array", step_of_an_array, ARRAYS, GDP(0.5), mu=0.5),
    Mechanism("step by randn, approximate", step_by_randn, STEPS, ApproxDP(1.0, 0.05), mu=0.5),
    Mechanism("step without clipping", step_without_clipping, STEPS, GDP(0.5), mu=1.5, proof="a row of length 3"),
    Mechanism(
        "step clipped by batch",
        step_clipped_by_batch,
        STEPS,
        GDP(0.5),
        mu=math.hypot(1.75 / math.hypot(1.75, 0.25) - 0.25, 0.25 / math.hypot(1.75, 0.25) - 0.25),
        proof="means of length 1 and 0.35 at deviation 1",
    ),
    Mechanism("Laplace", laplace, NUMBERS, loss=1.0),
    Mechanism("Laplace by uniform numbers", laplace_by_uniform, NUMBERS, loss=1.0),
    Mechanism("Normal", normal, NUMBERS, GDP(1.0), mu=1.0),
    Mechanism("difference of exponential numbers", exponentials, NUMBERS, loss=1.0),
    Mechanism("randomised response", answer, (0, 1), loss=1.0, proof="odds e"),
    Mechanism("bernoulli", flipped, (0, 1), PureDP(math.log(3.0)), loss=math.log(3.0)),
    Mechanism("multinomial", chosen, (0.0, 1.0), within=True, proof="weights exp(score / 2)"),
    Mechanism("noisy maximum", largest, ([0.0, 1.0], [1.0, 0.0]), within=True, proof="weights exp(score / 2)"),
]
