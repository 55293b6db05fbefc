"""A Report as HTML, for a notebook: the terminal's words, in the colours of JupyterLab's theme, light or dark.

All text is escaped twice over: what cannot be seen is made visible (`text.clean`), what HTML would read is not read.
"""

from __future__ import annotations

import html
from collections.abc import Iterator

from workbook.report import words
from workbook.results import ProblemResult, Report, Verdict
from workbook.text import clean

GOOD, BAD, ODD = (
    "var(--jp-success-color1, #1b7f3b)",
    "var(--jp-error-color1, #b3261e)",
    "var(--jp-warn-color1, #8a5a00)",
)
FAINT = "opacity: 0.75"
COLOURS: dict[Verdict, str] = {"passed": GOOD, "not_started": "inherit", "skipped": ODD, "ungraded": ODD}
SIGN = "flex: none; width: 1.4em; font-weight: bold"
POINTS = f"flex: none; min-width: 2.8em; {FAINT}"
BOX = "line-height: 1.5; max-width: 60em"
BLOCK = (
    "white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.2em 0 0.4em 2em; padding: 0.3em 0.6em; "
    "border-left: 3px solid var(--jp-border-color1, #bbb); background: none; "
    "font-family: var(--jp-code-font-family, monospace); font-size: var(--jp-code-font-size, 13px)"
)


def render_html(report: Report, *, hint: str = "%hint") -> str:
    """One piece of HTML for all problems of a report. `hint` is how the reader asks for a hint, without the number."""
    parts = [line for problem in report.problems for line in _problem(problem, hint)]
    return f'<div class="workbook-report" style="{BOX}">{"".join(parts)}</div>'


def sentence(text: str) -> str:
    """One sentence of ours, or of a learner's, as a paragraph."""
    return f'<div class="workbook-note" style="{BOX}; color: {COLOURS["not_started"]}">{_safe(text)}</div>'


def _problem(problem: ProblemResult, hint: str) -> Iterator[str]:
    if problem.verdict == "not_started":
        yield f"<div><strong>{_safe(words.title(problem))}</strong>: {words.verdict(problem)}</div>"
        return
    yield f"<div><strong>{_safe(words.title(problem))}</strong> <code>{_safe(problem.file)}</code></div>"
    if problem.message:
        yield _block(problem.message)
    for check in words.checks(problem):
        colour = COLOURS.get(check.verdict, BAD)
        yield (
            f'<div style="display: flex"><span style="{SIGN}; color: {colour}">{check.sign}</span>'
            f'<span style="{POINTS}">{check.points}</span>'
            f'<span>{_safe(check.title)}<span style="{FAINT}">{_safe(check.note)}</span></span></div>'
        )
        if check.message:
            yield _block(check.message)
        if check.printed:
            lines = "\n".join(f"| {line}" for line in check.printed)
            yield f'<div style="{FAINT}; margin-left: 2em">{words.PRINTED}</div>{_block(lines)}'
    colour = COLOURS.get(problem.verdict, "inherit")
    yield f'<div style="color: {colour}"><strong>{_safe(words.verdict(problem))}</strong></div>'
    advice = words.advice(problem, hint)
    if advice:
        yield f"<div>{_safe(advice)}</div>"


def _block(text: str) -> str:
    return f'<pre style="{BLOCK}">{_safe(text)}</pre>'


def _safe(text: str) -> str:
    # A message was cut when it was made; what is cut here would be our own words.
    return html.escape(clean(text, limit=len(text) + 1))
