"""Locks the files of the libraries that every other worker and the grader read.

Expect: failed error passed
"""

import fcntl
import os
import sys

import torch


def sequential_scan(a, b, h0=None):
    held = []
    for path in (torch.__file__, os.__file__, sys.modules["workbook"].__file__, __file__):
        file = open(path)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held.append(file)
    globals()["HELD"] = held
    return torch.zeros_like(a)
