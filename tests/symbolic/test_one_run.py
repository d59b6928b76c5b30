import gc
import types
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.random import RandomState, default_rng

from dpspectra.symbolic.one_run import plain_run
from dpspectra.symbolic.tape import NotFollowed
from tests.support.noise_runs import real, recorded


def values(found):
    return {path: leaf[1] for path, leaf in found.leaves.items()}


def test_what_a_mechanism_asks_for_is_given():
    assert values(recorded(lambda x, size: (x, size), 7)) == {"output": 2, "output[0]": 7, "output[1]": 1}
    assert values(recorded(lambda x, size=5: size, 7))["output"] == 5
    for made in (
        lambda x, seed: default_rng(seed).normal(),
        lambda x, random_state: RandomState(random_state).normal(),
    ):
        assert recorded(made).tape.size == 1
    assert values(recorded(lambda x, rng, seed=3: seed))["output"] == 3
    assert recorded(lambda x, rng: rng.normal()).tape.size == 1
    assert values(recorded(dict.fromkeys, [1]))["output"] == 1


def test_data_are_copied():
    data = [1, 2]

    def mechanism(x):
        x.append(3)
        return len(x)

    assert [values(recorded(mechanism, data))["output"] for _ in range(2)] == [3, 3]
    assert data == [1, 2]


def test_exceptions_are_outputs_and_warnings_are_none():
    def fails(x):
        warnings.warn("loud", stacklevel=1)
        np.log(np.zeros(1))
        raise KeyError(x)

    found = recorded(fails, "a")
    assert found.leaves["output.kind"] == ("str", "KeyError")
    assert found.leaves["output.text"] == ("str", "'a'")
    assert plain_run(fails, "a", real(1))[0] == found.leaves


def test_hidden_looks_and_the_output():
    found = recorded(lambda x, rng: (bool(rng.normal() > 0), rng.normal()))
    assert [e.kind for e in found.hidden] == ["bits"]
    assert [e.kind for e in found.tape.events] == ["bits", "value"]
    assert found.values.tolist() == [found.tape.omega()[1]]


def test_outputs_without_a_form_end_the_run():
    with pytest.raises(NotFollowed, match="no canonical form"):
        recorded(lambda x: object())
    with pytest.raises(NotFollowed, match="no canonical form"):
        plain_run(lambda x: object(), 0, real(1))


def test_plain_runs_draw_afresh():
    rng = real(1)
    found = [plain_run(lambda x, rng: rng.normal(), 0, rng)[0]["output"] for _ in range(2)]
    seeds = {plain_run(lambda x, seed: int.__pos__(seed), 0, rng)[0]["output"] for _ in range(2)}
    assert len({*found, *seeds}) == 4


def test_no_run_is_left_under_way():
    from dpspectra.symbolic.tape import CURRENT

    with pytest.raises(NotFollowed):
        recorded(lambda x, rng: rng.bit_generator)
    assert CURRENT == []


@pytest.fixture
def a_library_looks_at_files_while_garbage_is_collected():
    """As dask's does, whose callback reads how much memory the process has; garbage is collected all the time."""

    def look(phase, info):
        Path("/proc/self/statm").read_text(encoding="ascii")

    before = gc.get_threshold()
    gc.callbacks.append(look)
    gc.set_threshold(1, 1, 1)
    yield
    gc.set_threshold(*before)
    gc.callbacks.remove(look)


@pytest.mark.usefixtures("a_library_looks_at_files_while_garbage_is_collected")
def test_garbage_waits_until_the_output_is_read():
    found = recorded(lambda x, rng: [[rng.normal()] for _ in range(20)])
    assert len(found.values) == 20
    assert gc.isenabled()


def test_a_module_may_have_any_name():
    """An exception of a function that is told of calls would end what it watches."""
    program = types.FunctionType(
        (lambda x, rng: len([x]) + rng.normal()).__code__, {"__name__": ["no", "text"], "__builtins__": __builtins__}
    )
    assert len(recorded(program).values) == 1
