"""How the toy corpus in resources/toy was made: `python -m training.toy.build`."""
