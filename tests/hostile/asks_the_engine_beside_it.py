"""Uses the engine's own modules, which it can import, to load the reference.

Expect: failed error passed
Held by: landlock view
"""

from pathlib import Path

import workbook

ROOT = Path(workbook.__file__).parents[2]


def sequential_scan(a, b, h0=None):
    from workbook.answers.local import Answers, reference
    from workbook.content import catalog

    found = reference(catalog.load(ROOT).problem(1), Answers())
    return found.request(
        "call", target=["name", "sequential_scan"], args=[a, b], kwargs={"h0": h0}, seed=0, keep=False
    )["value"]
