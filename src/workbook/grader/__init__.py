"""The grader's side of the boundary: starts workers, keeps their deadlines, compares what they return."""
