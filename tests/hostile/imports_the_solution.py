"""Imports the hidden solution.

Expect: error
Held by: landlock view
Without the sandbox: passed
"""

import sys
from pathlib import Path

import workbook

sys.path.insert(0, str(Path(workbook.__file__).parents[2]))


def sequential_scan(a, b, h0=None):
    from solutions import p01_sequential_scan

    return p01_sequential_scan.sequential_scan(a, b, h0)
