"""Read pairs of formula and display flag as JSON, write HTML after ``+`` or a message after ``-``.

A process of its own: an engine that met an error can keep its process from ending, and must not be forked.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "vendor" / "katex-0.19.1" / "katex.min.js"
RENDER = """JSON.stringify(%s.map(([formula, display]) => {
  try {
    const options = {displayMode: display, strict: "error", throwOnError: true};
    return "+" + katex.renderToString(formula, options).replace(/<annotation.*?<\\/annotation>/, "");
  } catch (error) { return "-" + error.message; }
}))"""

if __name__ == "__main__":
    from py_mini_racer import MiniRacer

    engine = MiniRacer()
    engine.eval(SCRIPT.read_text(encoding="utf-8"))
    sys.stdout.write(str(engine.eval(RENDER % json.dumps(json.load(sys.stdin)))))
    sys.stdout.flush()
    os._exit(0)
