"""Programs in a few words that speak the protocol, well and badly."""

import sys

from dpspectra.audit.calling.program import ProgramError
from tests.support.helpers import ROOT

EXAMPLES = ROOT / "examples"
NUMBERS = (0, 1)
SCORES = ([1, 0, 0], [0, 1, 0])
GREETING = '{"hello":1,"seeded":true}'
WAIT = 0.3
"""Seconds that a program is given in the tests in which it says nothing; far more than a shell takes to greet."""


def shell(answer, greeting=GREETING):
    """A program in a few words: what it says first, and what it does at each request, whose number is ``$id``."""
    parsed = 'id=${line#*:}; id=${id%%,*}; seed=${line#*seed\\":}; seed=${seed%%,*}'
    loop = f"while read -r line; do case $line in *bye*) exit;; esac; {parsed}; {answer}; done"
    return ["sh", "-c", f"read -r hello; echo '{greeting}'; {loop}"]


def says(answer):
    """A shell's command that prints ``answer``, in which ``$id`` and ``$seed`` stand for those of the request."""
    return 'echo "' + answer.replace('"', '\\"') + '"'


SEED = says('{"id":$id,"outputs":[$seed]}')
FAKE = """
import sys
greeting, answer = map(bytes.fromhex, sys.argv[1:])
sys.stdin.readline()
sys.stdout.buffer.write(greeting + b"\\n")
sys.stdout.flush()
for call, line in enumerate(sys.stdin, 1):
    sys.stdout.buffer.write(answer.replace(b"$id", b"%d" % call))
    sys.stdout.flush()
"""


def fake(answer, greeting=GREETING):
    """A program that answers every request in the same words, a line or bytes, with the request's number in them."""
    said = answer if isinstance(answer, bytes) else f"{answer}\n".encode()
    return [sys.executable, "-I", "-S", "-c", FAKE, greeting.encode().hex(), said.hex()]


def scripted(path, source):
    """A program in Python, without its site packages."""
    path.write_text(f"import json, sys\n{source}", encoding="utf-8")
    return [sys.executable, "-I", "-S", str(path)]


def kinds(mechanism, calls, data=0):
    """What became of so many calls: the output, or the name of the exception."""
    found = []
    for seed in range(calls):
        try:
            found.append(mechanism(data, seed=seed))
        except ProgramError as problem:
            found.append(type(problem).__name__)
    return found
