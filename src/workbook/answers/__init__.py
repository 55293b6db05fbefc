"""Who knows what is right: the solution run here, or the answers recorded in a key. Imported by grading and by releases."""
