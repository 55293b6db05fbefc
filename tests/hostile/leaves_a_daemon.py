"""Leaves a process behind, in a session of its own and without a parent.

Expect: failed passed
"""

import ctypes
import os
import time

import torch

TOKEN = b"@TOKEN@"


def sequential_scan(a, b, h0=None):
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() == 0:
            ctypes.CDLL(None).prctl(15, TOKEN, 0, 0, 0)
            time.sleep(3600)
        os._exit(0)
    os.waitpid(child, 0)
    return torch.zeros_like(a)
