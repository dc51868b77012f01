"""A report as one page: no script, no request, nothing of the benchmark's unescaped."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from measurand.core.finding import Exhibit, Report
from measurand.report.contents import Grid, exhibit_grid, grids, shown
from measurand.report.terminal import heading, plain

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
NUMERIC = {"estimate", "n", "value", "low", "high", "p"}
MOST_TILES = 4
LONG = 24  # a cell of more letters would otherwise be squeezed into a tall one

STYLE = """
:root { --ink: #1f2933; --soft: #5b6773; --line: #dde3e9; --paper: #f5f7f9;
  --card: #fff; --accent: #0072b2; --amber: #8a5a00; --amber-paper: #fff4dc; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaee; --soft: #a3adb8;
  --line: #35404b; --paper: #14191e; --card: #1d242b; --accent: #56b4e9;
  --amber: #ffc857; --amber-paper: #33290f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue",
  Arial, sans-serif; overflow-wrap: anywhere; }
main { max-width: 1000px; margin: 0 auto; padding: 40px 24px 72px; }
header p { margin: 0; color: var(--soft); font-size: 13px; letter-spacing: .08em;
  text-transform: uppercase; }
h1 { margin: 2px 0 24px; font-size: 34px; line-height: 1.2; letter-spacing: -.015em; }
h2 { margin: 48px 0 12px; font-size: 21px; letter-spacing: -.01em; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.verdict { padding: 26px 30px; border-left: 7px solid var(--accent); }
.verdict .label { margin: 0; font-size: 32px; line-height: 1.2; font-weight: 700;
  letter-spacing: -.015em; color: var(--accent); }
.verdict .reason { margin: 10px 0 0; font-size: 18px; max-width: 46em; }
.verdict .facts { margin: 14px 0 0; color: var(--soft); font-size: 14px; }
.facts span + span::before { content: "·"; margin: 0 9px; }
.badge { display: inline-block; margin-left: 12px; padding: 3px 11px; font-size: 13px;
  font-weight: 600; letter-spacing: 0; vertical-align: 5px; border-radius: 99px;
  color: var(--amber); background: var(--amber-paper); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr));
  gap: 14px; margin: 14px 0 0; }
.tile { padding: 16px 20px; }
.tile dt { color: var(--soft); font-size: 13px; }
.tile dd { margin: 0; font-variant-numeric: tabular-nums; }
.tile .value { font-size: 28px; font-weight: 650; line-height: 1.25; }
.tile .interval { color: var(--soft); font-size: 13px; }
.warning { margin: 14px 0 0; padding: 6px 20px; border-radius: 10px;
  color: var(--amber); background: var(--amber-paper); }
.warning p { margin: 6px 0; }
figure { margin: 0 0 20px; padding: 20px 24px; }
figure img { display: block; max-width: 100%; height: auto; margin: 0 auto;
  background: #fff; border-radius: 8px; }
figcaption { margin: 12px 0 0; color: var(--soft); font-size: 14.5px; }
details { margin-top: 8px; font-size: 13px; color: var(--soft); }
summary { cursor: pointer; }
.wide { overflow-x: auto; padding: 4px 8px; }
table { width: 100%; border-collapse: collapse; font-size: 14px; line-height: 1.4;
  overflow-wrap: break-word; }
th, td { padding: 8px 12px; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
tr:last-child td, tr:last-child th { border-bottom: 0; }
thead th { color: var(--soft); font-weight: 600; font-size: 13px; white-space: nowrap;
  border-bottom: 1px solid var(--line) !important; }
tbody th { width: 30%; font-weight: 600; }
td.long { min-width: 15em; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.note { margin: 0 0 10px; color: var(--soft); font-size: 14px; }
footer { margin-top: 48px; color: var(--soft); font-size: 13px; }
@media (max-width: 640px) { main { padding: 24px 14px 48px; } h1 { font-size: 26px; }
  .verdict { padding: 20px; } .verdict .label { font-size: 25px; }
  figure { padding: 10px; } .badge { margin-left: 0; }
  .drawing { overflow-x: auto; } figure img { max-width: none; width: 580px; } }
@media print { body { background: #fff; font-size: 11pt; } main { max-width: none;
  padding: 0; } .card { border-color: #bbb; } details { display: none; }
  figure, tr, .verdict, .tile { break-inside: avoid; } h2 { break-after: avoid; }
  .wide { overflow: visible; } }
"""


def page(report: Report, figures: Mapping[str, bytes]) -> str:
    """The whole page; `figures` holds the SVG of each exhibit that was drawn."""
    kind, name = heading(report)
    body = "\n".join(
        [
            f"<header><p>{escape(kind)}</p>",
            f"<h1>{escape(name)}</h1></header>",
            *_verdict(report),
            *_warnings(report.warnings),
            *_exhibits(report.exhibits, figures),
            *(part for grid in grids(report) for part in _section(grid)),
            "<footer>Written by measurand. Every number stands with its interval, "
            "n and method; report.json holds them all.</footer>",
        ]
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
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
    for exhibit in exhibits:
        caption, grid = _text(exhibit.caption, 800), exhibit_grid(exhibit)
        yield '<figure class="card">'
        if exhibit.name in figures:
            encoded = base64.b64encode(figures[exhibit.name]).decode()
            source = f"data:image/svg+xml;base64,{encoded}"
            yield f'<div class="drawing"><img alt="{caption}" src="{source}"></div>'
            yield f"<figcaption>{caption}"
            yield f"<details><summary>The numbers</summary>{_table(grid)}</details>"
            yield "</figcaption></figure>"
        else:
            yield f"{_table(grid)}<figcaption>{caption} {escape(grid.note)}"
            yield "</figcaption></figure>"


def _section(grid: Grid) -> Iterator[str]:
    yield f"<section><h2>{escape(grid.title)}</h2>"
    if grid.note:
        yield f'<p class="note">{escape(grid.note)}</p>'
    yield f'<div class="card">{_table(grid)}</div></section>'


def _table(grid: Grid) -> str:
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in grid.header)
    head = f"<thead><tr>{heads}</tr></thead>" if grid.header else ""
    rows = "\n".join(f"<tr>{''.join(_cells(grid, row))}</tr>" for row in grid.rows)
    return f'<div class="wide"><table>{head}<tbody>{rows}</tbody></table></div>'


def _cells(grid: Grid, row: Sequence[str]) -> Iterator[str]:
    if not grid.header:
        yield f'<th scope="row">{escape(row[0])}</th>'
        yield from (f"<td>{escape(text)}</td>" for text in row[1:])
        return
    for name, text in zip(grid.header, row, strict=True):
        kind = ' class="long"' if len(text) > LONG else ""
        kind = ' class="number"' if name in NUMERIC else kind
        yield f"<td{kind}>{escape(text)}</td>"
