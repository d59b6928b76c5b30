"""Pages with cells are run on all cores before Sphinx reads them; what a page printed is kept by the text of its cells.

Sphinx takes what they printed from here, and runs a page itself that is not here, such as one that failed.
"""

import os
import sys
from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor
from myst_nb.core.read import is_myst_markdown_notebook

FOLDER = "executed"
"""Where it is kept, beside the pages."""
SECONDS = 300
"""For a cell, on a busy machine."""


def own_commands() -> None:
    """Let pages call the commands of this installation."""
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def run(folder: Path, pages: Path) -> None:
    """Run the pages below a folder whose cells were not run yet."""
    own_commands()
    cache = get_cache(folder)
    for page in pages.rglob("*.md"):
        if is_myst_markdown_notebook(page.read_text(encoding="utf-8")):
            cache.add_nb_to_project(str(page), read_data={"type": "plugin", "name": "myst_nb_md"})
    load_executor("local-parallel", cache).run_and_cache(timeout=SECONDS)
