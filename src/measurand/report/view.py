"""What a page shows of reports, section by section, before any markup."""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from measurand.core.finding import Exhibit, Report
from measurand.core.names import ROW
from measurand.report.answer import (
    ReportAnswer,
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
from measurand.report.differences import compared_verdicts
from measurand.report.explorer import explore, name_items
from measurand.report.figures import figure_title, follow_theme
from measurand.report.grid import TextGrid
from measurand.report.map import (
    Card,
    CardsView,
    MapView,
    has_map_points,
    label_hues,
    read_cards,
    view_cards,
    view_map,
)
from measurand.report.parts_table import SPARE, parts_grid
from measurand.report.patterns import find_patterns
from measurand.report.points import trend_remark
from measurand.report.tables import (
    exhibit_grid,
    grids,
    is_opening,
    mapping_grid,
    models_grid,
)
from measurand.wording import say_report
from measurand.wording.command import command
from measurand.wording.details import heading, list_warnings
from measurand.wording.phrases import capitalise, say_readers
from measurand.wording.terms import audit_title, load_terms
from measurand.wording.text import join_sentences, plain_text

View = Mapping[str, Any]  # what a template reads, by name
MOST_DRAWN = 900_000  # bytes of figures in one page; the rest lies in figures/
FILES = {  # what is saved for a repair, by how its name begins
    "repair/kept_": "items of the repaired subset",
    "repair/removed_": "items that it leaves out",
    "repair/work_list": "items to rewrite",
    "repair/work_counts": "how many to rewrite, by cluster",
}


@dataclass(frozen=True)
class FigureView:
    """A figure or table of an exhibit."""

    anchor: str
    title: str
    caption: str
    image: str
    grid: TextGrid
    kind: str = "figure"


def view_page(
    reports: Sequence[Report],
    figures: Mapping[str, Mapping[str, bytes]],
    not_run: Mapping[str, str] = MappingProxyType({}),
    *,
    joint: bool,
) -> View:
    """The page of one report, or the `joint` page of all audits of one benchmark.

    Each audit then has a folder next to the page. The view holds all that `page.html`
    names, in the order in which it is read.
    """
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
    # Those of the first report that has any.
    patterns = next(filter(None, map(find_patterns, reports)), [])
    named = {example.ident for pattern in patterns for example in pattern.examples}
    table = parts_grid(reports, without=SPARE[:2] if joint else ())
    missing = mapping_grid("Audits that were not run", not_run) if not_run else None
    page: dict[str, Any] = {
        "title": title,
        "kind": "audit of" if joint else kind,
        "name": name,
        "answers": answers,
        "lead": worst_answer(answers),
        "warnings": _join_warnings(reports),
        "tables": [grid for grid in (table, models_grid(reports)) if grid],
        "parts": parts_chart(reports),
        "patterns": patterns,
        "maps": maps,
        "sure": [*_sure_charts(reports, named=joint)],
        "links": repair_links(reports, folders),
        "card": card_text(reports),
        "command": command(reports),
        "explorer": explore(reports, named, folders),
        "chapters": chapters,
        "not_run": missing,
        "glossary": {t: sentences[t] for t in sorted(terms) if t in sentences},
        "changes": changes_chart(reports[0]),
        "compared": [*compared_verdicts(reports[0])],
        "statement": "audits.json" if joint else "report.json",
    }
    return page | {"contents": _list_sections(page)}


def _list_sections(page: View) -> list[tuple[str, str]]:
    """The sections that there are, by anchor."""
    sections: tuple[tuple[str, str, Any], ...] = (
        ("changes", "What changed", page["changes"] or page["compared"]),
        ("parts", "Each part", page["parts"]),
        ("patterns", "By what", page["patterns"] or page["maps"]),
        ("sure", "How sure", page["sure"]),
        ("actions", "What to do", True),
        ("items", "Items", page["explorer"]),
        ("more", "Everything else", True),
    )
    return [(anchor, name) for anchor, name, is_shown in sections if is_shown]


def _join_warnings(reports: Sequence[Report]) -> list[str]:
    """What should be known before anything is quoted, each once."""
    texts = [
        plain_text(say_readers(text, report), 800)
        for report in reports
        for text in list_warnings(report)
    ]
    return list(dict.fromkeys(texts))


def _sure_charts(
    reports: Sequence[Report], *, named: bool
) -> Iterator[tuple[str, list[BarChart]]]:
    """By audit: what each reader found, what controls showed, what makes it unsure."""
    for report in reports:
        charts = [ladder_chart(report), controls_chart(report), budget_chart(report)]
        present = [chart for chart in charts if chart is not None]
        if present:
            yield audit_title(report.audit) if named else "", present


def _view_chapter(
    report: Report,
    views: Sequence[FigureView | CardsView | MapView],
    prefix: str,
) -> View:
    """All that one report states, for those who want to see everything."""
    verdict = report.verdict
    facts = [
        ("region", plain_text(verdict.region)),
        ("stage", plain_text(say_readers(verdict.stage or "", report))),
    ]
    figures = [view for view in views if not isinstance(view, MapView)]
    return {
        "anchor": f"{prefix}all",
        "answer": answer_report(report),
        "label": plain_text(verdict.label),
        "reason": plain_text(say_report(report), 1_600),
        "provisional": verdict.provisional,
        "facts": [(name, value) for name, value in facts if value],
        "figures": figures,
        "grids": grids(report),
    }


def _view_exhibits(
    report: Report, drawn: Mapping[str, bytes], prefix: str, room: int
) -> tuple[list[FigureView | CardsView | MapView], int]:
    """Every exhibit, with its drawing as far as there is room, and what that took."""
    exhibits = [_name_plainly(e, report) for e in report.exhibits if not is_opening(e)]
    numbered = [
        (f"{prefix}exhibit-{n}", exhibit) for n, exhibit in enumerate(exhibits, 1)
    ]
    # Backwards, so that of several exhibits of one name the first is the one meant.
    anchors = {exhibit.name: anchor for anchor, exhibit in reversed(numbered)}
    hues = label_hues(exhibits)
    views: list[FigureView | CardsView | MapView] = []
    used = 0
    for anchor, exhibit in numbered:
        title = figure_title(exhibit)
        image = _image_source(drawn.get(exhibit.name, b""))
        if used + len(image) > room:
            image = ""
        if has_map_points(exhibit):
            cards = _own_cards(exhibit, exhibits, anchors)
            views.append(view_map(exhibit, anchor, title, hues, image, cards))
        elif exhibit.kind == "cards" and read_cards(exhibit):
            maps = [e for e in exhibits if e.settings.get("cards") == exhibit.name]
            has_map = maps and has_map_points(maps[0])
            on_map = anchors[maps[0].name] if has_map else None
            views.append(view_cards(exhibit, anchor, title, hues, on_map))
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


def _own_cards(
    exhibit: Exhibit, exhibits: Sequence[Exhibit], anchors: Mapping[str, str]
) -> dict[str, Card]:
    """The cards of the clusters of a map, by their anchors."""
    name = exhibit.settings.get("cards")
    matching = (e for e in exhibits if e.kind == "cards" and e.name == name)
    return {
        f"{anchors[candidate.name]}-cluster-{card.cluster}": card
        for candidate in [*matching][:1]
        for card in read_cards(candidate)
    }


def repair_links(reports: Sequence[Report], folders: Mapping[str, str]) -> list[View]:
    """The files of the reports, by their place relative to the page."""
    return [
        {
            "name": plain_text(name, 80),
            "address": f"{folders.get(report.audit, '')}{name}",
            "says": says,
        }
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


def _card_sentence(answer: ReportAnswer) -> str:
    """One answer as a data card has it."""
    label = f"{capitalise(answer.word)}:" if answer.is_coded else ""
    sentences = [answer.question, label, answer.sentence, answer.bound]
    sentences += [answer.cause, answer.certainty]
    return " ".join(dict.fromkeys(text for text in sentences if text))
