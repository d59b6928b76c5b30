"""Completion scripts: every command and option is in every one."""

import shutil
import subprocess

import pytest

from dpspectra import cli
from dpspectra.commands import completion

TYPED = [
    (["re"], {"release"}),
    (["release", "--mechanism", "gauss"], {"gaussian_covariance"}),
    (["release", "--mechanism", "a"], {"auto"}),
    (["release", "x.npy", "--norm"], {"--norm-bound"}),
    (["release", "--json", "-", "--cl"], {"--clip"}),
    (["release", "--out", ""], set()),
    (["paper", ""], {"MWKTV", "JXZ", "HP", "HR", "DPS"}),
    (["paper", "--json", "-", "J"], {"JXZ"}),
    (["completion", "f"], {"fish"}),
    (["conform", "wish"], {"wishart_difference"}),
]
BASH = """
source "$1"; shift
COMP_WORDS=(dpspectra "$@"); COMP_CWORD=$#
_dpspectra
printf '%s\\n' "${COMPREPLY[@]}"
"""


def printed(tmp_path, capsys, shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is missing")
    assert cli.run(["completion", shell]) == 0
    (tmp_path / "script").write_text(capsys.readouterr().out, encoding="utf-8")
    return str(tmp_path / "script")


def said(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return set(done.stdout.split("\n")) - {""}


def test_bash_completes(tmp_path, capsys):
    script = printed(tmp_path, capsys, "bash")
    for words, expected in TYPED:
        assert said("bash", "-c", BASH, "bash", script, *words) == expected


def test_fish_completes(tmp_path, capsys):
    script = printed(tmp_path, capsys, "fish")
    for words, expected in TYPED:
        if expected:
            ask = f"source {script}; complete -C'dpspectra {' '.join(words)}'"
            assert {line.split("\t")[0] for line in said("fish", "--no-config", "-c", ask)} >= expected


def test_zsh_reads_its_script(tmp_path, capsys):
    script = printed(tmp_path, capsys, "zsh")
    assert said("zsh", "-f", "-c", f"source {script}; print $_comps[dpspectra]") != set()


def test_every_command_and_option_is_in_every_script():
    for shell in completion.SHELLS:
        text = completion.script(shell, cli.parser())
        assert all(name in text for name in ("require-power", "challenge", "attack", "norm-bound", "orbit"))
