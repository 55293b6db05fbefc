"""Carrying out one request on a submission's code. The same code serves a learner's worker and the reference."""
