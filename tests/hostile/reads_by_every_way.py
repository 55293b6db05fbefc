"""Reads files of others by path, by link, by /proc, by a descriptor of a folder, by mmap, by the linker.

Expect: failed error passed
Held by: landlock
"""

import ctypes
import os
import runpy
import tokenize

import torch

import workbook

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(workbook.__file__)))
SOLUTION = ROOT + "/solutions/p01_sequential_scan.py"


def sequential_scan(a, b, h0=None):
    done = []
    for name, act in {
        "open": lambda: open(SOLUTION).read(),
        "dots": lambda: open(os.path.dirname(workbook.__file__) + "/../../solutions/p01_sequential_scan.py").read(),
        "link": lambda: (os.symlink(SOLUTION, f"link{os.getpid()}"), open(f"link{os.getpid()}").read()),
        "proc": lambda: open("/proc/self/root" + SOLUTION).read(),
        "cwd": lambda: open(f"/proc/{os.getppid()}/cwd/solutions/p01_sequential_scan.py").read(),
        "listing": lambda: 1 / len(os.listdir(ROOT)),
        "folder": lambda: os.open("solutions", os.O_RDONLY, dir_fd=os.open(ROOT, os.O_PATH)),
        "dlopen": lambda: ctypes.CDLL(ROOT + "/solutions/p01_sequential_scan.py"),
        "tokenize": lambda: tokenize.open(SOLUTION),
        "runpy": lambda: runpy.run_path(SOLUTION),
        "hardlink": lambda: os.link(SOLUTION, "hard"),
        "rename": lambda: os.rename(SOLUTION, "moved"),
        "truncate": lambda: os.truncate(SOLUTION, 10**9),
        "secret": lambda: open(__import__("os").path.expanduser("~/canary_of_another.txt")).read(),
        "keys": lambda: os.listdir(ROOT + "/.workbook"),
        "environ": lambda: open("/proc/self/environ").read(),
        "parent": lambda: open(f"/proc/{os.getppid()}/environ").read(),
    }.items():
        try:
            act()
        except (OSError, ZeroDivisionError):
            continue
        done.append(name)
    if done:
        raise RuntimeError(f"LEAK: {done}")
    return torch.zeros_like(a)
