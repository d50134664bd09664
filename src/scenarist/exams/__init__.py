"""Index of this room: name -> "module:Class"."""

INDEX: dict[str, str] = {
    "eventcloze": "scenarist.exams.eventcloze:EventCloze",
}
