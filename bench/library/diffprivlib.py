"""diffprivlib 0.6.6: noise by `secrets.SystemRandom`, of the standard library; of numpy where a class says so."""

import math
from dataclasses import replace

import diffprivlib.models as models
import diffprivlib.tools as tools
import numpy as np
from diffprivlib import mechanisms as m

from bench.foreign import ONE, Mechanism
from dpspectra.audit import ApproxDP

BOUNDED = {"sensitivity": 1.0, "lower": 0.0, "upper": 10.0}
NUMBERS = (4.0, 5.0)
INTEGERS = (4, 5)
ROWS = np.array([0.0, 0.25, 0.5, 0.75])
OTHER = np.array([0.875, 0.25, 0.5, 0.75])
ONE_MOVED = (np.array([1.0, 0.25, 0.5, 0.75]), ROWS)
UNIT = (0.0, 1.0)
UTILITIES = ([0.0, 1.0, 2.0], [1.0, 0.0, 3.0])
TWO = (np.array([[0.6, 0.2], [0.1, 0.5], [0.3, 0.3]]), np.array([[-0.6, 0.2], [0.1, 0.5], [0.3, 0.3]]))
LABELS = np.array([0, 1, 1])
ONE_WAY = ApproxDP(1.0, 0.01)
ALMOST = ApproxDP(1.0, 1e-9)
"""A claim for loops and lists of outcomes without end: paths of that probability need not be walked."""


def of(made, pair=NUMBERS, name=None, claim=ONE, **known):
    """A mechanism object's `randomise`."""
    return Mechanism(name or type(made).__name__, lambda x: made.randomise(x), pair, claim, **known)


def choice(kind):
    """A choice by utilities, which are the data."""
    return lambda utilities: kind(epsilon=1.0, sensitivity=1.0, utility=utilities).randomise()


def answer(name, function, pair=ONE_MOVED, **known):
    """A function of one array of numbers in [0, 1]."""
    return Mechanism(f"tools.{name}", function, pair, **known)


def fitted(name, make, told, pair=TWO):
    """What a model publishes after it was fitted; the loss on the pair is not known."""
    return Mechanism(f"models.{name}", lambda rows: told(make(rows)), pair, proof="documented as 1-DP")


def _logistic(rows):
    return models.LogisticRegression(epsilon=1.0, data_norm=1.0).fit(rows, LABELS)


def _linear(rows):
    bounds = {"bounds_X": (-1.0, 1.0), "bounds_y": (0.0, 1.0)}
    return models.LinearRegression(epsilon=1.0, **bounds).fit(rows, LABELS)


def _through_the_origin(rows):
    model = models.LinearRegression(epsilon=1.0, bounds_X=(0.0, 1.0), bounds_y=(0.0, 1.0), fit_intercept=False)
    return model.fit(rows, np.array([1.0, 0.5])).coef_


def _tree(rows):
    bounds = (np.array([-1.0, -1.0]), np.array([1.0, 1.0]))
    model = models.DecisionTreeClassifier(max_depth=1, epsilon=1.0, bounds=bounds, classes=[0, 1])
    return model.fit(rows, LABELS)


BOX = {"epsilon": 1.0, "bounds": (-1.0, 1.0)}
SPHERE_PAIR = (np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([[1.5, 0.5], [0.5, 1.5]]))
ENDLESS = [
    of(m.LaplaceFolded(epsilon=1.0, **BOUNDED), within=True, proof="a function of Laplace noise"),
    of(m.LaplaceBoundedDomain(epsilon=1.0, **BOUNDED), within=True, proof="its scale is made for that"),
    of(m.Geometric(epsilon=1.0, sensitivity=1), INTEGERS, loss=1.0, proof="ratio e a step"),
    of(m.GeometricTruncated(epsilon=1.0, sensitivity=1, lower=0, upper=10), INTEGERS, loss=1.0, proof="ratio e a step"),
    of(m.GeometricFolded(epsilon=1.0, sensitivity=1, lower=0, upper=10), INTEGERS, within=True),
    of(m.Staircase(epsilon=1.0, sensitivity=1.0), loss=1.0, proof="stairs of ratio e"),
    Mechanism("PermuteAndFlip", choice(m.PermuteAndFlip), UTILITIES, within=True),
]
MECHANISMS = [
    *ENDLESS,
    *(replace(case, name=f"{case.name}, almost", claim=ALMOST) for case in ENDLESS),
    of(m.Laplace(epsilon=1.0, sensitivity=1.0), loss=1.0, proof="a move of 1 at scale 1"),
    of(m.Laplace(epsilon=1.0, delta=0.01, sensitivity=1.0), name="Laplace with delta", claim=ONE_WAY, within=True),
    of(m.LaplaceTruncated(epsilon=1.0, **BOUNDED), loss=1.0, proof="clipped at both ends"),
    of(m.LaplaceBoundedNoise(epsilon=1.0, delta=0.01, sensitivity=1.0), claim=ONE_WAY, within=True),
    of(m.Gaussian(epsilon=1.0, delta=0.01, sensitivity=1.0), claim=ONE_WAY, mu=1 / math.sqrt(2 * math.log(125))),
    of(m.GaussianAnalytic(epsilon=1.0, delta=0.01, sensitivity=1.0), claim=ONE_WAY, within=True),
    of(m.GaussianDiscrete(epsilon=1.0, delta=0.01, sensitivity=1), INTEGERS, claim=ONE_WAY, within=True),
    of(m.Uniform(delta=0.25, sensitivity=1.0), claim=ApproxDP(0.0, 0.25), within=True, proof="width 4"),
    of(m.Snapping(epsilon=1.0, **BOUNDED), within=True),
    of(m.Bingham(epsilon=1.0, sensitivity=1.0), SPHERE_PAIR, within=True),
    of(m.Binary(epsilon=1.0, value0="no", value1="yes"), ("no", "yes"), loss=1.0, proof="odds e"),
    Mechanism("Exponential", choice(m.Exponential), UTILITIES, within=True),
    of(
        m.ExponentialCategorical(epsilon=1.0, utility_list=[["a", "b", 1], ["a", "c", 2], ["b", "c", 2]]),
        ("a", "c"),
        within=True,
    ),
    of(m.ExponentialHierarchical(epsilon=1.0, hierarchy=[["a", "b"], ["c"]]), ("a", "c"), within=True),
    answer("mean", lambda x: tools.mean(x, bounds=UNIT), loss=1.0, proof="a mean moves by 1/4 at scale 1/4"),
    answer("var", lambda x: tools.var(x, bounds=UNIT), within=True, proof="a variance moves by at most 3/16"),
    answer("std", lambda x: tools.std(x, bounds=UNIT), within=True, proof="a function of the variance"),
    answer("sum", lambda x: tools.sum(x, bounds=UNIT), loss=1.0, proof="a sum moves by 1 at scale 1"),
    answer("count_nonzero", lambda x: tools.count_nonzero(x), loss=1.0, proof="a count moves by 1, ratio e"),
    answer("nanmean", lambda x: tools.nanmean(x, bounds=UNIT), loss=1.0, proof="a mean moves by 1/4 at scale 1/4"),
    answer("median", lambda x: tools.median(x, bounds=UNIT), (ROWS, OTHER), within=True),
    answer("quantile", lambda x: tools.quantile(x, 0.25, bounds=UNIT), (ROWS, OTHER), within=True),
    answer(
        "histogram", lambda x: tools.histogram(x, bins=3, range=UNIT)[0], (ROWS, ROWS[:3]), loss=1.0, proof="ratio e"
    ),
    fitted(
        "PCA",
        lambda rows: models.PCA(1, epsilon=1.0, data_norm=1.0, centered=True).fit(rows),
        lambda model: model.components_,
    ),
    fitted("LogisticRegression", _logistic, lambda model: (model.coef_, model.intercept_)),
    fitted("LinearRegression", _linear, lambda model: (model.coef_, model.intercept_)),
    Mechanism(
        "models.LinearRegression through the origin",
        _through_the_origin,
        (np.array([[1.0], [0.5]]), np.array([[0.0], [0.5]])),
        within=False,
        proof="its squares have no noise: https://github.com/IBM/differential-privacy-library/pull/110",
    ),
    fitted("GaussianNB", lambda rows: models.GaussianNB(**BOX).fit(rows, LABELS), lambda model: model.theta_),
    fitted("KMeans", lambda rows: models.KMeans(2, **BOX).fit(rows), lambda model: model.cluster_centers_),
    fitted(
        "StandardScaler", lambda rows: models.StandardScaler(**BOX).fit(rows), lambda model: (model.mean_, model.var_)
    ),
    fitted("DecisionTree", _tree, lambda model: model.tree_.value.tolist()),
]
