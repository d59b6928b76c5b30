"""Cells and commands of a page, run in order."""

import contextlib
import io
import re
import shlex
import subprocess
import sys

from atlas.shell import commands
from dpspectra.cli import run

BLOCK = re.compile(r"^```(\{code-cell\}|sh|yaml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STEP = re.compile(r"^ *- run: ((?:dpspectra|python) .*)$", re.MULTILINE)
"""A step of a workflow that installs nothing."""
EXIT = re.compile(r"# exits with (\d)$")


def command(line):
    """Run one line of a shell; return its exit status and the one that the line promises."""
    promised = EXIT.search(line)
    words = shlex.split(line, comments=True)
    if words[0] == "dpspectra":
        try:
            status = run(words[1:])
        except SystemExit as ended:  # --help
            status = int(ended.code or 0)
    else:
        words[0] = {"python": sys.executable}.get(words[0], words[0])
        status = subprocess.run(words, check=False, capture_output=True).returncode
    return status, int(promised[1]) if promised else 0


def play(text, path="guide"):
    """Run the cells and commands of a guide in the current folder; return what the cells printed."""
    printed, names = io.StringIO(), {"__name__": "__main__"}
    for kind, code in BLOCK.findall(text):
        with contextlib.redirect_stdout(printed):
            if kind != "{code-cell}":
                for line in STEP.findall(code) if kind == "yaml" else commands(code):
                    status, promised = command(line.replace("\\\n", ""))
                    assert status == promised, f"{line} exits with {status}"
            else:
                exec(compile(code, path, "exec"), names)
    return printed.getvalue()
