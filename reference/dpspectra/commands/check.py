"""The command ``check``: whether a data file goes with the options by which a release reads rows, at no cost."""

import json
from dataclasses import asdict
from pathlib import Path

from dpspectra.commands.options import CheckRequest
from dpspectra.commands.rows_request import bounds_of, form_of, people_of
from dpspectra.commands.tables import Reading
from dpspectra.matrices.checking import Checked, check
from dpspectra.matrices.text_lines import SEPARATORS, ending
from dpspectra.report import command_output


def run(request: CheckRequest) -> int:
    """Print what was found. Raises ``ValueError`` with what a release would refuse, or ``OSError``."""
    bounds = bounds_of(request)
    form = form_of(request)
    people = people_of(request.data, request, Reading(form, request.columns), bounds)
    columns = request.columns if people is None else people.columns
    given = {"bounds": bounds, "columns": columns or None, **request.rule, **form._asdict()}
    found = {path: check(path, owner=request.owner, **given) for path in request.data}
    problems = [f"{path}: {problem}" for path, each in found.items() for problem in each.problems]
    lines = [line for each in found.items() for line in _lines(request, *each)]
    if lines:
        command_output.say(request.json, "\n".join(lines))
    told = [{"file": str(path), **asdict(each)} for path, each in found.items()]
    command_output.put(request.json, lambda: json.dumps(told, indent=1))
    if problems:
        raise ValueError("a release would be refused: " + "; ".join(problems))
    return 0


def _lines(request: CheckRequest, path: Path, found: Checked) -> list[str]:
    lines = [f"private: {path}: {line}" for line in found.private]
    if found.fine:
        names = "" if found.columns is None else f": {', '.join(found.columns)}"
        width = "columns" if found.width is None else f"{found.width} columns"
        outside = "names" if ending(path) in SEPARATORS else "names, types"  # text declares no types
        lines.append(f"{path}: {width}{names}; {outside} and options go together, and to see that costs no privacy")
        if ending(path) in SEPARATORS and not (request.columns or request.bounds or request.owner):
            lines.append("text declares no types: name the columns of numbers (--columns), as words are refused later")
        if not request.owner:
            lines.append("rows were not looked at: --owner does, for the owner of the data alone")
    return lines
