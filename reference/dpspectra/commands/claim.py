"""The command ``claim``: the claim of a release, whether the file is the released one, and defects known since."""

import json
import math
from dataclasses import asdict, replace
from pathlib import Path

from dpspectra.accounting.limits import Limit
from dpspectra.commands.options import ClaimRequest
from dpspectra.ground import records
from dpspectra.mechanisms import plain_words
from dpspectra.mechanisms.catalogue import MECHANISMS
from dpspectra.mechanisms.claims import Claim
from dpspectra.report import claim_file, command_output
from dpspectra.report.advisories import Advisory, advisories
from dpspectra.report.files import check_new, released, write_figure


def run(request: ClaimRequest) -> int:
    """Print the claim, and draw its release; 1 if the release is another one than the claim's, or has a known defect.

    Raises ``ValueError`` for a picture of a release that cannot be drawn.
    """
    file = released(request.file)
    said = claim_file.read(file)
    check_new(request.plot, request.force)
    try:
        value = claim_file.value(file, said)
        whole = True
    except claim_file.WrongDigest:
        if request.plot:
            raise
        whole = False
    if request.plot:
        write_figure(request.plot, replace(said.release, value=value).plot(said.columns))
    known = [
        each for each in advisories() if each.touched(said.mechanism, said.version, said.format, said.release.claim)
    ]
    told = {"file": str(file), "whole": whole, "sentence": sentence(said.release.claim)}
    told |= {
        "measures": measures(said.release.claim),
        "claim": said.asdict(),
        "advisories": [asdict(each) for each in known],
    }
    command_output.say(request.json, "\n".join(map(records.printable, _lines(file, said, whole, known))))
    command_output.put(request.json, lambda: json.dumps(told, indent=1))
    return 0 if whole and not known else 1


def sentence(claim: Claim) -> str:
    """Write a claim in words."""
    besides = f", and {claim.delta:g} besides" if claim.delta else ""
    factor = f"e^{claim.epsilon:g}"
    if claim.epsilon < math.log(1000):
        factor += f" = {math.exp(claim.epsilon):.4g}"
    return (
        f"Of two neighbouring data sets neither makes any set of outputs more likely than the other by more than a "
        f"factor of {factor}{besides}. Neighbours: {claim.neighbours}"
    )


def measures(claim: Claim) -> dict[str, float]:
    """Return the rho of zCDP and the mu of Gaussian privacy that follow from a claim, rounded upward, if any do."""
    try:
        return {name: (one := Limit(name, None, 1.0)).amount_of(one.cost(claim)) for name in ("rho", "mu")}
    except ValueError:
        return {}


def _computed(mechanism: str) -> dict[str, str]:
    """Say what a mechanism computes, for releases that do not say it themselves."""
    record = MECHANISMS.get(mechanism)
    return {} if record is None else {plain_words.COMPUTED: record.computed}


def _lines(file: Path, said: claim_file.ClaimFile, whole: bool, known: list[Advisory]) -> list[str]:
    shape = " x ".join(map(str, said.shape))
    digest = "is the file that the claim is about" if whole else "IS ANOTHER FILE than the claim is about"
    lines = [
        f"{file}: {digest}; shape {shape}, by {said.mechanism} of dpspectra {said.version}, format {said.format}",
        plain_words.paragraph(said.release.claim, {**_computed(said.mechanism), **said.release.details}),
        sentence(said.release.claim),
    ]
    if found := measures(said.release.claim):
        lines.append(f"in other measures: rho {found['rho']:g} of zCDP, mu {found['mu']:g} of Gaussian privacy")
    facts = said.release.summary().splitlines()
    lines += [line for line in facts if not line.startswith(("in short: ", "value: ", "neighbours: "))]
    if said.columns:
        lines.append(f"columns: {', '.join(said.columns)}")
    if said.rows is not None:
        lines.append(f"rows: {said.rows}")
    for each in known:
        lines.append(f"{each.id}: {each.title}. {each.wrong} {each.size} {each.means}")
    return lines
