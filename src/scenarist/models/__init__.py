"""Index of this room: name -> "module:Class"."""

INDEX: dict[str, str] = {
    "constant": "scenarist.models.floor:Constant",
    "random": "scenarist.models.floor:Random",
    "majority": "scenarist.models.floor:Majority",
    "frequency": "scenarist.models.floor:Frequency",
    "unigram": "scenarist.models.ngrams:Unigram",
    "bigram": "scenarist.models.ngrams:Bigram",
    "pmi": "scenarist.models.pmi:Pmi",
    "pmi-cutoff": "scenarist.models.pmi:PmiCutoff",
    "pmi-ordered": "scenarist.models.pmi:OrderedPmi",
    "pmi-discounted": "scenarist.models.pmi:DiscountedPmi",
    "unigram-instance": "scenarist.models.instance_based:InstanceUnigram",
    "bigram-instance": "scenarist.models.instance_based:InstanceBigram",
}
