"""The command ``budget``: make the file of a budget, or show how much of it is spent."""

import json
from collections.abc import Mapping
from typing import Any

from dpspectra.accounting.budget import Budget
from dpspectra.accounting.budget_file import Entry
from dpspectra.accounting.limits import Privacy
from dpspectra.commands.budget_options import BudgetRequest
from dpspectra.ground import records
from dpspectra.report import command_output
from dpspectra.report.files import check_outputs

TERMS = ("epsilon", "delta", "rho", "mu", "renyi", "parts", "relation", "norm_bound", "method")
ANY = "any"
"""Stands for rows of any norm."""


def run(request: BudgetRequest) -> int:
    """Make or open the budget, and print it. Raises ``ValueError`` or ``OSError``."""
    terms = {name: given for name in TERMS if (given := getattr(request, name)) is not None}
    if "norm_bound" in terms:
        terms["norm_bound"] = None if request.norm_bound == ANY else _number(terms["norm_bound"])
    if "renyi" in terms:
        terms["renyi"] = dict(terms["renyi"])
    budget = _made(request, terms) if request.action == "new" else _opened(request, terms)
    names = {budget.digest(path): str(path) for path in request.data or ()}
    lines = [str(budget), f"receipt {budget.receipt}", *(_line(budget, entry, names) for entry in budget.entries)]
    command_output.say(request.json, "\n".join(map(records.printable, lines)))
    command_output.put(request.json, lambda: json.dumps(_told(request, budget), indent=1))
    return 0


def _made(request: BudgetRequest, terms: dict[str, Any]) -> Budget:
    if not {"epsilon", "rho", "mu", "renyi"} & terms.keys():
        raise ValueError("budget new needs --epsilon, the most that all releases may spend, or --rho, --mu or --renyi")
    if given := [f"--{name}" for name in ("receipt", "data") if getattr(request, name) is not None]:
        raise ValueError(f"budget new takes no {' and no '.join(given)}")
    check_outputs(request.file)
    if request.file.exists():
        raise ValueError(f"the file of a new budget must be new, got {request.file}, which exists: name another one")
    return Budget(**terms, file=request.file)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"--norm-bound must be a number or {ANY}, got {text!r}") from None


def _opened(request: BudgetRequest, terms: dict[str, Any]) -> Budget:
    if terms:
        names = [f"--{name}".replace("_", "-") for name in terms]
        raise ValueError(f"budget show takes no {' or '.join(names)}")
    return Budget.open(request.file, receipt=request.receipt)


def _line(budget: Budget, entry: Entry, names: Mapping[str, str]) -> str:
    """Return one charge: when, how much, which mechanism, on what, by whom and why; digests may have names."""
    trail = entry.trail
    try:
        cost = budget.cost(entry.claim)
    except ValueError:  # somebody's function claimed what was not asked for, and closed the budget
        cost = Privacy(entry.claim.epsilon, entry.claim.delta)
    files = " ".join(names.get(each, each[:12]) for each in trail.data)
    words = {"part": entry.part, "data": files, "by": trail.by, "note": trail.note}
    named = [f"{name} {word}" for name, word in words.items() if word]
    return "  ".join([trail.when or "-", str(cost), trail.mechanism or "-", *named])


def _told(request: BudgetRequest, budget: Budget) -> dict[str, Any]:
    whole = {name: getattr(budget, name) for name in ("rho", "mu", "renyi")}
    return {
        "file": str(request.file),
        "epsilon": budget.epsilon if budget.measure == "epsilon" else None,
        "delta": budget.delta,
        **whole,
        "relation": budget.relation,
        "norm_bound": budget.norm_bound,
        "method": budget.method,
        "parts": budget.parts,
        "spent": budget.spent.asdict(),
        "left": budget.left.asdict(),
        "claims": [claim.asdict() for claim in budget.claims],
        "trail": [{"part": entry.part, **entry.trail._asdict()} for entry in budget.entries],
        "receipt": budget.receipt,
    }
