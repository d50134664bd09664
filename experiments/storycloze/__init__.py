"""Side tables of the Story Cloze Test."""
