"""Lines that are named are those of the program."""

import heapq
import sys
import types

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
