"""Index of this room: name -> "module:Class"."""

INDEX: dict[str, str] = {
    "default": "scenarist.reading.default:DefaultReader",
    "spacy:": "scenarist.reading.spacy_reader:SpacyReader",
    "corenlp:": "scenarist.reading.corenlp:CoreNLPReader",
    "conllu": "scenarist.reading.conllu_reader:ConlluReader",
    "conll-coref": "scenarist.reading.conllu_reader:ConllCorefReader",
}
