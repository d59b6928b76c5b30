"""The description of a statement as text for a terminal: words first, formulas in plain letters, LaTeX last."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from dpspectra.ledger.entry import Verdict
from dpspectra.ledger.papers import filled, labels
from dpspectra.ledger.plain_formulas import formula, markdown
from dpspectra.ledger.words import up_to_rounding

SIGNS = {"AtMost": "<=", "Equal": "=", "Frequency": "at a rate <="}
"""How the two sides of an outcome are compared."""
LONG = re.compile(r"\d+\.\d{6,}(?:e[-+]?\d+)?")
"""A number that is shortened among many; JSON has its digits."""


def render(data: Mapping[str, Any]) -> str:
    """Return what `dpspectra.ledger.show.describe` knows, in lines of a terminal."""
    return "\n\n".join(blocks(data))


def blocks(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text of `render` in blocks, to be set apart by an empty line; each asks only for what it tells."""
    yield "\n".join([*filled(f"{data['label']}  {data['title']}"), *filled(data["reference"], "  ")])
    if not data["built"]:
        yield "missing: no module carries this label yet"
        return
    for block in (
        _verdict,
        _words,
        _forms,
        _symbols,
        _counterexample,
        _certificate,
        _theorems,
        _checked,
        _evidence,
        _support,
        _sources,
    ):
        if told := block(data):
            yield "\n".join(told)


def _paragraphs(text: str) -> list[str]:
    """Lines of Markdown of a note, each sentence or point on lines of its own."""
    lines = []
    plain = re.sub(r"```math\n(.*?)\n\s*```", lambda m: f"$`{' '.join(m[1].split())}`$", text, flags=re.DOTALL)
    for line in plain.splitlines():
        if not re.fullmatch(r"[|\- ]+", line):  # the rule below the head of a table
            lines += filled(markdown(line.strip().removeprefix("|").removesuffix("|")), "  ")
    return lines


def _verdict(data: Mapping[str, Any]) -> list[str]:
    others = [label for label in data["labels"] if label != data["label"]]
    lines = filled(f"{data['verdict'].upper()}. {data['meaning']}")
    lines += filled(f"The same statement as {', '.join(others)}.") if others else []
    if data["relation"]:
        lines += filled(f"Neighbours differ by: {', '.join(data['relation'])}.")
    names = {label.label: label.name for label in labels()}
    others = [f"{other} ({names[other]})" for other in data["instead"]]
    if others:
        lines += filled(f"Use instead: {'; '.join(others)}.")
    elif data["verdict"] == Verdict.REFUTED.value and data["ours"]:
        lines += filled("Use instead: our form, a remark that no check covers.")
    below = data["weakest_below"]
    if below["label"] not in data["labels"] and Verdict(below["verdict"]).unproved:
        lines += filled(f"Rests on {below['label']}, which is {below['verdict']}.")
    return lines


def _words(data: Mapping[str, Any]) -> list[str]:
    lines = []
    for block in data["text"].split("\n\n"):
        if block.startswith((" ", "*")):
            lines += block.replace("`", "").splitlines()
        else:
            lines += filled(" ".join(block.replace("`", "").split()))
        lines.append("")
    return lines[:-1]


def _forms(data: Mapping[str, Any]) -> list[str]:
    heads = {
        "wording": "The paper says",
        "printed": "As printed",
        "ours": "Our form",
        "difference": "Where they differ",
    }
    lines = []
    for name, head in heads.items():
        if data[name]:
            lines += [head, *_paragraphs(data[name]), ""]
    return lines[:-1]


def _symbols(data: Mapping[str, Any]) -> list[str]:
    told = [f"{formula(row['sign'])}: {markdown(row['meaning'])}" for row in data["symbols"]]
    return ["In the formulas", *(line for text in told for line in filled(text, "      ", "  "))] if told else []


def _counterexample(data: Mapping[str, Any]) -> list[str]:
    broken = data["counterexample"]
    if not broken:
        return []
    what = "A step of the printed proof" if data["verdict"] in ("open", "proof-gap") else "The printed form"
    lines = [f"{what} fails at", *_values(broken["parameters"]), *filled(f"where it says {_compared(broken)}", "  ")]
    for name, sides in broken["hypotheses"].items():
        lines += filled(f"within the printed hypothesis '{name}': {_compared(sides)}", "    ", "  ")
    return lines


def _values(parameters: dict[str, str]) -> list[str]:
    width = max(map(len, parameters), default=0)
    gap = " " * (width + 7)
    return [line for name, value in parameters.items() for line in filled(value, gap, f"    {name:<{width}} = ")]


def _compared(sides: dict[str, str]) -> str:
    return f"{sides['left']} {SIGNS[sides['kind']]} {sides['right']}"


def _certificate(data: Mapping[str, Any]) -> list[str]:
    proof = data["certificate"]
    if not proof:
        return []
    word = "accepted, in exact rational arithmetic" if proof["accepted"] else "REJECTED"
    if data["coq"]["certificate"]:
        word += f"; one inequality checked, by Coq {data['coq']['coq']}"
    lines = [f"Certificate {word}", *filled(proof["data"]["reason"], "  ")]
    lines += filled(proof["inequality"], "      ", "    ")
    sides = [f"{name} side in [{low}, {high}]" for name, (low, high) in _both(proof)]
    return [*lines, *(line for side in sides for line in filled(side, "    "))]


def _theorems(data: Mapping[str, Any]) -> list[str]:
    lines = []
    for tie in data["coq"]["statements"]:
        said = "Printed statement refuted in the kernel" if tie["kind"] == "refutes" else "Statement machine-checked"
        unless = "" if tie["checked"] else ", but not as it is now"
        where = f"theorem {tie['theorem']} of {data['note_file'].rpartition('/')[0]}/{tie['file']}"
        lines += filled(f"{said}{unless} ({tie['coverage']}): {where}", "  ", "")
    return lines


def _both(proof: dict[str, Any]) -> tuple[tuple[str, list[str]], ...]:
    return ("left", proof["left"]), ("right", proof["right"])


def _checked(data: Mapping[str, Any]) -> list[str]:
    given = filled(f"Given {formula(data['given'])}", "    ", "  ") if data["given"] else []
    lines = (line for said in data["checked"] for line in filled(said.replace("``", ""), "    ", "  "))
    return ["Checked", *given, *lines]


def _evidence(data: Mapping[str, Any]) -> list[str]:
    lines = []
    for row in data["parts"]:
        head = "Tight" if row["tight"] else "Closest"
        lines += ["", f"{head}: {row['part']}" if row["part"] else head]
        lines += filled(formula(data["formulas"].get(row["part"], "")), "    ", "  ")
        named = ", ".join(f"{name} = {_short(value)}" for name, value in row["parameters"].items())
        lines += filled(f"at {named}", "    ", "  ")
        fast, oracle = _compared(row["fast"]), _compared(row["oracle"])
        shown = (
            [f"{oracle}  (float64 and {data['digits']} digits)"]
            if fast == oracle
            else [f"{fast}  (float64{up_to_rounding(row['fast'])})", f"{oracle}  ({data['digits']} digits)"]
        )
        lines += [line for text in shown for line in filled(text, "      ", "    ")]
        if slack := data["slack"].get(row["part"]):
            lines += filled(f"comes to {slack['ratio']:g} of its right side: {slack['reason']}", "  ")
        lines += _unnoticed(data["unnoticed"].get(row["part"], {})) if row["part"] else []
    if whole := _unnoticed(data["unnoticed"].get("", {})):
        lines += ["", "In all parts", *whole] if len(data["parts"]) > 1 else whole
    for hypothesis, sides in data["beyond"].items():
        lines += ["", *filled(f"Without the hypothesis '{hypothesis}' it fails:")]
        lines += filled(f"{_compared(sides)}  {sides['part']}", "    ")
    if data["without_beyond"]:
        lines += ["", *filled(f"No instance beyond a hypothesis: {data['without_beyond']}")]
    return lines[1:]


def _short(value: str) -> str:
    """Return an array or a record with six digits of each number; a number alone keeps all."""
    return LONG.sub(lambda found: f"{float(found[0]):#.6g}", value) if value.startswith(("[", "(")) else value


def _unnoticed(numbers: Mapping[str, str]) -> list[str]:
    """Say on which numbers a right side could depend in another way, and no chosen instance would notice."""
    lines = []
    for why in dict.fromkeys(numbers.values()):
        named = ", ".join(number for number, reason in numbers.items() if reason == why)
        lines += filled(f"no chosen instance would notice another dependence on {named}: {why}", "    ", "  ")
    return lines


def _support(data: Mapping[str, Any]) -> list[str]:
    rows = {"Rests on": data["uses"], "On it rest": data["used_by"]}
    told = {head: ", ".join(f"{k} ({v})" for k, v in row.items()) or "nothing else here" for head, row in rows.items()}
    return [line for head, text in told.items() for line in filled(text, " " * 12, f"{head:<12}")]


def _sources(data: Mapping[str, Any]) -> list[str]:
    rows = {"Code": f"{data['module'].replace('.', '/')}.py", "Proof": data["note_file"], "In LaTeX": data["claim"]}
    return [line for head, text in rows.items() for line in filled(text, " " * 12, f"{head:<12}")]
