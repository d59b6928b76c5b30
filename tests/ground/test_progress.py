"""Progress on a terminal without tqdm: a line now and then."""

import sys

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
