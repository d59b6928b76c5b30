"""The command ``denoise``: a noisy matrix of second moments comes nearer to the truth, at no cost in privacy."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.commands.options import DenoiseRequest
from dpspectra.ground import checks
from dpspectra.mechanisms.catalogue import NOISES
from dpspectra.mechanisms.covariance import DENOISE, NEAREST_PSD, SHRUNK
from dpspectra.mechanisms.release import Release
from dpspectra.postprocessing import nearest_psd, shrink
from dpspectra.report import claim_file, command_output
from dpspectra.report.claim_file import ClaimFile
from dpspectra.report.files import claim_path, reserved, write_release, written

ONE_SIDED = "wishart_covariance"
"""A mechanism whose noise has no known spectrum."""


def run(request: DenoiseRequest) -> int:
    """Read the release and its claim, write a better one with the same claim. Raises ``ValueError`` or ``OSError``."""
    method = checks.choice(request.method, "method", DENOISE)
    with reserved(request.out, [request.file, claim_path(request.file)], request.force):
        said = claim_file.read(request.file)
        value = claim_file.value(request.file, said)
        better, details = _denoised(value, said, method)
        content = written(request.out, better, said.columns)
        release = Release(better, said.release.claim, details)
        made = claim_file.of(said.mechanism, release, content, (said.rows or 0, said.width), said.columns)
        record = replace(made, version=said.version).asdict()
        write_release(request.out, content, record)
    places = {"release": str(request.out), "claim_file": str(claim_path(request.out))}
    command_output.say(
        request.json, f"{request.out}: {details['postprocessing']}; same claim, in {claim_path(request.out)}"
    )
    command_output.put(request.json, lambda: json.dumps({**places, "claim": record}, indent=1))
    return 0


def _denoised(value: NDArray[Any], said: ClaimFile, method: str) -> tuple[NDArray[Any], dict[str, Any]]:
    """Return the better matrix, and facts about it.

    A guarantee still holds for the nearest matrix, but not for a shrunk one.
    """
    details = dict(said.release.details)
    if said.mechanism not in (*NOISES, ONE_SIDED) or details.get("postprocessing", "") is not None:
        raise ValueError(f"the release must be a noisy matrix as it was drawn, got one of {said.mechanism}, or changed")
    if method == "psd":
        return nearest_psd(value), {**details, "negative": False, "postprocessing": NEAREST_PSD}
    if said.mechanism == ONE_SIDED:
        raise ValueError(f"the release must be one of {', '.join(NOISES)} to be shrunk, got another: take --method psd")
    claim, d = said.release.claim, len(value)
    NOISES[said.mechanism].planned(epsilon=claim.epsilon, delta=claim.delta, relation=claim.relation)  # or none is due
    if "scale" not in details:
        raise ValueError("the release must tell the scale of its noise to be shrunk, got none: take --method psd")
    shape = {"shape": details["shape"]} if "shape" in details else {}
    law = NOISES[said.mechanism].law()
    try:
        noise = law.sized(d, (claim.epsilon, claim.delta), Fraction(1), claim.relation, **shape)
        largest = math.inf if claim.norm_bound is None else claim.norm_bound**2
        better = shrink(np.asarray(value), noise.spectral(d, float(details["scale"])), largest)
    except ArithmeticError:  # no release has such numbers, but a file may
        raise ValueError("the numbers of the release must be moderate to be shrunk: take --method psd") from None
    kept = {name: each for name, each in details.items() if name != "guarantee"}
    return better, {**kept, "negative": False, "postprocessing": SHRUNK}
