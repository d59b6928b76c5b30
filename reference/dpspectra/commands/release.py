"""The command ``release``: a data file in, a private statistic and its claim out."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dpspectra import __version__
from dpspectra.commands.offers import AUTO, AUTO_TAKES, chosen, release_by
from dpspectra.commands.tables import read_table
from dpspectra.ground import checks
from dpspectra.matrices.rows import clipped_rows
from dpspectra.mechanisms.catalogue import OFFERED
from dpspectra.report.files import check_release, claim_path, write_release

LOG = logging.getLogger("dpspectra")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRequest:
    """Options of ``dpspectra release``."""

    data: Path
    """File of rows."""
    header: bool | None
    """Whether the first line of a .csv file holds names; ``None`` if that is to be seen from it."""
    mechanism: str
    """Name of one of the `OFFERED`, or `AUTO`."""
    epsilon: float
    """Privacy loss in nats."""
    delta: float | None
    k: int | None
    """Target rank."""
    norm_bound: float
    """Public bound on the Euclidean norm of a row."""
    clip: bool
    """Whether longer rows are scaled down to the bound; otherwise they are an error."""
    out: Path
    force: bool
    """Whether an older release may be replaced."""
    json: bool


def run(request: ReleaseRequest) -> int:
    """Check everything, read, release, write, print what was written. Raises ``ValueError`` or ``OSError``."""
    options = _options(request)
    checks.positive(request.epsilon, "epsilon")
    bound = checks.positive(request.norm_bound, "norm_bound")
    check_release(request.out, request.data, request.force)
    table = read_table(request.data, request.header)
    if request.clip:
        table = clipped_rows(checks.real_rows(table, "the data"), bound)
    rows = checks.rows(table, bound, "the data")
    n, d = rows.shape
    LOG.info("%s: %d rows of %d numbers", request.data, n, d)
    mechanism = request.mechanism
    if mechanism == AUTO:
        mechanism, reason = chosen(d, request.epsilon, request.k, request.delta)
        options = {name: value for name, value in options.items() if name in OFFERED[mechanism].known}
        LOG.info("mechanism %s: %s", mechanism, reason)
    release = release_by(OFFERED[mechanism], rows, request.epsilon, bound, **options)
    if "reason" in release.details:
        LOG.info("%s by %s: %s", mechanism, release.details["mechanism"], release.details["reason"])
    claim = {
        "mechanism": mechanism,
        **release.claim.asdict(),
        "norm_bound": bound,
        "rows_clipped": request.clip,
        "shape": list(np.shape(release.value)),
        "version": __version__,
    }
    claim = write_release(request.out, np.asarray(release.value), claim)
    if request.json:
        places = {"release": str(request.out), "claim_file": str(claim_path(request.out))}
        print(json.dumps({**places, "rows": n, "columns": d, "claim": claim}, indent=1))
        return 0
    print(f"{request.data}: {n} rows of {d} numbers")
    delta = f", delta {release.claim.delta:g}" if release.claim.delta else ""
    print(
        f"{request.out}: shape {claim['shape']}, epsilon {release.claim.epsilon:g}{delta}, "
        f"neighbours: {release.claim.relation}; claim in {claim_path(request.out)}"
    )
    return 0


def _options(request: ReleaseRequest) -> dict[str, Any]:
    """The options that only some mechanisms have, as the one asked for takes them."""
    name = checks.choice(request.mechanism, "mechanism", (AUTO, *OFFERED))
    needs, known = ((), AUTO_TAKES) if name == AUTO else (OFFERED[name].needs, OFFERED[name].known)
    given = {"delta": request.delta, "k": request.k}
    options = {name: value for name, value in given.items() if value is not None}
    if missing := [f"--{option}" for option in needs if option not in options]:
        raise ValueError(f"{name} needs {' and '.join(missing)}")
    if extra := [f"--{option}" for option in options if option not in known]:
        raise ValueError(f"{name} takes no {' or '.join(extra)}")
    if "delta" in options:
        checks.probability(options["delta"], "delta", zero="delta" not in needs)
    return options
