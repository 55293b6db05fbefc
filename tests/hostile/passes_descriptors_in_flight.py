"""Keeps far more descriptors than allowed, by having them in flight on socket pairs.

Expect: failed error passed
"""

import os
import socket

import torch

KEPT = []


def sequential_scan(a, b, h0=None):
    null = os.open("/dev/null", os.O_RDONLY)
    sent = 0
    try:
        while sent < 20000:
            one, other = socket.socketpair()
            KEPT.append((one, other))
            one.setblocking(False)
            for _ in range(50):
                socket.send_fds(one, [b"x"], [null] * 200)
                sent += 200
    except OSError as error:
        print("in flight:", sent, error)
    return torch.zeros_like(a)
