"""Foreign mechanisms, unmodified, audited from inside and from outside: who is right, and what stays undecided?

    python -m bench.libraries [--only LIBRARY ...] [--quick] [--environments .venv-libraries] [--json FILE]

Each library has an environment of its own, with the versions of `bench/libraries.toml`, which is made once and kept in
the folder of environments. `bench/library/LIBRARY.py` holds its mechanisms: a function, a pair, a claim and what is
known of its loss. Each is audited at its claim and at half of it. Exits with 1 if an audit says what is not so, or if a
library did not answer for all its mechanisms. Python 3.11 is the newest for which all of these versions have wheels.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

ROOT = Path(__file__).parents[1]
PINS: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
MOST = 3_600
"""Seconds that a library may take."""
COLUMNS = ("library", "mechanism", "claim", "true", "inside", "s", "line", "outside", "draws", "bound")
WORDS = {True: "yes", False: "no", None: "not known"}
Row = dict[str, Any]


def environment(folder: Path, library: str) -> Path:
    """Return the Python of a library's environment; made anew if other versions are asked for."""
    own = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    asked = PINS[library] | {"own": own}
    home, stamp = folder / library, folder / f"{library}.pins"
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if stamp.exists() and json.loads(stamp.read_text(encoding="utf-8")) == asked:
        return python
    shutil.rmtree(home, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    install = [str(python), "-m", "pip", "install", "--quiet"]
    if "index" in asked:  # the first one alone, and what it needs
        subprocess.run([*install, asked["packages"][0], "--index-url", asked["index"]], check=True)
    subprocess.run([*install, *asked["packages"], *asked["own"]], check=True)
    stamp.write_text(json.dumps(asked), encoding="utf-8")
    return python


def answers(python: Path, library: str, *, quick: bool) -> Iterator[Row]:
    """Yield the rows of a library as they come; raise `RuntimeError` if there may be more."""
    command = [str(python), "-m", "bench.foreign", library, *(["--quick"] if quick else [])]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    settings = os.environ | threads | {"PYTHONPATH": str(ROOT / "reference")}
    with TemporaryFile("w+", encoding="utf-8") as errors:
        asked = subprocess.Popen(command, cwd=ROOT, env=settings, stdout=subprocess.PIPE, stderr=errors, text=True)
        late = threading.Timer(MOST, asked.kill)
        late.start()
        try:
            yield from map(json.loads, asked.stdout or ())
            if asked.wait():
                errors.seek(0)
                raise RuntimeError(f"it ended with {asked.returncode}: {errors.read().strip()[-500:]}")
        finally:
            late.cancel()
            asked.kill()


def _cells(row: Row) -> list[str]:
    numbers = {"s": f"{row['seconds']:.2f}", "bound": f"{row['bound']:.3g}", "true": WORDS[row["true"]]}
    return [str(numbers.get(name, row.get(name) or "")) for name in COLUMNS]


def reason_class(row: Row) -> str:
    """Return why a row is undecided, without the lines, names and numbers that are its own."""
    text = (row.get("reasons") or row.get("findings") or [row["inside"]])[0]
    for tail in ("; its noise begins", "; no draw of", ": noise of "):
        text = text.split(tail)[0]
    text = re.sub(r"(?:,? at| of| <)? ?[\w<>-]+\.py:\d+ \([^)]*\)|'[^']*'", "", text)
    return re.sub(r"[-+]?\d[\d,.]*(?:e[-+]?\d+)?", "#", text)[:150]


def counts(rows: list[Row]) -> list[str]:
    """Return lines of a table with the verdicts from inside by library; at half the claim, also those from outside."""
    verdicts = ("explained", "refuted", "exceeded", "undecided")
    columns = ("library", "noise in", *verdicts, "half refuted", "half refuted from outside")
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    for key in dict.fromkeys((row["library"], row["noise"]) for row in rows):
        mine = [row for row in rows if (row["library"], row["noise"]) == key]
        full = Counter(row["inside"] for row in mine if not row["half"])
        halves = [row for row in mine if row["half"]]
        by = [f"{sum(row[side] == 'refuted' for row in halves)} of {len(halves)}" for side in ("inside", "outside")]
        lines.append("| " + " | ".join([*key, *(str(full[verdict]) for verdict in verdicts), *by]) + " |")
    return lines


def summary(rows: list[Row]) -> str:
    """Return the counts, and the reasons of what stays undecided."""
    ours = [row for row in rows if row["noise"] == "python" and not row["half"]]
    left = [row for row in ours if row["inside"] != "explained" and (row["inside"] != "refuted" or row["true"])]
    share = f"{len(ours) - len(left)} of {len(ours)}"
    found = [*counts(rows), "", f"Noise drawn in Python: {share} explained or rightly refuted at their claims.", ""]
    for text, count in Counter(map(reason_class, left)).most_common():
        names = ", ".join(f"{row['library']} {row['mechanism']}" for row in left if reason_class(row) == text)
        found.append(f"* {count} are not, as: {text} ({names})")
    found += ["", f"Wrong: {sum(bool(row['wrong']) for row in rows)}"]
    found += [f"* {row['library']} {row['mechanism']}, {row['claim']}: {w}" for row in rows for w in row["wrong"]]
    return "\n".join(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", choices=PINS, default=list(PINS), metavar="LIBRARY")
    parser.add_argument("--quick", action="store_true", help="fewer draws and seconds")
    parser.add_argument("--environments", type=Path, default=ROOT / ".venv-libraries", metavar="FOLDER")
    parser.add_argument("--json", type=Path, metavar="FILE", help="all that is known of each audit")
    args = parser.parse_args()
    args.environments.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    silent = 0
    print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|")
    for library in args.only:
        try:
            for row in answers(environment(args.environments, library), library, quick=args.quick):
                print("| " + " | ".join(cell.replace("|", "/") for cell in _cells(row)) + " |", flush=True)
                rows.append(row)
        except (RuntimeError, subprocess.CalledProcessError, json.JSONDecodeError) as problem:
            print(f"{library}: {problem}", file=sys.stderr, flush=True)
            silent += 1
    print("\n" + summary(rows))
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return int(silent > 0 or any(row["wrong"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
