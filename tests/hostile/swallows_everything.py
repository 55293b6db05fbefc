"""Never returns, and catches whatever would stop it.

Expect: timeout
"""

import time


def sequential_scan(a, b, h0=None):
    while True:
        try:
            while True:
                time.sleep(0.01)
        except BaseException:
            continue
