"""A run that goes on in another process: the file of a state."""

import copy
import json
import stat

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.mechanisms import power_file

A = np.diag([9.0, 1.0, 0.25])
MATRICES = {
    "floats": (A, {}),
    "integers": (np.diag([9, 1, 0]), {}),
    "large": ([[2.0**70, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 0.0]], {}),
    "ideal": (A, {"rng": 5}),
    "float32": (A.astype(np.float32), {"rng": 5}),
}


def runs(matrix, **options):
    """States of a run, and its release."""
    states = []
    run = dps.private_power_method(matrix, 1, 1.0, 1e-6, iterations=3, width=1, checkpoint=states.append, **options)
    return states, run


@pytest.mark.parametrize("name", MATRICES)
def test_a_run_goes_on_from_a_file(name, tmp_path):
    """The state is what it was, and knows its matrix; a seed gives what the run would have released."""
    matrix, options = MATRICES[name]
    states, whole = runs(matrix, **options)
    for state in states:
        path = tmp_path / f"{state.rounds}.state"
        state.save(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        found = dps.PowerState.load(str(path))
        assert found.iterate.dtype == state.iterate.dtype
        assert np.array_equal(found.iterate, state.iterate)
        for field in ("largest_entry", "noise", "plan", "claim"):
            assert getattr(found, field) == getattr(state, field)
        assert found.private["key"] == state.private["key"]
        assert np.array_equal(found.private["product"], state.private["product"])
        given = {"iterations": 3, "width": 1, "resume": found, **options}
        resumed = dps.private_power_method(matrix, 1, 1.0, 1e-6, **given)  # without a warning
        assert not options or np.array_equal(resumed.value, whole.value)
        with pytest.raises(ValueError, match="resume must go on with the matrix of its first rounds, got another one"):
            dps.private_power_method(2 * np.asarray(matrix), 1, 1.0, 1e-6, **given)
    assert sorted(x.name for x in tmp_path.iterdir()) == ["1.state", "2.state", "3.state"]


def test_a_file_is_never_replaced(tmp_path):
    state = runs(A)[0][0]
    path = tmp_path / "run.state"
    path.write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("run.state", "link"):
        with pytest.raises(FileExistsError):
            state.save(tmp_path / name)
    assert path.read_text() == "mine"
    assert sorted(x.name for x in tmp_path.iterdir()) == ["link", "run.state"]
    with pytest.raises(OSError, match="no such folder"):
        state.save(tmp_path / "no such folder" / "run.state")
    for wrong in (3, None, b"run"):
        with pytest.raises(ValueError, match="path must be the name of a file, got "):
            state.save(wrong)
        with pytest.raises(ValueError, match="path must be the name of a file, got "):
            dps.PowerState.load(wrong)


def changes(text):
    """Files that are no state: cut, changed with the old digest, of another format or kind with a right one."""
    yield from ("", "{}", text[:-40], text.replace('"rounds": 3', '"rounds": 30'), text + text, "\x00\n\x00\n")
    content = json.loads(text.splitlines()[1])
    for name, other in (("format", 2), ("plan", {}), ("plan", 3), ("noise", None), ("private", []), ("iterate", "x")):
        yield signed({**content, name: other})
    for numbers in (["os", 1, 1], [[1], 2, 3], [1]):
        yield signed({**content, "iterate": {**content["iterate"], "values": numbers}})
    yield signed({**content, "iterate": {**content["iterate"], "dtype": "V8"}})
    yield signed({**content, "plan": {**content["plan"], "relation": "none"}})


def signed(content):
    text = json.dumps(content)
    return json.dumps({"sha256": power_file._digest(text)}) + "\n" + text + "\n"


def test_what_is_no_state_is_refused(tmp_path):
    path = tmp_path / "run.state"
    runs(A)[0][0].save(path)
    for text in changes(path.read_text()):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"path must be a file of PowerState\.save in format 1, got another one"):
            dps.PowerState.load(path)


def test_a_copied_state_is_saved_as_it_is(tmp_path):
    """Without what its matrix is known by, of which a resumed run warns."""
    copy.copy(runs(A)[0][0]).save(tmp_path / "run.state")
    given = {"iterations": 3, "width": 1, "resume": dps.PowerState.load(tmp_path / "run.state")}
    with pytest.warns(UserWarning, match=r"one of PowerState\.save can"):
        dps.private_power_method(A, 1, 1.0, 1e-6, **given)
