"""Commands of a guide are run as its page is made, and what they print stands below them."""

import re

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FIRST = """\
```{code-cell}
:tags: [remove-cell]
import os as _os, re as _re, shutil as _shutil, subprocess as _subprocess, tempfile as _tempfile, textwrap as _textwrap
from pathlib import Path as _Path

_apart = _tempfile.TemporaryDirectory()
for _table in _Path().glob("*.csv"):
    _shutil.copy(_table, _apart.name)
_os.chdir(_apart.name)
_os.environ["PY_COLORS"] = "0"  # pytest takes a notebook for a terminal

def _folded(line):
    after = len(_re.match(r" *\\S+( \\S+)* {2,}|", line)[0]) or 2
    return line if len(line) <= 100 else _textwrap.fill(line, 88, subsequent_indent=" " * after)

def _told(command):
    said = _subprocess.run(command, shell=True, stdout=-1, stderr=-2, text=True).stdout
    return "\\n".join(map(_folded, said.splitlines()))
```

"""
"""Guides are made at the same time, and each writes its own files. Printed prose is folded, tables are not."""
PICTURES = """\
```{code-cell}
:tags: [remove-cell]
%matplotlib inline
```

"""
"""With older versions a notebook shows its first figure in words without it."""
RUN = '''\
```sh
{line}
```

```{{code-cell}}
:tags: [remove-input]
print(_told(r"""{line}"""))
```
'''


def commands(block: str) -> list[str]:
    """Return the commands of a block, each as it stands; a backslash at the end of a line goes on."""
    return re.findall(r"(?:.*\\\n)*.+", block)


def with_output(text: str) -> str:
    """Return a guide with a cell below each command that runs it and shows what it prints."""
    ran = BLOCK.sub(lambda found: "\n".join(RUN.format(line=line) for line in commands(found[1])), text)
    hidden = FIRST + (PICTURES if "matplotlib.pyplot" in text else "")
    return re.sub(r"^# .*\n", lambda title: f"{title[0]}\n{hidden}", ran, count=1, flags=re.MULTILINE)
