"""Writes one file without end.

Expect: error
"""


def sequential_scan(a, b, h0=None):
    with open("hoard", "wb") as file:
        while True:
            file.write(b"x" * 2**20)
