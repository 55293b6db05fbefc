"""Changes modes, times and attributes of files that are not its own (no write needs the file to be opened).

Expect: failed error passed
Held by: view seccomp
"""

import os

import torch

DONE = []
TARGETS = [os.environ.get("CANARY", os.path.expanduser("~/canary.txt")), __file__, os.path.dirname(__file__)]


def attack():
    for path in TARGETS:
        for name, act in {
            "chmod": lambda: os.chmod(path, 0o000 if os.path.isfile(path) else 0o700),
            "utime": lambda: os.utime(path, (1, 1)),
            "setxattr": lambda: os.setxattr(path, "user.canary", b"1"),
        }.items():
            try:
                act()
            except OSError as error:
                print(name, path, "refused:", error.strerror)
            else:
                DONE.append((name, path))


def sequential_scan(a, b, h0=None):
    attack()
    if DONE:
        raise RuntimeError(f"LEAK: changed {DONE}")
    return torch.zeros_like(a)
