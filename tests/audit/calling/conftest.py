"""The example in C, built once."""

import shutil
import subprocess

import pytest

from tests.support.programs import EXAMPLES


@pytest.fixture(scope="module")
def laplace(tmp_path_factory):
    compiler = shutil.which("cc") or pytest.skip("there is no C compiler")
    built = tmp_path_factory.mktemp("built") / "laplace"
    subprocess.run([compiler, "-O1", "-o", built, EXAMPLES / "laplace.c", "-lm"], check=True)
    return str(built)
