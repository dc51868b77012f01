"""A report as one page: no request, nothing of the benchmark's unescaped.

A page with a map carries one script, ours, which the policy names by its digest; a
page without one runs none.
"""

import base64
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files

from measurand.core.finding import Exhibit, Report
from measurand.report import cards
from measurand.report.map import CardAnchors, has_map_points, map_figure, map_labels
from measurand.report.tables import (
    TextGrid,
    estimate_text,
    exhibit_grid,
    grids,
    trend_remark,
)
from measurand.report.terminal import heading, join_sentences, plain_text


def page_resource(name: str) -> str:
    """The text of a file of this package, with the line ends a browser would read."""
    text = files("measurand.report").joinpath(name).read_text("utf-8")
    return text.replace("\r\n", "\n")


def script_digest(script: str) -> str:
    """What a Content-Security-Policy calls this very script.

    >>> script_digest("1")
    'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='
    """
    return f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"


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

STYLE, SCRIPT = page_resource("page.css"), page_resource("map.js")


def page(report: Report, figures: Mapping[str, bytes]) -> str:
    """The whole page; `figures` holds the SVG of each exhibit that was drawn."""
    kind, name = heading(report)
    policy, script = POLICY, ""
    if any(has_map_points(exhibit) for exhibit in report.exhibits):
        policy, script = f"{POLICY}; script-src '{script_digest(SCRIPT)}'", SCRIPT
    body = "\n".join(
        [
            f"<header><p>{escape(kind)}</p>",
            f"<h1>{escape(name)}</h1></header>",
            *_verdict_html(report),
            *_warnings_html(report.warnings),
            *_exhibits_html(report.exhibits, figures),
            *(part for grid in grids(report) for part in _section_html(grid)),
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


def notebook_frame(report: Report) -> str:
    """The page for a notebook, in a frame that can reach nothing outside it."""
    # Only here, so that whoever writes a page of drawings does not wait for altair.
    from measurand.report.figures import draw_svg

    svgs = {exhibit.name: draw_svg(exhibit) for exhibit in report.exhibits}
    drawings = {name: svg.encode() for name, svg in svgs.items() if svg is not None}
    return (
        f'<iframe title="{escape(" of ".join(heading(report)))}" '
        'sandbox="allow-scripts" style="width:100%;height:40rem;border:0" '
        f'srcdoc="{escape(page(report, drawings))}"></iframe>'
    )


def notebook_text(text: str) -> str:
    """Lines for a notebook, as they are."""
    return f"<pre>{escape(text)}</pre>"


def _escape_plain(value: object, most: int = 120) -> str:
    return escape(plain_text(value, most))


def _verdict_html(report: Report) -> Iterator[str]:
    verdict = report.verdict
    badge = ' <span class="badge">provisional</span>' if verdict.provisional else ""
    facts = [("region", verdict.region), ("stage", verdict.stage)]
    spans = [
        f"<span>{name}: {_escape_plain(value)}</span>" for name, value in facts if value
    ]
    if verdict.provisional:
        spans += ["<span>a stronger reader could still overturn this</span>"]
    yield '<section class="card verdict">'
    yield f'<p class="label">{_escape_plain(verdict.label)}{badge}</p>'
    yield f'<p class="reason">{_escape_plain(verdict.reason, 800)}</p>'
    yield f'<p class="facts">{"".join(spans)}</p></section>' if spans else "</section>"
    # The numbers the verdict rests on: what the reader it names decided.
    decided = [f for f in report.findings if f.decision and f.reader == verdict.stage]
    if decided:
        yield '<dl class="tiles">'
        for finding in decided[:MOST_TILES]:
            value, _, interval = estimate_text(finding.estimate).partition(" ")
            title = _escape_plain(finding.statistic, 40)
            yield f"""<div class="card tile"><dt>{title}</dt>
<dd class="value">{escape(value)}</dd><dd class="interval">{escape(interval)}</dd>
<dd class="interval">{_escape_plain(finding.decision, 80)}</dd></div>"""
        yield "</dl>"


def _warnings_html(warnings: Sequence[str]) -> list[str]:
    texts = "".join(f"<p>{_escape_plain(text, 800)}</p>" for text in warnings)
    return [f'<div class="warning">{texts}</div>'] if texts else []


def _exhibits_html(
    exhibits: Sequence[Exhibit], figures: Mapping[str, bytes]
) -> Iterator[str]:
    if exhibits:
        yield "<h2>What was found</h2>"
    numbered = [*enumerate(exhibits, 1)]
    # Backwards, so that of several exhibits of one name the first is the one meant.
    anchors = {exhibit.name: f"exhibit-{n}" for n, exhibit in reversed(numbered)}
    hues = _label_hues(exhibits)
    for position, exhibit in numbered:
        still = _image_html(exhibit, figures)
        if has_map_points(exhibit):
            card_anchors = _find_card_anchors(exhibit, exhibits, anchors)
            yield from map_figure(
                exhibit, f"exhibit-{position}", card_anchors, hues, still
            )
        elif exhibit.kind == "cards" and cards.read_cards(exhibit):
            maps = [e for e in exhibits if e.settings.get("cards") == exhibit.name]
            map_anchor = (
                anchors[maps[0].name] if maps and has_map_points(maps[0]) else None
            )
            yield from cards.cards_figure(
                exhibit, f"exhibit-{position}", hues, map_anchor
            )
        else:
            yield from _figure_html(exhibit, still)


def _figure_html(exhibit: Exhibit, still: str) -> Iterator[str]:
    caption, grid = _escape_plain(exhibit.caption, 800), exhibit_grid(exhibit)
    yield '<figure class="card">'
    if still:
        caption = join_sentences(caption, escape(trend_remark(exhibit)))
        yield f"{still}<figcaption>{caption}"
        yield f"<details><summary>The numbers</summary>{_table_html(grid)}</details>"
    else:
        caption = join_sentences(caption, escape(grid.note))
        yield f"{_table_html(grid)}<figcaption>{caption}"
    yield "</figcaption></figure>"


def _image_html(exhibit: Exhibit, figures: Mapping[str, bytes]) -> str:
    if exhibit.name not in figures:
        return ""
    source = base64.b64encode(figures[exhibit.name]).decode()
    return (
        f'<div class="drawing"><img alt="{_escape_plain(exhibit.caption, 800)}" '
        f'src="data:image/svg+xml;base64,{source}"></div>'
    )


def _find_card_anchors(
    exhibit: Exhibit, exhibits: Sequence[Exhibit], anchors: Mapping[str, str]
) -> CardAnchors:
    for candidate in exhibits:
        if candidate.kind == "cards" and candidate.name == exhibit.settings.get(
            "cards"
        ):
            cluster_cards = cards.read_cards(candidate)
            return CardAnchors(
                {
                    c.cluster: cards.card_anchor(anchors[candidate.name], c.cluster)
                    for c in cluster_cards
                },
                [card.cluster for card in cluster_cards if card.biased],
            )
    return CardAnchors({})


def _label_hues(exhibits: Sequence[Exhibit]) -> dict[str, int]:
    """The number of each label's colour, the same in every map and card."""
    label_readers = {"map": map_labels, "cards": cards.card_labels}
    label_names = {
        name
        for e in exhibits
        if e.kind in label_readers
        for name in label_readers[e.kind](e)
    }
    return {name: code for code, name in enumerate(sorted(label_names))}


def _section_html(grid: TextGrid) -> Iterator[str]:
    yield f"<section><h2>{escape(grid.title)}</h2>"
    if grid.note:
        yield f'<p class="note">{escape(grid.note)}</p>'
    yield f'<div class="card">{_table_html(grid)}</div></section>'


def _table_html(grid: TextGrid) -> str:
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in grid.header)
    head = f"<thead><tr>{heads}</tr></thead>" if grid.header else ""
    rows = "\n".join(
        f"<tr>{''.join(_cells_html(grid, n))}</tr>" for n in range(len(grid.rows))
    )
    kinds = {" tall": len(grid.rows) > TALL, " broad": len(grid.header) > BROAD}
    kind = "".join(name for name, holds in kinds.items() if holds)
    # What scrolls takes the focus, so that a keyboard can scroll it too.
    focus = ' tabindex="0"' if kind else ""
    table = f"<table>{head}<tbody>{rows}</tbody></table>"
    return f'<div class="wide{kind}"{focus}>{table}</div>'


def _cells_html(grid: TextGrid, row: int) -> Iterator[str]:
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
