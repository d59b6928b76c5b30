"""Lines that are named are those of the program."""

import heapq
import importlib.util
import re
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpspectra.audit import inside
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


@pytest.mark.parametrize("again", [False, True])
def test_files_of_one_name_are_told_apart(tmp_path, again):
    """And none is called otherwise because of an earlier audit."""
    programs = []
    for folder, scale in (("one", 2.0), ("two", 4.0)):
        file = tmp_path / folder / "noise_of_one_name.py"
        file.parent.mkdir()
        file.write_text(f"def add(x, rng):\n    return x + rng.laplace(scale={scale})\n")
        spec = importlib.util.spec_from_file_location(folder, file)
        programs.append(importlib.util.module_from_spec(spec))
        spec.loader.exec_module(programs[-1])

    def released(x, rng):
        return [program.add(x, rng) for program in programs]

    first, second = inside(released, (0.0, 1.0), 0.75).calls
    assert first.place.startswith("noise_of_one_name.py:2 (add)")
    assert second.place.startswith("two/noise_of_one_name.py:2 (add)")
    assert [(pytest.approx(call.loss, rel=1e-12), call.source[-1][1].strip()) for call in (first, second)] == [
        (0.5, "return x + rng.laplace(scale=2.0)"),
        (0.25, "return x + rng.laplace(scale=4.0)"),
    ]


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
