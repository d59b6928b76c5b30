"""Public names: they load, their examples run, their errors are clear."""

import doctest
import importlib
import inspect
import math
import pathlib
import re
import tomllib

import numpy as np
import pytest

import dpspectra as dps
from dpspectra import cli
from tests.support.helpers import ROOT
from tests.support.releases import PRIVATE

NAN = float("nan")
PACKAGE = pathlib.Path(dps.__file__).parent


@pytest.mark.parametrize("name", [name for name in dps.__all__ if name != "__version__"])
def test_every_public_name_loads_and_is_documented(name):
    assert getattr(dps, name).__doc__
    assert name in dir(dps)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        dps.nothing  # type: ignore[attr-defined]  # noqa: B018


def module_name(path):
    top = PACKAGE.parent if path.is_relative_to(PACKAGE) else ROOT
    return ".".join(path.relative_to(top).with_suffix("").parts).removesuffix(".__init__")


# Only modules with an example are imported: others may need an extra, or warn (the broken mechanisms).
SOURCES = [*PACKAGE.rglob("*.py"), *(ROOT / "tools").rglob("*.py")]
EXAMPLES = [module_name(path) for path in sorted(SOURCES) if ">>> " in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_in_docstrings_run(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0


WITHOUT_EXAMPLE = {
    *("check_certificate", "fits", "impossible_output", "orbit_chunks"),
    *("one_apart", "orbit_gap", "orbit_mean_gap", "structured_pairs", "worst_pair"),
}
"""Functions that a neighbour's example shows, or that take too long for one."""


def test_public_functions_have_an_example():
    rooms = dps, dps.audit, dps.sampling, dps.profile, dps.calibrate, dps.bounds, dps.angles, dps.postprocessing
    names = {name: getattr(room, name) for room in rooms for name in room.__all__}
    bare = {name for name, value in names.items() if inspect.isfunction(value) and ">>> " not in (value.__doc__ or "")}
    assert bare == WITHOUT_EXAMPLE


def promised(record):
    """Numbers that a mechanism takes: no delta, and rows or changes of rows in the unit ball."""
    numbers = {"delta": 0.0} if "delta" in record.takes else {}
    if record.relations == ("row",):
        return {"row_change": 1.0}
    numbers |= {"quantile": 0.95} if "lower" in record.needs else {}
    numbers |= {"bins": 12} if "frame" in record.needs else {}
    numbers |= {"constant": 0.5} if "DPS-AUGMENTED" in record.labels else {}
    return numbers | ({"norm_bound": 1.0} if record.of_rows and record.bounded else {})


SEQUENTIAL = {"confidence": 0.999, "draws": 100_000, "seconds": 60.0, "snap": 30, "accept_unread": 0.01, "rng": 0}
DEFAULTS = {
    "advise": {"delta": 0.0, "norm_bound": 1.0},
    "audit": {"delta": 0.0, **SEQUENTIAL},
    "audit_pairs": {"delta": 0.0, **SEQUENTIAL},
    "certify_not_psd": {"margin": 0},
    "check": {"norm_bound": 1.0},
    "convert": {"delta": 0.0},
    "conforms": {"tv_tolerance": 0.0, **SEQUENTIAL},
    "eigenvalue_intervals": {"probability": 0.95, "rng": 0},
    "fits": {"draws": 1000, "rng": 0},
    "inside": {"delta": 0.0, "confidence": 0.999, "runs": 200, "seconds": 60.0, "rng": 0},
    **{name: promised(record) for name, record in PRIVATE.items() if promised(record)},
    "structured_pairs": {"norm_bound": 1.0},
    "sufficient_iterations": {"failure": 0.05},
    "traced_pair": {"rng": 0},
    "worst_pair": {"delta": 0.0, "norm_bound": 1.0, **SEQUENTIAL},
}
"""Numbers that public functions take where a caller gives none."""


def test_numeric_defaults_are_a_promise():
    functions = {name: getattr(room, name) for room in (dps, dps.audit) for name in room.__all__}
    found = {}
    for name, function in functions.items():
        if inspect.isfunction(function):
            defaults = {p.name: p.default for p in inspect.signature(function).parameters.values()}
            numbers = {key: value for key, value in defaults.items() if type(value) in (int, float)}
            found |= {name: numbers} if numbers else {}
    assert found == DEFAULTS


def test_the_modules_with_examples_are_found():
    assert {"dpspectra.profile", "dpspectra.bounds"} <= set(EXAMPLES)


def test_the_version_is_written_once_and_opens_the_changelog():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "reference/dpspectra/__init__.py"
    assert not re.search(r"^version:", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == dps.__version__


def test_the_release_of_the_readme_finds_the_true_directions(capsys):
    """Within 0.9999, by fresh entropy: 1,500 seeded draws stayed above 0.99996, and a miss has probability 1e-9."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first, block = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[:2]
    assert "dps.Budget(" in block
    exec(compile(first + block, "README.md", "exec"), {})
    cosines, signal, _, _, budget = capsys.readouterr().out.splitlines()
    assert min(map(float, cosines.strip("[]").split())) > 0.9999
    guarantee, *eigenvalues = map(float, re.findall(r"[\d.]+(?:e-\d+)?", signal))
    assert guarantee < 0.05 * min(eigenvalues)
    assert "epsilon 1.5 spent, 0.5 left" in budget
    alone = re.findall(r"\bdps\.([a-z]\w*)\(", block)
    assert not [name for name in alone if "Release" in str(inspect.signature(getattr(dps, name)).return_annotation)]


def test_the_advice_of_the_readme_runs(capsys):
    commands = re.findall(r"`dpspectra (advise [^`]*)`", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert commands
    for command in commands:
        assert cli.run(command.split()) == 0
        assert "guaranteed" in capsys.readouterr().out


def test_readme_code_runs():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first, second, *others = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(others) == 2
    for block in (first, first + second, *others):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dps.audit.BrokenMechanismWarning)
            exec(compile(block, "README.md", "exec"), {})


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-5, 0.4])
def test_gaussian_calibration_is_the_least_noise(epsilon, delta):
    sigma = dps.calibrate.gaussian(epsilon, delta, 2.0)
    assert dps.profile.gaussian(epsilon, 2.0, sigma) == pytest.approx(delta, rel=1e-6)
    assert dps.profile.gaussian(epsilon, 2.0, 0.99 * sigma) > delta


def test_reference_values():
    for (epsilon, delta), sigma in {
        (1.0, 1e-5): 3.73063163482,
        (0.1, 1e-6): 36.3046904262,
        (10.0, 1e-5): 0.499888619709,
        (3.0, 1e-3): 1.03725171849,
    }.items():
        assert dps.calibrate.gaussian(epsilon, delta, 1.0) == pytest.approx(sigma, rel=1e-11)
    assert dps.bounds.sin_theta(0.5, 2.0, 0.0) == 0.5
    assert np.allclose(dps.angles.principal(np.eye(3)[:, :2], np.eye(3)[:, 1:]), [0, math.pi / 2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dps.profile.gaussian(-1.0, 1.0, 1.0), "epsilon must be non-negative"),
        (lambda: dps.profile.gaussian([1.0, NAN], 1.0, 1.0), "epsilon must be non-negative"),
        (lambda: dps.profile.gaussian(1.0, -1.0, 1.0), "sensitivity must be non-negative"),
        (lambda: dps.profile.gaussian(1.0, 1.0, 0.0), "sigma must be positive"),
        (lambda: dps.calibrate.gaussian(0.0, 0.1, 1.0), "epsilon must be positive"),
        (lambda: dps.calibrate.gaussian(1.0, 0.0, 1.0), "delta must lie in"),
        (lambda: dps.calibrate.laplace(NAN, 1.0), "epsilon must be positive"),
        (lambda: dps.calibrate.laplace(1.0, NAN), "sensitivity must be non-negative"),
        (lambda: dps.angles.principal([[1.0], [1.0]], [[1.0], [0.0]]), "U must have orthonormal columns"),
        (lambda: dps.angles.principal([[1.0], [NAN]], [[1.0], [0.0]]), "U must have orthonormal columns"),
        (lambda: dps.angles.principal([[1.0]], [[1.0], [0.0]]), "same number of rows, got 1 and 2"),
        (lambda: dps.angles.principal([1.0], [[1.0]]), "U must be a non-empty numeric array"),
        (lambda: dps.bounds.sin_theta(-1.0, 1.0), "difference must be non-negative"),
        (lambda: dps.bounds.sin_theta(1.0, 0.0), "gap must be positive"),
        (lambda: dps.bounds.sin_theta(1.0, 0.0, 0.0), r"gap \+ other_gap must be positive"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
