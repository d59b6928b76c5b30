"""Lines that are named are those of the program."""

import heapq
import re
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpspectra.symbolic import program_lines
from tests.support.noise_runs import recorded


def test_lines_of_a_library_that_a_run_imports_are_skipped(monkeypatch):
    joblib = pytest.importorskip("joblib")
    monkeypatch.delitem(sys.modules, "joblib")
    before = recorded(lambda x, rng: rng.normal(), 0).tape.blocks[0].place
    monkeypatch.setitem(sys.modules, "joblib", joblib)
    assert "test_program_lines.py:" in before
    frame = types.SimpleNamespace(f_code=types.SimpleNamespace(co_filename=joblib.__file__))
    assert not program_lines.is_program(frame)


def test_lines_of_python_between_are_left_out():
    def sorts(x, rng):
        return heapq.nsmallest(2, [1.0, 2.0, 3.0], key=lambda v: abs(v + rng.normal()))

    first, second = (e.place for e in recorded(sorts, 0).tape.events[:2])
    assert first.count("test_program_lines.py:") == 2
    assert "heapq" not in first + second
    line = first.split(" ")[0]
    assert program_lines.is_of_program(line)
    program_lines.FILES["heapq.py:1"] = heapq.__file__
    assert not program_lines.is_of_program("heapq.py:1")
    assert not program_lines.is_of_program("unknown.py:1")


def made_in(file, source):
    """The function of a source, as if it stood in this file."""
    names: dict[str, Callable[..., Any]] = {}
    exec(compile(source, file, "exec"), {"__name__": "made_in"}, names)
    return next(iter(names.values()))


def test_the_line_of_the_program_is_named_beyond_python_and_a_library():
    """Nothing that calls the run is."""
    draws = made_in(heapq.__file__, "def draws(rng): return rng.normal()")
    calls = made_in(np.__file__, "def calls(f, rng): return f(rng)")
    (block,) = recorded(lambda x, rng: calls(draws, rng)).tape.blocks
    assert re.fullmatch(r"heapq.py:1 \(draws\) < test_program_lines.py:\d+ \(<lambda>\)", block.place)
