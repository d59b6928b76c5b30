"""Progress on a terminal without tqdm: a line now and then."""

import sys

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.certified import noise_on_grid
from dpspectra.fast import leading
from dpspectra.ground import progress


def test_lines_come_now_and_then_where_there_is_no_bar(monkeypatch, capsys):
    clock = iter([0.0, 1.0, 2.5, 3.0, 5.0])
    monkeypatch.setattr("dpspectra.ground.progress.time.perf_counter", lambda: next(clock))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with progress.progress(total=100, description="draws") as bar:
        for step in range(4):
            bar.advance(f"{step} nats", 10)
        bar.write("said")
    printed = capsys.readouterr()
    assert printed.err.splitlines() == [
        "dpspectra: 20 of 100 draws, 2 s, 1 nats",
        "dpspectra: 40 of 100 draws, 5 s, 3 nats",
    ]
    assert printed.out == "said\n"


def test_nothing_is_written_where_nobody_looks(capsys):
    with progress.progress(total=None, description="draws") as bar:
        bar.advance("x")
    assert capsys.readouterr().err == ""


def test_what_is_short_has_no_bar(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    for long in (False, True):
        with progress.progress(total=2, description="draws", long=long) as bar:
            bar.advance("x")
        assert ("1 of 2 draws" in capsys.readouterr().err) == long


@pytest.mark.parametrize("law", ["laplace", "wishart"])
def test_noise_of_large_matrices_and_their_eigenvectors_say_how_far_they_are(monkeypatch, capsys, law):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(leading, "WIDE", 100)
    said = {"laplace": [], "wishart": ["normal numbers"]}[law] + ["noisy numbers", "products for eigenvectors"]
    for long in (False, True):
        monkeypatch.setattr(noise_on_grid, "LONG", 5050 if long else 10**9)
        name = {"laplace": "laplace_covariance", "wishart": "symmetric_wishart_covariance"}[law]
        dps.private_pca(np.ones((3, 100)), 1, 1.0, mechanism=name)
        told = capsys.readouterr().err
        assert [each in told for each in said] == [long] * (len(said) - 1) + [True]
