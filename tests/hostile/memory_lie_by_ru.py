"""Raises its own limits back, or lowers those that its worker needs to answer.

Expect: failed error passed crash timeout
"""

import resource

import torch


def sequential_scan(a, b, h0=None):
    resource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
    resource.setrlimit(resource.RLIMIT_STACK, (4096, 4096))
    return torch.zeros_like(a)
