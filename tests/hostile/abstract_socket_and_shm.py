"""Reaches out: abstract sockets, TCP and UDP on 127.0.0.1, shared memory, message queues, keys, memfd, a program.

Expect: failed error passed
Held by: seccomp
"""

import ctypes
import mmap
import os
import socket
from multiprocessing import shared_memory

import torch

libc = ctypes.CDLL(None, use_errno=True)


def sequential_scan(a, b, h0=None):
    done = []
    for name, act in {
        "abstract": lambda: socket.socket(socket.AF_UNIX).bind("\0canary"),
        "tcp": lambda: socket.create_connection(("127.0.0.1", 9), 1),
        "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)),
        "vsock": lambda: socket.socket(40, socket.SOCK_STREAM),
        "netlink": lambda: socket.socket(16, socket.SOCK_RAW),
        "packet": lambda: socket.socket(17, socket.SOCK_RAW),
        "alg": lambda: socket.socket(38, socket.SOCK_SEQPACKET),
        "shm": lambda: shared_memory.SharedMemory("canary", create=True, size=16),
        "memfd": lambda: os.memfd_create("x"),
        "anonymous": lambda: mmap.mmap(-1, 4096, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS),
        "exec": lambda: os.execv("/bin/true", ["true"]),
        "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
        "system": lambda: 1 / (os.system("true") == 0),
        "pidfd": lambda: os.pidfd_open(os.getpid()),
    }.items():
        try:
            act()
        except (OSError, ZeroDivisionError):
            continue
        done.append(name)
    if done:
        raise RuntimeError(f"LEAK: {done}")
    return torch.zeros_like(a)
