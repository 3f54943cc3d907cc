"""Settings of the documentation site: `sphinx-build -W docs build/docs` builds it, offline."""

import inspect
import os
import re
import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

from generated_pages import write_generated_pages  # noqa: E402
from picture_scraper import picture_scraper  # noqa: E402

import noctule  # noqa: E402

os.environ["MPLBACKEND"] = "agg"

project = "Noctule"
author = "The Noctule team"
copyright = "The Noctule team, MIT licence"
version = release = noctule.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["gallery/**/*.ipynb", "gallery/**/*.py", "gallery/**/*.zip", "**/README.md"]
templates_path = ["_templates"]
nitpicky = False
highlight_language = "bash"  # of indented blocks
suppress_warnings = ["config.cache"]  # functions in settings of the gallery

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"__init__\.py|conftest\.py",
    "within_subsection_order": "FileNameSortKey",
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "plot_gallery": "True",
    "matplotlib_animations": False,
    "backreferences_dir": None,
    "image_scrapers": ("matplotlib", picture_scraper),
    "default_thumb_file": str(DOCS / "_static" / "mark.png"),
}

html_theme = "pydata_sphinx_theme"
html_title = "Noctule"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "changelog": []}
html_theme_options = {
    "logo": {"text": "Noctule"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_nav_level": 2,
    "navigation_with_keys": False,
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}


def trimmed(app, document, source):
    """Remove the blank line that ends each block of Python, which only doctests need."""
    source[0] = re.sub(r"(^```python\n.*?)\n+^```$", r"\1\n```", source[0], flags=re.M | re.S)


def signature_of_class(app, kind, name, value, options, signature, returns):
    """Return the signature of a class as `inspect` has it, not that of its metaclass."""
    if kind != "class" or signature is None or issubclass(value, dict | Exception):
        return signature, returns
    parameters = inspect.signature(value).parameters.values()
    plain = [each.replace(annotation=inspect.Parameter.empty) for each in parameters]
    return str(inspect.Signature(plain)), returns


def setup(app):
    """Write the pages that are made from the program: names and command line."""
    write_generated_pages(DOCS / "reference")
    app.connect("source-read", trimmed)
    app.connect("autodoc-process-signature", signature_of_class)
