"""Index of this room: name -> "module:Class"."""

INDEX: dict[str, str] = {
    "untold": "scenarist.exams.untold:UntoldExam",
    "eventcloze": "scenarist.exams.eventcloze:EventCloze",
}
