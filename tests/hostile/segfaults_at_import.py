"""Reads address 0 while it is loaded.

Expect: crash
"""

import ctypes

ctypes.string_at(0)
