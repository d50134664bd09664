"""Index of this room: name -> "module:Class"."""

INDEX: dict[str, str] = {
    "constant": "scenarist.models.floor:Constant",
    "random": "scenarist.models.floor:Random",
    "majority": "scenarist.models.floor:Majority",
    "frequency": "scenarist.models.floor:Frequency",
}
