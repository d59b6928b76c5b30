"""Run commands in processes that need not import numpy, scipy and pytest again: forks of one that has.

Nothing of the package may be imported here, as each process imports the copy that it is given.
"""

import importlib
import json
import os
import runpy
import sys
import traceback
from pathlib import Path

CHECKOUT = str(Path(__file__).parents[2])
"""Where plugins of pytest that lie beside this file are found; the copy of the package comes before."""
PRELOADED = (
    "mpmath",
    "numpy.testing",
    "pytest",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.sparse.linalg",
    "scipy.stats",
)
"""Modules that take long to import; no plugin of pytest, whose assertions it rewrites, may be among them."""


def serve() -> None:
    """Read requests, one a line, and answer each with the process that runs it and then with its exit code.

    A request is the folder to run in, first on the path of imports, and the arguments of the interpreter: ``-c`` and a
    program, or ``-m`` and a module, and theirs. Its output goes to the file ``said`` of the folder.
    """
    for name in PRELOADED:
        importlib.import_module(name)
    for line in sys.stdin:
        folder, arguments = json.loads(line)
        process = os.fork()
        if process == 0:
            _run(folder, arguments)
        print(process, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)


def _run(folder: str, arguments: list[str]) -> None:
    """Run a program in this process, and end it."""
    os.setsid()
    os.chdir(folder)
    os.environ["PYTHONPATH"] = sys.path[0] = folder
    sys.path.append(CHECKOUT)
    files = os.open(os.devnull, os.O_RDONLY), os.open("said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for target, source in enumerate((*files, files[1])):
        os.dup2(source, target)
    code = 1
    try:
        how, what, *rest = arguments
        sys.argv = [what if how == "-m" else "-c", *rest]
        if how == "-m":
            runpy.run_module(what, run_name="__main__", alter_sys=True)
        else:
            exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    serve()
