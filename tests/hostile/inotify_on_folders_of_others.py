"""Learns the names of files that others open or make, by watching their folders.

Expect: failed error passed
Held by: seccomp
"""

import ctypes
import os
import time

import torch

libc = ctypes.CDLL(None, use_errno=True)


def sequential_scan(a, b, h0=None):
    fd = libc.inotify_init1(os.O_NONBLOCK)
    watched = [
        p for p in ("/tmp", "/root", os.path.dirname(__file__)) if libc.inotify_add_watch(fd, p.encode(), 0xFFF) >= 0
    ]
    if watched:
        time.sleep(0.05)
        try:
            seen = os.read(fd, 65536)
        except OSError:
            seen = b""
        raise RuntimeError(f"LEAK: watching {watched}, {len(seen)} bytes of events")
    return torch.zeros_like(a)
