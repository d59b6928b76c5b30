"""Bad input: one clear error that names the requirement and the value found, before any randomness is spent."""

import json
import subprocess
import sys

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.cli import run
from tests.support.helpers import refuses

X = np.full((4, 2), 0.5)
M = np.diag([2.0, 1.0])
NAN, INF = float("nan"), float("inf")


ROWS = [
    ([[0.5, NAN]], r"X must be finite, but entry \(0, 1\) is not"),
    ([[INF, 0.0]], r"X must be finite, but entry \(0, 0\) is not"),
    ([[0.5 + 1j, 0.0]], "X must be real, got complex"),
    ([[3.0, 0.0]], "norm at most 1, but row 0 is longer"),
    ([0.5, 0.5], r"X must have shape \(n, d\), got \(2,\)"),
    (np.zeros((0, 2)), "X must not be empty"),
    (np.zeros((2, 0)), "X must not be empty"),
    ([[1.0, 0.0], [0.0]], "X must be a rectangular array, got ragged rows"),
    ([["a", "b"]], "X must hold numbers"),
    ([[None, 1.0]], "X must hold numbers"),
]
MATRICES = [
    ([[1.0, NAN], [NAN, 1.0]], "M must be finite"),
    ([[1.0, 2.0], [0.0, 1.0]], r"M must be Hermitian, but entry \(0, 1\) and its mirror image do not match"),
    ([[1.0, 0.0], [0.0, -1.0]], "M must be positive semidefinite, got a negative eigenvalue"),
    ([[1.0, 0.0]], "M must be square"),
    (np.zeros((0, 0)), "M must not be empty"),
    ([1.0], r"M must have shape \(d, d\)"),
    ([[1.0, 1j], [1j, 1.0]], "M must be Hermitian"),
]
EPSILONS = [
    (0.0, "epsilon must be positive and finite, got 0.0"),
    (-1.0, "epsilon must be positive"),
    (NAN, "epsilon must be positive"),
    (INF, "epsilon must be positive and finite"),
    ("1", "epsilon must be a real number"),
    (1j, "epsilon must be a real number"),
    (True, "epsilon must be a real number"),
]
RANKS = [
    (0, "k must be between 1 and 2, got 0"),
    (3, "k must be between 1 and 2, got 3"),
    (1.0, "k must be an integer"),
    (True, "k must be an integer"),
]


@pytest.mark.parametrize(("rows", "message"), ROWS)
@pytest.mark.parametrize("mechanism", ["laplace", "gaussian", "pca"])
def test_rows(rows, message, mechanism):
    calls = {
        "laplace": lambda rng: dps.laplace_covariance(rows, 1.0, rng=rng),
        "gaussian": lambda rng: dps.gaussian_covariance(rows, 1.0, 1e-6, rng=rng),
        "pca": lambda rng: dps.private_pca(rows, 1, 1.0, rng=rng),
    }
    refuses(calls[mechanism], message)


@pytest.mark.parametrize(("matrix", "message"), MATRICES)
@pytest.mark.parametrize("mechanism", ["orbit", "low_rank", "spectrum"])
def test_matrices(matrix, message, mechanism):
    calls = {
        "orbit": lambda rng: dps.private_orbit(matrix, [1.0, 0.0], 1.0, rng=rng),
        "low_rank": lambda rng: dps.private_low_rank(matrix, 1, 1.0, rng=rng),
        "spectrum": lambda rng: dps.private_spectrum(matrix, 1, 1.0, rng=rng),
    }
    refuses(calls[mechanism], message)


@pytest.mark.parametrize(("epsilon", "message"), EPSILONS)
def test_epsilons(epsilon, message):
    refuses(lambda rng: dps.laplace_covariance(X, epsilon, rng=rng), message)
    refuses(lambda rng: dps.gaussian_covariance(X, epsilon, 1e-6, rng=rng), message)
    refuses(lambda rng: dps.private_pca(X, 1, epsilon, rng=rng), message)
    refuses(lambda rng: dps.private_orbit(M, [1.0, 0.0], epsilon, rng=rng), message)
    refuses(lambda rng: dps.private_low_rank(M, 1, epsilon, rng=rng), message)
    refuses(lambda rng: dps.private_spectrum(M, 1, epsilon, rng=rng), message)


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, NAN, INF, "x"])
def test_deltas(delta):
    refuses(lambda rng: dps.gaussian_covariance(X, 1.0, delta, rng=rng), "delta must")


@pytest.mark.parametrize(("k", "message"), RANKS)
def test_ranks(k, message):
    refuses(lambda rng: dps.private_pca(X, k, 1.0, rng=rng), message)
    refuses(lambda rng: dps.private_low_rank(M, k, 1.0, rng=rng), message)


@pytest.mark.parametrize(
    ("spectrum", "message"),
    [
        ([1.0], "eigenvalues must have length 2, got 1"),
        ([0.0, 1.0], "eigenvalues must be descending"),
        ([NAN, 0.0], "eigenvalues must be finite"),
        ([1j, 0.0], "eigenvalues must be real"),
        ([[1.0, 0.0]], "eigenvalues must have shape"),
    ],
)
def test_spectra(spectrum, message):
    refuses(lambda rng: dps.private_orbit(M, spectrum, 1.0, rng=rng), message)
    refuses(lambda rng: dps.sampling.orbit(M, spectrum, 1.0, rng=rng), message)


def test_everything_else():
    refuses(lambda rng: dps.laplace_covariance(X, 1.0, norm_bound=0.0, rng=rng), "norm_bound must be positive")
    refuses(lambda rng: dps.laplace_covariance(X, 1.0, relation="other", rng=rng), "relation must be one of replace")
    refuses(lambda rng: dps.private_orbit(M, [1, 0], 1.0, relation="row", rng=rng), "relation must be one of")
    refuses(lambda rng: dps.private_orbit(M, [1, 0], 1.0, field="quaternion", rng=rng), "field must be one of")
    refuses(lambda rng: dps.private_orbit(M, [1, 0], 1.0, method="mcmc", rng=rng), "method must be one of")
    refuses(lambda rng: dps.private_orbit(M, [1, 0], 1.0, method="ball_chart", rng=rng), "in the real field")
    refuses(lambda rng: dps.private_low_rank(M, 1, 1.0, split=1.0, rng=rng), "split must lie in")
    refuses(lambda rng: dps.private_low_rank(M, 1, 1.0, field="x", rng=rng), "field must be one of")
    refuses(lambda rng: dps.sampling.orbit(np.diag([3.0, 2, 1]), [3, 2, 1], 1.0, rng=rng), "field must be 'complex'")
    refuses(lambda rng: dps.sampling.orbit(M, [1, 0], -1.0, rng=rng), "kappa must be non-negative")
    refuses(lambda rng: dps.sampling.orbit(M, [1, 0], 1.0, size=-1, rng=rng), "size must be at least 0")
    refuses(lambda rng: dps.sampling.orbit(M + 0j, [1, 0], 1.0, field="real", rng=rng), "'complex' for a complex M")
    refuses(lambda rng: dps.sampling.haar(0, rng=rng), "d must be at least 1")
    refuses(lambda rng: dps.sampling.haar(2, field="x", rng=rng), "field must be one of")
    refuses(lambda rng: dps.sampling.bingham([[1.0, 2.0], [0.0, 1.0]], rng=rng), "A must be Hermitian")
    with pytest.raises(ValueError, match="rng must be"):
        dps.sampling.haar(2, rng="seed")
    with pytest.raises(ValueError, match="rng must be"):
        dps.sampling.haar(2, rng=-1)


def test_rounding_is_forgiven_but_nothing_is_clipped():
    almost = np.array([[1.0 + 1e-14, 0.0]])
    dps.laplace_covariance(almost, 1.0)
    dps.private_orbit(M + np.array([[0, 1e-15], [0, 0]]), [1.0, 0.0], 1.0)
    dps.private_orbit(np.diag([1.0, -1e-14]), [1.0, 0.0], 1.0)


# --- the command line ----------------------------------------------------------------------------------------------


def release(tmp_path, data, *options):
    return ["release", str(data), "--out", str(tmp_path / "out" / "r.npy"), *options]


LAPLACE = ("--mechanism", "laplace_covariance", "--epsilon", "1")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "out").mkdir()
    np.save(tmp_path / "good.npy", X)
    np.savez(tmp_path / "two.npz", a=X, b=X)
    np.savez(tmp_path / "one.npz", a=X)
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    (tmp_path / "good.csv").write_text("a,b\n0.5,0.5\n0.25,0\n")
    (tmp_path / "ragged.csv").write_text("0.5,0.5\n0.25\n")
    (tmp_path / "words.csv").write_text("a,b\n0.5,x\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "gap.csv").write_text(".5,\n.1,.3\n")
    (tmp_path / "header.csv").write_text("a,b\n")
    (tmp_path / "nan.csv").write_text("0.5,nan\n")
    (tmp_path / "long.csv").write_text("3,4\n")
    (tmp_path / "data.txt").write_text("1")
    for name in ("false.npy", "false.npz", "false.parquet"):
        (tmp_path / name).write_text("not this")
    return tmp_path


BAD_FILES = [
    ("missing.npy", "No such file"),
    ("data.txt", "must end in .npy, .npz, .csv, .parquet"),
    ("false.npy", "plain numeric .npy"),
    ("false.npz", "must be an .npz archive"),
    ("false.parquet", "must be a parquet file"),
    ("objects.npy", "plain numeric .npy"),
    ("two.npz", "exactly one array, got 2"),
    ("ragged.csv", "got 1 fields in line 2 instead of 2"),
    ("words.csv", "must hold numbers, but field 2 of line 2 is none"),
    ("gap.csv", "must be numbers or names for certain: say --header or --no-header"),
    ("empty.csv", "must not be empty"),
    ("header.csv", "must not be empty"),
    ("nan.csv", "must be finite, but entry (0, 1) is not"),
    ("long.csv", "norm at most 1, but row 0 is longer"),
]


@pytest.mark.parametrize(("name", "message"), BAD_FILES)
def test_bad_files_exit_2_with_one_line_and_write_nothing(folder, capsys, name, message):
    assert run(release(folder, folder / name, *LAPLACE)) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert message in printed.err
    assert len(printed.err.splitlines()) == 1
    assert list((folder / "out").iterdir()) == []


BAD_OPTIONS = [
    (("--mechanism", "wishart", "--epsilon", "1"), "mechanism must be one of"),
    (("--mechanism", "laplace_covariance", "--epsilon", "0"), "epsilon must be positive"),
    (("--mechanism", "laplace_covariance", "--epsilon", "nan"), "epsilon must be positive"),
    (("--mechanism", "gaussian_covariance", "--epsilon", "1"), "needs --delta"),
    (("--mechanism", "gaussian_covariance", "--epsilon", "1", "--delta", "1"), "delta must lie in"),
    (("--mechanism", "private_pca", "--epsilon", "1"), "needs --k"),
    (("--mechanism", "private_pca", "--epsilon", "1", "--k", "0"), "k must be between 1 and 2"),
    (("--mechanism", "private_pca", "--epsilon", "1", "--k", "9"), "k must be between 1 and 2"),
    ((*LAPLACE, "--k", "1"), "takes no --k"),
    ((*LAPLACE, "--norm-bound", "-1"), "norm_bound must be positive"),
]


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS)
def test_bad_options_exit_2(folder, capsys, options, message):
    assert run(release(folder, folder / "good.npy", *options)) == 2
    assert message in capsys.readouterr().err
    assert list((folder / "out").iterdir()) == []


def test_bad_outputs_exit_2(folder, capsys):
    good = str(folder / "good.npy")
    (folder / "r.npy").mkdir()
    for out, message in [
        ("r.txt", "must end in .npy, .npz, .csv"),
        ("r.npy", "must be a file, got the folder"),
        ("good.csv/r.npy", "must lie in a folder that can be written to"),
    ]:
        assert run(["release", good, *LAPLACE, "--out", str(folder / out)]) == 2
        assert message in capsys.readouterr().err


def test_a_failure_while_writing_leaves_the_old_release_alone(folder, monkeypatch, capsys):
    from dpspectra.report import files

    arguments = release(folder, folder / "good.npy", *LAPLACE, "--force")
    assert run(arguments) == 0
    before = {path.name: path.read_bytes() for path in (folder / "out").iterdir()}

    def full(file, value):
        file.write(b"half")
        raise OSError(28, "No space left on device", "r.npy")

    monkeypatch.setitem(files.WRITERS, ".npy", full)
    assert run(arguments) == 2
    assert "No space left" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in (folder / "out").iterdir()} == before


def test_good_files_of_every_type_give_a_release_and_a_claim(folder, capsys):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"a": [0.5, 0.1], "b": [0.0, 0.2]}), folder / "good.parquet")
    for name in ("good.npy", "one.npz", "good.csv", "good.parquet"):
        for suffix in (".npy", ".npz", ".csv"):
            out = folder / "out" / f"r{suffix}"
            assert run(["release", str(folder / name), *LAPLACE, "--force", "--out", str(out)]) == 0
            claim = json.loads((folder / "out" / f"r{suffix}.claim.json").read_text())
            assert claim["epsilon"] == 1.0
            assert claim["mechanism"] == "laplace_covariance"
    assert np.load(folder / "out" / "r.npy").shape == (2, 2)
    assert np.loadtxt(folder / "out" / "r.csv", delimiter=",").shape == (2, 2)
    capsys.readouterr()


def test_clipping_is_asked_for(folder, capsys):
    assert run(release(folder, folder / "long.csv", *LAPLACE, "--clip", "--json")) == 0
    assert json.loads(capsys.readouterr().out)["claim"]["rows_clipped"] is True


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verify", "NO-SUCH"], "expected a label or a chapter of the ledger, got 'NO-SUCH'"),
        (["verify", "wishart", "--paper", "HP"], "nothing to verify"),
        (["show", "NO-SUCH"], "expected a label of the ledger"),
    ],
)
def test_bad_names_exit_2(capsys, arguments, message):
    assert run(arguments) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nothing"],
        ["paper", "ABC"],
        ["verify", "--examples", "0"],
        ["release"],
        ["release", "x.npy", "--epsilon", "e"],
    ],
)
def test_bad_usage_exits_2(arguments):
    result = subprocess.run(
        [sys.executable, "-c", "from dpspectra.cli import main; main()", *arguments], capture_output=True, text=True
    )
    assert result.returncode == 2
    assert "usage" in result.stderr
