"""Answers -> verdicts: the reviewer's queue, what is noticed of answers and of people, and the statistics of a collection."""
