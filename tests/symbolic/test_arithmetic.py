"""Sums, multiples and products of symbols are those of numpy at the same draws."""

from typing import Any

import numpy as np
import pytest

from tests.support.noise_runs import recorded

A, V = np.arange(6.0).reshape(2, 3) - 2, np.array([1.0, -2.0, 0.5])
EXPRESSIONS = {
    "plus": lambda m, v: m + v,
    "plus from the left": lambda m, v: A + m,
    "minus": lambda m, v: m - v,
    "minus from the left": lambda m, v: V - v,
    "times": lambda m, v: m * V,
    "times from the left": lambda m, v: 3.0 * v,
    "by": lambda m, v: m / V,
    "matrix times vector": lambda m, v: m @ V,
    "vector times matrix": lambda m, v: np.ones(2) @ m,
    "matrix times matrix": lambda m, v: m @ A.T,
    "plain times matrix": lambda m, v: A.T @ m,
    "vector times vector": lambda m, v: v @ V,
    "plain vector times vector": lambda m, v: V @ v,
    "outer": lambda m, v: np.outer(v, V),
    "outer from the left": lambda m, v: np.outer(V, v),
    "inner": lambda m, v: np.inner(v, V),
    "vdot": lambda m, v: np.vdot(v, V),
    "dot with a number": lambda m, v: np.dot(v, 2.0),
    "dot": lambda m, v: m.dot(V),
    "sum": lambda m, v: m.sum(),
    "sum of columns": lambda m, v: np.sum(m, axis=0),
    "sum of rows": lambda m, v: m.sum(axis=-1),
    "sum of rows, kept": lambda m, v: m.sum(axis=1, keepdims=True),
    "sum over both": lambda m, v: np.sum(m, axis=(0, 1)),
    "reduce": lambda m, v: np.add.reduce(m),
    "reduce with an axis": lambda m, v: np.add.reduce(m, axis=1, keepdims=True),
    "accumulate": lambda m, v: np.add.accumulate(v),
    "cumsum": lambda m, v: v.cumsum(),
    "mean": lambda m, v: m.mean(),
    "mean of columns": lambda m, v: np.mean(m, axis=0, keepdims=True),
    "average": lambda m, v: np.average(m, axis=1),
    "negative": lambda m, v: -m,
    "positive": lambda m, v: +v,
    "difference": lambda m, v: np.diff(v),
    "trace": lambda m, v: np.trace(m),
    "itself twice": lambda m, v: m + m - 3 * m,
    "python sum": lambda m, v: sum(v),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions(name):
    kept = []

    def mechanism(data, rng):
        m, v = A + rng.laplace(size=(2, 3)), V + rng.laplace(size=3)
        out = EXPRESSIONS[name](m, v)
        kept[:] = [out.shape if hasattr(out, "shape") else ()]
        return out

    found = recorded(mechanism)
    assert not found.hidden
    z = found.tape.omega()
    wanted = np.asarray(EXPRESSIONS[name](A + z[:6].reshape(2, 3), V + z[6:]))
    assert kept[0] == wanted.shape
    assert np.allclose(found.values, wanted.ravel(), atol=1e-12)


EXTREMES: dict[str, Any] = {
    "max": np.max,
    "along an axis": lambda v: np.max(v, axis=0),
    "amin": np.min,
    "method": lambda v: v.max(),
    "reduce": np.minimum.reduce,
    "over a tuple of axes": lambda v: np.max(v, axis=(0,)),
}


@pytest.mark.parametrize("name", EXTREMES)
def test_the_largest_asks_where_it_stands(name):
    found = recorded(lambda data, rng: EXTREMES[name](V + rng.laplace(size=3)))
    assert [e.kind for e in found.hidden] == ["largest"]
    assert found.values[0] == pytest.approx(EXTREMES[name](V + found.tape.omega()), abs=1e-14)


def test_noise_times_zero_is_noted_once_for_each_line():
    found = recorded(lambda data, rng: rng.normal(size=2) * np.array([0.0, 1.0]))
    assert [note.split(" (")[0].split(":")[0] for note in found.tape.notes] == [
        "noise is multiplied by 0 at test_arithmetic.py"
    ]
    assert len(found.rows) == 1


def test_what_is_too_wide_ends_the_run(monkeypatch):
    from dpspectra.symbolic import arithmetic
    from dpspectra.symbolic.tape import NotFollowed

    monkeypatch.setattr(arithmetic, "MOST_SLOTS", 35)
    assert len(recorded(lambda data, rng: rng.normal(size=(2, 3)) @ A.T[:, :1]).rows) == 2
    with pytest.raises(NotFollowed, match="more than 35 coefficients"):
        recorded(lambda data, rng: rng.normal(size=(2, 3)) @ np.ones((3, 6)))


@pytest.mark.parametrize("call", [lambda m: np.max(m, axis=1), lambda m: m @ np.ones((2, 3, 2))])
def test_what_has_more_axes_is_a_function_of_noise(call):
    found = recorded(lambda data, rng: call(A + rng.laplace(size=(2, 3))))
    assert (found.hidden, found.roots) == ([], 6)
    assert np.allclose(found.values[:-6], call(A + found.tape.omega()[:6].reshape(2, 3)).ravel())
