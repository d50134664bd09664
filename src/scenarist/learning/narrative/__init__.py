"""Events of a protagonist: with all who take part in them, which belong together, and in which order (Chambers and Jurafsky 2008)."""
