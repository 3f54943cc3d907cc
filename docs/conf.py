"""Settings of the documentation site: `sphinx-build -W docs build/docs` builds it, offline."""

import os
import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

from generated_pages import write_generated_pages  # noqa: E402

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
    "image_srcset": ["2x"],
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


def setup(app):
    """Write the pages that are made from the program: names and command line."""
    write_generated_pages(DOCS / "reference")
