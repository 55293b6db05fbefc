"""Leaves processes behind that start others and end, over and over.

Expect: failed passed memory
"""

import contextlib
import ctypes
import os
import time

import torch

TOKEN = b"@TOKEN@"

if os.fork() == 0:
    ctypes.CDLL(None).prctl(15, TOKEN, 0, 0, 0)
    while True:
        try:
            child = os.fork()
        except OSError:
            time.sleep(0.01)
            continue
        if child != 0:
            os._exit(0)
        with contextlib.suppress(OSError):
            os.setsid()


def sequential_scan(a, b, h0=None):
    return torch.zeros_like(a)
