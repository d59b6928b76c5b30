"""Sums of rows as bytes: a head in JSON, integers of 64 bits, and a digest. Never unpickles.

Do not change lightly: files of partial sums are kept for years.
"""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from dpspectra.certified.gram import ExactMoments
from dpspectra.certified.grid import LIMB, LOW, Limbs
from dpspectra.certified.integer_rows import BITS
from dpspectra.certified.reading_parameters import HEAD
from dpspectra.ground import memory, records

MAGIC = b"dpsmoments1\n"
LENGTH = struct.Struct("<Q")
LIMB_BYTES = 8
DIGEST = 32
"""Bytes of a SHA-256 digest."""
READ = "data must be bytes of Moments, as to_bytes and save make them, whole and unchanged"


def written(head: dict[str, Any], sums: ExactMoments) -> bytes:
    """Return the bytes, with a head in JSON."""
    text = _text({**head, "count": sums.count})
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
    text, body = bytes(whole[begin : begin + length]), whole[begin + length :]
    head = records.read(text, HEAD, READ)
    width, count, exponent = head["width"], head.pop("count"), head["exponent"]
    upper = width * (width + 1) // 2 if head["order"] == 2 else 0
    if _text(records.parsed(text)) != text or len(body) != 2 * LIMB_BYTES * (upper + width):
        raise ValueError(READ)
    numbers = np.frombuffer(body, "<i8").astype(np.int64)
    high, low, first_high, first_low = np.split(numbers, [upper, 2 * upper, 2 * upper + width])
    sums = ExactMoments(Limbs(first_high, first_low), Limbs(high, low), count, exponent)
    if not (_possible(sums.first, count << BITS) and _possible(sums.upper, count << 2 * BITS)):
        raise ValueError(READ)
    return head, sums


def _text(head: dict[str, Any]) -> bytes:
    """Return the head as it is written: there is one way only."""
    return json.dumps(head, sort_keys=True).encode()


def _possible(limbs: Limbs, most: int) -> bool:
    """Whether the limbs are those of sums whose modulus is at most that; ``most`` is 0 where there are no rows."""
    if not most or not len(limbs):
        return not (limbs.high.any() or limbs.low.any())
    low = limbs.low.min() >= 0 and limbs.low.max() <= LOW
    return bool(low and -(most >> LIMB) - 1 <= limbs.high.min() and limbs.high.max() <= most >> LIMB)


def load(path: Path) -> bytes:
    """Return the bytes of a file, unless they and what they are made into would not fit in memory."""
    memory.require(2 * path.stat().st_size, "path", str(path))
    return path.read_bytes()
