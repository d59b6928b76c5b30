import pytest

from dpspectra.symbolic.faithful_runs import omega_of
from dpspectra.symbolic.tape import NotFollowed
from tests.support.noise_runs import followed_nearby, runner

torch = pytest.importorskip("torch", reason="torch is not installed here; it is no dependency")

A, B = torch.tensor([[1.0, -2.0], [0.5, 4.0]]), torch.tensor([[3.0, 1.0], [-1.0, 2.0]])
FOLLOWED = {
    "add": lambda z, x: torch.add(z, x, alpha=3),
    "add a number": lambda z, x: z + 2,
    "subtract": lambda z, x: torch.sub(x, z, alpha=2),
    "subtract bytes": lambda z, x: z - torch.tensor([[1, 200], [3, 4]], dtype=torch.uint8),
    "from a number": lambda z, x: 1 - z,
    "times": lambda z, x: z * x,
    "by": lambda z, x: z / x,
    "minus": lambda z, x: -z,
    "sum": lambda z, x: z.sum(),
    "sums": lambda z, x: z.sum(dim=-1, keepdim=True),
    "mean": lambda z, x: z.mean(0),
    "product": lambda z, x: x @ z,
    "product on the right": lambda z, x: z.mm(x),
    "matrix and vector": lambda z, x: x @ z[0],
    "dot": lambda z, x: torch.dot(z[:, 0], x[1]),
    "affine": lambda z, x: torch.addmm(z, x, z, beta=2, alpha=3),
    "layer": lambda z, x: torch.nn.functional.linear(x, z, z[0]),
    "einsum": lambda z, x: torch.einsum("ij->j", z),
    "views": lambda z, x: z.t().reshape(-1)[1:].view(3, 1).expand(3, 2).unsqueeze(0),
    "copy": lambda z, x: z.clone().double().float().contiguous(),
    "cat": lambda z, x: torch.cat([z, x], dim=1),
    "stack": lambda z, x: torch.stack([x, z], dim=-1),
    "entries": lambda z, x: z[torch.tensor([1, 0, 1])],
    "by a mask": lambda z, x: z[torch.tensor([True, False])],
    "chosen": lambda z, x: z.index_select(1, torch.tensor([1])),
    "like": lambda z, x: z + torch.ones_like(z) + z.new_full((2, 2), 3.0),
    "out": lambda z, x: torch.add(z, x, out=torch.zeros(2, 2)),
}


def in_place(z, x):
    """Change a tensor by all that is followed in place, seen through views."""
    y = x.clone()
    y[0].add_(z[1], alpha=2)
    y.t()[1].mul_(3)
    y.data.sub_(x)
    y.view(-1)[2:].copy_(z[0])
    y[0, 0].zero_()
    y[1, 1:].fill_(7.0)
    y /= 2
    return y


@pytest.mark.parametrize("operation", [*FOLLOWED.values(), in_place], ids=[*FOLLOWED, "in place"])
@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
def test_noise_is_what_torch_makes_of_the_same_draws(operation, kind):
    it = runner(lambda x: operation(torch.randn(2, 2, dtype=kind), x), (A.to(kind), B.to(kind)))
    with followed_nearby():
        record = it.record(0)
        assert not record.hidden
        for _ in range(3):
            it.check(0, record)
            assert it.replay(0, record) is not None
    omega = omega_of(record.tape, it.fresh())
    assert len(omega) == 4


REFUSED = {
    "exp": lambda z, x: z.exp(),
    "times noise": lambda z, x: z * z,
    "by noise": lambda z, x: x / z,
    "floor": lambda z, x: torch.div(z, x, rounding_mode="floor"),
    "equal": lambda z, x: z == x,
    "isnan": lambda z, x: torch.isnan(z),
    "norm": lambda z, x: z.norm(),
    "half": lambda z, x: z.half(),
    "whole": lambda z, x: z.long(),
    "bits": lambda z, x: z.view(torch.int32),
    "sparse": lambda z, x: z.to_sparse(),
    "resize": lambda z, x: z.resize_(1),
    "foreach": lambda z, x: torch._foreach_add([z], 1.0),
    "where": lambda z, x: torch.where(x > 0, z, x),
    "bytes as a mask": lambda z, x: z[torch.tensor([1, 0], dtype=torch.uint8)],
}


@pytest.mark.parametrize("operation", REFUSED.values(), ids=REFUSED)
def test_another_operation_ends_the_run_with_its_line(operation):
    it = runner(lambda x: operation(torch.randn(2, 2), x), (A, B))
    with followed_nearby(), pytest.raises(NotFollowed, match=r"test_torch_operations\.py"):
        it.record(0)


def test_comparisons_and_the_largest_are_hidden_questions():
    it = runner(lambda x: (int((torch.randn(2, 2) > x)[0, 0]), int(torch.argmax(torch.randn(4)))), (A, B))
    with followed_nearby():
        assert [e.kind for e in it.record(0).hidden] == ["bits", "largest"]
