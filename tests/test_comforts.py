"""Small comforts of the command line: ``python -m``, the choice of a mechanism, what it tells, completion, Arrow."""

import json
import logging
import shutil
import subprocess
import sys

import numpy as np
import pytest

from dpspectra import cli
from dpspectra.report import completion
from dpspectra.report.offers import OFFERS, chosen
from tests.test_release import LAPLACE, here, refused, release  # noqa: F401

X = np.array([[0.5, 0.25, 0.125], [0.125, 0.0, 0.0], [0.0, 0.5, 0.0]])


def asked(*words):
    """Run in the folder that holds X; what it prints as JSON."""
    np.save("rows.npy", X)
    return cli.run(["release", "rows.npy", "--out", "r.npy", "--force", "--epsilon", "1", "--json", *words])


def test_the_package_runs():
    done = subprocess.run([sys.executable, "-m", "dpspectra", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("dpspectra ")


# ---------------------------------------------------------------- auto


@pytest.mark.parametrize(
    ("options", "mechanism", "shape"),
    [
        ((), "knorm_covariance", [3, 3]),
        (("--delta", "1e-2"), chosen(3, 1.0, None, 1e-2)[0], [3, 3]),
        (("--k", "2"), "private_pca", [3, 2]),
        (("--k", "2", "--delta", "1e-5"), "private_pca", [3, 2]),
    ],
)
def test_auto_names_what_it_chose(here, capsys, options, mechanism, shape):  # noqa: F811
    assert asked("--mechanism", "auto", *options) == 0
    claim = json.loads(capsys.readouterr().out)["claim"]
    assert (claim["mechanism"], claim["shape"], claim["epsilon"]) == (mechanism, shape, 1.0)
    assert claim == json.loads((here / "r.npy.claim.json").read_text(encoding="utf-8"))


def test_the_choice_knows_delta_and_dimension():
    found = {chosen(d, 1.0, None, delta)[0] for d in (3, 30) for delta in (None, 0.3)}
    assert found == {"knorm_covariance", "symmetric_wishart_covariance", "gaussian_covariance"}
    assert found <= OFFERS.keys()


@pytest.mark.parametrize("delta", ["1", "-0.1", "nan"])
def test_auto_refuses_bad_numbers(here, capsys, delta):  # noqa: F811
    assert asked("--mechanism", "auto", "--delta", delta) == 2
    assert "delta must lie in [0, 1)" in capsys.readouterr().err
    assert not (here / "r.npy").exists()


# ---------------------------------------------------------------- --verbose


def test_verbose_tells_the_choice_and_the_time_and_no_data(here, capsys):  # noqa: F811
    assert asked("--mechanism", "auto", "--k", "1", "--verbose") == 0
    told = capsys.readouterr().err
    assert told.splitlines()[0] == "dpspectra: rows.npy: 3 rows of 3 numbers"
    assert "dpspectra: mechanism private_pca: directions were asked for by --k\n" in told
    assert "private_pca by knorm_covariance: of covariances with this claim the one with the least noise" in told
    assert told.splitlines()[-1].startswith("dpspectra: release took ")
    assert "0.125" not in told
    assert asked("--mechanism", "auto") == 0
    assert capsys.readouterr().err == ""
    assert logging.getLogger("dpspectra").handlers == []


# ---------------------------------------------------------------- completion

TYPED = [
    (["re"], {"release"}),
    (["release", "--mechanism", "gauss"], {"gaussian_covariance"}),
    (["release", "--mechanism", "a"], {"auto"}),
    (["release", "x.npy", "--norm"], {"--norm-bound"}),
    (["release", "--json", "--cl"], {"--clip"}),
    (["release", "--out", ""], set()),
    (["paper", ""], {"MWKTV", "JXZ", "HP", "HR", "DPS"}),
    (["paper", "--json", "J"], {"JXZ"}),
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


# ---------------------------------------------------------------- Arrow and pandas


@pytest.mark.parametrize("name", ["x.arrow", "x.feather"])
def test_arrow_files_are_read(here, capsys, name):  # noqa: F811
    pa, feather = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.feather")
    columns = {"a": [0.5, 0.25, 0.0], "b": np.array([0.125, 0.0, 0.5], dtype=np.float32), "c": [True, False, False]}
    feather.write_feather(pa.table(columns), name, chunksize=2)
    assert release(name, "--norm-bound", "2") == 0
    assert capsys.readouterr().out.startswith(f"{name}: 3 rows of 3 numbers")
    feather.write_feather(pa.table({"a": [0.5], "b": ["0.7315246"]}), name)
    refused(capsys, f"{name} must hold numbers, which column 2 does not", name, out="s.npy")
    (here / name).write_bytes((here / name).read_bytes()[:-20])
    refused(capsys, f"{name} must be an Arrow file, found something else", name, out="s.npy")


def test_frames_and_tables_of_python_are_rows():
    import dpspectra as dps

    arrays = [X]
    try:
        arrays += [
            pytest.importorskip("pandas").DataFrame(X),
            pytest.importorskip("pyarrow").table(list(X.T), list("abc")),
        ]
    except pytest.skip.Exception:
        pytest.skip("pandas and pyarrow are missing")
    values = [dps.laplace_covariance(rows, 1.0, rng=0).value for rows in arrays]
    assert all((value == values[0]).all() for value in values)
