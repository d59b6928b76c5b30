"""What the README says of audits runs."""

import re
import shlex
import subprocess
import sys

from dpspectra.cli import run
from tests.support.helpers import ROOT


def readme_section():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.search(r"^## Audit your library in six lines\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)[1]


def test_the_six_lines_of_the_readme_run(tmp_path):
    (block,) = re.findall(r"```python\n(.*?)```", readme_section(), re.DOTALL)
    assert len([line for line in block.splitlines() if line.strip()]) == 6
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", block], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"True 1\.\d+ smallest eigenvalue.*\n", done.stdout)


def test_the_commands_of_the_readme_run(workshop):
    commands = re.findall(r"^dpspectra (audit .*)$", readme_section(), re.MULTILINE)
    assert len(commands) >= 3
    assert [run(command.split("#")[0].split()) for command in commands] == [1] * len(commands)


def test_the_comparisons_of_the_readme_run(workshop):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^dpspectra (conform .*)$", text, re.MULTILINE)
    assert [run(shlex.split(command, comments=True)) for command in commands] == [0, 1]
