"""What a grader file calls: ask both sides, compare, name the mistake, show a small input. Imported by grading and by authors."""
