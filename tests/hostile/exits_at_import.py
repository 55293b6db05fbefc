"""Calls sys.exit while it is loaded.

Expect: error
"""

import sys

print("all tests passed")
sys.exit(0)
