"""Recurses in C until the stack is used up.

Expect: crash error memory
"""

import sys

sys.setrecursionlimit(10**9)


class Deep:
    def __repr__(self):
        return repr([self])


def sequential_scan(a, b, h0=None):
    return repr(Deep())
