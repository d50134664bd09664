"""Index of this sub-room: reading what a recipe tells one to do (an instruction -> its parts -> its steps)."""
