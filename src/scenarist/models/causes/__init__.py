"""Choice of a cause or an effect -> Guesses."""
