"""The verbs in a terminal, one file per verb; `main.py` mounts them lazily."""
