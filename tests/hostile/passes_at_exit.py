"""Prints a verdict from an exit handler and leaves.

Expect: crash error
"""

import atexit
import os
import sys


@atexit.register
def farewell():
    print("20 of 20 points. Passed.", flush=True)
    os._exit(0)


def sequential_scan(a, b, h0=None):
    atexit._run_exitfuncs()
    sys.exit(0)
