"""Returns dicts, nested to the limit and with thousands of keys, that make a long message.

Expect: failed error passed
"""


def sequential_scan(a, b, h0=None):
    value = {f"\x1b[31mkey {n}\u202e\u3164": n for n in range(4000)}
    for _ in range(25):
        value = {"in": value}
    return value
