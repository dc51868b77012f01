"""What a figure is called: the finding that it shows, not its axes."""

import numpy as np

from measurand.core.finding import Exhibit
from measurand.core.terms import reader_words
from measurand.report.layout import plot_columns, to_number
from measurand.wording.text import plain_text


def figure_title(exhibit: Exhibit) -> str:
    """What the exhibit shows, in a sentence; else its caption."""
    told = _title_by_kind(exhibit)
    return told or plain_text(exhibit.caption, 160).partition(";")[0]


def _title_by_kind(exhibit: Exhibit) -> str:
    table = exhibit.table
    if exhibit.kind == "intervals" and {"name", "value", "low", "high"} <= {*table}:
        return _interval_title(exhibit)
    if exhibit.kind == "bars" and {"group", "bar", "value"} <= {*table}:
        return _bar_title(exhibit)
    if exhibit.kind == "cards" and "biased" in table:
        count = int(table["biased"].astype(bool).sum())
        return f"{count} of {len(table)} clusters have surely biased labels"
    if exhibit.kind == "decision_map" and {"reader", "y"} <= {*table}:
        return _map_title(exhibit)
    return ""


def _interval_title(exhibit: Exhibit) -> str:
    """The row that stands furthest out, or that none does."""
    rows = plot_columns(exhibit.table, ["group", "name"], ["value", "low", "high"])
    rows = rows.dropna(subset=["value"])
    titled = exhibit.settings.get("titled")  # the rows that decide, where some do not
    if isinstance(titled, list) and rows["name"].isin(titled).any():
        rows = rows[rows["name"].isin(titled)]
    if rows.empty:
        return ""
    margin = np.nan_to_num(to_number(exhibit.settings.get("margin", 0.0)))
    clear = rows[(rows["low"] > margin) | (rows["high"] < -margin)]
    if clear.empty:
        return f"None of {len(rows)} is clearly beyond the margin"
    top = clear.loc[clear["value"].abs().idxmax()]
    name = reader_words(str(top["name"]))
    group = f" ({reader_words(str(top['group']))})" if "group" in rows else ""
    most = f"{name}{group} most: {top['value']:.2f}"
    return f"{len(clear)} of {len(rows)} clear the margin, {most}"


def _bar_title(exhibit: Exhibit) -> str:
    """The highest bar."""
    rows = plot_columns(exhibit.table, ["group", "bar"], ["value"]).dropna()
    if rows.empty:
        return ""
    top = rows.iloc[int(rows["value"].to_numpy().argmax())]
    who = reader_words(str(top["group"]))
    return f"Highest: {top['bar']} by {who}, {top['value']:.2f}"


def _map_title(exhibit: Exhibit) -> str:
    """Which reader loses most on wrong evidence."""
    rows = plot_columns(exhibit.table, ["reader"], ["y"]).dropna()
    if rows.empty:
        return ""
    top = rows.iloc[int(rows["y"].to_numpy().argmax())]
    who = reader_words(str(top["reader"]))
    return (
        f"Most is lost on wrong evidence by {who}: {100 * top['y']:.0f} of 100 answers"
    )
