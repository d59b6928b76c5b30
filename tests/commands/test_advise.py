"""The command ``advise`` prints and draws what the function returns."""

import inspect
import json

import pytest

import dpspectra as dps
from dpspectra import cli
from dpspectra.advice import GOALS, advise
from dpspectra.commands import advise as advise_command
from dpspectra.commands import offers


def run(capsys, *words):
    status = cli.run(["advise", *words])
    return status, capsys.readouterr()


GIVEN = "pca", "--d", "20", "--k", "2", "--n", "5000", "--epsilon", "1"


def test_the_command_prints_what_the_function_returns(capsys):
    status, told = run(capsys, *GIVEN, "--delta", "1e-6", "--json", "-")
    assert status == 0
    ways = advise("pca", d=20, k=2, n=5000, epsilon=1.0, delta=1e-6)
    assert json.loads(told.out) == json.loads(json.dumps([way.asdict() for way in ways]))
    status, told = run(capsys, *GIVEN)
    assert status == 0
    lines = told.out.splitlines()
    assert max(map(len, lines)) <= 88
    assert lines[lines.index(advise_command.HEAD) + 1] == "private_pca, symmetric_wishart_covariance"
    status, told = run(capsys, *GIVEN, "--spectrum", "0.3", "0.2", "--json", "-")
    assert json.loads(told.out)[0]["bracket"] is None


def test_the_guess_comes_first(capsys):
    """README's rows: by the largest possible trace a loss of .1 takes 155 rows, by the spectrum they have 42,000."""
    words = "pca", "--d", "20", "--k", "1", "--center", "none", "--epsilon", "1", "--rows-for", "0.1"

    def said(*options):
        """Guess and error, each in one line."""
        _, told = run(capsys, *words, *options)
        return told.out.partition("\n\n")[0].replace("\n  ", " ").splitlines()

    guess, error = said()
    assert guess == (
        "Guess: no spectrum given: all rows at the bound, the most that typical_norm can be (trace 1), "
        "one eigenvalue with 62 % of it."
    )
    assert error.endswith("that is lost, for 155 rows.")
    guess, error = said("--typical-norm", "0.25")
    assert guess.startswith("Guess: no spectrum given: rows of norm about 0.25 (trace 0.0625), one eigenvalue")
    assert abs(int(error.split()[-2]) - 155 * 16) < 16  # noise over the trace is what counts
    guess, error = said("--spectrum", "0.0043", *["0.00331"] * 19)
    assert guess == "Guess: the spectrum given, of trace 0.0672."
    assert 40_000 < int(error.split()[-2]) < 45_000


def test_bounds_of_columns_tell_how_many_there_are_and_how_rows_are_read(capsys, tmp_path):
    file = tmp_path / "bounds.json"
    file.write_text('{"age": [0, 110], "height": [100, 220], "income": [0, 200000]}', encoding="utf-8")
    words = "--bounds", str(file), "--k", "1", "--n", "5000", "--epsilon", "1"
    status, told = run(capsys, "pca", *words)
    assert status == 0
    assert told.out.startswith("Guess: no spectrum given: one eigenvalue with 73 % of the variance; differences of\n")
    status, told = run(capsys, "covariance", *words, "--json", "-")
    assert status == 0
    first = json.loads(told.out)[0]
    assert first["arguments"]["bounds"][0] == [0.0, 100.0, 0.0]
    assert "rows of norm about 0.333" in first["guess"]
    assert first["claim"]["public"][0].startswith("column bounds: sha256")
    assert run(capsys, "pca", "--d", "4", *words)[0] == 2


def test_the_plot_draws_every_mechanism(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "errors.svg"
    status, _ = run(capsys, *GIVEN, "--center", "none", "--delta", "1e-6", "--plot", str(file))
    assert status == 0
    text = file.read_text(encoding="utf-8")
    assert text.startswith("<svg")
    for name in ("orbit", "gaussian_covariance", "symmetric_wishart_covariance"):
        assert name in text
    again = (*GIVEN, "--center", "none", "--delta", "1e-6", "--plot", str(file))
    file.write_text("mine")
    status, told = run(capsys, *again)
    assert (status, told.out, file.read_text()) == (2, "", "mine")
    assert "the output must be new" in told.err
    assert run(capsys, *again, "--force")[0] == 0
    assert file.read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*GIVEN, "--plot", "errors.png"), "must end in .svg"),
        ((*GIVEN[:-1], "-1"), "epsilon must be positive"),
        (("pca", "--d", "20", "--n", "9", "--epsilon", "1"), "pca needs --k"),
        ((*GIVEN, "--center", "none", "--typical-norm", "2"), "typical_norm must be at most norm_bound, 1, got 2"),
        ((*GIVEN, "--typical-norm", ".5", "--spectrum", ".2"), "typical_norm must be None where a spectrum is given"),
        (
            (*GIVEN, "--typical-norm", ".5"),
            "typical_norm must be None with pairs, whose lengths do not matter, got 0.5",
        ),
        ((*GIVEN, "--center", "mean"), "center must be one of auto, none, pairs, got 'mean'"),
        (("pca", *GIVEN[3:]), "--d must be given, the numbers in a row, or --bounds, got neither"),
        ((*GIVEN[:5], "--epsilon", "1", "--rows-for", ".1", "--plot", "a.svg"), "must come with --n"),
        ((*GIVEN, "--spectrum", "0.1", "0.2"), "spectrum must be descending"),
    ],
)
def test_bad_usage_is_refused(capsys, words, message):
    status, told = run(capsys, *words)
    assert status == 2
    assert message in told.err
    assert told.out == ""


def test_goals_are_listed_once():
    assert offers.GOALS == GOALS
    assert set(inspect.signature(dps.advise).parameters) >= {"goal", "d", "k", "n", "epsilon", "delta", "spectrum"}


@pytest.mark.parametrize(("goal", "share"), [("pca", True), ("covariance", False)])
def test_a_guaranteed_share_above_1_is_said_to_say_nothing(capsys, goal, share):
    status, told = run(capsys, goal, "--d", "5", "--n", "10", "--epsilon", ".01", *(["--k", "2"] if share else []))
    assert status == 0
    assert ("above 1 it says nothing" in told.out) == share
