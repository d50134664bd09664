"""Index of this room: name -> "module:Class"."""

INDEX: dict[str, str] = {
    "default": "scenarist.reading.default:DefaultReader",
    "spacy:": "scenarist.reading.foreign.spacy:SpacyReader",
    "corenlp:": "scenarist.reading.foreign.corenlp:CoreNLPReader",
    "conllu": "scenarist.reading.foreign.conllu:ConlluReader",
    "conll-coref": "scenarist.reading.foreign.conllu:ConllCorefReader",
}
