"""Whether a grader sees small faults: mutants of a solution, each of which must fail."""
