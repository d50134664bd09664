"""How much of the sentiment rows is the analyser? The same two rules with three analysers on the Story Cloze validation set.

    pip install --no-deps afinn textblob
    python benchmarks/sentiment_analysers.py

The paper's own analyser (a tree network of Stanford's) is not on a package registry. Ties count half.
"""

from __future__ import annotations

from collections.abc import Callable

from scenarist.corpora.storycloze import ClozeStory, StoryCloze2016
from scenarist.models.endings.similarity import feeling


def analysers() -> dict[str, Callable[[str], float]]:
    """Name -> a feeling from -1 to 1; those that are not installed are left out."""
    found: dict[str, Callable[[str], float]] = {"vader": feeling}
    try:
        from afinn import Afinn

        scores = Afinn()
        found["afinn"] = lambda text: max(-1.0, min(1.0, scores.score(text) / 4.0))
    except ModuleNotFoundError:
        print("afinn is not installed")
    try:
        from textblob.en import sentiment

        found["textblob"] = lambda text: float(sentiment(text)[0])
    except ModuleNotFoundError:
        print("textblob is not installed")
    return found


def figures(stories: list[ClozeStory], rate: Callable[[str], float], of: str) -> tuple[float, float]:
    """Accuracy and the share of ties, in five classes as the paper's."""

    def classed(text: str) -> int:
        return min(4, int((rate(text) + 1.0) / 2.0 * 5))

    marks, ties = 0.0, 0
    for story in stories:
        told = story.context if of == "full" else story.context[-1:]
        mood = sum(map(classed, told)) / len(told)
        right, wrong = (abs(classed(story.endings[at]) - mood) for at in (story.answer or 0, 1 - (story.answer or 0)))
        marks += (right < wrong) + 0.5 * (right == wrong)
        ties += right == wrong
    return marks / len(stories), ties / len(stories)


if __name__ == "__main__":
    told = list(StoryCloze2016("dev"))
    for name, rate in analysers().items():
        for of, paper in (("full", 0.489), ("last", 0.514)):
            value, ties = figures(told, rate, of)
            print(
                f"sentiment-{of} {name:<9} {100 * value:.1f}  ties {100 * ties:.0f} %  (the paper: {100 * paper:.1f})"
            )
