"""Mechanisms in a file of their own, for commands that are told where a mechanism is."""

import json
import pathlib

import pytest

from dpspectra.audit import AuditResult

WISHART = "dpspectra.audit.specimens:wishart_one_sided"
SUPPORT = "dpspectra.audit.specimens:wishart_support"
TOYS = """
import itertools
import os
import signal
import numpy as np

def laplace(x, *, size, rng):
    return float(np.sum(x)) + rng.laplace(0, 1, size)

def added(x, *, size, rng):
    return float(np.sum(x)) + rng.laplace(0, 1, size)

def gaussian(x, sigma, *, size, rng):
    return float(np.sum(x)) + rng.normal(0, sigma, size)

def patient(x, *, rng, calls=itertools.count(1)):
    if next(calls) == int(os.environ.get("PATIENCE", 0)):
        os.kill(os.getpid(), signal.SIGINT)
    return float(np.sum(x)) + rng.laplace(0, 0.7)

def undecided(x):
    raise NotImplementedError("one day")

def oblique(x, *, size, rng):
    return float(np.sum(x[:, 0] * x[:, 1])) + rng.laplace(0, 0.3, size)

def corner(m, *, size, rng):
    return float(m[0, 1]) + rng.laplace(0, 0.3, size)

class Box:
    @staticmethod
    def inside(x, epsilon, *, size, rng):
        return float(np.sum(x)) + rng.laplace(0, 1 / epsilon, size)

NUMBER = 3
"""


def toy(name, *options):
    return ["audit", f"toy_mechanisms:{name}", "--pair", "pair.json", *options]


def data(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"), parse_constant=pytest.fail)


def result_of(path):
    return AuditResult.from_json(pathlib.Path(path).read_text(encoding="utf-8"))
