"""Choice -> Guesses: endings by a language model, without any labelled ending.

- `lm-ending`: SmolLM2 as it is, or any Hugging Face causal model by name: ln P(ending | story) by the token (``how="mean"``),
  summed, or minus ln P(ending) (``how="pmi"``), or minus ln P(ending | story without its last sentence) (``how="shift"``: what the last
  sentence changed).
- `story-lm`: the same with SmolLM2 tuned on stories (release file `stories`), where MARK stands before the ending, so that
  ln P(ending) is that of an ending and not of a first sentence.
- `story-discriminator`: a head on the state behind the ending, trained from raw stories to prefer the told ending to made ones: the
  ending of a similar story with this story's names, the flipped ending, and endings sampled from the tuned model when it was shown
  only the first one or two sentences. No labelled ending is seen; see `training/storycloze`.

Anchors: GPT-3 zero-shot 83.2 on the 2016 test set (Brown et al. 2020).

Choice -> Guesses: SmolLM2 tuned on stories, then on labelled endings (cf. GPT, Radford et al. 2018: 86.5 on the 2016 test set).

``weights="folds-1"``: ten adapters of rank 4, each trained on the validation set without one fold of contexts; a question is
answered by the one that has never seen its context, be it a question of the validation set or a new one. ``weights="labelled"``: one
trained on all of the validation set, for new stories.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from scenarist.errors import BadInput
from scenarist.models.endings.base import EndingModel, choice, fold_of, ranked
from scenarist.models.endings.story_network import BOS, EOS, MARK, adapter, seed_adapter, story_files, story_network
from scenarist.networks.llama import Llama, TextTree, all_cores
from scenarist.networks.pretrained import gguf_file, load_library_model, smollm2
from scenarist.question import AnyQuestion, Prediction
from scenarist.store.recent import Recent

if TYPE_CHECKING:
    from scenarist.networks.adapters import Lora

Asked = tuple[tuple[str, ...], tuple[str, ...]]
"""Context and endings."""
A = TypeVar("A")
HOW = ("mean", "sum", "pmi", "shift")
BATCH, REMEMBERED = 16, 4096


def by_length(trees: Sequence[TextTree]) -> list[list[int]]:
    """Batches of trees of similar size."""
    order = sorted(range(len(trees)), key=lambda index: len(trees[index].ids))
    return [order[start : start + BATCH] for start in range(0, len(order), BATCH)]


def story_tree(net: Llama, context: Sequence[str], endings: Sequence[str]) -> TextTree:
    """A story with its endings, as the adapters were trained: BOS story MARK, then each ending and EOS."""
    trunk = [BOS, *(token for sentence in context for token in net.encode(sentence)), MARK]
    return TextTree.grow(trunk, [[*net.encode(ending), EOS] for ending in endings])


def last_logits(net: Llama, trees: Sequence[TextTree], beside: Lora | None, heads: Lora) -> list[list[float]]:
    """The head's number at the end of every branch."""
    import torch

    out: list[list[float]] = [[] for _ in trees]
    with torch.inference_mode(), all_cores():
        for batch in by_length(trees):
            states = net.states_of_trees([trees[index] for index in batch], beside)  # [B, T, D]
            for row, index in enumerate(batch):
                out[index] = heads.head(states[row, list(trees[index].ends)])[:, 0].tolist()
    return out


def each_once(asked: Sequence[Asked], ask: Callable[[Sequence[Asked]], Sequence[A]]) -> list[A]:
    """What is asked several times is computed once."""
    distinct = list(dict.fromkeys(asked))
    rows = dict(zip(distinct, ask(distinct), strict=True))
    return [rows[question] for question in asked]


def branch_logps(net: Llama, trees: Sequence[TextTree]) -> list[list[float]]:
    """Sum of ln P over the pieces of every branch, given the trunk."""
    return [[float(logps.sum()) for logps in branches] for branches in net.logps_of_trees(trees)]


def before(context: Sequence[str], how: str) -> tuple[str, ...]:
    """What the comparison is made with: the story without its last sentence, or nothing.

    >>> before(("Ann ran.", "She fell."), "shift"), before(("Ann ran.",), "pmi")
    (('Ann ran.',), ())
    """
    return tuple(context[:-1]) if how == "shift" else ()


class Remembering(EndingModel):
    """Base: batches, and a memory of the last questions, since a table may ask one more than once."""

    def __init__(self, see: str = "story") -> None:
        super().__init__(see)
        self.remembered: Recent[Asked, list[float]] = Recent(REMEMBERED)

    def many(self, asked: Sequence[Asked]) -> list[list[float]]:
        """The numbers of all endings of all questions."""
        raise NotImplementedError

    def scores(self, context: Sequence[str], endings: Sequence[str]) -> Sequence[float]:
        return self.many([(tuple(context), tuple(endings))])[0]

    def answer_many(self, questions: Sequence[AnyQuestion]) -> list[Prediction]:
        """All questions in one go."""
        choices = [choice(question, self.name) for question in questions]
        asked = [(self.seen(question.context), question.choices) for question in choices]
        new = [question for question in dict.fromkeys(asked) if question not in self.remembered]
        scores = {question: self.remembered[question] for question in asked if question in self.remembered}
        for question, numbers in zip(new, self.many(new) if new else [], strict=True):
            scores[question] = self.remembered[question] = numbers
        return [ranked(scores[question], self.name) for question in asked]

    def answer(self, question: AnyQuestion) -> Prediction:
        return self.answer_many([question])[0]


_memories: WeakKeyDictionary[Llama, Recent[Asked, list[tuple[float, int]]]] = WeakKeyDictionary()
"""What each network said of endings: rows of a table that count differently ask for the same numbers."""


class LmEnding(Remembering):
    """A language model as it is."""

    name = "lm-ending"
    trained_on = ("smollm2",)

    def __init__(self, model: str = "smollm2", how: str = "mean", see: str = "story") -> None:
        super().__init__(see)
        if how not in HOW:
            raise BadInput(f"{self.name}: `how` is one of {', '.join(HOW)}, not {how!r}.")
        self.model, self.how = model, how

    def reads(self) -> list[Path]:
        """SmolLM2; a model by name is known by its name."""
        return [gguf_file()] if self.model == "smollm2" else []

    def many(self, asked: Sequence[Asked]) -> list[list[float]]:
        told = each_once(asked, self.logps)
        if self.how in ("pmi", "shift"):
            alone = each_once([(before(context, self.how), endings) for context, endings in asked], self.logps)
            return [
                [a - b for (a, _), (b, _) in zip(one, two, strict=True)] for one, two in zip(told, alone, strict=True)
            ]
        return [[value / (size if self.how == "mean" else 1) for value, size in one] for one in told]

    def logps(self, asked: Sequence[Asked]) -> list[list[tuple[float, int]]]:
        """ln P(ending | story) and the number of its tokens."""
        if self.model != "smollm2":
            return self.library_logps(asked)
        net = smollm2()
        memory = _memories.setdefault(net, Recent(REMEMBERED))
        new = [question for question in asked if question not in memory]
        trees = [
            TextTree.grow(
                [BOS, *(t for sentence in context for t in net.encode(sentence))],
                [net.encode(ending) for ending in endings],
            )
            for context, endings in new
        ]
        numbers = {
            question: [(value, tree.branch.count(number)) for number, value in enumerate(row, start=1)]
            for question, row, tree in zip(new, branch_logps(net, trees), trees, strict=True)
        }
        rows = [numbers[question] if question in numbers else memory[question] for question in asked]
        for question, row in numbers.items():
            memory[question] = row
        return rows

    def library_logps(self, asked: Sequence[Asked]) -> list[list[tuple[float, int]]]:
        """The same with a Hugging Face model by name."""
        import torch

        base = load_library_model(self.model)
        out: list[list[tuple[float, int]]] = []
        with torch.inference_mode():
            for context, endings in asked:
                given = [base.start, *base.tokenizer.encode(" ".join(context))]
                row = []
                for ending in endings:
                    tokens = base.tokenizer.encode(" " + ending)
                    logits = base.model(torch.tensor([given + tokens])).logits[0, len(given) - 1 : -1]  # [T, V]
                    logp = torch.log_softmax(logits, -1).gather(-1, torch.tensor(tokens)[:, None])
                    row.append((float(logp.sum()), len(tokens)))
                out.append(row)
        return out


class StoryLm(Remembering):
    """The language model tuned on stories."""

    name = "story-lm"
    trained_on = ("smollm2", "rocstories")

    def __init__(self, how: str = "pmi", see: str = "story", weights: str = "stories-1") -> None:
        super().__init__(see)
        if how not in HOW:
            raise BadInput(f"{self.name}: `how` is one of {', '.join(HOW)}, not {how!r}.")
        self.how, self.weights = how, weights

    def reads(self) -> list[Path]:
        """SmolLM2 and the adapters for stories."""
        return story_files(self.weights)

    def features(self, asked: Sequence[Asked]) -> list[list[list[float]]]:
        """For each ending: ln P(ending | story), ln P(ending) and their difference, by the token."""
        net = story_network(self.weights)
        whole = [story_tree(net, context, endings) for context, endings in asked]
        alone = [story_tree(net, (), endings) for _, endings in asked]
        out = []
        for one, two, tree in zip(branch_logps(net, whole), branch_logps(net, alone), whole, strict=True):
            sizes = [tree.branch.count(number) for number in range(1, len(tree.ends) + 1)]
            out.append([[a / n, b / n, (a - b) / n] for a, b, n in zip(one, two, sizes, strict=True)])
        return out

    def many(self, asked: Sequence[Asked]) -> list[list[float]]:
        net = story_network(self.weights)
        trees = [story_tree(net, context, endings) for context, endings in asked]
        logps = branch_logps(net, trees)
        if self.how == "sum":
            return logps
        if self.how == "mean":
            return [
                [value / tree.branch.count(n) for n, value in enumerate(row, start=1)]
                for row, tree in zip(logps, trees, strict=True)
            ]
        alone = each_once(
            [(before(context, self.how), endings) for context, endings in asked],
            lambda distinct: branch_logps(net, [story_tree(net, *one) for one in distinct]),
        )
        return [[a - b for a, b in zip(one, two, strict=True)] for one, two in zip(logps, alone, strict=True)]


class StoryDiscriminator(Remembering):
    """A head trained on stories and made endings."""

    name = "story-discriminator"
    trained_on = ("smollm2", "rocstories")

    def __init__(self, see: str = "story", weights: str = "stories-1") -> None:
        super().__init__(see)
        self.weights = weights

    def reads(self) -> list[Path]:
        """SmolLM2 and the adapters for stories."""
        return story_files(self.weights)

    def many(self, asked: Sequence[Asked]) -> list[list[float]]:
        net = story_network(self.weights)
        trees = [story_tree(net, context, endings) for context, endings in asked]
        return last_logits(net, trees, None, seed_adapter(self.weights))


class LmClassifier(Remembering):
    """The labelled classifier."""

    name = "lm-classifier"
    trained_on = ("smollm2", "rocstories", "storycloze-2016")

    def __init__(self, weights: str = "folds-1", see: str = "story") -> None:
        super().__init__(see)
        self.weights = weights

    def reads(self) -> list[Path]:
        """SmolLM2, the adapters for stories, the labelled ones."""
        return story_files(self.weights)

    def many(self, asked: Sequence[Asked]) -> list[list[float]]:
        net = story_network()
        if not self.weights.startswith("folds"):
            chosen = adapter(self.weights)
            return last_logits(net, [story_tree(net, *one) for one in asked], chosen, chosen)
        out: list[list[float]] = [[] for _ in asked]
        for fold in range(10):
            places = [index for index, (context, _) in enumerate(asked) if fold_of(context) == fold]
            if places:
                chosen = adapter(self.weights, str(fold))
                logits = last_logits(net, [story_tree(net, *asked[index]) for index in places], chosen, chosen)
                for index, row in zip(places, logits, strict=True):
                    out[index] = row
        return out
