"""Never finishes loading.

Expect: timeout
"""

while True:
    pass
