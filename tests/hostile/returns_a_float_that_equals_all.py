"""Returns a float of a class of its own that equals everything.

Expect: failed error
"""


class Yes(float):
    def __eq__(self, other):
        return True

    def __sub__(self, other):
        return 0.0

    __rsub__ = __ne__ = __sub__
    __hash__ = float.__hash__


def sequential_scan(a, b, h0=None):
    return Yes(1)
