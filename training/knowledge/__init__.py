"""How resources/knowledge is made: `python -m training.knowledge` (see __main__)."""
