"""Options of an audit."""

import dataclasses

import pytest

from dpspectra.audit.options import Options


def test_options_are_frozen_and_check_themselves():
    options = Options(confidence=0.99, draws=128, log_ratio=float, statistics={"size": abs})
    assert options.own_statistics == {"size": abs, "declared log ratio": float}
    with pytest.raises(dataclasses.FrozenInstanceError):
        options.draws = 2  # type: ignore[misc]
    with pytest.raises(ValueError, match="draws must be at least 2, got 1"):
        dataclasses.replace(options, draws=1)
