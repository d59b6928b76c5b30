"""Have Coq check every theorem that is tied to a label and every certificate: ``python -m dpspectra.ledger.prove``.

Files are compiled in a temporary folder, with the certificates of the ledger as lemmas of their own. Of every theorem
and of the certificates Coq is asked what they assume; only axioms of its standard library are allowed. What was found
is written beside the sources if nothing failed (`dpspectra.ledger.stamps`).
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from dpspectra.ledger import coq, stamps
from dpspectra.ledger.papers import labels
from dpspectra.ledger.registry import all_statements
from dpspectra.ledger.unwritten import unwritten

JOBS = 2
"""Processes of Coq at a time."""
GROUPS = 8
"""Files among which the certificates are dealt: Coq takes a second to load what each needs."""
INSTALL = "apt-get install --no-install-recommends coq libcoq-interval"
MASS = ("Normal.cdf_at_minus_infinity", "Normal.cdf_at_infinity")
"""What makes the meaning of ``normal_cdf`` the distribution function."""
ALLOWED = re.compile(
    r"ClassicalDedekindReals\.sig_(not|forall)_dec"  # the reals
    r"|FunctionalExtensionality\.functional_extensionality_dep"
    r"|Classical_Prop\.classic"
    r"|(PrimInt63|Uint63)\.\w+"  # integers of the machine, by which intervals are computed
)
"""Axioms of the standard library on which a theorem may rest."""
PRINTED = """From Coq Require Import Reals.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.
Set Printing Width 110.
"""
"""Notations in which statements are printed: those of libraries, none of ours."""


class Rejected(Exception):
    """Coq refused a file, or something in a file is not allowed."""


def coqc(folder: Path, file: str) -> str:
    """Compile a file of a folder; return the text that Coq printed. Raises `Rejected` with its message."""
    command = ["coqc", "-q", "-w", "none", f"{file}.v"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stdout + done.stderr
        line = re.search(rf'"\./{file}\.v", line (\d+)', said)
        at = folder.joinpath(f"{file}.v").read_text(encoding="utf-8").splitlines()[int(line[1]) - 1] if line else ""
        raise Rejected(f"{file}.v: {at.strip()[:80]}: {' '.join(said.split())[-400:]}")
    return done.stdout


def assumptions(printed: str) -> list[str]:
    """Names of the axioms that ``Print Assumptions`` printed, those of one library of machine integers as one.

    Raises `Rejected` if one is not in `ALLOWED`, or nothing is recognised.
    """
    if "Closed under the global context" in printed:
        return []
    names = re.findall(r"^([\w.']+)(?:\s*:|$)", printed.partition("Axioms:\n")[2], re.MULTILINE)
    strange = [name for name in names if not ALLOWED.fullmatch(name)]
    if strange or not names or " relies on " in printed or " is assumed " in printed:
        raise Rejected(f"rests on {', '.join(strange) or ' '.join(printed.split())[-300:]}")
    return sorted({re.sub(r"^(PrimInt63|Uint63)\..*", r"\1.*", name) for name in names})


def statements(folder: Path, file: str, text: str) -> list[dict[str, Any]]:
    """Ask Coq what the tied theorems of a compiled file say and assume."""
    tied = coq.ties(file, text)
    if not tied:
        return []
    asked = dict.fromkeys(tie.theorem for tie in tied)
    mark = 'Goal True. idtac "@@". Abort.\n'
    probe = "".join(f"{mark}Check @{file}.{name}.\n{mark}Print Assumptions {file}.{name}.\n" for name in asked)
    folder.joinpath(f"Ask{file}.v").write_text(f"{PRINTED}Require {file}.\n{probe}", encoding="utf-8")
    _, *answers = coqc(folder, f"Ask{file}").split("@@\n")
    found = {}
    for theorem, said, assumed in zip(asked, answers[::2], answers[1::2], strict=True):
        try:
            found[theorem] = {"axioms": assumptions(assumed), "statement": " ".join(said.split())}
        except Rejected as why:
            raise Rejected(f"{file}.v: {theorem} {why}") from None
    return [
        {"label": tie.label, "theorem": tie.theorem, "coverage": tie.coverage, "file": file, **found[tie.theorem]}
        for tie in tied
    ]


def certificates_assume(folder: Path, groups: Mapping[str, list[str]]) -> list[str]:
    """Ask Coq what the lemmas of certificates assume, all together: asking for each would take minutes.

    ``groups`` are the labels by compiled file.
    """
    names = [*MASS, *(f"{file}.{coq.name(label)}" for file, group in groups.items() for label in group)]
    pairs = " ".join(f"(conj {name}" for name in names) + " I" + ")" * len(names)
    ask = f"Require Normal {' '.join(groups)}.\nDefinition all := {pairs}.\nPrint Assumptions all.\n"
    folder.joinpath("AskCertificates.v").write_text(ask, encoding="utf-8")
    try:
        return assumptions(coqc(folder, "AskCertificates"))
    except Rejected as why:
        raise Rejected(f"certificates: {why}") from None


def prove(texts: dict[str, str], certificates: dict[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Have Coq check sources, by file, and lemmas of certificates, by label; return stamps, and refusals.

    Prints a line for each file that is done. The stamps are of use only if nothing was refused.
    """
    refused = [fault for file, text in texts.items() for fault in coq.faults(file, text)]
    listed = {label.label for label in labels()}
    tied = [tie for file, text in texts.items() for tie in coq.ties(file, text)]
    refused += [f"{tie.file}.v: no label {tie.label} in the ledger" for tie in tied if tie.label not in listed]
    groups = {f"Group{start}": list(certificates)[start::GROUPS] for start in range(min(GROUPS, len(certificates)))}
    sources = dict(texts)
    for file, group in groups.items():
        sources[file] = "\n".join([f"Require Import {coq.MEANING}.", *(certificates[label] for label in group), ""])
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(JOBS) as pool:
        folder, under_way = Path(place), dict[str, Future[list[dict[str, Any]]]]()
        for file, text in sources.items():
            folder.joinpath(f"{file}.v").write_text(text, encoding="utf-8")
        # what a file needs is in line before it, so that no worker waits for one that cannot start
        for file in dict.fromkeys(other for name in sources for other in coq.needed(name, sources)):
            under_way[file] = pool.submit(_compiled, folder, file, sources, dict(under_way))
        for file, future in under_way.items():
            try:
                found += future.result()
                print(f"ok       {', '.join(groups.get(file) or [f'{file}.v'])}", flush=True)
            except Rejected as why:
                print(f"REFUSED  {', '.join(groups.get(file) or [f'{file}.v'])}", flush=True)
                refused.append(str(why))
        axioms = certificates_assume(folder, groups) if groups and not refused else []
    needs = coq.needed(coq.MEANING, texts) if groups else []
    seen = {label: coq.digest(text) for label, text in certificates.items()}
    return {
        "coq": version(),
        "sources": {file: coq.digest(text) for file, text in texts.items()},
        "statements": sorted(found, key=lambda stamp: (stamp["label"], stamp["file"], stamp["theorem"])),
        "certificates": {"needs": needs, "axioms": axioms, "lemmas": seen},
    }, refused


def _compiled(
    folder: Path, file: str, sources: dict[str, str], before: dict[str, Future[list[dict[str, Any]]]]
) -> list[dict[str, Any]]:
    """Compile a file after those that it needs, and ask for its theorems."""
    needs = coq.needed(file, sources)
    for other in needs[:-1]:
        if before[other].exception():
            raise Rejected(f"{file}.v needs {other}.v, which was refused")
    coqc(folder, file)
    return [stamp | {"needs": needs} for stamp in statements(folder, file, sources[file])]


def version() -> str:
    """Return the version of Coq."""
    return subprocess.run(["coqc", "--print-version"], capture_output=True, text=True, check=True).stdout.split()[0]


def changed(now: dict[str, Any], before: dict[str, Any]) -> list[str]:
    """Theorems that say something else than at the last run, under the same name."""
    said = {(stamp["file"], stamp["theorem"]): stamp["statement"] for stamp in before["statements"]}
    names = {(stamp["file"], stamp["theorem"]): stamp["statement"] for stamp in now["statements"]}
    return [f"{file}.{theorem}" for (file, theorem), text in names.items() if said.get((file, theorem), text) != text]


def main(target: Path) -> int:
    """Prove everything and write the stamps to ``target``; the exit status."""
    if not shutil.which("coqc"):
        print(f"nothing was checked: Coq is not installed. On Debian:\n{INSTALL}")
        return 0
    known = [entry for entry in all_statements() if "certificate" in entry.faces and not unwritten(entry)]
    certificates = {entry.id: coq.lemma(entry.id, entry.faces["certificate"]()) for entry in known}
    try:
        found, refused = prove(coq.sources(), certificates)
    except (Rejected, ValueError) as why:
        found, refused = {}, [str(why)]
    if refused:
        print(*refused, f"{len(refused)} faults; no stamps were written", sep="\n")
        return 1
    for theorem in changed(found, stamps.stamps()):
        print(f"{theorem} says something else than at the last run: see the difference of {target.name}")
    written = target.with_suffix(".new")
    written.write_text(f"{stamps.text(found)}\n", encoding="utf-8")
    written.replace(target)
    covered = {stamp["label"] for stamp in found["statements"]}
    print(f"{len(certificates)} certificates and the statements of {len(covered)} labels, by Coq {found['coq']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
