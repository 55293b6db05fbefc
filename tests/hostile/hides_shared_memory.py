"""Fills memory that is charged to no process once the one that filled it has ended.

Expect: error memory
Held by: namespaces seccomp
"""

import mmap
import os


def sequential_scan(a, b, h0=None):
    hoard = []
    while True:
        shared = mmap.mmap(-1, 64 * 2**20)
        if os.fork() == 0:
            shared.write(b"x" * len(shared))
            os._exit(0)
        os.wait()
        hoard.append(shared)
