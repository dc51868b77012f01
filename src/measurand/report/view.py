"""What a page shows of reports, section by section, before any markup."""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from measurand.core.finding import Exhibit, Report
from measurand.core.names import ROW
from measurand.core.terms import Tone, audit_title, load_terms
from measurand.report import cards
from measurand.report.answer import (
    Answer,
    answer_report,
    answer_reports,
    worst_answer,
)
from measurand.report.bars import (
    BarChart,
    budget_chart,
    changes_chart,
    controls_chart,
    ladder_chart,
    parts_chart,
)
from measurand.report.command import command
from measurand.report.differences import compared_verdicts
from measurand.report.explorer import Explorer, explore, name_items
from measurand.report.figures import figure_title
from measurand.report.map import (
    CardAnchors,
    MapView,
    has_map_points,
    map_labels,
    view_map,
)
from measurand.report.patterns import Pattern, find_patterns
from measurand.report.points import trend_remark
from measurand.report.tables import (
    SPARE,
    TextGrid,
    exhibit_grid,
    grids,
    is_parts,
    mapping_grid,
    parts_grid,
)
from measurand.wording import say_report
from measurand.wording.details import heading, list_warnings
from measurand.wording.phrases import capitalise, say_readers
from measurand.wording.text import join_sentences, plain_text

MOST_DRAWN = 900_000  # bytes of figures in one page; the rest lies in figures/
FILES = {  # what is saved for who repairs, by how its name begins
    "repair/kept_": "items of the repaired subset",
    "repair/removed_": "items that it leaves out",
    "repair/work_list": "items to rewrite",
    "repair/work_counts": "how many to rewrite, by cluster",
}


@dataclass(frozen=True)
class FileLink:
    """A file of the report, where it lies and what it holds."""

    name: str
    address: str
    says: str


@dataclass(frozen=True)
class FigureView:
    """A figure or table of an exhibit."""

    anchor: str
    title: str
    caption: str
    image: str
    grid: TextGrid
    kind: str = "figure"


@dataclass(frozen=True)
class Chapter:
    """All that one report states, for who wants to see everything."""

    anchor: str
    answer: Answer
    label: str
    reason: str
    provisional: bool
    facts: Sequence[tuple[str, str]]
    figures: Sequence[FigureView | cards.CardsView]
    grids: Sequence[TextGrid]


@dataclass(frozen=True)
class PageView:
    """A whole page, in the order in which it is read."""

    title: str
    kind: str
    name: str
    answers: Sequence[Answer]
    lead: Answer
    warnings: Sequence[str]
    table: TextGrid | None
    parts: BarChart | None
    patterns: Sequence[Pattern]
    maps: Sequence[MapView]
    sure: Sequence[tuple[str, Sequence[BarChart]]]
    links: Sequence[FileLink]
    card: str
    command: str
    explorer: Explorer | None
    chapters: Sequence[Chapter]
    not_run: TextGrid | None
    glossary: Mapping[str, str]
    changes: BarChart | None = None
    compared: Sequence[tuple[str, str, Tone]] = ()
    statement: str = "report.json"

    @property
    def contents(self) -> Iterator[tuple[str, str]]:
        """The sections that there are, by anchor."""
        sections: tuple[tuple[str, str, Any], ...] = (
            ("changes", "What changed", self.changes or self.compared),
            ("parts", "Each part", self.parts),
            ("patterns", "By what", self.patterns or self.maps),
            ("sure", "How sure", self.sure),
            ("actions", "What to do", True),
            ("items", "Items", self.explorer),
            ("more", "Everything else", True),
        )
        return ((anchor, name) for anchor, name, there in sections if there)

    @property
    def scripts(self) -> list[str]:
        """The scripts that it needs."""
        needs = {"map.js": bool(self.maps), "explorer.js": self.explorer is not None}
        return [name for name, needed in needs.items() if needed]


def view_report(report: Report, figures: Mapping[str, bytes]) -> PageView:
    """The page of one report."""
    return _view_page([report], {report.audit: figures}, {}, joint=False)


def view_reports(
    reports: Sequence[Report],
    figures: Mapping[str, Mapping[str, bytes]],
    not_run: Mapping[str, str],
) -> PageView:
    """The page of all audits of one benchmark; each has a folder beside the page."""
    return _view_page(reports, figures, not_run, joint=True)


def _view_page(
    reports: Sequence[Report],
    figures: Mapping[str, Mapping[str, bytes]],
    not_run: Mapping[str, str],
    *,
    joint: bool,
) -> PageView:
    kind, name = heading(reports[0])
    title = f"audit of {name}" if joint else f"{kind} of {name}"
    folders = {r.audit: f"{r.audit}/" for r in reports} if joint else {}
    answers = answer_reports(reports)
    room = MOST_DRAWN
    maps: list[MapView] = []
    chapters = []
    for report in reports:
        prefix = f"{report.audit}-" if joint else ""
        drawn = dict(figures.get(report.audit, {}))
        views, used = _view_exhibits(report, drawn, prefix, room)
        room -= used
        maps += [view for view in views if isinstance(view, MapView)]
        chapters.append(_view_chapter(report, views, prefix))
    terms = {f.statistic for report in reports for f in report.findings}
    sentences: Mapping[str, str] = load_terms()["statistic"]
    patterns = _join_patterns(reports)
    named = {example.ident for pattern in patterns for example in pattern.examples}
    table = parts_grid(reports, without=SPARE[:2] if joint else ())
    missing = mapping_grid("Audits that were not run", not_run) if not_run else None
    return PageView(
        title,
        "audit of" if joint else kind,
        name,
        answers,
        worst_answer(answers),
        _join_warnings(reports),
        table,
        parts_chart(reports),
        patterns,
        maps,
        [*_sure_charts(reports, named=joint)],
        repair_links(reports, folders),
        card_text(reports),
        command(reports),
        explore(reports, named, folders),
        chapters,
        missing,
        {term: sentences[term] for term in sorted(terms) if term in sentences},
        changes_chart(reports[0]),
        [*compared_verdicts(reports[0])],
        "audits.json" if joint else "report.json",
    )


def _join_warnings(reports: Sequence[Report]) -> list[str]:
    """What should be known before anything is quoted, each once."""
    texts = [
        plain_text(say_readers(text, report), 800)
        for report in reports
        for text in list_warnings(report)
    ]
    return list(dict.fromkeys(texts))


def _join_patterns(reports: Sequence[Report]) -> list[Pattern]:
    """The patterns of the first report that has any."""
    for report in reports:
        patterns = find_patterns(report)
        if patterns:
            return patterns
    return []


def _sure_charts(
    reports: Sequence[Report], *, named: bool
) -> Iterator[tuple[str, list[BarChart]]]:
    """By audit: what each reader found, what controls showed, what makes it unsure."""
    for report in reports:
        charts = [ladder_chart(report), controls_chart(report), budget_chart(report)]
        there = [chart for chart in charts if chart is not None]
        if there:
            yield audit_title(report.audit) if named else "", there


def _view_chapter(
    report: Report,
    views: Sequence[FigureView | cards.CardsView | MapView],
    prefix: str,
) -> Chapter:
    verdict = report.verdict
    facts = [
        ("region", plain_text(verdict.region)),
        ("stage", plain_text(say_readers(verdict.stage or "", report))),
    ]
    figures = [view for view in views if not isinstance(view, MapView)]
    return Chapter(
        f"{prefix}all",
        answer_report(report),
        plain_text(verdict.label),
        plain_text(say_report(report), 1_600),
        verdict.provisional,
        [(name, value) for name, value in facts if value],
        figures,
        grids(report),
    )


def _view_exhibits(
    report: Report, drawn: Mapping[str, bytes], prefix: str, room: int
) -> tuple[list[FigureView | cards.CardsView | MapView], int]:
    """Every exhibit, with its drawing as far as there is room, and what that took."""
    exhibits = [_name_plainly(e, report) for e in report.exhibits if not is_parts(e)]
    numbered = [
        (f"{prefix}exhibit-{n}", exhibit) for n, exhibit in enumerate(exhibits, 1)
    ]
    # Backwards, so that of several exhibits of one name the first is the one meant.
    anchors = {exhibit.name: anchor for anchor, exhibit in reversed(numbered)}
    hues = _label_hues(exhibits)
    views: list[FigureView | cards.CardsView | MapView] = []
    used = 0
    for anchor, exhibit in numbered:
        title = figure_title(exhibit)
        image = _image_source(drawn.get(exhibit.name, b""))
        if used + len(image) > room:
            image = ""
        if has_map_points(exhibit):
            links = _find_card_anchors(exhibit, exhibits, anchors)
            views.append(view_map(exhibit, anchor, title, links, hues, image))
        elif exhibit.kind == "cards" and cards.read_cards(exhibit):
            maps = [e for e in exhibits if e.settings.get("cards") == exhibit.name]
            there = maps and has_map_points(maps[0])
            on_map = anchors[maps[0].name] if there else None
            views.append(cards.view_cards(exhibit, anchor, title, hues, on_map))
            image = ""
        else:
            views.append(_view_figure(exhibit, anchor, title, image))
        used += len(image)
    return views, used


def _name_plainly(exhibit: Exhibit, report: Report) -> Exhibit:
    """The exhibit with readers and items as people call them."""
    caption, table = say_readers(exhibit.caption, report), exhibit.table
    if exhibit.kind == "map" and "id" in table and ROW in report.items:
        names = dict(zip(report.items.index, name_items(report.items), strict=True))
        table = table.assign(id=[names.get(name, name) for name in table["id"]])
    return replace(exhibit, caption=caption, table=table)


def _image_source(svg: bytes) -> str:
    """A drawing as the address of an image; empty where there is none."""
    themed = b64encode(follow_theme(svg)).decode()
    return f"data:image/svg+xml;base64,{themed}" if svg else ""


def _view_figure(exhibit: Exhibit, anchor: str, title: str, image: str) -> FigureView:
    caption, grid = plain_text(exhibit.caption, 800), exhibit_grid(exhibit)
    remark = trend_remark(exhibit) if image else grid.note
    caption = join_sentences(caption, remark)
    return FigureView(anchor, title, caption, image, grid)


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
    names = {
        name
        for e in exhibits
        if e.kind in ("map", "cards")
        for name in (map_labels(e) if e.kind == "map" else cards.card_labels(e))
    }
    return {name: code for code, name in enumerate(sorted(names))}


def repair_links(
    reports: Sequence[Report], folders: Mapping[str, str]
) -> list[FileLink]:
    """The files of the reports, by their place beside the page."""
    return [
        FileLink(plain_text(name, 80), f"{folders.get(report.audit, '')}{name}", says)
        for report in reports
        for name in sorted(report.files)
        for start, says in FILES.items()
        if name.startswith(start)
    ]


def card_text(reports: Sequence[Report]) -> str:
    """A paragraph for a data card: what was asked, what was found, how surely."""
    name = heading(reports[0])[1]
    lines = [f"{name} was audited with measurand."]
    lines += [_card_sentence(answer) for answer in answer_reports(reports)]
    return " ".join(lines)


def _card_sentence(answer: Answer) -> str:
    """One answer as a data card has it."""
    label = f"{capitalise(answer.word)}:" if answer.is_coded else ""
    sentences = [answer.question, label, answer.sentence, answer.bound]
    sentences += [answer.cause, answer.certainty]
    return " ".join(dict.fromkeys(text for text in sentences if text))


# Where a reader prefers dark, drawings exchange each colour for one that is as clear.
DARK = {  # by the colours that drawings are made with
    "white": "#1b2229",
    "#1f2933": "#e8ecf0",
    "#66727f": "#a9b4bf",
    "#e7ebef": "#36424e",
    "#fdebd3": "#362a0d",
    "#0072B2": "#56b4e9",
    "#D55E00": "#ff9350",
    "#00855F": "#2fc79a",
    "#AA3377": "#e587bd",
    "#8F6A00": "#e0b84c",
    "#5B5B5B": "#b4bcc5",
    "#4B3F91": "#a99cf0",
    "#f8d3c9": "#3d2015",
    "#eef6f3": "#12332a",
    "#ddd": "#36424e",
    "black": "#e8ecf0",
    "#000": "#e8ecf0",
}
RULES = "".join(
    f'[{what}="{light}"]{{{what}:{dark}}}'
    for light, dark in DARK.items()
    for what in ("fill", "stroke")
)
STYLE = f"<style>@media (prefers-color-scheme:dark){{{RULES}}}</style>".encode()


def follow_theme(svg: bytes) -> bytes:
    """The drawing with the style sheet right after its first tag.

    >>> follow_theme(b"<svg><g/></svg>").startswith(b"<svg><style>")
    True
    >>> follow_theme(b"<svg/>")
    b'<svg/>'
    """
    start, end, rest = svg.partition(b">")
    return start + end + STYLE + rest if rest else svg
