"""What the README says runs."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dpspectra.cli import run
from tests.support.helpers import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def section(name):
    return re.search(rf"^## {name}\n(.*?)^## ", README, re.MULTILINE | re.DOTALL)[1]


def test_the_six_lines_of_the_readme_run(tmp_path):
    block, _ = re.findall(r"```python\n(.*?)```", section("Audit"), re.DOTALL)
    assert len([line for line in block.splitlines() if line.strip()]) == 6
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", block], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"True 1\.\d+ smallest eigenvalue.*\n", done.stdout)


def test_the_commands_of_the_readme_run(workshop):
    commands = re.findall(r"^dpspectra (audit (?!--command).*)$", section("Audit"), re.MULTILINE)
    assert len(commands) >= 3
    assert [run(command.split("#")[0].split()) for command in commands] == [1] * len(commands)


def test_the_files_of_the_readme_are_released_under_its_budget(workshop, capsys):
    np.savetxt(
        "data.csv", np.random.default_rng(0).normal(size=(500, 5)), delimiter=",", header="a,b,c,d,e", comments=""
    )
    Path("bounds.json").write_text(json.dumps({name: [-4, 4] for name in "abcde"}), encoding="utf-8")
    commands = re.findall(r"^dpspectra ((?:budget|release|claim) .*)$", README, re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["budget", "release", "claim"]
    assert [run(command.split()) for command in commands] == [0, 0, 0]
    assert "epsilon" in capsys.readouterr().out


def test_the_first_example_needs_no_budget_and_is_as_good_as_it_says(capsys):
    first, shared = re.findall(r"```python\n(.*?)```", section("Release"), re.DOTALL)
    assert README.partition("```")[2].startswith(f"python\n{first}")
    assert "udget" not in first
    names = {}
    for block in (first, shared):  # the second goes on where the first ends
        exec(compile(block, "README.md", "exec"), names)
        release = names["release"]
        assert np.all(np.cos(names["dps"].angles.principal(release.value, np.eye(8)[:, :2])) > 0.9999)
        assert release.details["guarantee"].bound < 0.0115
        assert np.abs(release.details["eigenvalues"] - [0.56, 0.37]).max() < 0.01
        assert round(release.details["noise_edge"], 4) == 0.0027
        assert "assumptions" in release.summary()
    printed = capsys.readouterr().out
    assert "1.0 certified\n" in printed
    assert "2 claims, epsilon 1.5 spent, 0.5 left" in printed


@pytest.mark.parametrize(
    ("noise", "options", "expected"),
    [(2.88, ["--dp-draws", "2000"], "passed"), (1.44, [], "failed")],
    ids=["as shown", "half"],
)
def test_both_tests_of_the_readme_pass_and_find_half_of_the_noise(tmp_path, noise, options, expected):
    """As somebody's own project would run them."""
    _, block = re.findall(r"```python\n(.*?)```", section("Audit"), re.DOTALL)
    assert block.count("scale=2.88") == 1
    (tmp_path / "test_it.py").write_text(block.replace("scale=2.88", f"scale={noise}"), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, "test_it.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.splitlines()[-1].startswith(f"2 {expected} in "), done.stdout + done.stderr


def test_commands_within_sentences_run(capsys):
    commands = re.findall(r"`dpspectra ((?:advise|show|paper) .*?)`", README)
    assert [command.split()[0] for command in commands] == ["advise", "show", "paper"]
    assert [run(command.split()) for command in commands] == [0, 0, 0]
    assert "REFUTED" in capsys.readouterr().out
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    told = set(re.findall(r"`make (\w+)", README))
    assert {"demo", "test", "docs"} <= told <= set(targets) | {"docs"}
    assert len(README.splitlines()) <= 110


def test_what_the_readme_leads_to_exists():
    targets = [target for target in re.findall(r"\]\(([^)#:]+)\)", README) if not target.startswith("http")]
    assert len(targets) > 10
    assert [target for target in targets if not (ROOT / target).exists()] == []
