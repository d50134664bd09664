"""Who is who: a parsed story -> its entities."""
