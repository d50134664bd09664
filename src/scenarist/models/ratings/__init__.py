"""Rate and Choice by surprise: how unexpected a text is in its context."""
