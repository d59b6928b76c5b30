"""pipeline-dp 0.3.1: noise drawn in C++ by python-dp, and by numpy where it chooses."""

import pipeline_dp
from pipeline_dp import dp_computations as dp

from bench.foreign import COMPILED, ONE, Mechanism
from dpspectra.audit import ApproxDP

RECORDS = [("ann", "a", 1.0), ("ben", "a", 1.0), ("eve", "a", 1.0)]
SMALL = ApproxDP(1.0, 0.01)


class _Nearest(dp.ExponentialMechanism.ScoringFunction):
    """Minus the distance to the data, which moves a score by 1 at most."""

    def __init__(self, data):
        self.data = data

    def score(self, k):
        return -abs(k - self.data)

    @property
    def global_sensitivity(self):
        return 1.0

    @property
    def is_monotonic(self):
        return False


def _pipeline(metric):
    def run(records):
        backend = pipeline_dp.LocalBackend()
        accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=1.0, total_delta=0.01)
        engine = pipeline_dp.DPEngine(accountant, backend)
        parameters = pipeline_dp.AggregateParams(
            metrics=[metric],
            max_partitions_contributed=1,
            max_contributions_per_partition=1,
            min_value=0.0,
            max_value=1.0,
        )
        extract = pipeline_dp.DataExtractors(
            privacy_id_extractor=lambda row: row[0],
            partition_extractor=lambda row: row[1],
            value_extractor=lambda row: row[2],
        )
        told = engine.aggregate(records, parameters, extract, public_partitions=["a"])
        accountant.compute_budgets()
        return [(key, tuple(values)) for key, values in told]

    return run


def compiled(name, run, pair, claim=ONE, **known):
    return Mechanism(name, run, pair, claim, noise=COMPILED, **known)


MECHANISMS = [
    compiled("apply_laplace_mechanism", lambda x: dp.apply_laplace_mechanism(x, 1.0, 1.0), (0.0, 1.0), loss=1.0),
    compiled(
        "apply_gaussian_mechanism",
        lambda x: dp.apply_gaussian_mechanism(x, 1.0, 0.01, 1.0),
        (0.0, 1.0),
        SMALL,
        within=True,
    ),
    Mechanism(
        "ExponentialMechanism",
        lambda x: int(dp.ExponentialMechanism(_Nearest(x)).apply(1.0, [0, 1, 2])),
        (0, 1),
        within=True,
        proof="weights exp(score / 2), scores that move by 1",
    ),
    compiled("DPEngine, count", _pipeline(pipeline_dp.Metrics.COUNT), (RECORDS, RECORDS[:2]), SMALL, within=True),
    compiled("DPEngine, sum", _pipeline(pipeline_dp.Metrics.SUM), (RECORDS, RECORDS[:2]), SMALL, within=True),
    compiled("DPEngine, mean", _pipeline(pipeline_dp.Metrics.MEAN), (RECORDS, RECORDS[:2]), SMALL, within=True),
]
