"""What ledger, auditors and library say, computed on all cores, and kept in files until the sources change."""

import ast
import functools
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import dpspectra
import plays
from atlas import museum_page
from dpspectra.audit.subjects.museum import cases
from dpspectra.ledger import all_statements
from dpspectra.ledger.papers import PAPERS
from dpspectra.ledger.show import describe

SOURCES = Path(dpspectra.__file__).parent
SITE = Path(__file__).parents[1]
COQ = SITE.parent / "coq"
LABEL = re.compile(rf"\b(?:{'|'.join(PAPERS)})-[A-Z][\w.-]*\w")
PARTS: dict[str, tuple[Callable[[str], Any], Callable[[], Iterable[str]]]] = {
    "faults": (museum_page.judged, cases),
    "described": (describe, lambda: [entry.id for entry in all_statements()]),
    "plays": (plays.page, lambda: plays.PAGES),
}
"""What is computed by name, and its names; what takes longest comes first."""


@functools.cache
def fingerprint() -> str:
    """Hash of what facts depend on: the package, the proofs for Coq, the site without its texts, and all libraries.

    Facts with another one are out of date.
    """
    digest = hashlib.sha256(sys.version.encode())
    digest.update(repr(sorted((each.name, each.version) for each in distributions())).encode())
    for path in sorted(path for folder in (SOURCES, COQ, SITE) for path in folder.rglob("*") if _counts(path)):
        digest.update(f"{path.relative_to(SOURCES if SOURCES in path.parents else SITE.parent)}\n".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _counts(path: Path) -> bool:
    """Whether facts depend on a file: pages' texts are read anew each time."""
    is_text = SITE in path.parents and path.suffix == ".md"
    return path.is_file() and "__pycache__" not in path.parts and not is_text


def gather(store: Path, run: bool) -> tuple[dict[str, Any], dict[str, Any], list[Any], dict[str, str]]:
    """Return descriptions by entry, reports by label, the rows of public faults, and the interactive pages by name.

    They are computed anew where ``store`` has none of these sources.

    Without ``run`` the reports are those at hand, or none.
    """
    verified = _read(store / "verified.json")
    if verified is None:
        verified = _keep(store / "verified.json", _verify_all()) if run else []
    found = _parts(store)
    users = mechanisms()
    for facts in found["described"].values():
        facts["mechanisms"] = sorted({name for label in facts["labels"] for name in users.get(label, ())})
    reports = {report["label"]: report for report in verified}
    return found["described"], reports, list(found["faults"].values()), found["plays"]


def _parts(store: Path) -> dict[str, dict[str, Any]]:
    """Return all parts, each by name; those that are not kept are computed at the same time."""
    found = {part: _read(store / f"{part}.json") for part in PARTS}
    with ProcessPoolExecutor() as pool:
        begun = {
            part: zip(names(), pool.map(compute, names()), strict=True)
            for part, (compute, names) in PARTS.items()
            if found[part] is None
        }
        return found | {part: _keep(store / f"{part}.json", dict(facts)) for part, facts in begun.items()}


def _read(path: Path) -> Any:
    """Return the facts kept in a file; ``None`` without the file, or if they are of other sources."""
    if not path.exists():
        return None
    kept = json.loads(path.read_text(encoding="utf-8"))
    return kept["facts"] if kept["sources"] == fingerprint() else None


def _keep(path: Path, facts: Any) -> Any:
    """Write facts to a file, whole or not at all, and return them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(".new")
    scratch.write_text(json.dumps({"sources": fingerprint(), "facts": facts}), encoding="utf-8")
    scratch.replace(path)
    return facts


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
