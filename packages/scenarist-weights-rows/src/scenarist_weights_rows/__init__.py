"""Weights of networks that tables of scenarist bench use: one seed of each row that README quotes.

Nothing to import: the files lie beside this one, a folder a release, with its card; scenarist finds them by the name of this package.
"""

__version__ = "0.1.0"
