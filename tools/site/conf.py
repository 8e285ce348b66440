"""Sphinx's settings for the site that `make docs` builds (tools/site/build.py)."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import allport as ap  # noqa: E402
import python_reference  # noqa: E402

project = "Allport"
author = "Allport contributors"
version = release = ap.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"
exclude_patterns = ["examples"]
default_role = "code"
highlight_language = "none"
html_theme = "furo"
html_title = f"Allport {version}"
html_copy_source = False
html_show_copyright = False

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
cpp_index_common_prefix = ["allport::"]
toc_object_entries = False  # every page carries the whole navigation
maximum_signature_line_length = 100


def restructure(app, what, name, value, options, lines):
    """Docstrings are sentences with a little Markdown."""
    lines[:] = python_reference.restructured(lines)


def name_types(app, what, name, value, options, signature, returned):
    """Compiled functions name the module that they are compiled into."""
    return tuple(text and python_reference.plain_types(text) for text in (signature, returned))


def setup(app):
    app.connect("autodoc-process-signature", name_types)
    app.connect("autodoc-process-docstring", restructure)
