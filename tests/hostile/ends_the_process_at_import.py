"""Ends the process while it is loaded, as if all were well.

Expect: crash
"""

import os

os._exit(0)
