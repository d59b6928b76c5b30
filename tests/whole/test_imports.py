"""What a release loads: exact sets of packages, never seconds."""

import ast
import os
import re
import shutil
import subprocess
import sys

import pytest

import dpspectra as dps
from tests.support.helpers import ROOT

REFERENCE = ROOT / "reference"
BASE = "numpy, numpy.typing, scipy.special, scipy.optimize, scipy.sparse, flint"
LAPLACE = "import dpspectra as dps; dps.laplace_covariance"
FIRST = f"{LAPLACE}(numpy.eye(3), 1.0)"
PCA = "import dpspectra as dps; dps.private_pca"
RELEASE = f"{PCA}(numpy.eye(3), 1, 1.0, rng=0)"
EVERYTHING = "import dpspectra as dps; [getattr(dps, name) for name in dps.mechanisms.__all__]"
CALLED = "from tests.support.releases import RELEASES; [call(0) for call in RELEASES.values()]"
FEW = {LAPLACE: 36, FIRST: 47}
"""Numbers of our modules that naming the Laplace mechanism, and a first release with it, may not reach."""
ROOMS = {"dpspectra.oracle", "dpspectra.strategies"}
"""Rooms that serve checks of statements, never a release."""
HEAVY = {"hypothesis", "mpmath", "sympy", "pytest", "sklearn", "dask", "multiprocessing", "scipy.stats"}
"""Modules that take long to import or have no place where data are released."""


def loaded(code, folder=REFERENCE, base=BASE):
    """Modules that ``code`` loads in a fresh interpreter, after numpy and the parts of scipy that it needs."""
    script = f"import {base}; import sys; before = set(sys.modules); {code}; print(*set(sys.modules) - before)"
    environment = os.environ | {"PYTHONPATH": str(folder), "MPMATH_NOGMPY": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def packages(modules):
    """Top-level packages that are not part of Python."""
    return {name.partition(".")[0] for name in modules} - sys.stdlib_module_names


@pytest.mark.parametrize("code", [FIRST, RELEASE, EVERYTHING, CALLED])
def test_mechanisms_load_nothing_else(code):
    modules = loaded(code)
    assert packages(modules) - {"tests"} == {"dpspectra"}
    assert modules & (HEAVY | ROOMS) == set()


@pytest.mark.parametrize(("code", "few"), FEW.items())
def test_a_first_release_loads_few_modules(code, few):
    assert len([name for name in loaded(code) if name.partition(".")[0] == "dpspectra"]) < few


def test_auditor_and_ledger_start_without_the_laws_of_scipy():
    """They take half a second to import, in every process that audits or verifies."""
    code = "import dpspectra.audit, dpspectra.cli, dpspectra.ledger; dpspectra.ledger.all_statements()"
    assert "scipy.stats" not in loaded(code)


def test_a_first_release_needs_no_optimiser_and_no_sparse_matrix():
    modules = loaded(FIRST, base="numpy, numpy.typing, flint")
    assert {name for name in modules if name.partition(".")[0] == "scipy"} == set()


def test_a_family_of_mechanisms_is_loaded_when_used():
    families = {name.removeprefix("dpspectra.mechanisms.") for name in loaded(PCA)}
    assert "pca" in families
    assert families.isdisjoint({"power", "range_finding", "streaming", "wishart"})


@pytest.mark.parametrize(
    ("module", "line", "package"),
    [
        ("mechanisms/release.py", "import multiprocessing", "multiprocessing"),
        ("fast/linalg.py", "import scipy.stats", "scipy.stats"),
        ("formulas/covariance_l1.py", "from mpmath import mp", "mpmath"),
        ("formulas/covariance_l1.py", "from dpspectra.ledger import judge", "mpmath"),
        ("formulas/symmetric_wishart.py", "from dpspectra.lemmas.wishart import symmetric", "dpspectra.oracle"),
        ("mechanisms/noises/laplace.py", "from dpspectra.strategies import seeds", "dpspectra.strategies"),
    ],
)
def test_a_planted_import_is_caught(tmp_path, module, line, package):
    shutil.copytree(REFERENCE / "dpspectra", tmp_path / "dpspectra")
    source = tmp_path / "dpspectra" / module
    source.write_text(f"{source.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")
    assert package in loaded(RELEASE, tmp_path) & (HEAVY | ROOMS)


def test_no_quadrature_rule_is_computed_at_import():
    """Only `dpspectra.fast.quadrature` computes rules; nowhere does a statement of a module's body call it."""
    rules, calling = re.compile(r"\b(?:leggauss|gauss_legendre)\("), 0
    for path in (REFERENCE / "dpspectra").rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        if rules.search(source):
            calling += 1
            top = [node for node in ast.parse(source).body if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
            assert not rules.search("\n".join(map(ast.unparse, top))), path
    assert calling > 1


def test_the_package_offers_what_mechanisms_offers():
    assert set(dps.mechanisms.__all__) <= set(dps.__all__)
    assert all(getattr(dps, name) is getattr(dps.mechanisms, name) for name in dps.mechanisms.__all__)
    assert sorted(dps.__all__) == dir(dps)
    with pytest.raises(AttributeError, match="nope"):
        _ = dps.nope  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="nope"):
        _ = dps.mechanisms.nope  # type: ignore[attr-defined]
