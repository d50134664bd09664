"""How much do the stories that InScript and MCScript share flatter the detectors? `python -m training.detector.shared_stories DATA`.

Thirteen of MCScript's 316 dev stories are in InScript's train split too. `prepare.py` leaves them out; networks that were trained before it did had seen them. So: F1 and whole stories of
the exam's documents without any of them, and with one; the former can be compared with figures of then.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Callable
from pathlib import Path

from scenarist.inventory import NONE
from scenarist.models.scenarios.detector import Detector
from scenarist.question import Answer, Segments, Where
from scenarist.registry import make
from scenarist.store.predictions import file_of, read_sections
from scenarist.story import Story
from training.detector.prepare import cut, letters, same


def shared() -> set[str]:
    """The sentences, by their letters, of MCScript's dev stories that InScript's train split has too."""
    inscript = [letters(cut(" ".join(story.text.split()))) for story in make("corpus", "inscript", split="train")]
    dev = [letters(cut(story.text)) for story in make("corpus", "mcscript", split="dev")]
    both = [one for one in dev if any(same(one, two) for two in inscript)]
    print(len(both), "of", len(dev), "stories are in both")
    return {sentence for one in both for sentence in one}


def recorded(condition: str) -> Callable[[Story], Answer | None]:
    """What the deep detector said of the documents of table `wanzare2019`."""
    path = file_of("wanzare2019", "deep-detector")
    for section in read_sections(path) if path else ():
        if section.header.condition == {"whole": "whole-story"}.get(condition, condition):
            return lambda story: section.answers[story.id].prediction.best
    raise SystemExit(
        "The deep detector's answers are not recorded: scenarist bench wanzare2019 --only deep-detector --record"
    )


def light(condition: str) -> Callable[[Story], Answer | None]:
    """What the light detector says."""
    detector = Detector()
    return lambda story: detector.answer(Where(story, whole=condition == "whole")).best


def said(answer: Answer | None, story: Story) -> list[str]:
    """A label a sentence; the inner one where two are nested."""
    labels = [NONE] * len(story.sentences)
    segments = answer.segments if isinstance(answer, Segments) else ()
    for segment in sorted(segments, key=lambda one: one.start - one.stop):
        for at, one in enumerate(story.sentences):
            if segment.start <= one.start and one.stop <= segment.stop:
                labels[at] = segment.names[0]
    return labels


def main() -> None:
    """Print the figures apart."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    options = parser.parse_args()
    both = shared()
    with gzip.open(options.data / "exam.json.gz", "rt", encoding="utf-8") as stream:
        exam = json.load(stream)
    for detector, answers in (("detector", light), ("deep-detector", recorded)):
        for name in ("clean", "noisy", "whole"):
            answer = answers(name)
            counts = {False: [0, 0, 0], True: [0, 0, 0]}
            for one in exam["documents"][name]:
                texts = [exam["sentences"][number] for number in one["sentences"]]
                story, gold = Story.from_sentences(one["id"], texts), one["labels"]
                own = counts[len(letters(texts) & both) >= 2]
                own[2] += 1
                if name == "whole":
                    own[0] += 2 * (answer(story) == gold[0])
                    own[1] += 2
                    continue
                found = said(answer(story), story)
                own[0] += 2 * sum(one == two != NONE for one, two in zip(found, gold, strict=True))
                own[1] += sum(one != NONE for one in found) + sum(one != NONE for one in gold)
            for with_, (right, both_, documents) in counts.items():
                print(detector, name, "with" if with_ else "without", documents, "documents", round(right / max(1, both_), 4), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
