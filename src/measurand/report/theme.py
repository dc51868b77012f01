"""Drawings that follow the theme of the page they stand in.

A drawing is an image with a style sheet of its own: where the reader prefers dark, each
colour of ours is exchanged for one that is as clear there.
"""

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
