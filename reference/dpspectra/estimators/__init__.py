"""Estimators in the manner of scikit-learn (extra ``sklearn``): for pipelines, cross-validation and data frames.

Each ``fit`` is a release of its own and spends its epsilon; so does each fold of a cross-validation, and each candidate
of a search over parameters. A fitted estimator holds what was released and nothing else of the data; its pickle may be
published with its ``claim_``. What ``transform`` gives are the rows given to it, moved: these are as private as they
were.

``rows`` says what ``fit`` does with rows over the ``norm_bound``. The default ``"clip"`` shortens them, each by itself,
so that the claim holds for all data and nothing is refused that depends on a private row; variances are then those of
the shortened rows. ``"unit"`` gives all rows norm 1, and ``"refuse"`` raises ``ValueError`` with the position of one
that is too long. ``transform`` takes rows as they are.

``random_state=None`` means certified arithmetic and fresh entropy. An integer, a RandomState or a Generator means ideal
arithmetic, for tests: a fit with the same integer, or with a copy of the same generator, has the same noise. Where
the data differ, as between the folds of a cross-validation, both releases together show differences of the data;
`dpspectra.ReusedSeedWarning` says so at the second fit, as everywhere.
"""

from dpspectra.ground import extras

extras.load("sklearn", "sklearn", "estimators")

from dpspectra.estimators.covariance import PrivateCovariance  # noqa: E402
from dpspectra.estimators.pca import PrivatePCA  # noqa: E402
from dpspectra.estimators.svd import PrivateTruncatedSVD  # noqa: E402

__all__ = ["PrivateCovariance", "PrivatePCA", "PrivateTruncatedSVD"]
