"""The page on citing: the project and the papers as BibTeX, from the file that programs read."""

import re
from pathlib import Path
from typing import Any

import yaml

import dpspectra
from atlas import address
from atlas import markup as md

FILE = Path(__file__).parents[3] / "CITATION.cff"
KINDS = {"software": "software", "conference-paper": "inproceedings"}
FIELDS = {
    "title": "title",
    "year": "year",
    "collection-title": "series",
    "volume": "volume",
    "doi": "doi",
    "url": "url",
}


def page() -> str:
    """Return the page in MyST Markdown."""
    cited = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return md.page(
        "Cite",
        "Cite the project for what you computed or checked with it.",
        md.fence(bibtex("dpspectra", cited | {"version": dpspectra.__version__} | public()), "bibtex"),
        "Cite a statement by its label, which never changes: *dpspectra, statement JXZ-T4*. "
        "Cite the paper for what it states.",
        *(md.fence(bibtex(key(work), work), "bibtex") for work in cited["references"]),
    )


def public() -> dict[str, str]:
    """Return the address at which the project is to be found, as far as one is public."""
    found = address.urls()
    known = [found[name] for name in ("Documentation", "Repository") if name in found]
    return {"url": known[0]} if known else {}


def key(work: dict[str, Any]) -> str:
    """Return the first author's name, the year and the first word of the title, in small letters."""
    name, title = work["authors"][0]["family-names"], re.findall(r"[A-Z]\w{3,}", work["title"])
    return re.sub(r"\W", "", f"{name}{work['year']}{title[0]}").lower()


def bibtex(key: str, work: dict[str, Any]) -> str:
    """One work as BibTeX."""
    authors = [
        f"{{{who['name']}}}" if "name" in who else f"{who['family-names']}, {who['given-names']}"
        for who in work["authors"]
    ]
    told = {"author": " and ".join(authors)} | {ours: work[field] for field, ours in FIELDS.items() if field in work}
    told |= {"version": work["version"], "license": work["license"]} if "version" in work else {}
    told |= {"booktitle": work["conference"]["name"]} if "conference" in work else {}
    told |= {"pages": f"{work['start']}--{work['end']}"} if "start" in work else {}
    if found := [which["value"].removeprefix("arXiv:") for which in work.get("identifiers", ())]:
        told["eprint"] = found[0]
    lines = ",\n".join(f"  {field} = {{{value}}}" for field, value in told.items())
    return f"@{KINDS[work['type']]}{{{key},\n{lines}\n}}"
