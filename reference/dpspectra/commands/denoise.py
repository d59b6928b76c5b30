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
from dpspectra.mechanisms.added_noise import AddedNoise
from dpspectra.mechanisms.catalogue import NOISES
from dpspectra.mechanisms.claims import Guarantee
from dpspectra.mechanisms.covariance import DENOISE, NEAREST_PSD, SHRUNK, projected
from dpspectra.mechanisms.covariance_about_mean import COVARIANCE, of_covariance
from dpspectra.mechanisms.noise_intervals import OF_PAIRS, SHORT_PAIRS
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

    The nearest matrix has a guarantee, a shrunk one has none.
    """
    details = {**said.release.details, "negative": False}
    if said.mechanism not in (*NOISES, ONE_SIDED, COVARIANCE.name) or details.get("postprocessing", "") is not None:
        raise ValueError(f"the release must be a noisy matrix as it was drawn, got one of {said.mechanism}, or changed")
    bound = said.release.claim.norm_bound
    largest = float(details.get("largest_possible", math.inf if bound is None else bound**2))
    if method == "psd" and (said.mechanism == ONE_SIDED or "scale" not in details):
        return nearest_psd(value, largest), {**details, "postprocessing": NEAREST_PSD}
    if said.mechanism == ONE_SIDED:
        raise ValueError(f"the release must be one of {', '.join(NOISES)} to be shrunk, got another: take --method psd")
    if "scale" not in details:
        raise ValueError("the release must tell the scale of its noise to be shrunk, got none: take --method psd")
    try:
        if method == "psd":
            better, promises = _nearest(value, said, largest)
            return better, {**details, **promises, "postprocessing": NEAREST_PSD}
        spectrum = _noise(said, len(value)).spectral(len(value), float(details["scale"]))
        better = shrink(np.asarray(value), spectrum, largest)
    except ArithmeticError:  # no release has such numbers, but a file may
        raise ValueError("the numbers of the release must be moderate to be denoised, got others") from None
    return better, {name: each for name, each in details.items() if name != "guarantee"} | {"postprocessing": SHRUNK}


def _noise(said: ClaimFile, d: int) -> AddedNoise:
    """Return the law of the noise of a release, by its claim; of a covariance with its mean in one dimension more.

    Raises ``ValueError`` for a claim that no release has.
    """
    claim, details = said.release.claim, said.release.details
    joint = said.mechanism == COVARIANCE.name and SHORT_PAIRS not in claim.labels
    named = details.get("mechanism") if said.mechanism == COVARIANCE.name else said.mechanism
    record = NOISES[checks.choice(named, "mechanism", tuple(NOISES))]
    record.planned(epsilon=claim.epsilon, delta=claim.delta, relation=claim.relation)
    shape = {"shape": details["shape"]} if "shape" in details else {}
    return record.law().sized(d + joint, (claim.epsilon, claim.delta), Fraction(1), claim.relation, **shape)


def _nearest(value: NDArray[Any], said: ClaimFile, largest: float) -> tuple[NDArray[Any], dict[str, Guarantee]]:
    """Return the nearest positive semidefinite matrix with its guarantees, which Python gives at once."""
    noise, details = _noise(said, len(value)), said.release.details
    paired = SHORT_PAIRS in said.release.claim.labels
    if paired or said.mechanism != COVARIANCE.name:
        better, found = projected(value, noise, float(details["scale"]), largest)
        return better, {"guarantee": replace(found, quantity=OF_PAIRS) if paired else found}
    mean = details.get("mean")
    if not isinstance(mean, np.ndarray) or mean.shape != (len(value),) or "constant" not in details:
        raise ValueError("the release must tell its mean and the constant beside the rows, got none")
    found, of_mean = of_covariance(noise, details, mean, largest)
    return nearest_psd(value, largest), {"guarantee": found, "mean_guarantee": of_mean}
