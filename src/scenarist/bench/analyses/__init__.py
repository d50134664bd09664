"""Tables that are no grid of solvers and exams: statistics of corpora, of errors, of people."""
