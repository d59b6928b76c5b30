"""Functions that move entries do to symbols what they do to numbers; all others look."""

import numpy as np
import pytest

from dpspectra.symbolic.selections import SELECTIONS
from tests.support.noise_runs import recorded

M, V = np.arange(6.0).reshape(2, 3), np.array([1.0, -2.0, 0.5])
S = np.arange(9.0).reshape(3, 3)
CALLS = {
    "transpose": lambda m, v: np.transpose(m),
    "reshape": lambda m, v: np.reshape(m, (3, 2)),
    "ravel": lambda m, v: np.ravel(m),
    "swapaxes": lambda m, v: np.swapaxes(m, 0, 1),
    "moveaxis": lambda m, v: np.moveaxis(m, 0, 1),
    "rollaxis": lambda m, v: np.rollaxis(m, 1),
    "concatenate": lambda m, v: np.concatenate([m, V[None], v[None]], axis=0),
    "stack": lambda m, v: np.stack([v, V], axis=1),
    "vstack": lambda m, v: np.vstack([m, v]),
    "hstack": lambda m, v: np.hstack([v, V]),
    "dstack": lambda m, v: np.dstack([v, V]),
    "column_stack": lambda m, v: np.column_stack([v, V]),
    "append": lambda m, v: np.append(V, v),
    "insert": lambda m, v: np.insert(v, 1, 7.0),
    "triu": lambda m, v: np.triu(m, 1),
    "tril": lambda m, v: np.tril(m),
    "diag": lambda m, v: np.diag(v),
    "diagflat": lambda m, v: np.diagflat(v),
    "diagonal": lambda m, v: np.diagonal(m),
    "flip": lambda m, v: np.flip(m, axis=1),
    "fliplr": lambda m, v: np.fliplr(m),
    "flipud": lambda m, v: np.flipud(m),
    "rot90": lambda m, v: np.rot90(m),
    "roll": lambda m, v: np.roll(v, 1),
    "tile": lambda m, v: np.tile(v, 2),
    "repeat": lambda m, v: np.repeat(v, [1, 0, 2]),
    "broadcast_to": lambda m, v: np.broadcast_to(v, (2, 3)),
    "expand_dims": lambda m, v: np.expand_dims(v, 0),
    "squeeze": lambda m, v: np.squeeze(v[None]),
    "atleast_1d": lambda m, v: np.atleast_1d(v[0]),
    "atleast_2d": lambda m, v: np.atleast_2d(v),
    "atleast_3d": lambda m, v: np.atleast_3d(v),
    "take": lambda m, v: np.take(m, [2, 0], axis=1),
    "take_along_axis": lambda m, v: np.take_along_axis(m, np.array([[1], [2]]), axis=1),
    "split": lambda m, v: np.split(v, [1])[1],
    "array_split": lambda m, v: np.array_split(v, 2)[0],
    "hsplit": lambda m, v: np.hsplit(m, [1])[1],
    "vsplit": lambda m, v: np.vsplit(m, 2)[1],
    "delete": lambda m, v: np.delete(v, 1),
    "copy": lambda m, v: np.copy(m),
    "where": lambda m, v: np.where(np.array([True, False, True]), v, V),
    "resize": lambda m, v: np.resize(v, (2, 2)),
    "pad": lambda m, v: np.pad(v, 1),
}
ALIASES = {"row_stack": "vstack", "unstack": "newer"}


@pytest.mark.parametrize("name", CALLS)
def test_entries_are_moved(name):
    found = recorded(lambda data, rng: CALLS[name](M + rng.laplace(size=(2, 3)), V + rng.laplace(size=3)))
    assert not found.hidden
    z = found.tape.omega()
    wanted = CALLS[name](M + z[:6].reshape(2, 3), V + z[6:])
    assert found.leaves["output"] == ("array", "float64", wanted.shape)
    flat = []
    values = iter(found.values)
    for k in range(wanted.size):
        leaf = found.leaves[f"output[{k}]"]
        flat.append(next(values) if leaf == "a number that holds noise" else np.frombuffer(leaf[1])[0])
    assert np.allclose(flat, wanted.ravel(), atol=1e-14)


def test_every_selection_is_tried():
    assert set(CALLS) | set(ALIASES) >= SELECTIONS


MORE = {
    "insert noise": lambda v: np.insert(V, 1, v[0]),
    "insert noise among noise": lambda v: np.insert(v, 2, v[:1]),
    "append along an axis": lambda v: np.append(v[None], v[None], axis=0).ravel(),
    "a scalar of where": lambda v: np.where(np.array([True, False, True]), 7.0, v),
    "full": lambda v: np.full(2, v[1]),
    "full like": lambda v: np.full_like(v, v[2]),
    "ones like": lambda v: np.ones_like(v) + v,
    "empty like": lambda v: np.empty_like(v) * 0 + v,
    "diagonal filled": lambda v: _filled(v),
    "copied to": lambda v: _copied(v),
    "real": lambda v: np.real(v),
    "shape": lambda v: v[: np.shape(v)[0] - np.ndim(v)],
    "size": lambda v: v * np.size(v),
    "size of an axis": lambda v: v * np.size(v, 0),
    "list": lambda v: np.array(v.tolist()),
    "nested": lambda v: np.array([[v[0], 1.0], [2.0, v[1]]]).ravel(),
    "as an array": lambda v: np.asarray(v) + np.ascontiguousarray(v),
    "lists in asarray": lambda v: np.asarray([v[1], 2.0]),
    "fill": lambda v: _fill(v),
    "clip within": lambda v: v.reshape(3).flatten().T.copy(),
}


def _filled(v):
    m = np.zeros((2, 2))
    np.fill_diagonal(m, v[0])
    m[0, 1] = 1.0
    return m.ravel()


def _copied(v):
    out = np.zeros(3)
    np.copyto(out, v)
    return out


def _fill(v):
    out = np.ones(2)
    out.fill(v[1])
    return out


@pytest.mark.parametrize("name", MORE)
def test_more_calls(name):
    found = recorded(lambda data, rng: MORE[name](V + rng.laplace(size=3)))
    assert not found.hidden
    wanted = MORE[name](V + found.tape.omega())
    noisy = [k for k in range(len(wanted)) if found.leaves[f"output[{k}]"] == "a number that holds noise"]
    assert len(found.leaves) == 1 + len(wanted)
    assert noisy
    assert np.allclose(found.values, wanted[noisy], atol=1e-14)
    rest = [k for k in range(len(wanted)) if k not in noisy]
    assert [np.frombuffer(found.leaves[f"output[{k}]"][1])[0] for k in rest] == wanted[rest].tolist()


ASKING = {
    "clip": (lambda v: np.clip(v, -1, 1), ["bits", "bits"]),
    "clip below": (lambda v: np.clip(v, 0, None), ["bits"]),
    "clip above": (lambda v: v.clip(max=0), ["bits"]),
    "argmax": (lambda v: v[np.argmax(v)], ["largest"]),
    "argmax along an axis": (lambda v: v[np.argmax(v, axis=0)], ["largest"]),
    "argmax of columns": (lambda v: v[np.stack([v, -2 * v], axis=1).argmax(axis=0)], ["largest", "largest"]),
    "argmin of rows": (lambda v: v[np.stack([v, -2 * v]).argmin(axis=-1)], ["largest", "largest"]),
    "argmin": (lambda v: v[v.argmin()], ["largest"]),
    "maximum": (lambda v: np.maximum(v, 0.0), ["bits"]),
    "minimum": (lambda v: np.minimum(0.0, v), ["bits"]),
    "fmin": (lambda v: np.fmin(0.0, v), ["bits"]),
    "absolute": (lambda v: np.abs(v), ["bits"]),
    "sign": (lambda v: np.sign(v) + v, ["bits"]),
    "where asked": (lambda v: np.where(v > 0, v, 2 * v), ["bits"]),
    "selected by a comparison": (lambda v: v[v <= 0], ["bits"]),
}


@pytest.mark.parametrize("name", ASKING)
def test_questions_have_the_answers_of_the_numbers(name):
    call, kinds = ASKING[name]
    found = recorded(lambda data, rng: call(V + rng.laplace(size=3)))
    assert [e.kind for e in found.hidden] == kinds
    wanted = np.atleast_1d(call(V + found.tape.omega()))
    if "output[0]" in found.leaves:
        got, values = [], iter(found.values)
        for k in range(len(wanted)):
            leaf = found.leaves[f"output[{k}]"]
            got.append(next(values) if leaf == "a number that holds noise" else np.frombuffer(leaf[1])[0])
    else:
        got = list(found.values)
    assert np.allclose(got, wanted, atol=1e-14)


OF_NOISE = {
    "sort": lambda v: np.sort(v),
    "median": lambda v: np.median(v),
    "std": lambda v: v.std(),
    "norm": lambda v: np.linalg.norm(v),
    "eigenvalues": lambda v: np.linalg.eigvalsh(np.diag(v)),
    "product": lambda v: np.prod(v),
}


@pytest.mark.parametrize("name", OF_NOISE)
def test_functions_of_noise_are_exact(name):
    found = recorded(lambda data, rng: OF_NOISE[name](V + rng.laplace(size=3)))
    assert (found.hidden, found.roots) == ([], 3)
    assert np.allclose(found.values[:-3], OF_NOISE[name](V + found.tape.omega()[:3]))


LOOKING = {
    "einsum": lambda v: np.einsum("i,i->", v, V),
    "an average with weights": lambda v: np.average(v, weights=V),
    "argmax of a matrix": lambda v: np.argmax(v[None]),
    "argmax of many columns": lambda v: np.argmax(np.tile(v, (2, 2)), axis=0),
    "sum of another type": lambda v: np.sum(v, dtype=np.float32),
    "compress": lambda v: np.compress([True, False, True], v),
    "cross": lambda v: np.cross(v, V),
}


@pytest.mark.parametrize("name", LOOKING)
def test_everything_else_looks_and_is_exact(name):
    found = recorded(lambda data, rng: LOOKING[name](V + rng.laplace(size=3)))
    assert [e.kind for e in found.hidden] == ["value"]
    wanted = np.atleast_1d(LOOKING[name](V + found.tape.omega()))
    leaves = [leaf for leaf in found.leaves.values() if leaf[0] != "array"]
    got = [np.frombuffer(leaf[1], dtype="float64" if leaf[0] == "float" else leaf[0])[0] for leaf in leaves]
    assert np.allclose(got, wanted.ravel(), rtol=1e-6)


@pytest.mark.parametrize("side", ["left", "right"])
def test_places_in_a_sorted_list_are_found_by_comparisons(side):
    edges = np.array([-1.0, 0.0, 0.0, 0.5, 2.0])
    found = recorded(lambda data, rng: np.searchsorted(edges, V + rng.laplace(size=3), side=side).tolist())
    assert {e.kind for e in found.hidden} == {"bits"}
    wanted = np.searchsorted(edges, V + found.tape.omega(), side=side)
    assert [found.leaves[f"output[{k}]"] for k in range(3)] == [("int", k) for k in wanted.tolist()]


@pytest.mark.parametrize("right", [False, True])
def test_bins_are_found_by_comparisons(right):
    edges = np.array([-1.0, 0.0, 0.0, 0.5, 2.0])
    found = recorded(lambda data, rng: np.digitize(V + rng.laplace(size=3), edges, right).tolist())
    assert {e.kind for e in found.hidden} == {"bits"}
    wanted = np.digitize(V + found.tape.omega(), edges, right)
    assert [found.leaves[f"output[{k}]"] for k in range(3)] == [("int", k) for k in wanted.tolist()]


UNSURE = {
    "falling bins": lambda rng: np.digitize(rng.laplace(), [2.0, 1.0, 0.0]),
    "an unsorted list": lambda rng: np.searchsorted([1.0, 0.0, 2.0], rng.laplace()),
    "a number that is none": lambda rng: np.searchsorted([0.0, np.nan], rng.laplace()),
    "a list of noise": lambda rng: np.searchsorted(np.array([0.0, 1.0]) + rng.laplace(), 0.5),
    "noise that may tie": lambda rng: np.searchsorted([0.0, 1.0], rng.poisson(2.0)),
    "a list in another order": lambda rng: np.searchsorted([1.0, 0.0], rng.laplace(), sorter=[1, 0]),
}


@pytest.mark.parametrize("name", UNSURE)
def test_other_lists_are_searched_by_a_look(name):
    (event,) = recorded(lambda data, rng: int(UNSURE[name](rng))).hidden
    assert event.kind == ("whole" if name == "noise that may tie" else "value")
