import subprocess
import sys

import pytest

from dpspectra.symbolic.canonical_output import NoForm, opened
from dpspectra.symbolic.state import State
from dpspectra.symbolic.torch_tensors import kinds, steady

torch = pytest.importorskip("torch", reason="torch is not installed here; it is no dependency")


def form(x):
    return opened(x)[0]


def test_tensors_have_one_form_by_their_numbers_type_gradient_and_attributes():
    x = torch.tensor([[1.0, -0.0]])
    same = torch.tensor([[1.0, 5.0], [-0.0, 6.0]]).t()[:1]
    assert form(x) == form(same) == form(torch.nn.Parameter(x))
    others = [x.double(), x.long(), x.reshape(-1), x + 1, torch.tensor([[1.0, 0.0]]), x.clone(), x.clone()]
    others[-1].grad = torch.ones(1, 2)
    others[-2].secret = 1
    forms = [form(x), *map(form, others)]
    assert all(forms[i] != forms[j] for i in range(len(forms)) for j in range(i))
    assert form([torch.tensor(2.0), torch.tensor(3)])["output[0]"][0] == "float"


def test_tensors_that_hold_more_have_no_form():
    x = torch.ones(2, requires_grad=True)
    hooked = torch.ones(2, requires_grad=True)
    hooked.register_hook(print)
    more = [
        x * 2,
        hooked,
        x.detach().half(),
        x.detach().to_sparse(),
        torch.ones(2, device="meta"),
        torch.nn.Linear(1, 1),
    ]
    for thing in more:
        with pytest.raises(NoForm):
            opened(thing)


W = torch.zeros(2)


def test_tensors_that_a_program_keeps_are_compared_and_put_back():
    state = State(lambda: W)
    assert state.unseen == {}
    assert state.restore() == []
    W[0] = 3
    W.grad = torch.ones(2)
    assert state.restore() == ["W"]
    assert W.tolist() == [0, 0]
    assert W.grad is None


def test_settings_are_put_back():
    with steady():
        torch.set_grad_enabled(False)
    assert torch.is_grad_enabled()


def test_torch_is_never_imported_here():
    code = "import sys; from dpspectra.symbolic import torch_tensors as t; print(t.kinds(), 'torch' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["()", "False"]
    assert kinds() == (torch.Tensor, torch.nn.Parameter)
