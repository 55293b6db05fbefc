"""Answers the next request before it comes, with what the last one got.

Expect: failed error passed crash timeout
"""

import os
import sys
import threading
import time

import torch

from workbook.wire import channel


def number():
    frame = sys._getframe()
    while frame:
        if type(frame.f_locals.get("request")) is dict:
            return frame.f_locals["request"]["id"]
        frame = frame.f_back


def sequential_scan(a, b, h0=None):
    value = torch.zeros_like(a)
    frame = channel.frame({"ok": True, "id": number() + 1, "value": value, "changed": [], "calls": 7, "gradients": []})
    threading.Thread(target=lambda: (time.sleep(0.002), os.write(200, frame))).start()
    return value
