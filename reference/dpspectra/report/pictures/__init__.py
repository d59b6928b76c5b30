"""Pictures of statements, computed when the site is built by the functions that the statement's own check uses."""

from collections.abc import Callable, Mapping

from dpspectra.ground import checks
from dpspectra.ledger import get, papers
from dpspectra.report.pictures import (
    angles,
    audits,
    compositions,
    densities,
    errors,
    leverages,
    packings,
    perturbations,
    profiles,
    tails,
)
from dpspectra.report.pictures.picture import Picture, figure

KINDS: Mapping[str, Mapping[str, Callable[[], Picture]]] = {
    "privacy profile": profiles.PICTURES,
    "error against epsilon": errors.PICTURES,
    "bound beside the exact law": tails.PICTURES,
    "packing": packings.PICTURES,
    "angle by round": angles.PICTURES,
    "law on an orbit": densities.PICTURES,
    "audit by draws": audits.PICTURES,
    "moves of eigenvalues and subspaces": perturbations.PICTURES,
    "leverages and residuals": leverages.PICTURES,
    "composition": compositions.PICTURES,
}
"""For each kind of picture the statements that have one, by their first label."""
PICTURES = {name: draw for drawn in KINDS.values() for name, draw in drawn.items()}


def of(name: str) -> Picture:
    """Return the picture of a statement, named as `dpspectra.ledger.papers.resolve` takes it.

    Raises ``ValueError`` for an unknown name, for what is no text, and for a statement without a picture.
    """
    entry = get(papers.resolve(checks.text(name, "name")).label).id
    if entry not in PICTURES:
        paper = entry.partition("-")[0]
        others = ", ".join(sorted(label for label in PICTURES if label.startswith(f"{paper}-")))
        raise ValueError(
            f"the statement must have a picture, got {entry}, which has none; of {paper} these have: {others}"
        )
    return PICTURES[entry]()


def html(name: str) -> str:
    """Return the picture of a statement as HTML; empty if it has none."""
    return figure(PICTURES[name]()) if name in PICTURES else ""
