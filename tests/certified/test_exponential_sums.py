"""Sums of exponential numbers: enclosed by their words as by a ball for each."""

import numpy as np
import pytest
from flint import arb

from dpspectra.certified import ball_noise
from dpspectra.certified.exponential_sums import CHUNK, CUT, PART, _high, exponential_sum, minus_log_product
from tests.support.helpers import entropy

FULL, LEAST = 2**63 - 1, 2**48


class _Words:
    """Words with the smallest or the largest bits beyond them."""

    def __init__(self, k, digit=0):
        self.values, self._digit = np.array(k, dtype=np.uint64) << np.uint64(1), digit

    def beyond(self, i, bits):
        return self._digit * (2**bits - 1)


@pytest.mark.parametrize("which", [range(0), range(1), range(0, 40, 2), range(3, 1001), range(1, 2 * CHUNK + 7, 2)])
@pytest.mark.parametrize("part", [PART, 3000])
def test_a_sum_holds_the_one_of_balls(which, part, monkeypatch):
    monkeypatch.setattr("dpspectra.certified.exponential_sums.PART", part)
    words = entropy(1).words(2 * CHUNK + 7)
    with ball_noise.precision(200):
        each = sum((ball_noise.exponential(words, i, 128) for i in which), arb(0))
        quick, slow = (exponential_sum(words, which, bits) for bits in (ball_noise.FIRST, 2 * ball_noise.FIRST))
        assert quick.contains(each.mid())
        assert slow.overlaps(each)
        assert float(quick.rad()) <= max(len(which), 30) * 2.0**-58


@pytest.mark.parametrize("k", [[LEAST], [LEAST - 1], [1], [1, 2], [LEAST] * 3, [FULL], [FULL] * 5, [2**62, 3 * 2**61]])
@pytest.mark.parametrize("digit", [0, 1])
def test_the_ends_of_words_are_held(k, digit):
    """With all further bits zero, or one; open words are read."""
    words = _Words(k, digit)
    with ball_noise.precision(200):
        each = sum((ball_noise.exponential(words, i, 128) for i in range(len(k))), arb(0))
        found = exponential_sum(words, range(len(k)), ball_noise.FIRST)
        assert found.overlaps(each)
        assert float(found.rad()) <= 2.0**-46


@pytest.mark.parametrize("size", [1, 2, 3, 7, CHUNK, CHUNK + 1, 3 * CHUNK - 1])
def test_a_product_loses_what_is_said(size):
    k = np.random.default_rng(size).integers(1, 2**63, size, dtype=np.uint64)
    with ball_noise.precision(200):
        exact = sum((-(arb(int(x)) / arb(2) ** 63).log() for x in k), arb(0))
        lost = float(minus_log_product(k) - exact)
        assert -(2.0**-100) <= lost <= CUT * size
        if size > CHUNK:
            assert lost > CUT * size / 8


def test_open_words_are_read_at_their_own_places():
    words = _Words([FULL, 5, FULL, LEAST - 1, 2**62, 7], 1)
    with ball_noise.precision(200):
        each = sum((ball_noise.exponential(words, i, 128) for i in (1, 3, 5)), arb(0))
        assert exponential_sum(words, range(1, 6, 2), ball_noise.FIRST).overlaps(each)


def test_the_high_half_of_a_product_is_exact():
    rng = np.random.default_rng(0)
    a, b = rng.integers(2**63, 2**64, (2, 1000), dtype=np.uint64)
    a[:3], b[:3] = (2**64 - 1, 2**64 - 1, 2**63), (2**64 - 1, 2**63, 2**63)
    assert _high(a, b).tolist() == [int(x) * int(y) >> 64 for x, y in zip(a, b, strict=True)]


def test_a_product_that_begins_with_a_one_is_not_shifted():
    """``2**127`` and a little more."""
    k = np.array([5 * 2**60, 2**65 // 5 + 1], dtype=np.uint64)
    assert _high(2 * k[:1], 2 * k[1:]) == 2**63
    with ball_noise.precision(200):
        assert float(minus_log_product(k)) == pytest.approx(float(np.log(2)))
