"""The exact totals of sums of rows, to be compared: all of their bytes but the names of parts."""

import json

import dpspectra as dps

HEAD = 20
"""Bytes before the head in JSON, the last eight of which are its length."""
DIGEST = 32
"""Bytes of the digest at the end."""


def totals(moments: dps.Moments) -> tuple[int, bytes]:
    """Return the number of rows, and the integers."""
    data = moments.to_bytes()
    end = HEAD + int.from_bytes(data[HEAD - 8 : HEAD], "little")
    return json.loads(data[HEAD:end])["count"], data[end:-DIGEST]
