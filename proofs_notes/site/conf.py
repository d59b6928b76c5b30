"""Settings of Sphinx for the atlas; the pages are written by ``python -m atlas``."""

import gc
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import dpspectra
from atlas.address import address
from atlas.notebooks import SECONDS, own_commands

own_commands()
# Trees of pages are large: to look for circles among them after every 700 objects takes a fifth of the time.
gc.set_threshold(200_000)

project = "dpspectra"
html_title = f"dpspectra {dpspectra.__version__}"
html_baseurl = address()
extensions = [
    "myst_nb",
    "sphinx_copybutton",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "atlas.address",
    "atlas.formulas",
    "atlas.interface",
    "atlas.slim",
]
exclude_patterns = ["jupyter_execute", "**/SHA512SUMS"]
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["dollarmath", "colon_fence", "attrs_inline", "attrs_block", "deflist"]
myst_heading_anchors = 3
myst_fence_as_directive = ["math"]
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = SECONDS
napoleon_custom_sections = [("Attributes", "params_style")]  # as a list: a property has an entry of its own
napoleon_use_param = False  # parameters with one description share an entry
default_role = "py:obj"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_type_aliases = {name: name for name in ("ArrayLike", "Data", "Matrix", "Rng", "Rows", "Vector")}

html_theme = "furo"
html_math_renderer = "katex"
templates_path = ["templates"]
html_static_path = ["static", "vendor"]
html_favicon = "static/favicon.svg"
html_css_files = ["katex-0.19.1/katex.min.css", "icons.css", "atlas.css", "drawing.css"]
html_js_files = ["katex-0.19.1/katex.min.js", "labels.js", "atlas.js"]
html_copy_source = False
html_permalinks = False  # a script adds them
html_show_sourcelink = False
html_show_copyright = False
html_show_search_summary = False  # summaries are fetched, which a browser refuses for pages on disk
