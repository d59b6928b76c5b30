"""Have Coq check every theorem that is tied to a label and every certificate: ``python -m dpspectra.ledger.coq_check``.

Files are compiled in a folder of their own, and each certificate of the ledger there in a file with one lemma. The
folder keeps compiled files; a file is compiled again once it or one that it needs has another text. Of every theorem
and of the certificates Coq is asked what they assume; only axioms of its standard library are allowed. The findings
is written beside the sources if nothing failed (`dpspectra.ledger.coq_stamps`).
"""

from __future__ import annotations

import functools
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dpspectra.ledger import coq_sources, coq_stamps
from dpspectra.ledger.papers import labels
from dpspectra.ledger.registry import all_statements
from dpspectra.ledger.unwritten import unwritten

JOBS = 2
"""Processes of Coq at a time."""
INSTALL = "apt-get install --no-install-recommends coq libcoq-interval libcoq-flocq"
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
EMPTY = "solve [intros; first [easy | auto with arith | Lra.lra]]"
"""Tactic that must not prove a tied theorem: what it proves says nothing, such as ``forall n, n = n``."""
REFUTATION = re.compile(r"[\w.]+ : (forall \w+ : Scalars\.scalars, )?~")
"""How Coq prints the only form of a refutation, that the printed statement is false: over all numbers, or some."""
FLAGS = ("-R", ".", "dpspectra")
"""Where libraries are found; ``_CoqProject`` tells editors the same."""


class Rejected(Exception):
    """Coq refused a file, or something in a file is not allowed."""


def coqc(folder: Path, file: str) -> str:
    """Compile a file of a folder; return the text that Coq printed. Raises `Rejected` with its message."""
    command = ["coqc", "-q", "-w", "none", *FLAGS, f"{file}.v"]
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
    tied = coq_sources.ties(file, text)
    if not tied:
        return []
    asked = dict.fromkeys(tie.theorem for tie in tied)
    mark = 'Goal True. idtac "@@". Abort.\n'
    probe = "".join(
        f"{mark}Check @{file}.{name}.\n{mark}Print Assumptions {file}.{name}.\n{mark}"
        f"Goal ltac:(let said := type of (@{file}.{name}) in exact said).\n"
        f'tryif {EMPTY} then idtac "says nothing" else idtac. Abort.\n'
        for name in asked
    )
    folder.joinpath(f"Ask{file}.v").write_text(f"{PRINTED}Require Lra {file}.\n{probe}", encoding="utf-8")
    _, *answers = coqc(folder, f"Ask{file}").split("@@\n")
    found: dict[str, dict[str, Any]] = {}
    for theorem, said, assumed, empty in zip(asked, answers[::3], answers[1::3], answers[2::3], strict=True):
        try:
            found[theorem] = {"axioms": assumptions(assumed), "statement": " ".join(said.split())}
        except Rejected as why:
            raise Rejected(f"{file}.v: {theorem} {why}") from None
        if empty.strip():
            raise Rejected(f"{file}.v: {theorem} {empty.strip()}: {EMPTY} proves it")
    for tie in tied:
        if (tie.kind == "refutes") != bool(REFUTATION.match(found[tie.theorem]["statement"])):
            raise Rejected(
                f"{file}.v: {tie.theorem} {tie.kind} {tie.label}: only a refutation says ~ (printed statement)"
            )
    return [{**asdict(tie), **found[tie.theorem]} for tie in tied]


def certificates_assume(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Ask Coq what the lemmas of certificates assume, all together: asking for each would take minutes.

    ``files`` are the labels by compiled file.
    """
    names = [*coq_sources.MASS, *(f"{file}.{coq_sources.name(label)}" for file, label in files.items())]
    pairs = " ".join(f"(conj {name}" for name in names) + " I" + ")" * len(names)
    ask = f"Require Normal {' '.join(files)}.\nDefinition all := {pairs}.\nPrint Assumptions all.\n"
    folder.joinpath("AskCertificates.v").write_text(ask, encoding="utf-8")
    try:
        return assumptions(coqc(folder, "AskCertificates"))
    except Rejected as why:
        raise Rejected(f"certificates: {why}") from None


def prove(texts: dict[str, str], certificates: dict[str, str], folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Have Coq check sources, by file, and lemmas of certificates, by label; return stamps, and refusals.

    ``folder`` keeps compiled files. Prints a line for each file that is done. The stamps are of use only if nothing
    was refused.
    """
    refused = [fault for file, text in texts.items() for fault in coq_sources.faults(file, text)]
    listed = {label.label for label in labels()}
    tied = [tie for file, text in texts.items() for tie in coq_sources.ties(file, text)]
    refused += [f"{tie.file}.v: no label {tie.label} in the ledger" for tie in tied if tie.label not in listed]
    files = {f"Of_{coq_sources.name(label)}": label for label in certificates}
    sources = texts | {
        file: f"Require Import {coq_sources.MEANING}.\n{certificates[label]}\n" for file, label in files.items()
    }
    found: list[dict[str, Any]] = []
    with ThreadPoolExecutor(JOBS) as pool:
        under_way = dict[str, Future[list[dict[str, Any]]]]()
        # what a file needs is in line before it, so that no worker waits for one that cannot start
        for file in dict.fromkeys(other for name in sources for other in coq_sources.needed(name, sources)):
            under_way[file] = pool.submit(_compiled, folder, file, sources, dict(under_way))
        for file, future in under_way.items():
            try:
                found += future.result()
            except Rejected as why:
                print(f"REFUSED  {file}.v", flush=True)
                refused.append(str(why))
    needs = coq_sources.needed(coq_sources.MEANING, texts) if files else []
    axioms: list[str] = []
    if files and not refused:
        key = _key(sources, [*needs, *files])
        axioms = _kept(folder, "Certificates", key, lambda: certificates_assume(folder, files))
    seen = {label: coq_sources.digest(text) for label, text in certificates.items()}
    return {
        "coq": version(),
        "sources": {file: coq_sources.digest(text) for file, text in texts.items()},
        "seals": coq_sources.seals(texts),
        "statements": sorted(found, key=lambda stamp: (stamp["label"], stamp["file"], stamp["theorem"])),
        "certificates": {"needs": needs, "axioms": axioms, "lemmas": seen},
    }, refused


def _compiled(
    folder: Path, file: str, sources: dict[str, str], before: dict[str, Future[list[dict[str, Any]]]]
) -> list[dict[str, Any]]:
    """Compile a file after those that it needs, and ask for its theorems."""
    needs = coq_sources.needed(file, sources)

    def compiled() -> list[dict[str, Any]]:
        for other in needs[:-1]:
            if before[other].exception():
                raise Rejected(f"{file}.v needs {other}.v, which was refused")
        folder.joinpath(f"{file}.v").write_text(sources[file], encoding="utf-8")
        coqc(folder, file)
        found = [stamp | {"needs": needs} for stamp in statements(folder, file, sources[file])]
        print(f"ok       {file}.v", flush=True)
        return found

    for other in needs[:-1]:
        before[other].exception()
    return _kept(folder, file, _key(sources, needs), compiled)


def _key(sources: Mapping[str, str], files: list[str]) -> str:
    """Hash of all on which the answer for some files depends."""
    asked = [version(), PRINTED, EMPTY, ALLOWED.pattern, *FLAGS]
    return coq_sources.digest("\0".join([*asked, *(part for file in files for part in (file, sources[file]))]))


def _kept(folder: Path, file: str, key: str, answer: Callable[[], list[Any]]) -> list[Any]:
    """Return the answer that a folder keeps for a file under a key, or find and keep it."""
    record = folder / f"{file}.json"
    if record.is_file():
        known: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))
        if known["key"] == key:
            return list(known["answer"])
        record.unlink()
    found = answer()
    record.write_text(json.dumps({"key": key, "answer": found}), encoding="utf-8")
    return found


@functools.cache
def version() -> str:
    """Return the version of Coq."""
    return subprocess.run(["coqc", "--print-version"], capture_output=True, text=True, check=True).stdout.split()[0]


def changed(now: dict[str, Any], before: dict[str, Any]) -> list[str]:
    """Theorems, definitions and hypotheses that say something else than at the last run, or are gone."""
    said = {(stamp["file"], stamp["theorem"]): stamp["statement"] for stamp in before["statements"]}
    names = {(stamp["file"], stamp["theorem"]): stamp["statement"] for stamp in now["statements"]}
    told = [f"{file}: {theorem}" for (file, theorem), text in names.items() if said.get((file, theorem), text) != text]
    old = before["seals"]
    seals = [
        name
        for name in coq_sources.broken(now["seals"], old)
        if name.partition(": ")[2] in old.get(name.partition(": ")[0], {})
    ]
    return [*dict.fromkeys([*told, *seals])]


def main(target: Path, folder: Path) -> int:
    """Prove everything in ``folder`` and write the stamps to ``target``; the exit status."""
    if not shutil.which("coqc"):
        print(f"Coq is not installed. On Debian: {INSTALL}\nnothing was proved: the stamps are those of an earlier run")
        return 0
    known = [entry for entry in all_statements() if "certificate" in entry.faces and not unwritten(entry)]
    certificates = {entry.id: coq_sources.lemma(entry.id, entry.faces["certificate"]()) for entry in known}
    folder.mkdir(exist_ok=True)
    try:
        found, refused = prove(coq_sources.sources(), certificates, folder)
    except (Rejected, ValueError) as why:
        found, refused = {}, [str(why)]
    if refused:
        print(*refused, f"{len(refused)} faults; no stamps were written", sep="\n")
        return 1
    for name in changed(found, coq_stamps.stamps()):
        print(f"{name} says something else than at the last run: see the difference of {target.name}")
    written = target.with_suffix(".new")
    written.write_text(f"{coq_stamps.text(found)}\n", encoding="utf-8")
    written.replace(target)
    covered = {
        kind: {stamp["label"] for stamp in found["statements"] if stamp["kind"] == kind} for kind in coq_sources.KINDS
    }
    told = f"theorems of {len(covered['proves'])} labels, refutations of {len(covered['refutes'])}"
    print(f"{told}, {len(certificates)} certificates, by Coq {found['coq']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
