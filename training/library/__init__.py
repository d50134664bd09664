"""How what is carried beside the library of written scripts was made."""
