"""Replies with a meta tensor of a million million elements.

Expect: failed error passed
"""

import os
import sys

import torch

from workbook.wire import channel


def number():
    frame = sys._getframe()
    while frame:
        if "request" in frame.f_locals and type(frame.f_locals["request"]) is dict:
            return frame.f_locals["request"]["id"]
        frame = frame.f_back


def sequential_scan(a, b, h0=None):
    value = torch.empty(2**20, 2**20, dtype=a.dtype, device="meta")
    os.write(200, channel.frame({"ok": True, "id": number(), "value": value, "changed": []}))
    return torch.zeros_like(a)
