"""Side tables of the event cloze."""
