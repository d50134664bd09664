"""Index of this room: name -> "module:Class"."""

INDEX: dict[str, str] = {
    "account": "scenarist.pages.story:fragment",
}
