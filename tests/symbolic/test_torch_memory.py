import io
import pickle

import numpy as np
import pytest

from dpspectra.audit.from_inside import inside
from dpspectra.symbolic.tape import NotFollowed
from tests.support.noise_runs import followed_nearby, runner

torch = pytest.importorskip("torch", reason="torch is not installed here; it is no dependency")

PAIR = torch.zeros(3), torch.tensor([1.0, 0.0, 0.0])


def noisy(x):
    return x + 2 * torch.randn(3, dtype=x.dtype)


def through_a_storage(x):
    y = torch.zeros(3)
    storage = y.untyped_storage()
    y.add_(noisy(x))
    storage.copy_(x.untyped_storage())
    return y


def through_an_array(x):
    y = torch.zeros(3)
    array = y.numpy()
    y.add_(noisy(x))
    array[:] = x.numpy()
    return y


def through_an_array_of_numpy(x):
    array = np.zeros(3, dtype=np.float32)
    y = torch.from_numpy(array)
    y.add_(noisy(x))
    array[:] = x.numpy()
    return y


def saved(x):
    file = io.BytesIO()
    torch.save(noisy(x), file)
    file.seek(0)
    return torch.load(file)


def without_functions(x):
    with torch._C.DisableTorchFunction():
        return noisy(x).tolist()


UNKNOWN = {
    "storage": through_a_storage,
    "its storage": lambda x: noisy(x).untyped_storage(),
    "array": through_an_array,
    "array of numpy": through_an_array_of_numpy,
    "saved": saved,
    "pickled": lambda x: pickle.loads(pickle.dumps(noisy(x))),
    "dlpack": lambda x: np.from_dlpack(noisy(x)),
    "apply_": lambda x: noisy(x).apply_(lambda v: 0.0),
    "map_": lambda x: torch.zeros(3).map_(noisy(x), lambda a, b: b),
    "single array": lambda x: noisy(x).numpy(),
    "asked by numpy": lambda x: np.add(noisy(x), 1),
    "set": lambda x: noisy(x).set_(x.clone()),
    "without functions": without_functions,
    "format": lambda x: f"{noisy(x)[0]:.1f}",
    "text": lambda x: str(noisy(x)),
    "pointer": lambda x: noisy(x).data_ptr(),
}


@pytest.mark.parametrize("mechanism", UNKNOWN.values(), ids=UNKNOWN)
def test_memory_that_others_read_ends_the_run(mechanism):
    it = runner(mechanism, PAIR)
    with followed_nearby(), pytest.raises(NotFollowed, match=r"test_torch_memory\.py"):
        it.record(0)


def overwritten(x):
    y = noisy(x)
    y.view(-1).copy_(x)
    return y


def overwritten_in_part(x):
    y = noisy(x)
    y[0] = x[0]
    return y


def data_put(x):
    y = noisy(x)
    y.data = x.clone()
    return y


def beside(x):
    buffer = torch.zeros(6)
    buffer[:3].add_(noisy(x))
    buffer.as_strided((3,), (1,), 3).copy_(x)
    return buffer


def array_written(x):
    y = noisy(x.double())
    array = y.numpy()
    array[0] = float(x[0])
    return y


def array_read(x):
    y = noisy(x.double())
    array = y.numpy()
    y[0] = float(x[0])
    return array


def gradient_kept(x):
    y = noisy(x)
    y.grad = x.clone()
    return y


def attribute_kept(x):
    y = noisy(x)
    y.secret = x.clone()
    return y


def drawn_once(x):
    z = 2 * torch.randn(3)
    return torch.stack([x + z, z])


LEAKS = (overwritten, overwritten_in_part, data_put, beside, array_written, array_read, gradient_kept, attribute_kept)


@pytest.mark.parametrize("mechanism", [*LEAKS, drawn_once, lambda x: x + 2 * torch.randn(1)])
def test_data_that_no_noise_covers_are_found(mechanism):
    assert inside(mechanism, PAIR, 1.0, 0.01).verdict == "refuted"


def test_an_array_of_doubles_shares_the_memory_of_noise():
    def mechanism(x):
        y = noisy(x.double())
        array = y.numpy()
        y += 1
        array *= 2
        return y, array

    it = runner(mechanism, PAIR)
    with followed_nearby():
        record = it.record(0)
        it.check(0, record)
    assert record.rows.mu.tolist() == [2.0] * 6


def test_a_part_without_noise_is_what_torch_wrote_there():
    def mechanism(x):
        buffer = torch.zeros(4)
        buffer[:2] = torch.randn(2)
        buffer[2:].add_(x[:2] + 5)
        return buffer, float(buffer[2])

    it = runner(mechanism, PAIR)
    with followed_nearby():
        record = it.record(1)
        it.check(1, record)
    assert record.leaves["output[1]"] == ("float", np.float64(6).tobytes())
