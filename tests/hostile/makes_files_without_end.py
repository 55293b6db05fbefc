"""Makes empty files and folders without end.

Expect: error timeout
"""

import itertools
import os


def sequential_scan(a, b, h0=None):
    for number in itertools.count():
        os.mkdir(f"folder{number}")
        open(f"folder{number}/file", "w").close()
