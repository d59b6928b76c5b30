"""Every mechanism once: one record each, from which all lists of mechanisms derive. It imports none of them.

After a change run ``make names``: it writes what must be static, as type checkers and readers read it.
"""

from __future__ import annotations

from collections.abc import Mapping

from dpspectra.ground.values import choice
from dpspectra.mechanisms.mechanism_record import BATCHES, MATRIX, MOMENTS, ROOM, Ideal, Mechanism
from dpspectra.relations import Relation

BOTH = (Relation.REPLACE, Relation.ADD_REMOVE)
ROW_KEPT = (Relation.REPLACE, Relation.ZERO_OUT)
ORBIT = ("MWKTV-A1", "MWKTV-L6.2X", "MWKTV-T5.3")
NOISY = ("JXZ-T1", "JXZ-L2-X", "HR-T2.6R", "DPS-SHAPE", "DPS-TILT", "JXZ-T4-R1", "DPS-KNORM")
"""Statements behind the noises that others may choose."""
PURE, SMALL = {"epsilon": 1.0}, {"epsilon": 1.0, "delta": 1e-3}

_RECORDS = (
    Mechanism(
        name="laplace_covariance",
        home="covariance",
        text="second moments X'X/n, with Laplace noise; epsilon-DP",
        labels=("JXZ-T1", "JXZ-L2-X"),
        alone=("matrix",),
        noise="laplace",
        scales=("laplace",),
        ideals=(Ideal("triangle_noise", ("laplace", 1.0), PURE),),
        offered=True,
    ),
    Mechanism(
        name="gaussian_covariance",
        home="covariance",
        text="second moments X'X/n, with Gaussian noise; (epsilon, delta)-DP",
        needs=("delta",),
        labels=("HR-T2.6R", "DPS-SHAPE", "JXZ-L2-X"),
        alone=("matrix",),
        gaussian=True,
        noise="gaussian",
        scales=("gaussian",),
        ideals=(
            Ideal("shaped_normal_noise", (1.0, 1e-3), SMALL),
            Ideal("triangle_noise", ("normal", 1.0, 1e-3), {**SMALL, "shape": "triangle"}),
        ),
        offered=True,
    ),
    Mechanism(
        name="symmetric_wishart_covariance",
        home="wishart",
        text="second moments X'X/n, with a tilted difference of two Wishart matrices; epsilon-DP",
        relations=ROW_KEPT,
        labels=("DPS-TILT", "JXZ-T4-R1"),
        alone=("matrix",),
        noise="symmetric_wishart",
        arrays=9,
        scales=("symmetric_wishart",),
        ideals=(
            Ideal("tilted_difference", (1.0,), PURE),
            Ideal("wishart_difference", (1.0,), {"epsilon": 0.5, "relation": "zero_out"}),
        ),
        offered=True,
    ),
    Mechanism(
        name="knorm_covariance",
        home="knorm",
        text="second moments X'X/n of at most 6 columns, with K-norm noise; epsilon-DP",
        labels=("DPS-KNORM",),
        alone=("matrix",),
        noise="knorm",
        scales=("knorm",),
        ideals=(Ideal("knorm_noise", (1.0,), PURE),),
        offered=True,
    ),
    Mechanism(
        name="wishart_covariance",
        home="wishart",
        text="second moments X'X/n, with centred Wishart noise; (epsilon, delta)-DP",
        needs=("delta",),
        relations=ROW_KEPT,
        labels=("JXZ-T4-G", "JXZ-T4-R2", "JXZ-T4-E", "DPS-DEGREES"),
        alone=("matrix",),
        scales=("wishart",),
        ideals=(Ideal("centred_wishart", (1.0, 1e-3), SMALL),),
        offered=True,
    ),
    Mechanism(
        name="private_mean",
        home="mean",
        text="the mean of the rows, with noise in all directions alike; epsilon-DP, or (epsilon, delta)-DP",
        takes=("delta",),
        labels=("DPS-L2GAMMA", "HR-T2.6R"),
        alone=("mean",),
        gaussian=True,
        scales=("l2_gamma", "gaussian_sum"),
        moments=1,
        offered=True,
    ),
    Mechanism(
        name="private_norm_bound",
        home="norm_bound",
        text="a bound that a share of the norms of rows keeps; epsilon-DP",
        needs=("lower", "upper"),
        relations=BOTH,
        labels=("JXZ-T1", "JXZ-D5"),
        alone=("counts",),
        scales=("counts",),
        bounded=False,
        moments=0,
    ),
    Mechanism(
        name="private_score_histogram",
        home="score_histogram",
        text="how many rows have their scores on two directions in each cell of a frame; epsilon-DP",
        needs=("directions", "frame"),
        relations=BOTH,
        labels=("DPS-CELLS", "JXZ-T1"),
        alone=("cells",),
        scales=("counts",),
        offered=True,
        bounded=False,
        moments=0,
    ),
    Mechanism(
        name="private_scaler",
        home="scaler",
        text="the means and the variances of columns; epsilon-DP, or (epsilon, delta)-DP",
        takes=("delta",),
        labels=("DPS-L2GAMMA", "JXZ-T1", "DPS-SCALER", "HR-T2.6R"),
        alone=("variances",),
        gaussian=True,
        scales=("column_squares", "columns"),
    ),
    Mechanism(
        name="private_moments",
        home="mean_and_moments",
        text="the mean and the second moments X'X/n, by one noise; epsilon-DP, or (epsilon, delta)-DP",
        takes=("delta",),
        labels=(*NOISY, "DPS-AUGMENTED"),
        alone=("mean", "matrix"),
        chooses=True,
    ),
    Mechanism(
        name="private_covariance",
        home="covariance_about_mean",
        text="the covariance about the mean, which may be by pairs; epsilon-DP, or (epsilon, delta)-DP",
        takes=("delta",),
        labels=(*NOISY, "DPS-AUGMENTED", "DPS-SHORTPAIRS"),
        alone=("matrix",),
        chooses=True,
        offered=True,
    ),
    Mechanism(
        name="private_pca",
        home="pca",
        text="K principal directions of the rows, about their mean; epsilon-DP, or (epsilon, delta)-DP",
        needs=("k",),
        takes=("delta",),
        relations=BOTH,
        labels=(*NOISY, *ORBIT, "DPS-COMPOSE", "DPS-L2GAMMA", "DPS-UNITROWS", "DPS-PAIRS"),
        alone=("eigenvalues", "directions", "loss"),
        centred=True,
        chooses=True,
        offered=True,
    ),
    Mechanism(
        name="private_spectrum",
        home="spectrum",
        text="K largest eigenvalues of X'X/n; epsilon-DP",
        data=MOMENTS,
        needs=("k",),
        relations=BOTH,
        labels=("MWKTV-T7.1", "MWKTV-E20", "JXZ-T1"),
        alone=("eigenvalues",),
        scales=("spectrum",),
        ideals=(Ideal("noisy_spectrum", (2, 1.0), {**PURE, "k": 2}),),
        offered=True,
    ),
    Mechanism(
        name="private_low_rank",
        home="low_rank",
        text="approximation of X'X/n of rank at most K; epsilon-DP, or (epsilon, delta)-DP",
        data=MOMENTS,
        needs=("k",),
        takes=("delta",),
        relations=BOTH,
        labels=(*NOISY, "MWKTV-A2R", "MWKTV-T7.1", "MWKTV-L6.2X"),
        alone=("eigenvalues", "loss"),
        chooses=True,
        offered=True,
    ),
    Mechanism(
        name="private_orbit",
        home="orbit",
        text="a symmetric matrix of a given public spectrum, close to X'X; epsilon-DP",
        data=MOMENTS,
        needs=("eigenvalues",),
        relations=BOTH,
        labels=ORBIT,
        alone=("loss",),
        scales=("exponential",),
    ),
    Mechanism(
        name="private_power_method",
        home="power",
        text="K leading directions of a matrix, dense, sparse or on a cluster; epsilon-DP, or (epsilon, delta)-DP",
        data=MATRIX,
        needs=("k", "iterations"),
        takes=("delta",),
        relations=(Relation.PAIR, Relation.ENTRY, Relation.SPECTRAL, Relation.RANK_ONE),
        labels=("HP-K4.2P", "HP-L4.5", "HP-SENS"),
        alone=("singular values",),
        gaussian=True,
        scales=("power",),
    ),
    Mechanism(
        name="private_range_finder",
        home="range_finding",
        text="an orthonormal basis near the range of A; (epsilon, delta)-DP",
        data=MATRIX,
        needs=("k", "delta"),
        relations=(Relation.ROW,),
        labels=("HR-L4.1R",),
        alone=("singular values",),
    ),
    Mechanism(
        name="private_projection",
        home="range_finding",
        text="U (U'A + N) for a public U; (epsilon, delta)-DP",
        data=MATRIX,
        needs=("basis", "delta"),
        relations=(Relation.ROW,),
        labels=("HR-L4.6R",),
        alone=("singular values",),
        gaussian=True,
        scales=("gaussian",),
    ),
    Mechanism(
        name="project_find_prune",
        home="range_finding",
        text="an approximation of A of rank 2 K + 1; (epsilon, delta)-DP",
        data=MATRIX,
        needs=("k", "delta"),
        relations=(Relation.ROW,),
        labels=("HR-L6.1R", "HR-L4.6R"),
        alone=("singular values",),
    ),
    Mechanism(
        name="randomized_response_low_rank",
        home="entrywise_noise",
        text="the best approximation of rank K of A plus noise; (epsilon, delta)-DP",
        data=MATRIX,
        needs=("k", "delta"),
        relations=(Relation.ROW,),
        labels=("HR-T2.6R",),
        alone=("singular values",),
        gaussian=True,
        scales=("gaussian",),
    ),
    Mechanism(
        name="row_counting_direction",
        home="row_counting",
        text="a direction near that of many rows; epsilon-DP",
        needs=("aligned",),
        relations=BOTH,
        bounded=False,
        moments=0,
        labels=("MWKTV-ROWEXP",),
        alone=("line",),
        scales=("exponential",),
    ),
    Mechanism(
        name="noisy_power_method",
        home="power",
        text="K leading directions by products with noise of your choice; not private by itself",
        data=MATRIX,
        needs=("k", "iterations"),
        private=False,
    ),
    Mechanism(
        name="streaming_power_method",
        home="streaming",
        text="K leading directions of rows that come in batches; not private",
        data=BATCHES,
        needs=("k", "rows_per_round"),
        private=False,
    ),
    Mechanism(
        name="randomized_range_finder",
        home="range_finding",
        text="an orthonormal basis of the range of A; not private",
        data=MATRIX,
        needs=("k",),
        private=False,
    ),
)
MECHANISMS: Mapping[str, Mechanism] = {record.name: record for record in _RECORDS}
"""Every mechanism by name, in the order in which it is listed."""
NOISES: Mapping[str, Mechanism] = {name: record for name, record in MECHANISMS.items() if record.noise}
"""Covariances whose noise other mechanisms may choose."""
OFFERED: Mapping[str, Mechanism] = {name: record for name, record in MECHANISMS.items() if record.offered}
"""Mechanisms that ``dpspectra release`` offers."""


def get(name: str, records: Mapping[str, Mechanism] = MECHANISMS) -> Mechanism:
    """Return the record of this name; raises ``ValueError`` with the nearest names if there is none.

    >>> get("laplace_covariance").text
    "second moments X'X/n, with Laplace noise; epsilon-DP"
    """
    return records[choice(name, "mechanism", records)]


def of(function: object) -> Mechanism | None:
    """Return the record of a function of this package; ``None`` for anybody else's, also one that wraps ours."""
    record = MECHANISMS.get(getattr(function, "__name__", ""))
    known = record and getattr(function, "__module__", "") == f"{ROOM}.{record.home}" and record.function() is function
    return record if known else None
