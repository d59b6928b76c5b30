"""What is audited: the default pair, fingerprints of data sets, names that are imported."""

import numpy as np
import pytest

from dpspectra.commands.subject import default_pair, fingerprint, imported

# ---------------------------------------------------------------- pairs


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_the_default_pair_is_neighbouring_whichever_relation_is_meant(dimension):
    first, second = default_pair(dimension)
    assert first.shape == second.shape == (2, dimension)
    assert np.allclose(np.linalg.norm(first, axis=1), 1)
    assert np.array_equal(first[0], second[0])
    assert not second[1].any()


def test_the_default_pair_as_matrices():
    first, second = default_pair(3, "matrix")
    assert np.array_equal(first, np.diag([1.0, 0.0, 1.0]))
    assert np.array_equal(second, np.diag([1.0, 0.0, 0.0]))


def test_fingerprints_tell_data_sets_apart():
    sets = [np.zeros(2), np.zeros((2, 1)), np.zeros(2, dtype=int), np.array([0.0, 1e-300]), [0, 0], {"a": 1}, 0, "0"]
    assert len({fingerprint(data) for data in sets}) == len(sets)
    assert fingerprint(np.eye(3)) == fingerprint(np.asfortranarray(np.eye(3)))


# ---------------------------------------------------------------- the README


def test_names_are_found_beside_the_caller(here):
    (here / "beside_the_caller.py").write_text("def f(x): return x\n")
    assert imported("beside_the_caller:f")(3) == 3
