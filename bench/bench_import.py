"""Importing a mechanism in a fresh interpreter against importing what it needs of numpy and scipy."""

import subprocess
import sys

import pytest

BASE = "import numpy, scipy.special, scipy.optimize, scipy.sparse"
CODE = {
    "numpy and scipy (rival)": BASE,
    "dps.private_pca": f"{BASE}; import dpspectra as dps; dps.private_pca",
    "every mechanism": f"{BASE}; import dpspectra as dps; [getattr(dps, name) for name in dps.mechanisms.__all__]",
}


@pytest.mark.parametrize("name", CODE)
@pytest.mark.benchmark(group="fresh interpreter", min_rounds=5)
def test_import(benchmark, name):
    benchmark(lambda: subprocess.run([sys.executable, "-c", CODE[name]], check=True))
