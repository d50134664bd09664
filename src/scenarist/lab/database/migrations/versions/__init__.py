"""The versions of the tables."""
