"""Return the claim of a pipeline with private steps."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Binarizer, FunctionTransformer, Normalizer, PolynomialFeatures

from dpspectra.accounting.composition import compose
from dpspectra.estimators.base import Released
from dpspectra.matrices.rows import unit_rows
from dpspectra.mechanisms.claims import Claim

BY_ROW = (Normalizer, Binarizer, PolynomialFeatures)
"""Transformers that map each row by itself, by public numbers alone, whatever they were fitted to."""


def claim_of(model: Any, *, unreleased: Collection[str] = ()) -> Claim:
    """Return the claim of a fitted estimator of this package, or of a `Pipeline` with some of them.

    Every other step must map each row by itself, by public numbers: a ``Normalizer``, a ``Binarizer``,
    ``PolynomialFeatures``, ``"passthrough"``, or a ``FunctionTransformer`` of a numpy ufunc or of
    `dpspectra.unit_rows`. Private steps after the first must clip rows (``rows="clip"`` or ``"unit"``), as a norm bound
    would be one on rows that were moved, and the first must where another step comes before.

    Parameters
    ----------
    model
        A fitted estimator or pipeline.
    unreleased
        Names of steps after the last private one of which nothing is published: no coefficient, prediction or score.
        The claim says so.

    Returns
    -------
    Claim
        For all released attributes of all steps together.

    Raises
    ------
    ValueError
        With the reason, for any other pipeline, and for searches over parameters: their scores, and choices by them,
        are exact functions of held-out rows.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from dpspectra.estimators import PrivatePCA
    >>> model = make_pipeline(Normalizer(), PrivatePCA(1, epsilon=0.5)).fit(np.eye(4))
    >>> claim_of(model).epsilon
    0.5

    """
    if isinstance(model, Released):
        return model.claim_
    if isinstance(model, Pipeline):
        return _of_steps(model.steps, tuple(unreleased))
    if hasattr(model, "cv_results_") or hasattr(model, "param_grid") or hasattr(model, "param_distributions"):
        raise ValueError(
            "a search over parameters has no claim: cv_results_, best_params_ and what is chosen by them are exact "
            "functions of held-out rows; fit one estimator with parameters that are public"
        )
    raise ValueError(f"model must be an estimator of dpspectra or a Pipeline, got one of type {type(model).__name__}")


def _of_steps(steps: list[tuple[str, Any]], unreleased: tuple[str, ...]) -> Claim:
    private = [place for place, (_, step) in enumerate(steps) if isinstance(step, Released)]
    if not private:
        raise ValueError("a pipeline must have a private step to claim anything, got none")
    later = [name for name, _ in steps[private[-1] + 1 :]]
    if unknown := [name for name in unreleased if name not in later]:
        raise ValueError(f"unreleased must name steps after the last private one, got {unknown[0]!r}")
    claims = []
    for place, (name, step) in enumerate(steps):
        if isinstance(step, Released):
            claims.append(_claim(name, step, place))
        elif name not in unreleased and not _by_row(step):
            raise ValueError(_reason(name, step, place < private[-1]))
    claim = claims[0] if len(claims) == 1 else compose(claims, method="basic")
    if not unreleased:
        return claim
    told = f"nothing of the steps {', '.join(unreleased)} is published: no parameter, prediction or score"
    return replace(claim, assumptions=(*claim.assumptions, told))


def _claim(name: str, step: Released, place: int) -> Claim:
    claim = step.claim_
    if place and claim.norm_bound is not None:
        raise ValueError(
            f"step {name!r} must have rows='clip' or 'unit' where another step comes before it, as its norm bound is "
            f"one on rows that were changed, got rows={step.rows!r}"
        )
    return claim


def _by_row(step: Any) -> bool:
    """Whether a step maps each row by itself, by public numbers."""
    if step is None or step == "passthrough" or type(step) in BY_ROW:
        return True
    if type(step) is not FunctionTransformer or step.kw_args:
        return False
    return step.func is None or step.func is unit_rows or isinstance(step.func, np.ufunc)


def _reason(name: str, step: Any, before: bool) -> str:
    kind = type(step).__name__
    if before:
        return (
            f"step {name!r} ({kind}) must map each row by itself and by public numbers, as a private step comes after "
            "it: replacing one row must not move the others"
        )
    return (
        f"step {name!r} ({kind}) must be private too, or named as unreleased: what it learns from rows or labels has "
        "no noise"
    )
