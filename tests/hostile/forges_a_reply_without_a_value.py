"""Sends a reply that says ok and lacks the value.

Expect: error
"""

import os

from workbook.wire import channel


def sequential_scan(a, b, h0=None):
    for number in range(200):
        os.write(200, channel.frame({"ok": True, "id": number}))
