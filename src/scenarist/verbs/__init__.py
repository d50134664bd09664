"""Index of this room: verb -> "module:function"; ``scenarist.NAME`` finds it."""

INDEX: dict[str, str] = {
    "read": "scenarist.verbs.read:read",
    "read_all": "scenarist.verbs.read:read_all",
    "events": "scenarist.verbs.events:events",
    "events_all": "scenarist.verbs.events:events_all",
    "show": "scenarist.verbs.show:show",
    "exam": "scenarist.verbs.exam:exam",
    "score": "scenarist.verbs.score:score",
    "run_table": "scenarist.verbs.run_table:run_table",
}
