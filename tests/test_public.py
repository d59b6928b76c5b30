"""Public names: they load, their examples run, their errors are clear."""

import doctest
import importlib
import math
import pathlib
import re
import tomllib

import numpy as np
import pytest

import dpspectra as dps

NAN = float("nan")
ROOT = pathlib.Path(__file__).parents[1]
PACKAGE = pathlib.Path(dps.__file__).parent


@pytest.mark.parametrize("name", [name for name in dps.__all__ if name != "__version__"])
def test_every_public_name_loads_and_is_documented(name):
    assert getattr(dps, name).__doc__
    assert name in dir(dps)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        dps.nothing  # type: ignore[attr-defined]  # noqa: B018


def module_name(path):
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


# Only modules with an example are imported: others may need an extra, or warn (the broken mechanisms).
EXAMPLES = [module_name(path) for path in sorted(PACKAGE.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_in_docstrings_run(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0


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


def test_readme_code_runs():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
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
