"""What an author needs: the proof that a problem is sound, new problems, mutants, the saved corpus."""
