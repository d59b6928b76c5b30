"""Words of a key or of the system: remembered, never used twice, read to any length."""

import copy
import os
import pickle
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.certified import ball_noise
from dpspectra.certified import entropy as room
from dpspectra.certified.entropy import Source, SystemEntropy
from dpspectra.mechanisms.randomness import STRETCHED_ENTROPY
from tests.support.certified import Chosen
from tests.support.entropy import SYSTEM, Repeated
from tests.support.helpers import entropy

KEY = bytes(range(32))


# ---------------------------------------------------------------- floating point against balls


@pytest.mark.parametrize("length", [61, 63])
def test_a_word_stands_for_all_numbers_that_begin_with_it(length):
    words = Chosen([2**63 + 2**40 + 5]).words(1)
    with ball_noise.precision(400):
        ball = ball_noise.uniform(int(words.values[0]), length, words, 0, 64)
        unit = Fraction(1, 2 ** (length + 64))
        first = ((int(words.values[0]) >> (64 - length)) << 64) * unit
        assert all(ball.contains(ball_noise.exact(end)) for end in (first, first + unit))
        assert not any(
            ball.contains(ball_noise.exact(beyond)) for beyond in (first - unit / 50, first + unit * 51 / 50)
        )


# ---------------------------------------------------------------- bits


def test_fresh_noise_repeats_in_a_test_and_nowhere_else(request, monkeypatch):
    assert SystemEntropy().words(3).values.tobytes() == Repeated(request.node.nodeid)(24)
    assert SystemEntropy().words(3).values.tobytes() != Repeated(request.node.nodeid)(24)
    monkeypatch.undo()
    assert os.urandom is SYSTEM
    assert SystemEntropy().words(3).values.tobytes() != SystemEntropy().words(3).values.tobytes()


def stretched():
    pytest.importorskip("cryptography")
    return dps.Entropy(source="stretched")


SOURCES: dict[str, Callable[[], Source]] = {"key": entropy, "system": SystemEntropy, "stretched": stretched}


@pytest.mark.parametrize("source", SOURCES)
def test_what_follows_a_word_is_remembered(source):
    words = SOURCES[source]().words(3)
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


def test_a_key_is_not_copied():
    one = entropy()
    assert copy.copy(one) is one
    assert copy.deepcopy([one])[0] is one
    with pytest.raises(TypeError, match="must not be pickled"):
        pickle.dumps(one)


# ---------------------------------------------------------------- stretched


@pytest.fixture
def zeros(monkeypatch):
    """A system whose bytes are zeros; the sizes that it was asked for."""
    asked = []
    monkeypatch.setattr(os, "urandom", lambda count: asked.append(count) or bytes(count))
    return asked


def block(number):
    """A block of AES-256 under the key of zeros, by the cipher alone."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    return Cipher(algorithms.AES256(bytes(32)), modes.ECB()).encryptor().update(number.to_bytes(16, "big"))


def test_stretched_words_are_blocks_of_the_counter(zeros, monkeypatch):
    """The first block is the published one of the key of zeros; pieces and lengths change nothing."""
    given = stretched().words(9)
    assert given.values.tobytes()[:16].hex() == "dc95c078a2408989ad48a21492842087"
    assert given.values.tobytes() == b"".join(map(block, range(5)))[:72]
    monkeypatch.setattr(room, "PIECE", 32)
    assert stretched().words(9).values.tolist() == given.values.tolist()
    assert len(stretched().words(0)) == 0


def test_what_follows_stretched_words_is_far_from_all_words(zeros):
    given = stretched().words(8)
    for i in (0, 7):
        start = 2**127 + 2**64 * i
        whole = int.from_bytes(block(start) + block(start + 1), "big")
        for bits in (1, 8, 70, 200):
            assert given.beyond(i, bits) == whole >> (256 - bits)
    assert room.MOST_WORDS * room.WORD // 8 // room.BLOCK == 2**32 < 2**64


def test_each_call_takes_a_key_of_its_own(zeros):
    source = stretched()
    before = len(zeros)
    for count in (1, 10**5):
        source.words(count).beyond(0, 100)
    assert zeros[before:] == [32, 32]


def test_a_call_for_too_much_of_a_key_is_refused(monkeypatch):
    source = stretched()
    monkeypatch.setattr(room, "MOST_WORDS", 4)
    assert len(source.words(4)) == 4
    with pytest.raises(ValueError, match="at most 4 words of a stretched source, got 5"):
        source.words(5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_of_a_fork_gets_other_bits():
    source = stretched()
    source.words(2)
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.write(writing, source.words(2).values.tobytes())
        os._exit(0)
    mine = source.words(2).values.tolist()
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        other = np.frombuffer(file.read(), np.uint64).tolist()
    assert len(other) == 2
    assert not set(mine) & set(other)


def test_copies_of_a_stretched_source_give_other_bits():
    source = stretched()
    other = pickle.loads(pickle.dumps(source))
    assert other.stretched
    assert other.words(2).values.tolist() != source.words(2).values.tolist()
    assert not entropy().stretched


def test_a_claim_says_that_privacy_is_computational():
    """Each time; many claims together keep one sentence, which speaks of each call."""
    source = stretched()
    releases = [dps.laplace_covariance(np.eye(2), 1.0, rng=source) for _ in range(2)]
    assert not np.array_equal(releases[0].value, releases[1].value)
    together = dps.compose([release.claim for release in releases])
    for claim in (releases[0].claim, together):
        assert claim.arithmetic == "certified"
        assert claim.delta == 0
        assert claim.assumptions.count(STRETCHED_ENTROPY) == 1
    assert "computational, for bounded adversaries, besides the advantage of each call" in STRETCHED_ENTROPY
    for rng in (None, entropy(9)):
        assert STRETCHED_ENTROPY not in dps.laplace_covariance(np.eye(2), 1.0, rng=rng).claim.assumptions


def test_a_stretched_source_has_no_key_and_needs_its_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers", None)
    with pytest.raises(ImportError, match=r"stretched sources need cryptography: pip install 'dpspectra\[fast\]'"):
        dps.Entropy(source="stretched")
    with pytest.raises(ValueError, match="key must be left out for source 'stretched', got bytes"):
        dps.Entropy(KEY, source="stretched")
    with pytest.raises(ValueError, match="source must be one of key, stretched, got 'system'"):
        dps.Entropy(source="system")


class Slow:
    """A counter that gives other threads time between reading a number and writing the next one."""

    def __init__(self):
        self.number = 0

    def __next__(self):
        found = self.number
        time.sleep(1e-4)
        self.number = found + 1
        return found


def test_no_number_of_a_call_is_given_twice_where_a_counter_is_not_atomic():
    """In Python without a global lock two threads may get one number of an ``itertools.count``, and one noise."""
    shared = entropy()
    shared._calls = Slow()
    with ThreadPoolExecutor(8) as pool:
        words = list(pool.map(lambda _: shared.words(1).values.tobytes(), range(100)))
    assert len(set(words)) == 100
    fresh = entropy()
    assert set(words) == {fresh.words(1).values.tobytes() for _ in range(100)}
