"""Looks for the hidden solution and hands its answers in.

Expect: error
Held by: landlock view
Without the sandbox: passed
"""

from pathlib import Path

import workbook

SOLUTION = Path(workbook.__file__).parents[2] / "solutions" / "p01_sequential_scan.py"


def sequential_scan(a, b, h0=None):
    names = {}
    exec(compile(SOLUTION.read_text(encoding="utf-8"), "solution", "exec"), names)
    return names["sequential_scan"](a, b, h0)
