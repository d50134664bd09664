"""Weights of networks that verbs of scenarist use: endings, order, explain, the deep detector.

Nothing to import: the files lie beside this one, a folder a release, with its card; scenarist finds them by the name of this package.
"""

__version__ = "0.1.0"
