"""An instruction of a recipe -> Explanation: its concrete steps, as for a child, and the word that each was told from.

What the task of Bisk et al. (2019) is good for. The steps come from our own kitchen (`resources/kitchen`, read by
`reading/recipes`): ways of doing things, written by hand, chosen by what the thing is done to and filled with the instruction's own
words. What is outside the kitchen is refused. The models of the paper's task write freely instead where one asks for them
(``size`` *large* or *small*): more words, fewer right steps, and a confidence that nobody knows.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from scenarist.answers import ExplainedStep, Explanation, NearPair
from scenarist.errors import BadInput, missing_extra
from scenarist.registry import make
from scenarist.story import Alignment, Pair

SIZES = ("auto", "large", "small")
FUNCTION = frozenset("a an the of and or to in into on with for it them is are be . , ; until".split())


def words_of(text: str) -> tuple[str, ...]:
    """An instruction in the corpus's form: lower case, punctuation apart, a full stop at the end.

    >>> words_of("Drain the pasta!")
    ('drain', 'the', 'pasta', '.')
    """
    words = re.findall(r"[\w'-]+|[^\w\s]", text.lower())
    if not any(word[0].isalnum() for word in words):
        raise BadInput('There is no instruction to explain. Type for example: scenarist explain "drain the pasta"')
    while words and words[-1] in ".!?;":
        words.pop()
    return (*(word for word in words if word not in "!?"), ".")


def explain(text: str, size: str = "auto", device: str = "auto", seed: int = 1, near: int = 0) -> Explanation:
    """The concrete steps of an instruction, and the word of it that each was told from.

    ``size`` *large* or *small* lets a model write instead; ``near`` shows so many like instructions of KidsCook (where it is at hand).

    >>> explain("drain the pasta").steps[0].text
    'Put a colander into the sink.'
    """
    if size not in SIZES:
        raise BadInput(f"size is auto, large or small, not {size!r}.")
    words = words_of(text)
    pairs = near_pairs(words, near) if near else ()
    if size != "auto":
        return written_by_model(words, size, device, seed, pairs)
    try:
        return from_the_kitchen(words, pairs)
    except BadInput as error:
        raise BadInput(
            f"{error} So I do not know the steps of {text!r}. Other words may do, or a model may guess: "
            f"scenarist explain {text!r} --size large"
        ) from error


def from_the_kitchen(words: tuple[str, ...], near: tuple[NearPair, ...] = ()) -> Explanation:
    """The steps of our own kitchen."""
    from scenarist.reading.recipes.steps import explain_words

    steps, concrete, path, confidence = [], list[str](), list[int](), 1.0
    support = phrases_behind()
    for part in explain_words(words[:-1]):
        confidence = min(confidence, part.confidence)
        word = words[part.clause.verb_at]
        for step in part.steps:
            text = " ".join(step.words).lower()
            said = [entry for entry in support.get(word, ()) if f" {entry[0]} " in f" {text} "]
            longest = [entry for entry in said if not any(entry[0] in other[0] and entry != other for other in said)]
            steps.append(ExplainedStep(step.text, word, tuple(f"{phrase} ({count})" for phrase, count in longest[:3])))
            concrete += [token.lower() for token in step.words]
            path += step.path
    pair = Pair("explained", words, tuple(concrete))
    return Explanation(tuple(steps), confidence, Alignment(pair, tuple(path), "kitchen"), "kitchen", near)


def phrases_behind() -> dict[str, list[tuple[str, int]]]:
    """Abstract word -> the concrete phrases that KidsCook aligns with it, with their counts: the carried table of `align`."""
    from scenarist.learning.alignments import PhraseTable
    from scenarist.store.home import resource

    out: dict[str, list[tuple[str, int]]] = {}
    for entry in PhraseTable.load(resource("alignments/kidscook.jsonl")).entries:
        out.setdefault(entry.word, []).append((entry.phrase, entry.count))
    return out


def near_pairs(words: Sequence[str], most: int) -> tuple[NearPair, ...]:
    """The training pairs whose instruction shares the rarest words with this one."""
    pairs = {pair.abstract: pair for pair in make("corpus", "kidscook", split="train")}
    bags = [(frozenset(pair.abstract) - FUNCTION, pair) for pair in pairs.values()]
    documents = Counter(word for bag, _ in bags for word in bag)
    weight = {word: math.log(len(bags) / count) ** 2 for word, count in documents.items()}
    asked = frozenset(words) - FUNCTION
    norm = math.sqrt(sum(weight.get(word, 0.0) for word in asked)) or 1.0
    scored = []
    for bag, pair in bags:
        shared = sum(weight[word] for word in bag & asked)
        if shared:
            scored.append((shared / norm / math.sqrt(sum(weight[word] for word in bag) or 1.0), pair))
    scored.sort(key=lambda entry: (-entry[0], entry[1].id))
    return tuple(
        NearPair(pair.id, " ".join(pair.abstract), " ".join(pair.concrete), round(likeness, 4))
        for likeness, pair in scored[:most]
    )


def written_by_model(
    abstract: tuple[str, ...], size: str, device: str, seed: int, near: tuple[NearPair, ...] = ()
) -> Explanation:
    """What a word model writes: the fine-tuned causal model and the pretrained transducer, or the small in-domain ones."""
    try:
        import torch  # noqa: F401
    except ModuleNotFoundError as error:
        raise missing_extra("torch", "lm", "scenarist explain --size") from error
    settings = {"weights": "kidscook", "device": device, "seed": seed}
    if size == "large":
        teller = make("model", "causal-lm-tuned", **settings).fit(())
        aligner = make("model", "pretrained-transducer", **settings).fit(())
        steps = teller.tell(abstract)
    else:
        aligner = make("model", "transducer", **settings).fit(())
        if not any(word in aligner.vocabulary_.at for word in abstract[:-1]):
            raise BadInput(
                f"The small model knows none of the words of {' '.join(abstract[:-1])!r}. Use others, or get the large one: "
                "scenarist get smollm2"
            )
        steps = make("model", "transducer-param", **settings).tell(abstract)
    if not steps:
        raise BadInput(f"The model wrote nothing for {' '.join(abstract[:-1])!r}; try other words.")
    alignment: Alignment = aligner.align([Pair("explained", abstract, steps)])[0]
    return Explanation(tuple(model_steps(alignment)), None, alignment, alignment.by, near)


def model_steps(alignment: Alignment) -> list[ExplainedStep]:
    """The sentences of a text that a model wrote, each with the content word that owns most of it."""
    concrete, abstract = alignment.pair.concrete, alignment.pair.abstract
    steps, start = [], 0
    for index, word in enumerate(concrete):
        if word == "." or index == len(concrete) - 1:
            owners = Counter(
                abstract[place]
                for place in alignment.path[start : index + 1]
                if place >= 0 and abstract[place] not in FUNCTION
            )
            text = " ".join(concrete[start : index if word == "." else index + 1])
            if text:
                steps.append(
                    ExplainedStep(text[0].upper() + text[1:] + ".", max(owners, key=owners.__getitem__, default=""))
                )
            start = index + 1
    return steps
