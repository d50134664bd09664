"""Index of this room: name -> "module:Class". A number behind a name is its k: ``recall@50``, ``top5``, ``place1``."""

INDEX: dict[str, str] = {
    "accuracy": "scenarist.metrics.answers:Accuracy",
    "match": "scenarist.metrics.answers:Match",
    "recall": "scenarist.metrics.recall:recall",
    "top": "scenarist.metrics.ranking:Top",
    "mrr": "scenarist.metrics.ranking:Mrr",
    "average_rank": "scenarist.metrics.ranking:AverageRank",
    "surprisal": "scenarist.metrics.probability:Surprisal",
    "precision": "scenarist.metrics.labels:Precision",
    "f1": "scenarist.metrics.labels:F1",
    "none_f1": "scenarist.metrics.labels:NoneF1",
    "sentence_accuracy": "scenarist.metrics.labels:SentenceAccuracy",
    "information_content": "scenarist.metrics.probability:InformationContent",
}
