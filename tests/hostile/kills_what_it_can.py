"""Kills its parent, its group and every process it may.

Expect: failed passed
Held by: namespaces landlock
Needs: namespaces
"""

import contextlib
import os
import signal

import torch


def sequential_scan(a, b, h0=None):
    if os.getpid() != 1:
        raise RuntimeError("not in a namespace of its own: this would reach too far")
    for target in (os.getppid(), -1, 0):
        with contextlib.suppress(OSError):
            os.kill(target, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.killpg(0, signal.SIGKILL)
    return torch.zeros_like(a)
