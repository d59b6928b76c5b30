"""The demonstration."""

import re
import sys

import numpy as np
import pytest

from dpspectra.cli import run
from dpspectra.ledger import labels
from tests.support.helpers import output


def test_the_demonstration_puts_the_error_between_impossible_and_guaranteed():
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    from dpspectra.commands import demo
    from dpspectra.report import demo_findings, plots

    x = demo.digits()
    row = demo_findings.TableRow.of("m", "error", [demo.low_rank(x, np.random.default_rng(21), None, 4.0)], 1.0)
    values = np.linalg.eigvalsh(x.T @ x)[::-1]
    assert np.linalg.norm(values[demo.RANK :]) / len(x) <= row.impossible * (1 + 1e-9)
    assert row.impossible < row.true < row.guaranteed
    assert "impossible" in plots.error_plot([row])


def test_demo_does_the_main_job(capsys, monkeypatch, tmp_path):
    some = [label for label in labels() if label.label in ("JXZ-T4", "MWKTV-L6.1")]  # test_ledger goes through all
    monkeypatch.setattr("dpspectra.commands.demo.labels", lambda: some)
    monkeypatch.setattr("dpspectra.commands.demo.EPSILONS", (1.0,))
    monkeypatch.setattr("dpspectra.commands.demo.DRAWS", 2)
    monkeypatch.setattr("dpspectra.commands.demo.JOBS", 1)
    text = output(capsys, "demo", "--out", str(tmp_path / "report"), "--seed", "1")
    for words in ("gaussian_covariance", "0 broken", "JXZ-T4 is refuted", "not refuted", "REFUTED", "epsilon infinite"):
        assert words in text
    assert max(map(len, text.splitlines())) <= 100 + len(str(tmp_path))
    html = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert html.count("<svg") == 8, "components, five kinds of error, the audits, and the region of one"
    screen = text[text.index("In short") :].splitlines()
    assert [line.split()[0] for line in screen if re.match(r"  \w", line)] == [
        *("released", "how", "noise", "audit", "audit", "audit", "statements", "pictures")
    ]
    assert len(screen) < 24
    assert screen[-1].endswith("index.html")
    assert not [word for word in ("<script", "<link", "<img") if word in html], "the page is self-contained"
    assert html.count("releasing zero") >= 5
    assert "none proved" not in html
    assert "Theorem 4: Wishart mechanism" in html
    assert '<meta name="viewport"' in html
    assert "DPS-TILT" in html
    assert set(re.findall(r'href="#([^"]+)"', html)) <= set(re.findall(r' id="([^"]+)"', html))
    assert [path.name for path in (tmp_path / "report").iterdir()] == ["index.html"]


def test_demo_refuses_a_file_as_its_folder(capsys, tmp_path):
    (tmp_path / "report").write_text("")
    assert run(["demo", "--out", str(tmp_path / "report")]) == 2
    assert "must be a folder" in capsys.readouterr().err


def test_demo_asks_for_what_it_needs_before_the_work(capsys, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr("dpspectra.commands.demo.digits", lambda: pytest.fail("work was done"))
    assert run(["demo", "--out", str(tmp_path / "report")]) == 2
    assert "dpspectra[plot]" in capsys.readouterr().err
