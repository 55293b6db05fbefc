"""docs/authoring.md as the tests read it, and a small copy to carry it out in."""

from __future__ import annotations

import re

from helpers.workbooks import ROOT

TUTORIAL = (ROOT / "docs" / "authoring.md").read_text(encoding="utf-8")
FILES = [
    (path, text)
    for path, _, text in re.findall(r"^`([^`\n]+)`:\n\n(```+)\w+\n(.*?)^\2$", TUTORIAL, re.DOTALL | re.MULTILINE)
]


def copy_with_only_problem_1(copy):
    """So that what concerns all problems is quick."""
    for path in [*copy.glob("*/*"), *copy.glob("*/*/*")]:
        if path.is_file() and re.search(r"p(11|12|14)_", path.name):
            path.unlink()
    (copy / "README.md").write_text("nothing to report\n", encoding="utf-8")
    return copy
