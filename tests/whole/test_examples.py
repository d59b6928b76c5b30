"""The examples in Python run as their first lines say, in small, and leave the picture that they promise."""

import re
import runpy
import sys

import pytest

from tests.support.helpers import ROOT

pytest.importorskip("matplotlib")
pytest.importorskip("sklearn", minversion="1.6")
pytest.importorskip("pandas")

EXAMPLES = ROOT / "examples"
SMALL = {
    "accountants": ["--most", "4"],
    "attack": ["--columns", "100", "--epsilons", "1", "4"],
    "audit_a_mechanism": ["--draws", "1500"],
    "oracle_in_ci": [],
    "pca_of_digits": ["--epsilons", "0.1", "20"],
    "ratings": ["--users", "300", "--films", "400", "--each", "150", "--epsilons", "1", "40"],
    "streaming": ["--days", "5"],
    "visits": [],
}
EXITS = {"attack", "oracle_in_ci"}
"""Those that end with a status: 0 if nothing is wrong."""
SAYS = {  # 60 runs of visits.py, by fresh entropy, had no cosine below .996
    "accountants": (
        r"^(dp-accounting: 4 means, epsilon 0\.\d+ at delta 1e-05\n)?"
        r"(OpenDP: 2 means, epsilon 0\.5 where one row is replaced\n)?$"
    ),
    "attack": r"^release .*\nrandomized_range_finder +inf +100\.00%.*\nproject_find_prune +1 .* 73\.11% ",
    "audit_a_mechanism": r"hasty: refuted, .*\ncareful: not refuted, ",
    "oracle_in_ci": r"textbook: largest relative error \d\.\de\+00 .*\ncareful: .* error \d\.\de-1[3-6] ",
    "pca_of_digits": r"epsilon 20 +certified arithmetic, keeps 0\.59 of 0\.59",
    "ratings": (
        r"^a rating is hidden, .* epsilon 1: 0\.[45]\d .* noise\n"
        r"a rating .* epsilon 40: (0\.9\d|1\.00) .*\na person "
    ),
    "visits": (
        r"^1 of epsilon, .*\n.*: \[ *(0\.9[5-9]\d*|1\.) +(0\.9[5-9]\d*|1\.) *\]\n"
        r"all components stand out from noise\n$"
    ),
    "streaming": r"each day: .* epsilon 1; data come in parts.* the same in all releases\nonce: .* epsilon 1\n",
}


@pytest.mark.parametrize("name", SMALL)
def test_an_example_runs(name, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [f"{name}.py", str(tmp_path / "pictures"), *SMALL[name]])
    if name in EXITS:
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        assert not ended.value.code
    else:
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert re.search(SAYS[name], capsys.readouterr().out)
    pictures = [path for path in (tmp_path / "pictures").iterdir() if path.suffix == ".png"]
    assert [path.stem for path in pictures] == [name]
    assert pictures[0].read_bytes().startswith(b"\x89PNG")


def test_every_example_is_listed_and_says_how_to_run_it():
    paths = {path.stem: path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*.py")}
    assert paths.keys() == SMALL.keys() == SAYS.keys()
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for name, text in paths.items():
        assert f"[{name}.py]({name}.py)" in page
        assert f"    python examples/{name}.py pictures\n" in text
        assert re.search(r"    pip install '\.\[plot(,sklearn)?\]'\n", text)
        assert ("sklearn" in text.split('"""')[2] or "estimators" in text) == ("plot,sklearn" in text)
