"""Releases by the command, of a file in the present folder."""

from pathlib import Path

import numpy as np
import pytest

from dpspectra.cli import run
from dpspectra.report.json_schemas import schema

X = np.array([[0.5, 0.25], [0.125, 0.0], [0.0, 0.5]])
LAPLACE = ("--mechanism", "laplace_covariance", "--epsilon", "1")


def release(data, *options, out="r.npy"):
    return run(["release", str(data), *LAPLACE, "--out", str(out), *options])


def refused(capsys, message, *arguments, **options):
    """The command exits with 2, one line on standard error and nothing else, and changes no file."""
    before = contents()
    assert release(*arguments, **options) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.splitlines()) == 1
    assert message in printed.err
    assert "7315" not in printed.err
    assert contents() == before


def contents(folder="."):
    """What is in a folder, by name; temporary folders included."""
    return {path.name: path.read_bytes() if path.is_file() else None for path in Path(folder).iterdir()}


GOLDEN = Path(__file__).parents[1] / "golden"
"""Files as they were written when their format was made: they are read for ever, and never written again."""


def valid(name, data):
    """Compare data with a JSON Schema of the package."""
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator(schema(name)).validate(data)
