"""Sends the message with which a worker starts.

Expect: error
"""

import os

from workbook.wire import channel


def sequential_scan(a, b, h0=None):
    os.write(200, channel.frame({"event": "started", "active": [], "missing": {}, "folder": "/"}))
    return 1
