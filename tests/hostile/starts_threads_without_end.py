"""Starts threads until it is refused, and then more.

Expect: timeout memory
"""

import threading
import time


def sequential_scan(a, b, h0=None):
    while True:
        try:
            threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
        except (RuntimeError, MemoryError):
            continue
