"""Claim and remarks of a pipeline with private steps."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from dpspectra.accounting.composition import compose
from dpspectra.estimators.base import Released
from dpspectra.estimators.row_wise import LISTED, conditions, maps_rows
from dpspectra.mechanisms.claims import Claim
from dpspectra.mechanisms.planning import UNSEEN
from dpspectra.mechanisms.usefulness import WRONG, standing, standing_after

DECLARED = "types of the columns before the first step are declared, and do not follow from entries"
"""Assumption where a step comes before a private one: of a list the type of a column is that of all its rows."""


def claim_of(model: Any, *, unreleased: Collection[str] = ()) -> Claim:
    """Return the claim of a fitted estimator of this package, or of a `Pipeline` with some of them.

    Every other step must map each row by itself, by public numbers: a ``Normalizer``, a ``Binarizer``,
    ``PolynomialFeatures``, ``"passthrough"``, a ``OneHotEncoder`` or an ``OrdinalEncoder`` with given categories, a
    ``FunctionTransformer`` of a function of numpy that maps each number by itself or of `dpspectra.unit_rows`, and a
    ``ColumnTransformer`` or a ``Pipeline`` of these. Columns are then names or places, and ``sparse_threshold`` is 0
    where an encoder is sparse. All else is refused, subclasses too. Of steps before a private one the claim assumes
    that nobody learns of a refusal, and that types of columns are declared. Private steps after the first must clip
    rows (``rows="clip"`` or ``"unit"``), as a norm bound would be one on rows that were moved, and the first must where
    another step comes before.

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
    >>> from sklearn.preprocessing import Normalizer
    >>> model = make_pipeline(Normalizer(), PrivatePCA(1, epsilon=0.5)).fit([[3.0, 4.0], [0.0, 2.0]])
    >>> claim_of(model).epsilon
    0.5

    """
    if isinstance(model, Released):
        return model.claim_
    if type(model) is Pipeline:
        return _of_steps(model.steps, tuple(unreleased))
    if hasattr(model, "cv_results_") or hasattr(model, "param_grid") or hasattr(model, "param_distributions"):
        raise ValueError(
            "a search over parameters has no claim: cv_results_, best_params_ and what is chosen by them are exact "
            "functions of held-out rows; fit one estimator with parameters that are public"
        )
    raise _unknown(model)


def remarks_of(model: Any) -> tuple[str, ...]:
    """Return what does not stand out from noise in a fitted estimator of this package, or in a `Pipeline` with some.

    A step knows its own noise alone. Components after a private scaler are compared with its noise, too: by an error of
    its means rows have a direction that stands out, by one of its variances others. After another private step, and of
    what has no eigenvalues, it says that this is not known.

    Parameters
    ----------
    model
        A fitted estimator or pipeline.

    Returns
    -------
    tuple
        All ``remarks_``; those of a pipeline after the name of their step.

    Raises
    ------
    ValueError
        For anything else.

    Examples
    --------
    >>> from dpspectra.estimators import PrivatePCA
    >>> remarks_of(PrivatePCA(1, epsilon=0.5).fit([[1.0, 0.0]] * 9000 + [[0.0, 1.0]] * 9000))
    ()

    """
    if isinstance(model, Released):
        return model.remarks_
    if type(model) is not Pipeline:
        raise _unknown(model)
    private = [(name, step) for name, step in model.steps if isinstance(step, Released)]
    lines = ((name, (*step.remarks_, *_moved(step, private[:place]))) for place, (name, step) in enumerate(private))
    return tuple(f"{name}: {line}" for name, said in lines for line in said)


def _moved(step: Released, before: list[tuple[str, Released]]) -> tuple[str, ...]:
    """Say what stands out from the noise of a step, and not from that of private steps before it."""
    if not before:
        return ()
    names = " and ".join(name for name, _ in before)
    details = step.release_.details
    try:
        moved = standing(details) & ~standing_after(details, [each.release_.details for _, each in before])
    except WRONG:
        return (f"how much of it is noise of {names} is not known",)
    told = [
        f"component {place + 1} may be noise of {names}, by which rows are scaled" for place in np.flatnonzero(moved)
    ]
    return tuple(told)


def _unknown(model: Any) -> ValueError:
    return ValueError(f"model must be an estimator of dpspectra or a Pipeline, got one of type {type(model).__name__}")


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
        elif name not in unreleased and not maps_rows(step):
            raise ValueError(_reason(name, step, place < private[-1]))
    claim = claims[0] if len(claims) == 1 else compose(claims, method="basic")
    assumed = _assumed([step for _, step in steps[: private[-1]] if not isinstance(step, Released)])
    if unreleased:
        assumed += (f"nothing of the steps {', '.join(unreleased)} is published: no parameter, prediction or score",)
    return replace(claim, assumptions=tuple(dict.fromkeys((*claim.assumptions, *assumed))))


def _assumed(before: list[Any]) -> tuple[str, ...]:
    """Return what must be assumed of the data for steps before a private one."""
    changing = [step for step in before if step is not None and type(step) is not str]
    besides = [condition for step in changing for condition in conditions(step)]
    return (UNSEEN, DECLARED, *besides) if changing else ()


def _claim(name: str, step: Released, place: int) -> Claim:
    claim = step.claim_
    if place and claim.norm_bound is not None:
        raise ValueError(
            f"step {name!r} must have rows='clip' or 'unit' where another step comes before it, as its norm bound is "
            f"one on rows that were changed, got rows={step.rows!r}"
        )
    return claim


def _reason(name: str, step: Any, before: bool) -> str:
    kind = type(step).__name__
    if before:
        return (
            f"step {name!r} ({kind}) must map each row by itself and by public numbers, as a private step comes after "
            f"it, but it is not on the list of such steps: {LISTED}"
        )
    return (
        f"step {name!r} ({kind}) must be private too, or named as unreleased: what it learns from rows or labels has "
        "no noise"
    )
