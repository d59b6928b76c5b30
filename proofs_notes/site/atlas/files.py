"""Files that Sphinx reads: they change only where their content does, and what was made of other sources is removed."""

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path


def write(path: Path, text: str) -> None:
    """Write a file, with its folder, unless it says so already: Sphinx reads again what is newer than its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def write_all(folder: Path, texts: Mapping[str, str]) -> None:
    """Make a folder hold these texts, by their place, and no other file."""
    for path in [*folder.rglob("*")]:
        if path.is_file() and path.relative_to(folder).as_posix() not in texts:
            path.unlink()
    for place, text in texts.items():
        write(folder / place, text)


def drop_old(build: Path, sources: str, folders: Iterable[str]) -> None:
    """Remove folders of a build that were made of other sources, and note of which they will be."""
    noted = build / "sources"
    if not noted.exists() or noted.read_text(encoding="utf-8") != sources:
        for old in (build / folder for folder in folders):
            if old.exists():
                shutil.rmtree(old)
        write(noted, sources)
