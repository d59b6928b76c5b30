import numpy as np
import pytest

from tests.support.noise_runs import recorded

LOOKS = {
    "a comparison": (lambda z: z[0] > 0, ["bits"]),
    "a chain of comparisons": (lambda z: 0 < z[0] < 1, ["bits"]),
    "a sign": (lambda z: np.sign(z), ["bits"]),
    "an absolute value": (lambda z: abs(z[0]), ["bits"]),
    "the larger of two": (lambda z: max(0.0, z[0]), ["bits"]),
    "clipping": (lambda z: np.clip(z, -1, 1), ["bits", "bits"]),
    "the largest": (lambda z: z.max(), ["largest"]),
    "where the largest stands": (lambda z: np.argmax(z), ["largest"]),
    "a square": (lambda z: z * z, []),
    "a sine": (lambda z: np.sin(z), []),
    "rounding": (lambda z: round(z[0]), []),
    "rounding to two digits": (lambda z: round(z[0], 2), []),
    "the whole part of a sum of two draws": (lambda z: int(z[0] + z[1]), ["value"]),
    "text": (lambda z: f"{z[0]:.2f}", ["value"]),
    "a matrix function": (lambda z: np.linalg.norm(z), []),
    "sorting": (lambda z: np.sort(z), []),
    "whether it is a number": (lambda z: np.isnan(z).any(), []),
    "equality": (lambda z: bool(z[0] == 0.0), []),
    "a logarithm of a positive draw": (lambda z: np.log(z[1]), []),
}


@pytest.mark.parametrize("name", LOOKS)
def test_looks(name):
    function, kinds = LOOKS[name]
    found = recorded(lambda data, rng: function(np.array([rng.normal(), rng.exponential()])))
    first = [e.kind for e in found.hidden][: len(kinds)]
    assert first == kinds
    assert bool(found.hidden) == bool(kinds)


def test_an_array_with_one_name_takes_noise():
    def alone(data, rng):
        x = np.eye(2)
        x = x * 2
        x += rng.normal(size=(2, 2))
        return x

    def shared(data, rng):
        x = data
        x += rng.normal(size=2)
        return x

    assert not recorded(alone).hidden
    assert [e.kind for e in recorded(shared, np.zeros(2)).hidden] == ["value"]


def test_an_array_with_two_names_shows_the_noise_under_both():
    def mechanism(data, rng):
        x = np.zeros(2) * 1.0
        y = x
        x += rng.normal(size=2)
        return y

    found = recorded(mechanism)
    assert found.hidden or found.rows is not None


def test_noise_times_zero_is_noted():
    found = recorded(lambda data, rng: 0.0 * rng.normal())
    assert found.rows is None
    assert "multiplied by 0" in found.tape.notes[0]
