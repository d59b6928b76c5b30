"""What is built, published and cited agrees with the one place that each fact has."""

import re
import tomllib

import dpspectra
from tests.support.helpers import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RECIPE = (ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_the_version_has_one_place():
    assert PROJECT["dynamic"] == ["version"]
    assert re.search(r'^  version: "(.*)"$', RECIPE, re.MULTILINE)[1] == dpspectra.__version__
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)[1]
    assert newest == dpspectra.__version__


def test_the_recipe_needs_what_the_package_needs():
    run = re.search(r"^  run:\n((?:    - .*\n)+)", RECIPE, re.MULTILINE)[1]
    needed = [line.removeprefix("    - ").replace(" ", "") for line in run.splitlines()]
    assert needed == [f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]]


def test_actions_are_pinned_by_commit():
    used = [line for path in WORKFLOWS for line in re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))]
    assert len(used) > 20
    assert [line for line in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)] == []


def test_every_python_that_is_named_is_tried():
    named = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if "Python :: 3." in c]
    ci = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert re.search(r"python: \[(.*)\]", ci)[1] == ", ".join(f'"{version}"' for version in named)
