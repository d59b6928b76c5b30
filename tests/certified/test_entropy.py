"""Words of a key or of the system: remembered, never used twice, read to any length."""

import copy
import pickle
from fractions import Fraction

import pytest

import dpspectra as dps
from dpspectra.certified import balls
from dpspectra.certified.entropy import SystemEntropy
from tests.support.certified import Chosen

KEY = bytes(range(32))


def entropy(i=0):
    return dps.Entropy(KEY[:31] + bytes([i]))


# ---------------------------------------------------------------- floating point against balls


@pytest.mark.parametrize("length", [61, 63])
def test_a_word_stands_for_all_numbers_that_begin_with_it(length):
    words = Chosen([2**63 + 2**40 + 5]).words(1)
    with balls.precision(400):
        ball = balls.uniform(int(words.values[0]), length, words, 0, 64)
        unit = Fraction(1, 2 ** (length + 64))
        first = ((int(words.values[0]) >> (64 - length)) << 64) * unit
        assert all(ball.contains(balls.exact(end)) for end in (first, first + unit))
        assert not any(ball.contains(balls.exact(beyond)) for beyond in (first - unit / 50, first + unit * 51 / 50))


# ---------------------------------------------------------------- bits


@pytest.mark.parametrize("source", [entropy(), SystemEntropy()])
def test_what_follows_a_word_is_remembered(source):
    words = source.words(3)
    first = words.beyond(1, 70)
    more = words.beyond(1, 333)
    assert more >> (333 - 70) == first
    assert words.beyond(1, 5) == first >> 65
    assert words.beyond(1, 333) == more
    assert words.beyond(2, 333) != more
    assert len(words) == 3


@pytest.mark.parametrize(("byte", "expected"), [(b"\xff", -1), (b"\x00", 0)])
def test_what_follows_a_word_is_what_the_system_gives_and_nothing_else(byte, expected, monkeypatch):
    words = SystemEntropy().words(1)
    monkeypatch.setattr("os.urandom", lambda count: byte * count)
    for bits in (3, 12, 333):
        assert words.beyond(0, bits) == expected % 2**bits


def test_a_key_repeats_and_its_calls_differ():
    one, other = entropy(), entropy()
    first = one.words(4)
    assert first.values.tolist() == other.words(4).values.tolist()
    assert first.values.tolist() != one.words(4).values.tolist()
    assert first.values.tolist() != entropy(1).words(4).values.tolist()
    assert SystemEntropy().words(4).values.tolist() != SystemEntropy().words(4).values.tolist()


@pytest.mark.parametrize(("key", "found"), [(b"short", "5 bytes"), (b"", "0 bytes"), ("x" * 32, "str"), (7, "int")])
def test_other_keys_are_refused(key, found):
    with pytest.raises(ValueError, match=f"key must be 32 bytes, got {found}"):
        dps.Entropy(key)


def test_a_key_is_not_copied():
    one = entropy()
    assert copy.copy(one) is one
    assert copy.deepcopy([one])[0] is one
    with pytest.raises(TypeError, match="must not be pickled"):
        pickle.dumps(one)
