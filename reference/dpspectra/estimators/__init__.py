"""Estimators in the manner of scikit-learn (extra ``sklearn``): for pipelines, cross-validation and data frames.

There are principal components, second moments, covariances and a scaler; regression and clustering are out of scope.

Each ``fit`` is a release of its own and spends its epsilon; so does each fold of a cross-validation, and each candidate
of a search over parameters. Give a ``budget`` (`dpspectra.Budget`): clones share it, each fit is paid before the rows
are opened, and what does not fit is refused with `dpspectra.BudgetError`. In a search say ``error_score="raise"``.
Without one, `RepeatedFitWarning` counts the fits of an estimator and its clones within one process. A fitted estimator
holds what was released and nothing else of the data; its pickle may be published with its ``claim_``. The
output of ``transform`` is the given rows, moved: they are as private as they were.

An estimator cannot see what ran before it or after it: `remarks_of` says what of a whole pipeline does not stand out
from noise. `claim_of` says what it claims, or why nothing:
a step before a private one must change each row by itself, by public numbers (a ``StandardScaler`` does not), and a
step after it that learns from the rows or from labels has no noise of its own. A search has no claim: ``cv_results_``,
``best_params_`` and all that is chosen by them are exact functions of held-out rows. Labels are data, too.

``rows`` says what ``fit`` does with rows over the ``norm_bound``. The default ``"clip"`` shortens them, each by itself,
so that the claim holds for all data and nothing is refused that depends on the length of a private row; variances are
then those of the shortened rows. ``"unit"`` gives all rows norm 1, and ``"refuse"`` raises ``ValueError`` with the
position of one that is too long. ``bad_rows="zero"`` takes rows with a value that is no finite number for zero rows.
``transform`` takes rows as they are.

``random_state=None`` means fresh entropy, and certified arithmetic; ``claim_.arithmetic`` says which. An integer, a
RandomState or a Generator means ideal arithmetic, for tests: a fit with the same integer, or with a copy of the same
generator, has the same noise. Where the data differ, as between the folds of a cross-validation, both releases together
show differences of the data; `dpspectra.ReusedSeedWarning` says so at the second fit, as everywhere.
"""

from dpspectra.ground import extras

extras.load("sklearn", "sklearn", "estimators")

from dpspectra.estimators.base import RepeatedFitWarning  # noqa: E402
from dpspectra.estimators.covariance import PrivateCovariance  # noqa: E402
from dpspectra.estimators.pca import PrivatePCA  # noqa: E402
from dpspectra.estimators.pipelines import claim_of, remarks_of  # noqa: E402
from dpspectra.estimators.scaler import PrivateStandardScaler  # noqa: E402
from dpspectra.estimators.svd import PrivateTruncatedSVD  # noqa: E402

__all__ = [
    "PrivateCovariance",
    "PrivatePCA",
    "PrivateStandardScaler",
    "PrivateTruncatedSVD",
    "RepeatedFitWarning",
    "claim_of",
    "remarks_of",
]
