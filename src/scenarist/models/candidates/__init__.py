"""Question -> Guesses by any language model: prompts, what is scored or asked, and how answers are read."""
