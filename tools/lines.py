"""Lines by room, beside as many as each may have: `make lint` prints them, and fails above.

Raise a number in ``lines.csv`` in a commit of its own, with its reason. What is well below is lowered as you pass.
"""

import csv
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUDGET = Path(__file__).with_name("lines.csv")
COUNTED = (".py", ".md", ".v", ".js", ".css", ".csv", ".json", ".toml")
FOLDERS = ("reference", "tests", "proofs_notes", "bench", "tools", "examples")
PACKAGE = "reference/dpspectra"


def room_of(name: str) -> str:
    """Return the room of a file: a package or module of the product, else the folder at the top."""
    parts = Path(name).parts
    return "/".join(parts[2:3]) if name.startswith(PACKAGE) else parts[0]


def lines() -> Counter[str]:
    """Return the lines of all files that git knows, by room."""
    asked = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *FOLDERS]
    names = subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    found: Counter[str] = Counter()
    for name in names:
        path = ROOT / name
        if path.suffix in COUNTED and path.exists():
            found[room_of(name)] += path.read_bytes().count(b"\n")
    return found


def budget() -> dict[str, int]:
    """Return how many lines each room may have."""
    with BUDGET.open(encoding="utf-8", newline="") as file:
        return {row["room"]: int(row["lines"]) for row in csv.DictReader(file)}


def main() -> int:
    """Print the table; return 1 if a room is above its number or has none."""
    here, most = lines(), budget()
    over = [room for room in here if here[room] > most.get(room, 0)]
    for room, count in here.most_common():
        print(f"{room:<16}{count:>8} of {most.get(room, 0):>7}{'  too many' if room in over else ''}")
    print(f"{'all':<16}{here.total():>8} of {sum(most.values()):>7}")
    if over:
        print(f"too many lines in {', '.join(over)}: make it smaller, or raise {BUDGET.name} in a commit of its own")
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main())
