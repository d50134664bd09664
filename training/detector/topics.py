"""Stories -> `resources/topics`: `python -m training.detector.topics FOLDER [--words lemmas]`.

``stems``: topics.npz, quick to use on any text; ``lemmas``: topics-lemmas.npz, the paper's words, for its rows and for affinities
(`training/detector/affinity.py`).

200 topics over the content words of MCScript and ROCStories (train splits), as the paper takes MCScript and all personal stories.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from scenarist.formats.plain import sentences
from scenarist.learning.topics import Topics
from scenarist.reading.content_words import content_words
from scenarist.registry import make


def main() -> None:
    """Learn and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--words", choices=("lemmas", "stems"), default="lemmas")
    parser.add_argument("--free", type=int, default=4_000, help="at most so many ROCStories")
    parser.add_argument("--passes", type=int, default=8)
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    if options.smoke:
        options.free, options.passes = 100, 1
    stories = list(make("corpus", "mcscript", split="train"))[: 200 if options.smoke else None]
    told = [[s.text[one.start : one.stop] for one in sentences(s.text)] for s in stories]
    ending = "" if options.words == "stems" else f"-{options.words}"
    path = options.folder / f"topics{ending}.npz"
    free = [[s.of(one) for one in s.sentences] for s in make("corpus", "rocstories", split="train")][: options.free]
    texts = told + free
    content_words([line for lines in texts for line in lines], options.words)
    documents = [[word for words in content_words(lines, options.words) for word in words] for lines in texts]
    topics = Topics(passes=options.passes, least=5).fit(documents)
    topics.save(path)
    for number in range(0, 200, 10):
        print(number, " ".join(topics.top(number)))
    print(len(documents), "documents,", len(topics.words_), "words")


if __name__ == "__main__":
    main()
