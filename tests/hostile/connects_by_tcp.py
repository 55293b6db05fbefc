"""Connects to a listener by TCP, and answers only if it can.

Expect: error
Held by: seccomp namespaces landlock
Without the sandbox: passed
"""

import socket

import torch


def sequential_scan(a, b, h0=None):
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        return honest(a, b, h0)


def honest(a, b, h0):
    h = torch.zeros_like(a[:, 0]) if h0 is None else h0
    states = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    return torch.stack(states, dim=1)
