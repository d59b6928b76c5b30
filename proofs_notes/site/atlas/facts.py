"""What the ledger says of all its entries, and what its last run showed, kept in a file until the sources change."""

import ast
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dpspectra
from atlas import museum_page
from dpspectra.ledger import all_statements
from dpspectra.ledger.papers import PAPERS
from dpspectra.ledger.show import describe

SOURCES = Path(dpspectra.__file__).parent
COQ = Path(__file__).parents[2] / "coq"
LABEL = re.compile(rf"\b(?:{'|'.join(PAPERS)})-[A-Z][\w.-]*\w")


def fingerprint() -> str:
    """Hash of the package's sources and of those for Coq: facts with another one are out of date."""
    digest = hashlib.sha256()
    for path in sorted([*SOURCES.rglob("*.py"), *SOURCES.rglob("*.csv")]):
        digest.update(path.relative_to(SOURCES).as_posix().encode() + path.read_bytes())
    for path in sorted(COQ.iterdir()):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def gather(store: Path, run: bool) -> tuple[dict[str, Any], dict[str, Any], list[Any]]:
    """Return descriptions by entry, reports by label and the rows of public faults.

    They are computed anew where ``store`` has none of these sources.

    Without ``run`` the reports are those at hand, or none.
    """
    described = _kept(store / "described.json", _describe_all)
    verified = _kept(store / "verified.json", _verify_all if run else None)
    faults = _kept(store / "faults.json", museum_page.judged)
    return described, {report["label"]: report for report in verified}, faults


def _kept(path: Path, compute: Callable[[], Any] | None) -> Any:
    now = fingerprint()
    if path.exists():
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["sources"] == now:
            return kept["facts"]
    if compute is None:
        return []
    facts = compute()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"sources": now, "facts": facts}), encoding="utf-8")
    return facts


def _describe_all() -> dict[str, Any]:
    described = {entry.id: describe(entry.id) for entry in all_statements()}
    users = mechanisms()
    for facts in described.values():
        facts["mechanisms"] = sorted({name for label in facts["labels"] for name in users.get(label, ())})
    return described


def _verify_all() -> list[Any]:
    command = [sys.executable, "-c", "from dpspectra.cli import main; main()", "verify", "--json", "-", "--jobs", "2"]
    out = subprocess.run(command, stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
    reports: list[Any] = json.loads(out)
    return reports


def mechanisms() -> dict[str, list[str]]:
    """Public mechanisms by the labels that their sources name, constants of their module included."""
    found: dict[str, list[str]] = {}
    for path in sorted((SOURCES / "mechanisms").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        body = ast.parse(text).body
        constants = {
            target.id: ast.get_source_segment(text, node) or ""
            for node in body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and hasattr(dpspectra, node.name):
                source = ast.get_source_segment(text, node) or ""
                named = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} & constants.keys()
                for label in set(LABEL.findall(" ".join([source, *(constants[name] for name in named)]))):
                    found.setdefault(label, []).append(node.name)
    return found
