"""A report as one page: no request, nothing of the benchmark's unescaped.

A page with a map carries one script, ours, which the policy names by its digest; a
page without one runs none.
"""

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from measurand.core.finding import Exhibit, Report
from measurand.report import cards
from measurand.report.atlas import Cards, atlas, labels, mapped
from measurand.report.contents import Grid, exhibit_grid, grids, remark, shown
from measurand.report.resources import digest, resource
from measurand.report.terminal import heading, plain, sentences

POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'"
)
NUMERIC = {"estimate", "n", "value", "low", "high", "p"}
MOST_TILES = 4
# A number, alone or with its interval behind it, or none.
NUMBER = re.compile(r"[-−+]?[\d.,]+(e[-+]?\d+)?%?( \[[-\d., ]+\])?$|–$")
BROAD = 8  # columns beyond which the first one stays in sight
TALL = 20  # rows beyond which a table scrolls in its own box
LONG = 24  # a cell of more letters would otherwise be squeezed into a tall one

STYLE, SCRIPT = resource("page.css"), resource("map.js")


def page(report: Report, figures: Mapping[str, bytes]) -> str:
    """The whole page; `figures` holds the SVG of each exhibit that was drawn."""
    kind, name = heading(report)
    policy, script = POLICY, ""
    if any(mapped(exhibit) for exhibit in report.exhibits):
        policy, script = f"{POLICY}; script-src '{digest(SCRIPT)}'", SCRIPT
    body = "\n".join(
        [
            f"<header><p>{escape(kind)}</p>",
            f"<h1>{escape(name)}</h1></header>",
            *_verdict(report),
            *_warnings(report.warnings),
            *_exhibits(report.exhibits, figures),
            *(part for grid in grids(report) for part in _section(grid)),
            "<footer>Written by measurand. Every finding stands with its interval, "
            "n and method; report.json holds them all.</footer>",
        ]
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{escape(kind)} of {escape(name)}</title>
<link rel="icon" href="data:,">
<style>{STYLE}</style>
</head>
<body>
<main>
{body}
</main>
{f"<script>{script}</script>" if script else ""}
</body>
</html>
"""


def _text(value: object, most: int = 120) -> str:
    return escape(plain(value, most))


def _verdict(report: Report) -> Iterator[str]:
    verdict = report.verdict
    badge = ' <span class="badge">provisional</span>' if verdict.provisional else ""
    facts = [("region", verdict.region), ("stage", verdict.stage)]
    spans = [f"<span>{name}: {_text(value)}</span>" for name, value in facts if value]
    if verdict.provisional:
        spans += ["<span>a stronger reader could still overturn this</span>"]
    yield '<section class="card verdict">'
    yield f'<p class="label">{_text(verdict.label)}{badge}</p>'
    yield f'<p class="reason">{_text(verdict.reason, 800)}</p>'
    yield f'<p class="facts">{"".join(spans)}</p></section>' if spans else "</section>"
    # The numbers the verdict rests on: what the reader it names decided.
    decided = [f for f in report.findings if f.decision and f.reader == verdict.stage]
    if decided:
        yield '<dl class="tiles">'
        for found in decided[:MOST_TILES]:
            value, _, interval = shown(found.estimate).partition(" ")
            yield f"""<div class="card tile"><dt>{_text(found.statistic, 40)}</dt>
<dd class="value">{escape(value)}</dd><dd class="interval">{escape(interval)}</dd>
<dd class="interval">{_text(found.decision, 80)}</dd></div>"""
        yield "</dl>"


def _warnings(warnings: Sequence[str]) -> list[str]:
    texts = "".join(f"<p>{_text(text, 800)}</p>" for text in warnings)
    return [f'<div class="warning">{texts}</div>'] if texts else []


def _exhibits(
    exhibits: Sequence[Exhibit], figures: Mapping[str, bytes]
) -> Iterator[str]:
    if exhibits:
        yield "<h2>What was found</h2>"
    numbered = [*enumerate(exhibits, 1)]
    # Backwards, so that of several exhibits of one name the first is the one meant.
    places = {exhibit.name: f"exhibit-{n}" for n, exhibit in reversed(numbered)}
    hues = _hues(exhibits)
    for place, exhibit in numbered:
        still = _image(exhibit, figures)
        if mapped(exhibit):
            found = _cards(exhibit, exhibits, places)
            yield from atlas(exhibit, f"exhibit-{place}", found, hues, still)
        elif exhibit.kind == "cards" and cards.cards(exhibit):
            ways = [e for e in exhibits if e.settings.get("cards") == exhibit.name]
            way = places[ways[0].name] if ways and mapped(ways[0]) else None
            yield from cards.figure(exhibit, f"exhibit-{place}", hues, way)
        else:
            yield from _figure(exhibit, still)


def _figure(exhibit: Exhibit, still: str) -> Iterator[str]:
    caption, grid = _text(exhibit.caption, 800), exhibit_grid(exhibit)
    yield '<figure class="card">'
    if still:
        yield f"{still}<figcaption>{sentences(caption, escape(remark(exhibit)))}"
        yield f"<details><summary>The numbers</summary>{_table(grid)}</details>"
    else:
        yield f"{_table(grid)}<figcaption>{sentences(caption, escape(grid.note))}"
    yield "</figcaption></figure>"


def _image(exhibit: Exhibit, figures: Mapping[str, bytes]) -> str:
    if exhibit.name not in figures:
        return ""
    source = base64.b64encode(figures[exhibit.name]).decode()
    return (
        f'<div class="drawing"><img alt="{_text(exhibit.caption, 800)}" '
        f'src="data:image/svg+xml;base64,{source}"></div>'
    )


def _cards(
    exhibit: Exhibit, exhibits: Sequence[Exhibit], places: Mapping[str, str]
) -> Cards:
    for other in exhibits:
        if other.kind == "cards" and other.name == exhibit.settings.get("cards"):
            made = cards.cards(other)
            return Cards(
                {c.cluster: cards.anchor(places[other.name], c.cluster) for c in made},
                [card.cluster for card in made if card.biased],
            )
    return Cards({})


def _hues(exhibits: Sequence[Exhibit]) -> dict[str, int]:
    """The number of each label's colour, the same in every map and card."""
    known = {"map": labels, "cards": cards.labels}
    found = {name for e in exhibits if e.kind in known for name in known[e.kind](e)}
    return {name: code for code, name in enumerate(sorted(found))}


def _section(grid: Grid) -> Iterator[str]:
    yield f"<section><h2>{escape(grid.title)}</h2>"
    if grid.note:
        yield f'<p class="note">{escape(grid.note)}</p>'
    yield f'<div class="card">{_table(grid)}</div></section>'


def _table(grid: Grid) -> str:
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in grid.header)
    head = f"<thead><tr>{heads}</tr></thead>" if grid.header else ""
    rows = "\n".join(
        f"<tr>{''.join(_cells(grid, n))}</tr>" for n in range(len(grid.rows))
    )
    kinds = {" tall": len(grid.rows) > TALL, " broad": len(grid.header) > BROAD}
    kind = "".join(name for name, holds in kinds.items() if holds)
    # What scrolls takes the focus, so that a keyboard can scroll it too.
    focus = ' tabindex="0"' if kind else ""
    table = f"<table>{head}<tbody>{rows}</tbody></table>"
    return f'<div class="wide{kind}"{focus}>{table}</div>'


def _cells(grid: Grid, row: int) -> Iterator[str]:
    cells = grid.rows[row]
    if not grid.header:
        yield f'<th scope="row">{escape(cells[0])}</th>'
        yield from (f"<td>{escape(text)}</td>" for text in cells[1:])
        return
    shades = grid.shades[row] if grid.shades else (0,) * len(cells)
    for name, text, shade in zip(grid.header, cells, shades, strict=True):
        kind = ' class="long"' if len(text) > LONG else ""
        kind = ' class="number"' if name in NUMERIC or NUMBER.match(text) else kind
        heat = f' style="--heat:{shade}%"' if shade else ""
        yield f"<td{kind}{heat}>{escape(text)}</td>"
