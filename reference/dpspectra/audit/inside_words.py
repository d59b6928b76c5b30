"""An audit from inside in words: what was found, on which lines, and what to do if nothing is decided."""

import math
import re
from typing import Any

from dpspectra.audit.claims import GDP, ZCDP, ApproxDP, CurveClaim, Profile, PureDP, Renyi
from dpspectra.fast import gaussian_profile
from dpspectra.symbolic.verdict import EXPLAINED, FAILED, FUNCTIONS, REFUTED, SCALED, STRETCHED, Call, Witness

InsideResult = Any
"""A result of an audit from inside, which this module must not import."""

FOLLOWS = "the noise is drawn with a scale, or then multiplied or divided by a number, that depends on private data"
"""Hint at the line at fault where scales differ."""
ADVICE = {
    "the whole order of": "take the largest ones one by one, by argmax, or ",
    "outcomes is drawn at": "choose a smaller domain, or ",
    "decisions are made at once": "choose a pair of fewer rows, or ",
    "array of whole numbers": "write noise into an array of floats, or ",
    "took long": "choose a pair of fewer rows, or give more seconds, or ",
    "time is over": "give more seconds, or ",
    "where it goes": "make names and temporary files outside of the mechanism, or ",
    "keeps state": "make the state an argument that each call gets anew, or ",
    "fresh seed is made under a name": "hand the generator over as the argument `rng`, or ",
    "not followed": "draw from the argument `rng` only, or ",
    "no canonical form": "return plain numbers, texts, containers or arrays, or ",
    FAILED: "report this with the traceback, or ",
}
"""Ways out that help, too, where these words are among the reasons."""
COMPILED = re.compile(r"compiled code of (.+?) is called")
PLACE = re.compile(r"([^ `]+\.py:\d+) \(")
"""A line as reasons and findings name it."""


def next_step(result: InsideResult, outside: str) -> str:
    """Return the way out if nothing is decided, in one line, else nothing; ``outside`` says how to count outputs."""
    if result.verdict in (REFUTED, EXPLAINED):
        return ""
    why = " ".join(result.reasons)
    first = next((text for word, text in ADVICE.items() if word in why), "")
    libraries = ", ".join(dict.fromkeys(COMPILED.findall(why)))
    through = f", noise of {libraries} included" if libraries else ""
    return f"{first}audit its outputs by draws{through}: {outside}"


def in_python(claim: CurveClaim) -> str:
    """Return the call that counts outputs, as a program writes it."""
    if isinstance(claim, PureDP):
        told = f"{claim.epsilon:g}"
    elif isinstance(claim, ApproxDP):
        told = f"{claim.epsilon:g}, {claim.delta:g}"
    else:
        told = "claim" if isinstance(claim, Profile) else repr(claim)
    return f"dpspectra.audit.audit(mechanism, pair, {told}), or --then-outside on the command line"


def lines(result: InsideResult, outside: str = "") -> list[str]:
    """Return the report, line by line: headline, noise calls, findings, first divergence, undecided points.

    ``outside`` says how to count outputs if nothing is decided; the default is the call in Python.
    """
    beside = "the noisy numbers" if FUNCTIONS in result.how else "what was looked at"
    word = "loss" if result.of_output else f"loss of {beside}"
    bound = f", at most {result.bound:.6g}" if result.bound < math.inf else ""
    normal = f", mu {result.mu:.6g}" if 0 < result.mu < math.inf else ""
    normal += f", rho {result.mu**2 / 2:.6g}" if normal and isinstance(result.claim, ZCDP) else ""
    delta = ""
    if result.delta is not None:
        low, high = result.delta
        delta = f", delta {low:.4g}" if low == high else f", delta {low:.4g} to {high:.4g}"
        if not isinstance(result.claim, (PureDP, ApproxDP)):  # these name their epsilon themselves
            delta += f" at epsilon {result.claim.points(result.claim.value)[0][0]:.4g}"
    met = f"{word} {result.loss:.6g}{bound}{normal}{delta} ({result.how or 'nothing was compared'})"
    by_runs = result.how in result.confirmations  # which tell nothing of how large the loss is
    found = [f"{result.claim} is {result.verdict} on this pair: {result.how if by_runs else met}"]
    if result.witness is not None:
        found.append(f"  witness: {shown_witness(result.witness)}")
    for call in result.calls:
        found.append(f"  noise: {call.place}: {shown_call(call, result.claim)}")
        number = call.place.split(" ")[0].rsplit(":", 1)[-1]
        stretched = call.stretch > 1 + STRETCHED
        near = stretched and not any(text.startswith(SCALED) for text in result.findings)
        told = [(n, text.strip()) for n, text in call.source if str(n) == number or (near and n > int(number))]
        found += [f"    {n:>5}  {text}" for n, text in told if text]
        if stretched:
            hint = f": {FOLLOWS}" if near else ""
            found.append(f"    the data sets have scales that differ by a factor of {call.stretch:.6g}{hint}")
    for text in result.findings:
        found += [f"  finding: {text}", *_sources(result, text)]
    found += [f"  {text}" for text in result.confirmations]
    found += [f"  first divergence: {result.divergence}"] if result.divergence else []
    for text in result.reasons:
        found += [f"  not decided: {text}", *_sources(result, text)]
    step = next_step(result, outside or in_python(result.claim))
    found += [f"  next: {step}"] if step else []
    found.append(
        f"  {result.runs} runs with noise followed, {result.plain_runs} with nothing replaced; ideal arithmetic"
    )
    return found


def _sources(result: InsideResult, text: str) -> list[str]:
    """Return the source of the first line of the program that a text names."""
    where = next((where for where in PLACE.findall(text) if where in result.named), None)
    return [] if where is None else [f"    {where.rpartition(':')[2]:>5}  {result.named[where]}"]


def shown_call(call: Call, claim: CurveClaim) -> str:
    """Return the law of one line, what moves and is hidden, and what it loses, as far as they are known."""
    told = [call.law]
    if call.alone and call.scale < math.inf:
        told.append(f"{'the numbers compared move apart' if call.between else 'moves'} by {call.move:.6g}")
    told += [f"scale {call.scale:.6g}"] if call.scale < math.inf else []
    covered = hidden(call, claim)
    told += [] if covered is None else [f"hides {covered:.6g} at the claim"]
    loses = f"loses {call.loss:.6g}" + (f" of at most {call.bound:.6g}" if call.bound < math.inf else "")
    told.append(loses if call.alone else "what it loses alone is not known")
    told += [f"mu {call.mu:.6g}"] if call.mu < math.inf and call.alone else []
    return ", ".join(told)


def shown_witness(witness: Witness) -> str:
    """Return an output and its two probabilities in words."""
    first, second = (f"{math.exp(x):.4g}" for x in witness.logs)
    what = "density" if witness.density else "probability"
    return f"{witness.output}: its {what} is {first} on the first data set, {second} on the second"


def hidden(call: Call, claim: CurveClaim) -> float | None:
    """Move of a location that the noise of one line hides at the claim, if all of it is spent there.

    In the units of the values: of the sum of absolute moves for Laplace noise and a claim of epsilon alone, of the
    Euclidean distance for normal noise; ``None`` for others, where no one number says it.
    """
    if call.between or not call.alone:
        return None
    if call.law == "laplace":
        return claim.epsilon * call.scale if isinstance(claim, PureDP) else None
    mu = _mu(claim) if call.law == "normal" else None
    return None if mu is None else mu * call.scale


def _mu(claim: CurveClaim) -> float | None:
    """Return the distance of normal laws, in standard deviations, that just meets a claim, if one number says it."""
    match claim:
        case GDP():
            return claim.mu
        case ApproxDP():
            return float(gaussian_profile.mu_for(claim.epsilon, claim.delta))
        case ZCDP():
            return math.sqrt(2 * claim.rho)
        case Renyi():
            return math.sqrt(2 * claim.epsilon / claim.alpha)
    return None
