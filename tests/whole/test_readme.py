"""What the README says runs."""

import re
import subprocess
import sys

import numpy as np

from dpspectra.cli import run
from tests.support.helpers import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def readme_section():
    return re.search(r"^## Audit\n(.*?)^## ", README, re.MULTILINE | re.DOTALL)[1]


def test_the_six_lines_of_the_readme_run(tmp_path):
    block, _ = re.findall(r"```python\n(.*?)```", readme_section(), re.DOTALL)
    assert len([line for line in block.splitlines() if line.strip()]) == 6
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", block], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"True 1\.\d+ smallest eigenvalue.*\n", done.stdout)


def test_the_commands_of_the_readme_run(workshop):
    commands = re.findall(r"^dpspectra (audit (?!--command).*)$", readme_section(), re.MULTILINE)
    assert len(commands) >= 3
    assert [run(command.split("#")[0].split()) for command in commands] == [1] * len(commands)


def test_the_files_of_the_readme_are_released_under_its_budget(workshop, capsys):
    np.savetxt(
        "data.csv", np.random.default_rng(0).normal(size=(500, 5)), delimiter=",", header="a,b,c,d,e", comments=""
    )
    commands = re.findall(r"^dpspectra ((?:budget|release|claim) .*)$", README, re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["budget", "release", "claim"]
    assert [run(command.split()) for command in commands] == [0, 0, 0]
    assert "epsilon" in capsys.readouterr().out


def test_the_release_of_the_readme_is_as_good_as_it_says(capsys):
    (block,) = re.findall(r"```python\n(.*?)```", README.partition("## Release")[2].partition("## Audit")[0], re.DOTALL)
    names = {}
    exec(compile(block, "README.md", "exec"), names)
    release = names["release"]
    assert np.all(np.cos(names["dps"].angles.principal(release.value, np.eye(8)[:, :2])) > 0.9999)
    assert release.details["guarantee"].bound < 0.15
    assert np.abs(release.details["eigenvalues"] - [7.2, 3.6]).max() < 0.2
    assert "2 claims, epsilon 1.5 spent, 0.5 left" in capsys.readouterr().out


def test_both_tests_of_the_readme_find_half_of_the_noise(tmp_path):
    _, block = re.findall(r"```python\n(.*?)```", readme_section(), re.DOTALL)
    half = block.replace("scale=2.88", "scale=1.44")
    for text, chosen, expected in ((half, "from", "2 failed"), (block, "inside", "1 passed")):
        (tmp_path / "test_it.py").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", chosen, "test_it.py"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert expected in done.stdout, done.stdout + done.stderr


def test_commands_within_sentences_run(capsys):
    commands = re.findall(r"`dpspectra ((?:advise|show|paper) .*?)`", README)
    assert [command.split()[0] for command in commands] == ["advise", "show", "paper"]
    assert [run(command.split()) for command in commands] == [0, 0, 0]
    assert "REFUTED" in capsys.readouterr().out
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(re.findall(r"^make (\w+)", README, re.MULTILINE)) <= set(targets) | {"verify", "docs"}
    assert len(README.splitlines()) <= 130


def test_what_the_readme_leads_to_exists():
    targets = [target for target in re.findall(r"\]\(([^)#:]+)\)", README) if not target.startswith("http")]
    assert len(targets) > 10
    assert [target for target in targets if not (ROOT / target).exists()] == []
