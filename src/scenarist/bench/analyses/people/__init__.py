"""Analyses of what people answered, and of the models beside them: Bennett's study and those after it."""
