"""Index of this room: name -> "module:Class"."""

INDEX: dict[str, str] = {}
