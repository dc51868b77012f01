"""A report as one page: no request, nothing of the benchmark's unescaped.

The templates escape all that they are given; what they are set not to escape is our
style sheet, our scripts and JSON in which no tag can end. The policy names each script
by its digest; a page that needs none runs none.
"""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from measurand.core.finding import Report
from measurand.wording.details import heading

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'"
)
LONG_NAME = 16  # letters in a row from which on a name may have to be broken
# Where a name such as `gold_evidence[].text` falls into parts; 1.5 and 20,000 do not.
JOINT = re.compile(r"(?<=[._/+:\\-])(?=[^\W\d])|(?<=\])(?=[^\W\d\[])")
Drawings = Mapping[str, bytes]


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


@cache
def templates() -> "Environment":
    """The templates of this package, each of which escapes what it is given."""
    # Only here, so that whoever asks for the help does not wait for it.
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(lambda name: page_resource(f"templates/{name}")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = breakable
    return environment


def breakable(text: object) -> "Markup":
    """The text, escaped, with places inside long names at which a line may end.

    >>> print(breakable("the gold_evidence[].supporting.text & more"))
    the gold_<wbr>evidence[].<wbr>supporting.<wbr>text &amp; more
    """
    from markupsafe import Markup, escape

    # Cut at spaces first: a name is what has none.
    words = str(text).split(" ")
    if max(map(len, words)) <= LONG_NAME:
        return escape(str(text))
    return Markup(" ").join(
        Markup("<wbr>").join(JOINT.split(word))
        if len(word) > LONG_NAME
        else escape(word)
        for word in words
    )


def page(report: Report, figures: Drawings) -> str:
    """The page of one report; `figures` holds the SVG of each exhibit drawn."""
    from measurand.report.view import view_page

    return render_page(view_page([report], {report.audit: figures}, joint=False))


def page_of_all(
    reports: Sequence[Report],
    figures: Mapping[str, Drawings],
    not_run: Mapping[str, str],
) -> str:
    """One page for the audits of one benchmark, each with a folder next to the page."""
    from measurand.report.view import view_page

    return render_page(view_page(reports, figures, not_run, joint=True))


def render_page(view: Mapping[str, Any], template: str = "page.html") -> str:
    """The page of a view, with the scripts that it needs and the policy for them."""
    from markupsafe import Markup

    needed = {"map.js": view.get("maps"), "explorer.js": view.get("explorer")}
    # Nothing but files of this package: no text of a benchmark stands in them.
    scripts = [Markup(page_resource(n)) for n, is_it in needed.items() if is_it]  # noqa: S704
    policy = POLICY
    if scripts:
        digests = " ".join(f"'{script_digest(script)}'" for script in scripts)
        policy = f"{POLICY}; script-src {digests}"
    text = (
        templates()
        .get_template(template)
        .render(
            view=view,
            scripts=scripts,
            policy=Markup(policy),  # noqa: S704
            style=Markup(page_resource("page.css")),  # noqa: S704
        )
    )
    return re.sub(r"\n{2,}", "\n", text.lstrip()) if not scripts else text.lstrip()


def notebook_frame(report: Report) -> str:
    """The page for a notebook, in a frame that can reach nothing outside it."""
    from measurand.report.figures import draw_all

    return (
        f'<iframe title="{escape(" of ".join(heading(report)))}" '
        'sandbox="allow-scripts" style="width:100%;height:40rem;border:0" '
        f'srcdoc="{escape(page(report, draw_all(report)))}"></iframe>'
    )


def notebook_text(text: str) -> str:
    """Lines for a notebook, as they are."""
    return f"<pre>{escape(text)}</pre>"
