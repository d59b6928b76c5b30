"""Ideal random bits: words of 64 that can be extended for ever, by the same bits whenever they are asked for again.

Do not change lightly: who holds a key repeats a release by it, so `Entropy` must give the same bits for ever.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import forks

WORD = 64
KEY_BYTES = 32

Bits = NDArray[np.uint64]


class Words(ABC):
    """Independent uniform words, each of them the beginning of an infinite string of bits."""

    values: Bits

    def __len__(self) -> int:
        return len(self.values)

    @abstractmethod
    def beyond(self, i: int, bits: int) -> int:
        """The ``bits`` bits that follow word ``i``, the first of them the most significant; always the same ones."""


class Source(ABC):
    """Where words come from; no two calls share any bits."""

    @abstractmethod
    def words(self, count: int) -> Words:
        """Draw independent words."""


class SystemEntropy(Source):
    """Entropy of the operating system."""

    def words(self, count: int) -> Words:
        """Draw independent words."""
        return _Drawn(np.frombuffer(os.urandom(WORD // 8 * count), np.uint64))


@dataclass
class _Drawn(Words):
    """Words that cannot be drawn again; what follows them is remembered."""

    values: Bits
    _known: dict[int, tuple[int, int]] = field(default_factory=dict)
    """What follows each word that was asked about, and how many bits of it."""

    def beyond(self, i: int, bits: int) -> int:
        known, length = self._known.get(i, (0, 0))
        if length < bits:
            more = -(-(bits - length) // 8)
            known, length = known << 8 * more | int.from_bytes(os.urandom(more), "big"), length + 8 * more
            self._known[i] = known, length
        return known >> (length - bits)


class Entropy(Source):
    """Hold bits from a key of 32 bytes by SHAKE-256: releases that can be repeated, in tests or by who holds the key.

    Two objects of one key give the same words in the same order of calls. A release with a key is private only if the
    key is uniform, secret, and used for nothing else.

    An object belongs to the process that made it, as two processes that go on from one place would add the same noise
    to different data. It is not pickled, a deep copy is the object itself, and a child of a fork gets ``ValueError``.

    Parameters
    ----------
    key
        32 bytes.

    Raises
    ------
    ValueError
        For any other key.

    """

    def __init__(self, key: bytes) -> None:
        if not isinstance(key, bytes) or len(key) != KEY_BYTES:
            found = f"{len(key)} bytes" if isinstance(key, bytes) else type(key).__name__
            raise ValueError(f"key must be {KEY_BYTES} bytes, got {found}")
        self._key, self._calls, self._process = key, itertools.count(), forks.here()
        self.fingerprint = hashlib.sha256(b"key" + key).hexdigest()
        """What two objects of one key have in common, which does not give the key away."""
        self.identity = object()
        """What no two objects have in common, also after one of them is gone."""

    def words(self, count: int) -> Words:
        """Draw independent words.

        Parameters
        ----------
        count
            Number of words.

        Returns
        -------
        Words
            Uniform and independent.

        Raises
        ------
        ValueError
            In a child of a fork.

        """
        if self._process is not forks.here():
            raise ValueError("an Entropy must be used by the process that made it, got it in a child of that process")
        return _Hashed(self._key + next(self._calls).to_bytes(8, "big"), count)

    def __copy__(self) -> Entropy:
        return self

    def __deepcopy__(self, memo: object) -> Entropy:
        return self

    def __reduce__(self) -> Any:
        raise TypeError(
            "an Entropy must not be pickled, as both copies would give the same bits: give each its own key"
        )


class _Hashed(Words):
    """Words and what follows them, each string by a hash of its own."""

    def __init__(self, name: bytes, count: int) -> None:
        self._name = name
        self.values = np.frombuffer(hashlib.shake_256(name + b"words").digest(WORD // 8 * count), np.uint64)

    def beyond(self, i: int, bits: int) -> int:
        length = -(-bits // 8)
        digest = hashlib.shake_256(self._name + b"after" + i.to_bytes(8, "big")).digest(length)
        return int.from_bytes(digest, "big") >> (8 * length - bits)
