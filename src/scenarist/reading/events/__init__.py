"""Parsed Story -> Events: who did what to whom, did it happen, in four views."""
