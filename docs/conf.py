"""The site of the documentation: python -m sphinx -W -b html docs SITE."""

from __future__ import annotations

import gc
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import site_pages
from pygments.lexers.special import TextLexer

import treesql

# Documents are millions of objects that stay: to look for garbage among them takes a fifth of a build.
gc.set_threshold(20_000, 50, 50)

project = "treesql"
author = "The treesql authors"
copyright = "The treesql authors"
release = version = treesql.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["queries.md", "commands.md", "tables.md"]
"""Long pages for readers of files; the site has a page per query, command and table in their place."""

myst_heading_anchors = 4
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
maximum_signature_line_length = 100
default_role = "code"
html_theme = "alabaster"
html_title = f"treesql {release}"
html_static_path = ["static"]
templates_path = ["templates"]
pygments_style = "vs"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "description": "SQL for treebanks",
    "page_width": "1140px",
    "sidebar_width": "260px",
    "font_size": "16px",
    "body_text_align": "left",
    "gray_1": "#444",
    "gray_2": "#eee",
    "gray_3": "#444",
    "link": "#00507a",
    "narrow_sidebar_bg": "#f6f6f6",
    "narrow_sidebar_fg": "#333",
    "narrow_sidebar_link": "#00507a",
    "font_family": "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
    "head_font_family": "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
    "link_hover": "#7a3300",
    "sidebar_collapse": True,
}
html_sidebars = {"**": ["about.html", "searchfield.html", "localtoc.html", "navigation.html"]}


def setup(app: Any) -> None:
    """Write the made pages before the sources are found; links and docstrings are adapted as they are read."""
    app.connect("builder-inited", lambda app: site_pages.write(Path(app.srcdir)))
    app.connect("source-read", _lead_links_to_pages)
    app.connect("autodoc-process-docstring", _escape_docstring)
    app.connect("html-page-context", _make_accessible)
    for language in ("grew", "tregex", "tiger"):
        app.add_lexer(language, TextLexer)
    app.add_css_file("site.css")


def _lead_links_to_pages(app: Any, page: str, source: list[str]) -> None:
    source[0] = site_pages.lead_to_pages(source[0], page)


def _escape_docstring(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are plain text with code between backticks, not reStructuredText."""
    text = re.sub(
        r"`([^`\n]*(?:\n[^`\n]+)?)`|([*|_\\])",
        lambda match: f"\\{match[2]}" if match[2] else f"``{' '.join(match[1].split())}``" if match[1].strip() else "",
        "\n".join(lines),
    )
    lines[:] = text.splitlines()


def _make_accessible(app: Any, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Make blocks that scroll reachable by keyboard, empty heads of columns cells, and lists of parameters lists."""
    body = re.sub(r'<th class="head">(<p></p>)?</th>', '<td class="head"></td>', context.get("body", ""))
    body = body.replace("<pre>", '<pre tabindex="0">')
    body = body.replace('<table class="docutils', '<table tabindex="0" class="docutils')

    def as_list(match: re.Match[str]) -> str:
        return '<ul class="parameters">' + match[1].replace("<dd>", "<li>").replace("</dd>", "</li>") + "</ul>"

    context["body"] = re.sub(r"<dl>\s*((?:<dd>(?:(?!</?d[dlt]>).)*</dd>\s*)+)</dl>", as_list, body, flags=re.DOTALL)
