"""The exit status of commands whose reader is gone, in a process of its own: 0, 1, 2 and 3 keep what they mean."""

import subprocess
import sys

import pytest

TOY = """
def bad(x, rng):
    return float(sum(map(sum, x)))

def fair(x, rng):
    return rng.random()
"""
CASES = [
    ("audit toy:bad --epsilon 1 --draws 2000", "| true", 1),
    ("audit toy:bad --epsilon 1 --draws 2000", ">&- 2>&-", 1),
    ("audit toy:bad --epsilon 1 --draws 2000", "> /dev/full", 2),
    ("audit toy:fair --epsilon 1 --draws 8", "2>&1 | true", 3),
    ("audit toy:absent --epsilon 1", "2>&1 | true", 2),
    ("audit toy:absent --epsilon 1", "2>&-", 2),
    ("paper HP", "| true", 0),
    ("paper HP", ">&-", 0),
    ("paper HP", "> /dev/full", 2),
]


@pytest.mark.parametrize(("words", "reader", "status"), CASES)
def test_the_status_is_kept_whatever_the_reader_does(tmp_path, monkeypatch, words, reader, status):
    (tmp_path / "toy.py").write_text(TOY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    line = f'"$0" -m dpspectra {words} {reader}; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", line, sys.executable], capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("Traceback")) == (status, 0)
