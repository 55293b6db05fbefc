"""Returns an object that equals everything and has every attribute.

Expect: error
"""


class Yes:
    def __eq__(self, other):
        return True

    def __getattr__(self, name):
        return self

    def __call__(self, *arguments, **keywords):
        return self


def sequential_scan(a, b, h0=None):
    return Yes()
