"""Index of this room: name -> "module:Class"."""

INDEX: dict[str, str] = {
    "kidscook": "scenarist.corpora.kidscook:KidsCook",
    "storycloze-2016": "scenarist.corpora.storycloze:StoryCloze2016",
    "storycloze-2018": "scenarist.corpora.storycloze:StoryCloze2018",
    "rocstories": "scenarist.corpora.rocstories:ROCStories",
    "mcscript": "scenarist.corpora.mcscript:MCScript",
    "inscript": "scenarist.corpora.inscript:InScript",
    "nyt-chains": "scenarist.corpora.nytchains:NYTChains",
    "ewt": "scenarist.corpora.treebanks:EWT",
    "gum": "scenarist.corpora.treebanks:GUM",
    "ontogum": "scenarist.corpora.ontogum:OntoGUM",
    "litbank": "scenarist.corpora.litbank:LitBank",
}
