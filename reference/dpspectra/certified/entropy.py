"""Ideal random bits: words of 64 that can be extended for ever, by the same bits whenever they are asked for again.

Do not change lightly: who holds a key repeats a release by it, so `Entropy` must give the same bits for ever. Stretched
bits rest on a fresh key of the system for each call and on no counter that meets another: change neither.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import os
import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import fork_safety, values
from dpspectra.ground.array_types import Bits

WORD = 64
KEY_BYTES = 32
KEY, STRETCHED = "key", "stretched"
"""Sources of an `Entropy`."""
MOST_WORDS = 2**33
"""Words of one call of a stretched source: ``2**32`` blocks of a key."""
PIECE = 2**16
"""Bytes that are encrypted at a time: few enough to stay in the cache."""
BLOCK = 16
"""Bytes of a block of AES."""


class Words(ABC):
    """Independent uniform words, each of them the beginning of an infinite string of bits."""

    values: Bits

    def __len__(self) -> int:
        return len(self.values)

    @abstractmethod
    def beyond(self, i: int, bits: int) -> int:
        """Return the ``bits`` bits that follow word ``i``, the most significant first; always the same ones."""


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
    """Bits that follow each word that was asked about, and their number."""

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

    ``Entropy(source="stretched")`` has no key, and repeats nothing: each call takes 32 bytes of the operating system
    and stretches them by AES-256 in counter mode, several times as quick as the system. Privacy is then computational,
    which the claim says. The object holds no bits, so that processes may share it.

    Parameters
    ----------
    key
        32 bytes; None for the source ``"stretched"``.
    source
        ``"key"`` or ``"stretched"``.

    Raises
    ------
    ValueError
        For any other key or source, and for a key with the source ``"stretched"``.
    ImportError
        Without the extra ``fast``, for the source ``"stretched"``.

    """

    def __init__(self, key: bytes | None = None, *, source: str = KEY) -> None:
        self.stretched = values.choice(source, "source", (KEY, STRETCHED)) == STRETCHED
        """Whether there is no key."""
        if self.stretched:
            if key is not None:
                raise ValueError(f"key must be left out for source {STRETCHED!r}, got {type(key).__name__}")
            _ciphers()
            key = os.urandom(KEY_BYTES)  # tells objects apart, and gives no bits
        if not isinstance(key, bytes) or len(key) != KEY_BYTES:
            found = f"{len(key)} bytes" if isinstance(key, bytes) else type(key).__name__
            raise ValueError(f"key must be {KEY_BYTES} bytes, got {found}")
        self._key, self._calls, self._process = key, itertools.count(), fork_safety.here()
        self._lock = threading.Lock()  # as one number for two calls would be one noise on different data
        self.fingerprint = hashlib.sha256(b"key" + key).hexdigest()
        """Hash of the key, which two objects of one key share. It does not reveal the key."""
        self.identity = object()
        """Key of this object, which no other one has, also after it is gone."""

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
        if self.stretched:
            return _Stretched(count)
        if self._process is not fork_safety.here():
            raise ValueError("an Entropy must be used by the process that made it, got it in a child of that process")
        with self._lock:
            call = next(self._calls)
        return _Hashed(self._key + call.to_bytes(8, "big"), count)

    def __copy__(self) -> Entropy:
        return self

    def __deepcopy__(self, memo: object) -> Entropy:
        return self

    def __reduce__(self) -> Any:
        if self.stretched:
            return functools.partial(Entropy, source=STRETCHED), ()
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


class _Stretched(Words):
    """Words of a fresh key of the system, and what follows each, from parts of the counter that do not meet.

    Words are the blocks from 0 on; what follows word ``i`` are those from ``2**127 + 2**64 i`` on.
    """

    def __init__(self, count: int) -> None:
        if count > MOST_WORDS:
            raise ValueError(f"a call must ask for at most {MOST_WORDS} words of a stretched source, got {count}")
        self._key = os.urandom(KEY_BYTES)
        self.values = self._bytes(0, WORD // 8 * count).view(np.uint64)

    def beyond(self, i: int, bits: int) -> int:
        length = -(-bits // 8)
        drawn = self._bytes((1 << 127) + (i << 64), length).tobytes()
        return int.from_bytes(drawn, "big") >> (8 * length - bits)

    def _bytes(self, block: int, length: int) -> NDArray[np.uint8]:
        """So many bytes from a place of the counter on."""
        ciphers = _ciphers()
        counter = ciphers.modes.CTR(block.to_bytes(BLOCK, "big"))
        encryptor = ciphers.Cipher(ciphers.algorithms.AES256(self._key), counter).encryptor()
        out, zeros = np.empty(length + BLOCK, dtype=np.uint8), bytes(min(PIECE, length))  # it asks for room for a block
        for first in range(0, length, PIECE):
            encryptor.update_into(zeros[: length - first], out[first:])
        return out[:length]


def _ciphers() -> Any:
    from dpspectra.ground import extras

    return extras.load("cryptography.hazmat.primitives.ciphers", "fast", "stretched sources")
