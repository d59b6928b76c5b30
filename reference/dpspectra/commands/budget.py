"""The command ``budget``: make the file of a budget, or show how much of it is spent."""

import json
from pathlib import Path
from typing import Any

from dpspectra.accounting.budget import Budget
from dpspectra.commands.options import BudgetRequest
from dpspectra.report import command_output
from dpspectra.report.files import check_outputs

ANY = "any"
"""Stands for rows of any norm."""


def run(request: BudgetRequest) -> int:
    """Make or open the budget, and print it. Raises ``ValueError`` or ``OSError``."""
    names = ("epsilon", "delta", "relation", "norm_bound", "method")
    terms = {name: given for name in names if (given := getattr(request, name)) is not None}
    if "norm_bound" in terms:
        terms["norm_bound"] = None if request.norm_bound == ANY else _number(terms["norm_bound"])
    budget = _made(request, terms) if request.action == "new" else _opened(request, terms)
    command_output.say(request.json, f"{budget}\nreceipt {budget.receipt}")
    command_output.put(request.json, lambda: json.dumps(_told(request.file, budget), indent=1))
    return 0


def _made(request: BudgetRequest, terms: dict[str, Any]) -> Budget:
    if "epsilon" not in terms:
        raise ValueError("budget new needs --epsilon, the most that all releases may spend")
    if request.receipt is not None:
        raise ValueError("budget new takes no --receipt")
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


def _told(file: Path, budget: Budget) -> dict[str, Any]:
    return {
        "file": str(file),
        "epsilon": budget.epsilon,
        "delta": budget.delta,
        "relation": budget.relation,
        "norm_bound": budget.norm_bound,
        "method": budget.method,
        "spent": budget.spent._asdict(),
        "left": budget.left._asdict(),
        "claims": [claim.asdict() for claim in budget.claims],
        "receipt": budget.receipt,
    }
