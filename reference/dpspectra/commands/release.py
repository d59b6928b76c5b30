"""The command ``release``: a data file in, a private statistic and its claim out."""

import inspect
import json
import logging
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.accounting.budget import Budget, charged
from dpspectra.accounting.privacy_filter import SLACK, exceeded
from dpspectra.certified.exact_moments import Moments
from dpspectra.commands import asked_loss
from dpspectra.commands.offers import AUTO, AUTO_TAKES, chosen, release_by
from dpspectra.commands.options import ReleaseRequest
from dpspectra.commands.rows_request import bounds_of, form_of, people_of
from dpspectra.commands.tables import Reading, Table, read_tables
from dpspectra.ground import checks, extras
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.matrices.reading_rule import BAD_ROWS
from dpspectra.matrices.text_lines import Malformed
from dpspectra.mechanisms.catalogue import OFFERED
from dpspectra.mechanisms.choice import CENTERS, NONE, center_of
from dpspectra.mechanisms.covariance import DENOISE
from dpspectra.mechanisms.private_data import outside
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.release_plot import NOT_DRAWN
from dpspectra.relations import among
from dpspectra.report import claim_file, command_output
from dpspectra.report.files import check_new, claim_path, leftovers, reserved, write_figure, write_release, written

LOG = logging.getLogger("dpspectra")
WORDS = {"center": CENTERS, "denoise": DENOISE}
"""Words that options take."""
SHOWS_MORE = "nothing to remark: it shows more than noise alone would"
NO_ROWS = (
    "--person must come with --center none here, as sums of people hold no rows to be centred: directions are then "
    "about zero, or the middle of --bounds; those about the mean are released in Python by "
    "components(private_covariance(Moments.read(FILE, person=.., per_person=.., bounds=..), epsilon), k)"
)


@contextmanager
def _logged() -> Iterator[None]:
    """Write what the logger says to standard error, and the time at the end."""
    handler, start, before = logging.StreamHandler(), time.perf_counter(), LOG.level
    handler.setFormatter(logging.Formatter("dpspectra: %(message)s"))
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    try:
        yield
        LOG.info("release took %.3g s", time.perf_counter() - start)
    finally:
        LOG.removeHandler(handler)
        LOG.setLevel(before)


def run(request: ReleaseRequest) -> int:
    """Release, and log how where that is asked for. Raises ``ValueError`` or ``OSError``."""
    with _logged() if request.verbose else nullcontext():
        return _run(request)


def _run(request: ReleaseRequest) -> int:
    """Check everything, read, release, write, print the names of the files."""
    request = asked_loss.in_epsilon(request)
    options = _options(request)
    _require_plot(request)
    budget = _budget(request)
    bounds = bounds_of(request)
    taken = [path for path in (*request.data, request.budget, request.bounds) if path]
    with reserved(request.out, taken, request.force):
        for left in leftovers(request.out.absolute().parent):
            note = "may hold a release that nobody published; delete it if no other dpspectra runs there"
            print(f"dpspectra: note: {left.name}, left behind by a process that was stopped, {note}", file=sys.stderr)
        table = _read(request, options, budget, bounds)
        if request.directions is not None:
            _require_columns(request.directions, table)
            options |= {} if table.labels is None else {"groups": table.labels}
        if bounds is not None:
            options["bounds"] = bounds.of_columns(table.names)
        mechanism, release = _released(request, table.rows, options, budget)
        names = None if request.frame else table.names  # the numbers of cells are of no columns
        content = written(request.out, np.asarray(release.value), names)
        said = claim_file.of(mechanism, release, content, _shape(table.rows), table.names).asdict()
        write_release(request.out, content, said)
    if request.plot:
        write_figure(request.plot, release.plot(table.names))
    places = {"release": str(request.out), "claim_file": str(claim_path(request.out))}
    command_output.say(request.json, "\n".join(_lines(request, release, said, budget)))
    command_output.put(request.json, lambda: json.dumps({**places, "claim": said}, indent=1))
    return 0


def _directions(request: ReleaseRequest) -> NDArray[Any]:
    """Return released directions, which together with the frame make cells. Raises ``ValueError`` or ``OSError``."""
    from dpspectra.mechanisms.score_histogram import Cells

    assert request.directions is not None
    along = claim_file.value(request.directions, claim_file.read(request.directions))
    Cells.of(along, request.frame or (), request.bins or 1, request.levels)
    return along


def _require_columns(directions: Path, table: Table) -> None:
    """Raise ``ValueError`` unless released directions are of the columns that were read."""
    said = claim_file.read(directions)
    if (said.columns, said.width) != (table.names, _shape(table.rows)[1]):
        whose = f"{said.width} numbers" if said.columns is None else ", ".join(said.columns)
        raise ValueError(f"{directions} must have directions of the columns that are read, got some of {whose}")


def _require_plot(request: ReleaseRequest) -> None:
    """Raise ``ValueError`` or ``ImportError`` for a picture that could not be made, before data are read."""
    if request.plot is None:
        return
    if request.mechanism in NOT_DRAWN or request.denoise is not None:
        what = "--denoise" if request.denoise is not None else request.mechanism
        raise ValueError(f"--plot shows noisy eigenvalues and must be left out with {what}, which has none")
    check_new(request.plot, request.force)
    extras.load("matplotlib.figure", "plot", "plots")


def _read(
    request: ReleaseRequest, options: Mapping[str, Any], budget: Budget | None, bounds: ColumnBounds | None
) -> Table:
    """Read the data: rows, sums, or the sums of people who have several rows."""
    total = checks.choice(request.bad_rows, "--bad-rows", BAD_ROWS) == "zero"
    reading = Reading(form_of(request), request.columns, total, request.groups, bounds)
    people = people_of(request.data, request, reading, bounds)
    if people is None:
        known = {} if bounds is None else {"bounds": bounds.of_columns(bounds.names)}
        with _charging(Malformed, request, options, budget, **known):
            return read_tables(request.data, reading)
    with _charging(ValueError, request, options, budget, X=people.nobody):
        return people.read()


@contextmanager
def _charging(
    kind: type[ValueError], request: ReleaseRequest, options: Mapping[str, Any], budget: Budget | None, **data: Any
) -> Iterator[None]:
    """Let a budget pay the claim of the release where reading is refused, as for rows that a mechanism refuses.

    Otherwise an answer for other columns would be free.
    """
    try:
        yield
    except kind as problem:
        words = str(problem)
        if budget is not None:
            record = OFFERED["laplace_covariance" if request.mechanism == AUTO else request.mechanism]
            given = {name: each for name, each in options.items() if name in ("relation", "center", "mechanism")} | data
            plan = record.planned(epsilon=request.epsilon, delta=request.delta or 0.0, **request.rule, **given)
            claim = replace(plan, delta=request.delta or 0.0)
            budget.spend(claim)
            words = f"{words}; {charged(claim)}"
    else:
        return
    raise kind(words)


def _budget(request: ReleaseRequest) -> Budget | None:
    """Return the budget; where amounts add up, what cannot fit is refused before the data are read."""
    words = {"by": request.by, "note": request.note}
    if request.budget is None:
        if named := [f"--{name}" for name in ("part", *words) if getattr(request, name) is not None]:
            raise ValueError(f"{' and '.join(named)} must come with --budget, got no budget")
        return None
    budget = Budget.open(request.budget)
    if request.part is not None:
        budget = budget.part(request.part)
    budget = budget.noted(**words, data=[path for path in request.data if path.is_file()])
    for name in ("epsilon", "delta") if budget.method == "basic" and budget.measure == "epsilon" else ():
        total = getattr(budget.spent, name) + (getattr(request, name) or 0.0)
        if total > getattr(budget, name) * SLACK:
            spent = getattr(budget.spent, name)
            raise exceeded(name, getattr(budget, name), spent, f"{total:g} with this release")
    return budget


def _released(
    request: ReleaseRequest, rows: Any, options: dict[str, Any], budget: Budget | None
) -> tuple[str, Release[Any]]:
    """Name of the mechanism, and the release; from the budget if there is one."""
    name = request.mechanism
    if not isinstance(rows, Moments) and rows.ndim != 2:
        raise ValueError(f"{request.data[0]} must hold rows of shape (n, d), got {rows.shape}")
    if name == AUTO:
        name, reason = chosen(_shape(rows)[1], options["epsilon"], request.k, request.delta)
        options = {o: value for o, value in options.items() if o not in AUTO_TAKES or o in OFFERED[name].known}
        _require_known(name, options)
        LOG.info("mechanism %s: %s", name, reason)
    rule = request.rule if OFFERED[name].bounded else {"bad_rows": request.bad_rows}
    asked_loss.require_kept(request, OFFERED[name].planned(X=rows, **rule, **options))
    release = release_by(OFFERED[name], rows, budget=budget, **rule, **options)
    release = replace(release, claim=asked_loss.stated(request, release.claim))
    if "reason" in release.details:
        LOG.info("%s by %s: %s", name, release.details["mechanism"], release.details["reason"])
    return name, release


def _shape(rows: Any) -> tuple[int, int]:
    """Return the number of rows, which is public under some relations only, and of columns."""
    shape = outside(rows).shape
    assert shape is not None
    return shape


def _lines(request: ReleaseRequest, release: Release[Any], said: dict[str, Any], budget: Budget | None) -> list[str]:
    """Describe a release; give the number of rows only where it is public."""
    claim, data = release.claim, said["data"]
    counted = "" if data["rows"] is None else f"{data['rows']} "
    whose = "rows" if request.person is None else "people with rows"
    delta = f", delta {claim.delta:g}" if claim.delta else ""
    lines = [
        f"{', '.join(map(str, request.data))}: {counted}{whose} of {data['columns']} numbers",
        f"{request.out}: shape {said['value']['shape']}, epsilon {claim.epsilon:g}{delta}"
        f"{asked_loss.told(request, claim)}, neighbours: {claim.relation}; claim in {claim_path(request.out)}",
    ]
    lines += release.remarks or (SHOWS_MORE,)
    return lines if budget is None else [*lines, f"{request.budget}: {budget}"]


def _options(request: ReleaseRequest) -> dict[str, Any]:
    """Return the special options of the mechanism that was asked for; all that is public is checked."""
    name = checks.choice(request.mechanism, "mechanism", (AUTO, *OFFERED))
    names = ("delta", "k", "relation", "center", "difference_bound", "denoise", "directions", "frame", "bins", "groups")
    options = {option: value for option in names if (value := getattr(request, option)) is not None}
    needs = () if name == AUTO else OFFERED[name].needs
    if missing := [f"--{option}" for option in needs if option not in options]:
        raise ValueError(f"{name} needs {' and '.join(missing)}")
    if name != AUTO:
        _require_known(name, options)
        options |= asked_loss.by_gaussian_noise(request)
    if "delta" in options:
        checks.probability(options["delta"], "delta", zero="delta" not in needs)
    if (request.groups is None) != (request.levels is None):
        raise ValueError("--groups and --levels must be given together, got one of them")
    if "directions" in options:
        options |= {"directions": _directions(request), "levels": request.levels}
    options["epsilon"] = checks.positive(request.epsilon, "epsilon")
    checks.positive(request.norm_bound, "norm_bound")
    record = OFFERED.get("private_pca" if name == AUTO and request.k is not None else name)
    if request.person is not None and record and record.centred and center_of(**options) != NONE:
        raise ValueError(NO_ROWS)
    if request.person is not None and record and not record.moments:
        raise ValueError(
            f"{name} takes no --person, as sums of people hold no rows: make a file of one row a person beforehand"
        )
    return options


def _require_known(name: str, options: dict[str, Any]) -> None:
    """Raise ``ValueError`` for an option that the mechanism does not have, and for a word that it does not know."""
    known = inspect.signature(OFFERED[name].function()).parameters
    if extra := [f"--{option.replace('_', '-')}" for option in options if option not in known]:
        raise ValueError(f"{name} takes no {' or '.join(extra)}")
    if "relation" in options:
        among(options["relation"], OFFERED[name].relations)
    for option, words in WORDS.items():
        if option in options:
            checks.choice(options[option], option, words)
