"""Sums of rows as bytes: a head in JSON, integers of 64 bits, and a digest. Never unpickles.

Do not change lightly: files of partial sums are kept for years.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from dpspectra.certified.gram import ExactMoments
from dpspectra.certified.grid import Limbs
from dpspectra.ground import memory

MAGIC = b"dpsmoments1\n"
LENGTH = struct.Struct("<Q")
DIGEST = 32
"""Bytes of a SHA-256 digest."""
READ = "data must be bytes of Moments, as to_bytes and save make them, whole and unchanged"


def written(head: dict[str, Any], sums: ExactMoments) -> bytes:
    """Return the bytes, with a head in JSON."""
    text = json.dumps({**head, "count": sums.count}, sort_keys=True).encode()
    limbs = (sums.upper.high, sums.upper.low, sums.first.high, sums.first.low)
    body = b"".join(np.ascontiguousarray(limb, "<i8").tobytes() for limb in limbs)
    whole = b"".join((MAGIC, LENGTH.pack(len(text)), text, body))
    return whole + hashlib.sha256(whole).digest()


def read(data: bytes) -> tuple[dict[str, Any], ExactMoments]:
    """Return the head and the sums. Raises ``ValueError`` for anything but what `written` made."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise ValueError(f"{READ}, got {type(data).__name__}")
    view = memoryview(data).cast("B")
    whole, digest = view[:-DIGEST], view[-DIGEST:]
    begin = len(MAGIC) + LENGTH.size
    if len(whole) < begin or whole[: len(MAGIC)] != MAGIC or hashlib.sha256(whole).digest() != digest:
        raise ValueError(READ)
    (length,) = LENGTH.unpack(whole[len(MAGIC) : begin])
    try:
        head = json.loads(bytes(whole[begin : begin + length]))
        width, count, exponent = head["width"], head.pop("count"), head["exponent"]
        numbers = np.frombuffer(whole[begin + length :], "<i8").astype(np.int64)
        upper = width * (width + 1) // 2 if head["order"] == 2 else 0
        high, low, first_high, first_low = np.split(numbers, [upper, 2 * upper, 2 * upper + width])
        sums = ExactMoments(Limbs(first_high, first_low), Limbs(high, low), count, exponent)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ValueError(READ) from None
    if len(first_low) != width:
        raise ValueError(READ)
    return head, sums


def save(data: bytes, path: Path) -> None:
    """Write a new file that only its owner may read, whole or not at all."""
    number, temporary = tempfile.mkstemp(prefix=".dpspectra-", dir=path.absolute().parent)  # mode 0600
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, path)  # fails where there is a file
    finally:
        Path(temporary).unlink()


def load(path: Path) -> bytes:
    """Return the bytes of a file, unless they and what they are made into would not fit in memory."""
    memory.require(2 * path.stat().st_size, "path", str(path))
    return path.read_bytes()
