"""See HOUSE.md for what this room takes and gives."""
