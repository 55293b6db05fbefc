"""Notebooks as files: which cells solve a problem, and whether a learner has worked in one."""
