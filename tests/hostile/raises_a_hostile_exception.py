"""Raises an exception whose own methods and attributes all fail.

Expect: error
"""


class Nasty(BaseException):
    __module__ = property(lambda self: 1 / 0)

    def __str__(self):
        raise SystemExit

    __repr__ = __str__

    def __getattribute__(self, name):
        raise self


def sequential_scan(a, b, h0=None):
    raise Nasty
