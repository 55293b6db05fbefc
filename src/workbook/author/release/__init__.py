"""A learner's copy without answers: recorded answer keys, hidden checks cut out, and the scan that proves it."""
