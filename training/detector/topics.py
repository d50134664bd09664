"""Stories -> `resources/detector/topics.npz`: `python -m training.detector.topics FILE [--words lemmas]`.

200 topics over the content words of MCScript and ROCStories (train splits), as the paper takes MCScript and all personal stories.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from scenarist.formats.plain import sentences
from scenarist.learning.content_words import content_words
from scenarist.learning.topics import Topics
from scenarist.registry import make


def main() -> None:
    """Learn and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--words", default="lemmas")
    parser.add_argument("--free", type=int, default=40_000, help="at most so many ROCStories")
    parser.add_argument("--passes", type=int, default=4)
    options = parser.parse_args()
    told = [[s.text[one.start : one.stop] for one in sentences(s.text)] for s in make("corpus", "mcscript", split="train")]
    free = [[s.of(one) for one in s.sentences] for s in make("corpus", "rocstories", split="train")][: options.free]
    texts = told + free
    content_words([line for lines in texts for line in lines], options.words)
    documents = [[word for words in content_words(lines, options.words) for word in words] for lines in texts]
    topics = Topics(passes=options.passes, least=5).fit(documents)
    topics.save(options.file)
    print(len(documents), "documents,", len(topics.words_), "words,", options.file.stat().st_size, "bytes")
    for number in range(0, 200, 10):
        print(number, " ".join(topics.top(number)))


if __name__ == "__main__":
    main()
