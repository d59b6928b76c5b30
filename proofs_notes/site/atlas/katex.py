"""Formulas become MathML with their TeX by KaTeX, in a JavaScript engine from PyPI that runs in a process of its own.

An engine that met an error can keep its process from ending, and it must not be forked: so it reads and writes JSON,
errors are values, and the process ends itself.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "vendor" / "katex-0.19.1" / "katex.min.js"
SECONDS = 120
RENDER = """JSON.stringify(%s.map(([formula, display]) => {
  try {
    const options = {displayMode: display, strict: "error", throwOnError: true, output: "mathml"};
    return "+" + katex.renderToString(formula, options).replace(/<math xmlns="[^"]*"/, "<math");
  } catch (error) { return "-" + error.message; }
}))"""


def rendered(formulas: Sequence[tuple[str, bool]]) -> list[str]:
    """MathML after ``+``, or a message after ``-``, of each pair of formula and display flag."""
    if not formulas:
        return []
    done = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps(formulas),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        timeout=SECONDS,
        check=True,
    )
    found: list[str] = json.loads(done.stdout)
    return found


def main() -> None:
    """Answer one list of pairs on standard input."""
    from py_mini_racer import MiniRacer

    engine = MiniRacer()
    engine.eval(SCRIPT.read_text(encoding="utf-8"))
    sys.stdout.write(str(engine.eval(RENDER % json.dumps(json.load(sys.stdin)))))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
