"""Searches all objects of its process for a tensor that could be the answer.

Expect: failed passed
"""

import gc

import torch


def sequential_scan(a, b, h0=None):
    found = [
        item
        for item in gc.get_objects()
        if type(item) is torch.Tensor and item.shape == b.shape and item is not a and item is not b
    ]
    return found[0] if found else torch.zeros_like(b)
