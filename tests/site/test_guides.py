"""The guides of the site do what they say: every cell of Python and every command runs.

A guide is a notebook in Markdown, which the site executes with Jupyter; here its cells are run in order, in one
namespace and an empty folder. Commands are run where they stand between the cells, and must exit as they say; so are
the steps of a workflow.
"""

import itertools
import pathlib
import re
import shutil
import sys
import textwrap
import warnings

import pytest

from atlas import shell
from dpspectra import ReusedSeedWarning
from dpspectra.ledger import labels
from dpspectra.ledger.papers import PAPERS
from dpspectra.mechanisms import release
from tests.support.guides import play
from tests.support.helpers import ROOT

GUIDES = sorted((ROOT / "proofs_notes" / "site" / "guides").glob("*.md"))

EXPECTED = {
    "add.md": ["ok\n", "contradicts"],
    "audit.md": [
        *(
            "scale 0.5, hides 0.5 at the claim, loses 4",
            "not refuted",
            "os.urandom at noisylib.py",
            "or this command with",
        ),
    ],
    "budget.md": [
        *("4 claims, epsilon 0.9375 spent, 0.0625 left", "One row is replaced by any other", "\n0.0625 is left"),
        *("rho 0.5 implies epsilon 5.22", "all together: epsilon 1.0\nwhere sums", "call convert with largest=True"),
        "parts=north, south): 2 claims, epsilon 0.75 spent, 0.25 left",
    ],
    "choose.md": ["private_pca by ", "strength ", "replace"],
    "clusters.md": [],
    "compare.md": [],
    "install.md": ["ok ", "REFUTED"],
    "inside.md": [
        "loss 1.25",
        "loses 0.75",
        "is explained",
        "31 of 31 fresh runs",
        "losses)\n  noise: ",
        "explained\n1-DP is refuted on this pair",
        "scales that differ by a factor of 1.5",
        "is exceeded",
    ],
    "oracle.md": [
        "gaussian_profile",
        "have not six digits",
        "ten together 3.7472",
        "library 3.747",
        "refuted",
        "witness",
    ],
    "parts.md": [
        "equal bits: True",
        "a part must be added once",
        "One row is replaced by any other",
        "of which 3 count",
    ],
    "read.md": [
        *("fast contradicts the part 'Frobenius distance'", "-4.47213595499958\nFalse", "\nTrue\nFalse\n"),
        *("the arithmetics differ in the part 'binomial sum'", "3.2729e-10 <= ", "part 'too little noise'"),
    ],
    "columns.md": ["'age': 1.0", "'income_eur': 12", "bounds: sha256", "any other"],
    "pipeline.md": [
        "2 claims, epsilon 1.5 spent, 0.5 left",
        "1.5 replace",
        "must map each row by itself",
        "not be exceeded",
        "5 claims, epsilon 1.95 spent",
        "both components stand out from noise",
    ],
    "ratings.md": ["(943, 2) (2, 1682) One entry", "both factors stand out", "do not stand out from noise"],
    "release.md": [
        "344 rows of 304 birds",
        "in short: Released: 3 directions",
        "3 claims, epsilon 2 spent, 0 left",
        "by='Ann', note='poster'",
        "must not be exceeded",
        "% of the variance",
    ],
}
"""What the guide's text says of the output of its cells."""


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_a_guide_does_what_it_says(guide, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for table in guide.parent.glob("*.csv"):
        shutil.copy(table, tmp_path)
    text = guide.read_text(encoding="utf-8")
    assert text.startswith("---\nfile_format: mystnb\n")
    for memory in ("_seeded", "_keyed"):  # of other tests
        monkeypatch.setattr(release, memory, type(getattr(release, memory))())
    with warnings.catch_warnings():
        warnings.simplefilter("error", ReusedSeedWarning)  # the page would show it, with a path of the machine
        printed = play(text, guide.name)
    for phrase in EXPECTED[guide.name]:
        assert phrase in printed


def test_recipes_for_clusters_are_lines_of_the_programs_that_are_run():
    """`make clusters` runs these programs, in the versions that the guide names."""
    guide = next(path for path in GUIDES if path.name == "clusters.md").read_text(encoding="utf-8")
    programs = [path.read_text(encoding="utf-8") for path in (ROOT / "examples" / "clusters").glob("*.py")]
    recipes = re.findall(r"^```python\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    assert len(recipes) == 4
    for recipe in recipes:
        assert any(textwrap.indent(recipe, indent) in text for text in programs for indent in ("", "    ")), recipe
    pinned = (ROOT / ".ci" / "clusters.txt").read_text(encoding="utf-8")
    for name in ("Spark", "Ray"):
        version = re.search(rf"{name} ([\d.]+\d)", guide)[1]
        assert re.search(rf"^(py)?{name.lower()}=={version}$", pinned, re.MULTILINE)


def cells(text):
    """What stands in tables, by the first cell of the head, the first cell of the row, and the column."""
    head, found = [], {}
    for line, rule in itertools.pairwise(text.splitlines()):
        row = [cell.strip() for cell in line.strip("|").split("|")]
        head = row if rule.startswith("|---") else head
        if line.startswith("|"):
            found |= {(head[0], row[0], column): cell for column, cell in zip(head[1:], row[1:], strict=False)}
    return found


def test_numbers_and_versions_of_other_libraries_are_those_of_the_benchmarks():
    guide = next(path for path in GUIDES if path.name == "compare.md").read_text(encoding="utf-8")
    measured = cells((ROOT / "bench" / "README.md").read_text(encoding="utf-8"))
    shown = cells(guide.partition("## What was measured")[2])
    assert {row for _, row, _ in shown} >= {"wine", "iris", "diffprivlib", "opendp", "jax"}
    assert shown.items() <= measured.items()
    pins = (ROOT / "bench" / "libraries.toml").read_text(encoding="utf-8")
    for name, version in re.findall(r"(OpenDP|diffprivlib|jax-privacy) ([\d.]+\d)", guide):
        assert f'"{name.lower()}=={version}"' in pins


def test_there_are_guides():
    assert {guide.name for guide in GUIDES} == EXPECTED.keys()


def test_a_guide_that_is_wrong_is_noticed():
    with pytest.raises(AssertionError, match="exits with 2"):
        play("```sh\ndpspectra show NO-SUCH-LABEL\n```\n")
    with pytest.raises(ZeroDivisionError):
        play("```{code-cell}\n1 / 0\n```\n")
    with pytest.raises(AssertionError, match="exits with 2"):
        play("```yaml\nsteps:\n  - run: dpspectra show NO-SUCH-LABEL\n```\n")
    assert play("```{code-cell}\nx = 1\n```\ntext\n```{code-cell}\nprint(x)\n```\n") == "1\n"


def test_the_page_of_a_guide_shows_what_each_command_prints(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PY_COLORS", "1")  # which is put back after the test
    (tmp_path / "table.csv").write_text("1")
    last = "echo " + "word " * 30
    page = shell.with_output(f"# x\n\n```sh\nls \\\n  *.csv\ntest -e none  # exits with 1\n{last}\n```\n")
    assert re.findall(r"^```sh\n(.*)$", page, re.MULTILINE) == ["ls \\", "test -e none  # exits with 1", last]
    names = {}
    for cell in re.findall(r"^```\{code-cell\}\n:tags: \[[a-z-]+\]\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        exec(cell, names)
    assert pathlib.Path.cwd() != tmp_path
    printed = capsys.readouterr().out.splitlines()
    assert printed[:2] == ["table.csv", ""]
    assert {len(line) for line in printed[2:]} == {84, 66}, "prose is folded"
    monkeypatch.chdir(tmp_path)
    names["_apart"].cleanup()


WIDTH = 80
CODE = re.compile(r"^```(?!math)\S*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("guide", [*GUIDES, GUIDES[0].parents[1] / "commands.md"], ids=lambda guide: guide.stem)
def test_lines_of_code_fit_a_page(guide):
    code = CODE.findall(guide.read_text(encoding="utf-8"))
    assert [line for block in code for line in block.splitlines() if len(line) > WIDTH] == []


def test_guides_name_labels_that_exist():
    known = {label.label for label in labels()} | {"DPS-EXAMPLE"}
    for guide in GUIDES:
        named = set(re.findall(rf"\b(?:{'|'.join(PAPERS)})-[A-Z][\w.]*\w", guide.read_text(encoding="utf-8")))
        assert named <= known, guide.name
