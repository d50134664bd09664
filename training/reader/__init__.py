"""How `resources/reader` was made: `python -m training.reader` rebuilds the weights and measures them."""
