import numpy as np
import pytest

from dpspectra.symbolic.tape import NotFollowed
from tests.support.noise_runs import recorded


def plain(found):
    """The numbers of a run's rows at its own draws."""
    return found.rows.mu + (found.rows.coefficient * found.tape.omega()[found.rows.draw]).sum(axis=0)


EXPRESSIONS = {
    "sums and multiples": lambda z: 2 * z - z / 4 + 1,
    "a matrix product": lambda z: np.arange(9.0).reshape(3, 3) @ z,
    "a product from the right": lambda z: z @ np.arange(9.0).reshape(3, 3),
    "an inner product": lambda z: z @ z.mean() if False else np.dot(z, np.arange(3.0)),
    "sums over axes": lambda z: np.concatenate([np.outer(np.arange(2.0), z).sum(axis=1), z.cumsum()]),
    "reordered": lambda z: np.flip(np.stack([z, z + 1])).T.reshape(-1)[1:5],
    "triangles": lambda z: np.triu(np.outer(np.ones(3), z)) + np.diag(z),
    "written into": lambda z: _written(z),
    "means and traces": lambda z: [z.mean(), np.trace(np.diag(z)), np.sum(z[1:])],
    "a choice of entries": lambda z: np.where(np.array([True, False, True]), z, 7.0),
    "lists": lambda z: np.array([z[0], 3.0, z[2]]),
}


def _written(z):
    out = np.zeros((2, 3))
    row = out[1]
    row[:] = z
    out[0, 0] += z[2]
    return out


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_symbols_are_what_ordinary_numbers_are(name):
    def mechanism(data, rng):
        return EXPRESSIONS[name](np.array([1.0, -2.0, 0.5]) + rng.laplace(size=3))

    found = recorded(mechanism)
    assert not found.hidden
    past = recorded(mechanism, mode="plain", past=found.tape)
    assert past.rows is None
    leaves = [leaf for leaf in past.leaves.values() if leaf[0] == "float"]
    values = [np.frombuffer(leaf[1])[0] for leaf in leaves]
    noisy = [
        k
        for k, (_, leaf) in enumerate(
            (p, v)
            for p, v in found.leaves.items()
            if v[0] != "array" and p in past.leaves and past.leaves[p][0] == "float"
        )
        if leaf == "a number that holds noise"
    ]
    assert np.allclose(np.array(values)[noisy], plain(found), atol=1e-12)
    assert np.allclose(plain(found), found.values, atol=1e-14)


def test_isinstance_holds():
    def mechanism(data, rng):
        z = rng.normal(size=2)
        return isinstance(z, np.ndarray), isinstance(z[0], float), isinstance(rng, np.random.Generator)

    assert [leaf for leaf in recorded(mechanism).leaves.values() if leaf[0] == "bool"] == [("bool", True)] * 3


def test_views_share_what_is_written_and_copies_do_not():
    def mechanism(data, rng):
        a = np.zeros(3)
        b, c = a[1:], a.copy()
        b[0] = rng.normal()
        return a, c

    noisy = [path for path, leaf in recorded(mechanism).leaves.items() if leaf == "a number that holds noise"]
    assert noisy == ["output[0][1]"]


def test_what_cancels_is_plain():
    def mechanism(data, rng):
        z = rng.normal()
        return z - z + 1.0

    assert recorded(mechanism).rows is None


def test_a_look_makes_all_views_plain():
    def mechanism(data, rng):
        z = rng.normal(size=2)
        a = float(z[0])
        return z[0] - a, z[1]

    found = recorded(mechanism)
    assert [e.kind for e in found.hidden] == ["value"]
    assert len(found.rows) == 1


def test_noise_of_another_run_is_refused():
    kept = []

    def mechanism(data, rng):
        kept.append(rng.normal())
        return kept[0] + 1.0

    recorded(mechanism)
    with pytest.raises(NotFollowed, match="keeps state"):
        recorded(mechanism)


def test_noise_is_not_pickled():
    import pickle

    with pytest.raises(NotFollowed, match="pickled"):
        recorded(lambda data, rng: pickle.dumps(rng.normal()))


def test_arrays_without_noise_and_empty_ones_are_values_too():
    def mechanism(data, rng):
        a, b = np.zeros(2), np.ones(2)
        return a - b, np.concatenate([a[:0], b[:0]]), np.zeros((0, 3)) + 1.0, rng.normal(size=(0, 2)) + 1.0

    found = recorded(mechanism)
    assert found.rows is None
    assert [leaf[2] for leaf in found.leaves.values() if leaf[0] == "array"] == [(2,), (0,), (0, 3), (0, 2)]
