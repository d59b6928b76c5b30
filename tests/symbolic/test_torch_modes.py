import copy
import threading

import pytest

from dpspectra.audit.claims import GDP
from dpspectra.audit.from_inside import inside
from dpspectra.symbolic.tape import NotFollowed
from tests.support.noise_runs import followed_nearby, runner

torch = pytest.importorskip("torch", reason="torch is not installed here; it is no dependency")

nn = torch.nn
PAIR = torch.zeros(3), torch.tensor([1.0, 0.0, 0.0])
MODEL = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
FEATURES = 3 * torch.tensor([[0.1, -1.2, 0.7], [1.3, 0.2, -0.4], [-0.6, 0.9, 1.1], [2.0, -0.3, 0.5]])
LABELS = torch.tensor([[4.0], [-3.0], [1.0], [5.0]])
ROWS = (FEATURES, LABELS), (FEATURES[:3], LABELS[:3])


def step(data, sigma=2.0, clip=1.0):
    """One step of private gradient descent, written by hand."""
    model = copy.deepcopy(MODEL)
    weights = list(model.parameters())
    total = [torch.zeros_like(w) for w in weights]
    for x, y in zip(*data, strict=True):
        gradients = torch.autograd.grad(((model(x) - y) ** 2).sum(), weights)
        length = torch.sqrt(sum((g**2).sum() for g in gradients))
        factor = torch.clamp(clip / length, max=1.0)
        for t, g in zip(total, gradients, strict=True):
            t += g * factor
    for w, t in zip(weights, total, strict=True):
        w.grad = (t + sigma * torch.randn_like(t)) / 8
    torch.optim.SGD(weights, lr=0.1, momentum=0.9, weight_decay=0.01).step()
    return [w.detach() for w in weights]


def by_opacus(data, sigma=2.0):
    """One such step by opacus."""
    from opacus import grad_sample, optimizers  # type: ignore[import-not-found,unused-ignore]

    model = copy.deepcopy(MODEL)
    wrapped = grad_sample.GradSampleModule(model)
    plain = torch.optim.SGD(wrapped.parameters(), lr=0.1)
    optimizer = optimizers.DPOptimizer(plain, noise_multiplier=sigma, max_grad_norm=1.0, expected_batch_size=8)
    ((wrapped(data[0]) - data[1]) ** 2).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    return [w.detach() for w in model.parameters()]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("mechanism", [step, by_opacus])
def test_a_step_of_private_gradient_descent_loses_its_clip_over_its_noise(mechanism):
    if mechanism is by_opacus:
        pytest.importorskip("opacus", reason="opacus is not installed here; it is no dependency")
    right = inside(mechanism, ROWS, GDP(0.5), seconds=200)
    assert right.verdict == "explained", right
    assert right.mu == pytest.approx(0.5, rel=1e-5)


def test_half_the_noise_and_no_clip_are_refuted_with_the_line():
    half = inside(lambda data: step(data, sigma=1.0), ROWS, GDP(0.5), seconds=200)
    free = inside(lambda data: step(data, clip=1e9), ROWS, GDP(0.5), seconds=200)
    assert half.verdict == free.verdict == "refuted"
    assert half.mu == pytest.approx(1.0, rel=1e-5)
    assert "test_torch_modes.py" in half.calls[0].place


def in_a_thread(x):
    found = []
    thread = threading.Thread(target=lambda: found.append(x + 2 * torch.randn(3)))
    thread.start()
    thread.join()
    return found[0]


def without_operations(x):
    with torch._C._DisableTorchDispatch():
        return x + 2 * torch.randn(3)


def without_modes(x):
    modes = torch.utils._python_dispatch
    with modes._disable_current_modes():
        return x + 2 * torch.randn(3)


def settings(x):
    torch.set_default_dtype(torch.float64)
    return x + 2 * torch.randn(3)


class Kind(torch.Tensor):  # type: ignore[name-defined,misc,unused-ignore]
    """Tensors of another type."""


UNKNOWN = {
    "thread": in_a_thread,
    "without operations": without_operations,
    "without modes": without_modes,
    "settings": settings,
    "vmap": lambda x: torch.vmap(lambda v: v + torch.randn(()), randomness="different")(x),
    "subclass": lambda x: (x + torch.randn(3)).as_subclass(Kind),
    "history": lambda x: x.clone().requires_grad_() + torch.randn(3),
    "gradients": lambda x: nn.utils.get_total_norm([x + torch.randn(3)]),
}


@pytest.mark.parametrize("mechanism", UNKNOWN.values(), ids=UNKNOWN)
def test_what_passes_no_mode_ends_the_run(mechanism):
    it = runner(mechanism, PAIR)
    with followed_nearby(), pytest.raises(NotFollowed):
        it.record(0)
    assert torch.is_grad_enabled()
    assert torch.get_default_dtype() == torch.float32


def disabled_and_read(x):
    y = x + 2 * torch.randn(3)
    with torch._C._DisableTorchDispatch():
        followed = bool(torch.isnan(y).any())
    return y if followed else x.clone()


def kept(x):
    SUM.add_(x + 2 * torch.randn(3))
    return SUM.clone()


SUM = torch.zeros(3)


@pytest.mark.parametrize("mechanism", [disabled_and_read, kept, lambda x: torch.jit.script(torch.neg)(x)])
def test_nothing_is_said_of_these(mechanism):
    assert inside(mechanism, PAIR, GDP(0.5)).verdict == "undecided"
    assert SUM.tolist() == [0.0] * 3


def asked(x):
    y = x + 2 * torch.randn(3)
    known = type(y) is torch.Tensor and y.dtype == torch.float32 and y.shape == (3,) and type(y.shape) is torch.Size
    return y if known and isinstance(y[0].item(), float) and y.is_leaf and y.stride() == (1,) else x.clone()


def test_types_asked_are_those_of_torch():
    assert inside(asked, PAIR, GDP(0.5)).verdict == "explained"
