"""The frame of a page: one HTML file that loads nothing, in light, dark and print, readable without its script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treesql.results.documents import escape_html as escape

LEVELS = 8
"""Number of colours of the cells of a heat map."""

STYLE = """
:root { color-scheme: light dark; --ink: #1b1d20; --paper: #fff; --soft: #5a6069; --line: #c9ced6; --band: #f2f4f7;
  --link: #0b57d0; --mark: #8a3b00; --heat: 0 114 178; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e9ec; --paper: #15181c; --soft: #a9b0ba; --line: #444b55;
  --band: #1f242a; --link: #8ab4f8; --mark: #ffb68a; --heat: 86 180 233; } }
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, 'Noto Sans', 'Segoe UI', Arial, sans-serif; color: var(--ink);
  background: var(--paper); max-width: 76rem; margin: 0 auto; padding: 1rem; overflow-wrap: break-word; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.35rem; border-top: 2px solid var(--line); padding-top: 1.2rem;
  margin-top: 2.5rem; } h3 { font-size: 1.1rem; margin-top: 2rem; } h4 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; } .skip:focus { position: static; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; }
p, li { max-width: 52rem; }
.soft { color: var(--soft); font-size: .9rem; }
.wide { overflow-x: auto; margin: .6rem 0 1.2rem; }
table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding-bottom: .3rem; }
th, td { padding: .18rem .6rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
.n { text-align: right; }
thead th { border-bottom: 2px solid var(--soft); vertical-align: bottom; }
tbody th { font-weight: 500; }
.differs { color: var(--mark); font-weight: 650; }
.interval { color: var(--soft); font-size: .92em; }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer;
  text-decoration: underline dotted; }
.heat th, .heat td { padding: .12rem .3rem; text-align: right; border: 1px solid var(--line); font-size: .78rem; }
.heat thead th { writing-mode: vertical-rl; transform: rotate(180deg); text-align: left; border: 0; max-height: 9rem; }
.heat thead td { border: 0; }
.heat .right { outline: 2px solid var(--soft); outline-offset: -2px; }
.heat a { color: inherit; }
pre { background: var(--band); padding: .7rem; overflow-x: auto; font-size: .8rem; }
code { font-size: .8rem; overflow-wrap: anywhere; }
details { margin: .6rem 0; } summary { cursor: pointer; }
figure { margin: .8rem 0; } figcaption { color: var(--soft); font-size: .88rem; overflow-wrap: anywhere; }
figure svg { color: var(--ink); fill: currentColor; max-width: none; }
figure.chart svg { color: #1b1d20; background: #fff; }
.edits { line-height: 2.6; } .edits rt { font-size: .85em; }
del { color: #b3261e; } ins { color: #0b57d0; text-decoration-thickness: 2px; }
@media (prefers-color-scheme: dark) { del { color: #ff9d94; } ins { color: #8ab4f8; } }
.note { border-left: 4px solid var(--mark); padding-left: .8rem; }
@media print { :root { --ink: #000; --paper: #fff; --soft: #444; --line: #999; --band: #fff; --link: #000;
  --mark: #000; --heat: 0 114 178; color-scheme: light; } nav, .skip, button.copy, label.filter { display: none; }
  details::details-content { content-visibility: visible; block-size: auto; } .wide { overflow: visible; }
  body { max-width: none; font-size: 10pt; } figure, tr { break-inside: avoid; } h2, h3, h4 { break-after: avoid; }
  table { font-size: 7.5pt; } th, td { white-space: normal; padding: .1rem .25rem; } pre { white-space: pre-wrap; }
  .heat th, .heat td { font-size: 6pt; padding: 0 .1rem; } figure svg { max-width: 100%; height: auto; } }
""" + "\n".join(
    f".h{level} {{ background: rgb(var(--heat) / {0.07 + 0.5 * level / LEVELS:.2f}); }}" for level in range(LEVELS)
)
"""The style of pages; blue and orange differ with any colour blindness, and marks are never colours alone."""

SORTING = """
function sortTables(pattern, firstTurn) {
  const otherTurn = firstTurn === 'ascending' ? 'descending' : 'ascending';
  const behind = firstTurn === 'ascending' ? 1 : -1;
  const number = text => {
    const found = pattern.exec(text);
    return found ? Number(found[0].replace(/[,%]/g, '')) : NaN;
  };
  for (const table of document.querySelectorAll('table.sorted')) {
    const body = table.tBodies[0];
    const first = [...body.rows];
    [...table.tHead.rows[0].cells].forEach((head, at) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => {
        const turn = head.getAttribute('aria-sort') === firstTurn ? otherTurn : firstTurn;
        for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', turn);
        const key = row => row.cells[at].textContent.trim();
        const order = (a, b) => {
          const x = number(key(a)), y = number(key(b));
          if (Number.isNaN(x) && Number.isNaN(y)) return key(a).localeCompare(key(b));
          if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) ? behind : -behind;
          return x - y;
        };
        body.append(...first.slice().sort((a, b) => turn === 'ascending' ? order(a, b) : order(b, a)));
      });
    });
  }
}
"""
"""Sorts the rows of tables at a click on a head.

pattern: matches a number in a cell; cells without one stand behind the others after the first click, which sorts by
firstTurn.
"""

SCRIPT = (
    SORTING
    + """
sortTables(/-?\\d+(\\.\\d+)?/, 'descending');
for (const label of document.querySelectorAll('label.filter')) {
  label.hidden = false;
  label.firstElementChild.addEventListener('change', event => {
    for (const row of document.querySelectorAll('tr.alike')) row.hidden = event.target.checked;
  });
}
for (const button of document.querySelectorAll('button.copy')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector('pre').textContent);
    button.textContent = 'Copied';
  });
}
"""
)
"""Sorts tables, hides rows without a marked difference, copies; nothing is lost without it."""


@dataclass(frozen=True)
class PageSection:
    """A part of a page under a heading: its id, its title, its HTML."""

    name: str
    title: str
    html: str


def frame(title: str, summary: str, sections: Sequence[PageSection]) -> str:
    """One self-contained page. summary: an HTML paragraph below the title."""
    listed = "".join(f'<li><a href="#{one.name}">{escape(one.title)}</a></li>' for one in sections)
    body = "\n".join(
        f'<section aria-labelledby="{one.name}">\n<h2 id="{one.name}">{escape(one.title)}</h2>\n{one.html}\n</section>'
        for one in sections
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="treesql">
<link rel="icon" href="data:,">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the results</a>
<header>
<h1>{escape(title)}</h1>
{summary}
<nav aria-label="Sections"><ul>{listed}</ul></nav>
</header>
<main id="content">
{body}
</main>
<script>{SCRIPT}</script>
</body>
</html>
"""


def wide(html: str, label: str) -> str:
    """An element that scrolls by itself where it is wider than the screen; it can be reached by keyboard."""
    return f'<div class="wide" role="region" tabindex="0" aria-label="{escape(label)}">{html}</div>'


def copyable(text: str, title: str) -> str:
    """A text to copy, folded."""
    return (
        f'<details><summary>{escape(title)}</summary><button type="button" class="copy" hidden>Copy</button>'
        f'<pre tabindex="0">{_plain(text)}</pre></details>'
    )


def paragraphs(lines: Sequence[str]) -> str:
    """A list of lines; nothing for none."""
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>" if lines else ""


def _plain(text: str) -> str:
    """A text whose lines stay lines."""
    return "\n".join(escape(line) for line in text.split("\n"))
