"""How each file in `scenarist.resources` was made; one command each."""
