"""Stops itself and its group again and again.

Expect: failed error passed crash timeout
"""

import os
import signal

import torch


def sequential_scan(a, b, h0=None):
    if os.fork() == 0:
        while True:
            os.killpg(os.getpgid(os.getppid()), signal.SIGSTOP)
    os.kill(0, signal.SIGSTOP)
    return torch.zeros_like(a)
