"""The grader's hold on a learner's process: starting it, asking it, its limits, what it may say. Imported by answers, checks and grading."""
