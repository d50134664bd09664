"""Model -> what it reads: the content of the weights and tables behind its answers, part of the name its predictions are stored under.

So new weights never replay old answers. A model says what it reads by ``reads()``; one that has no such method reads nothing but what
it learns from, and the name of its runs is what it always was.

Model x Items -> Predictions: the one place (with the lab) where a solver and a key meet, and never at the same time.

The runner asks batch by batch, keeps every batch before it goes on, and only then asks the model to rate the key. A run
is named by what exactly was run; what is recorded or stored is not asked again, so an interrupted run resumes to the same bytes.

Of a prediction the store keeps the ten best guesses where no metric can tell (`compact`): an event model lists fifty and more, and their
text is most of a store's size. Where the key was rated, its rank says what the list says, unless the key is tied with others further down
(`metrics.ranking`: ties count at their expectation).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from scenarist.contracts import Exam, Model
from scenarist.errors import BadInput
from scenarist.metrics.ranking import place
from scenarist.noun import to_json
from scenarist.question import Answer, Example, Item, Prediction
from scenarist.registry import make
from scenarist.signature import content_hash
from scenarist.store.home import digest
from scenarist.store.predictions import MOST, Section
from scenarist.store.results import Results


@lru_cache(maxsize=1000)
def _digest(path: Path, *_: int) -> str:
    return digest(path)


def content(path: Path) -> str:
    """SHA-256 of a file's content; it is read again only where its size or its time has changed."""
    stat = path.stat()
    return _digest(path, stat.st_size, stat.st_mtime_ns)


def read_by(model: object) -> list[str]:
    """What a model reads, as short hashes in order: the same content from another place is the same."""
    reads = getattr(model, "reads", None)
    return sorted({content(path)[:16] for path in reads()}) if callable(reads) else []


BATCH = 256
FOLLOWED = 64
"""Sequences that are followed to their ends together, so that what a model remembers of them stays small."""

Tick = Callable[[int, int], None]
"""Progress: (done, known so far)."""


def make_exam(name: str, settings: Mapping[str, Any]) -> Exam:
    """An exam by name. One that leaves out what a corpus's train part tells too (``unshared``) is handed that part."""
    chosen = dict(settings)
    if chosen.get("unshared"):
        chosen["train"] = make("corpus", chosen["unshared"], split="train")
    exam: Exam = make("exam", name, **chosen)
    return exam


class SourcedStories:
    """The same stories; what each was made of is noted as it goes by."""

    def __init__(self, stories: Iterable[Any]) -> None:
        self.stories, self.made_of = stories, dict[str, tuple[str, ...]]()

    def __iter__(self) -> Iterator[Any]:
        for story in self.stories:
            if sources := getattr(story, "made_of", ()):
                self.made_of[story.id] = sources
            yield story


def items_of(exam: Exam, stories: Iterable[Any], limit: int | None = None) -> list[Item]:
    """The items an exam sets, with distinct ids, at most ``limit``; those of one document carry the texts that it was made of."""
    items: list[Item] = []
    seen: set[str] = set()
    sourced = SourcedStories(stories)
    for item in itertools.islice(exam.set(sourced), limit):
        if item.id in seen:
            raise BadInput(f"exam {exam.name}: two items have the id {item.id!r}; ids must be distinct.")
        seen.add(item.id)
        if not item.groups and (sources := sourced.made_of.get(item.group)):
            item = msgspec.structs.replace(item, groups=sources)
        items.append(item)
    if not items:
        raise BadInput(
            f"exam {exam.name}: the corpus gave no item. Is it empty, or are the exam's settings too strict?"
        )
    return items


def unfold(exam: Exam, items: Sequence[Item]) -> list[Item]:
    """All items of an exam with sequences, each followed by the key (the *oracle*): what a file of questions can hold."""
    follow = getattr(exam, "follow", None)
    if follow is None:
        return list(items)
    if getattr(exam, "mode", "oracle") != "oracle":
        raise BadInput(
            f"exam {exam.name}: only mode 'oracle' can be written to a file; 'greedy' needs the model's own answers."
        )
    whole: list[Item] = []
    for item in items:
        at: Item | None = item
        while at is not None:
            whole.append(at)
            at = follow(at, at.key)
    return whole


def examples_of(exam: Exam, stories: Iterable[Any]) -> list[Example]:
    """Worked examples from a training split, for models that learn from answers."""
    return [Example(item.question, item.key) for item in unfold(exam, list(exam.set(stories)))]


def data_hash(items: Iterable[Item]) -> str:
    """A hash of the items' content, keys included."""
    return content_hash(to_json(item) for item in items)


def batches(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def ask(model: Model, items: Sequence[Item]) -> list[Prediction]:
    """The model's predictions for some items: it sees the questions only."""
    many = getattr(model, "answer_many", None)
    questions = [item.question for item in items]
    answers = many(questions) if many is not None else [model.answer(question) for question in questions]
    if len(answers) != len(items):
        raise BadInput(f"model {model.name}: answered {len(answers)} of {len(items)} questions.")
    return [
        msgspec.structs.replace(answer, item=item.id, by=answer.by or model.name)
        for item, answer in zip(items, answers, strict=True)
    ]


def rate(model: Model, items: Sequence[Item], predictions: Sequence[Prediction]) -> list[Prediction]:
    """The predictions with what the model makes of the key, asked after the guesses were stored."""
    logp, rank = getattr(model, "logp", None), getattr(model, "rank", None)
    many = getattr(model, "rate_many", None)
    if many is not None:
        rated = many([item.question for item in items], [item.key for item in items])
        return [
            msgspec.structs.replace(prediction, key_logp=key_logp, key_rank=key_rank)
            for prediction, (key_logp, key_rank) in zip(predictions, rated, strict=True)
        ]
    if logp is None and rank is None:
        return list(predictions)
    return [
        msgspec.structs.replace(
            prediction,
            key_logp=logp(item.question, item.key) if logp else None,
            key_rank=rank(item.question, item.key) if rank else None,
        )
        for item, prediction in zip(items, predictions, strict=True)
    ]


class Answers:
    """A solver's answers: recorded, stored, or asked now, in this order.

    The model is made only where the store must be looked up (its weights are part of the run's name), and fitted only where something
    is still to be asked.
    """

    def __init__(
        self,
        model: Callable[[], Model],
        store: Results,
        what: Mapping[str, object] | Callable[[], Mapping[str, object]],
        recorded: Section | None = None,
        refresh: bool = False,
        most: int = MOST,
        waiting: Callable[[], None] | None = None,
    ) -> None:
        """``model``: makes and fits the model; ``what``: what exactly is run; ``most``: guesses that the metrics look at; ``waiting`` is
        called where another process is at the same run."""
        self.model, self.store, self.what, self.recorded, self.most = model, store, what, recorded, most
        self.refresh, self.waiting = refresh, waiting
        self.replayed = 0
        """Answers that were taken from the record."""
        self._run: int | None = None
        self._stored: dict[str, Prediction] = {}
        self._solver: Model | None = None
        self._held, self._locked = ExitStack(), False

    def __enter__(self) -> Answers:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def to(self, items: Sequence[Item]) -> dict[str, Prediction]:
        """The predictions of some items."""
        answers = {item.id: answer for item in items if (answer := self.recorded and self.recorded.find(item))}
        self.replayed += len(answers)
        rest = [item for item in items if item.id not in answers]
        if rest:
            self._look_up()
            todo = [item for item in rest if item.id not in self._stored]
            if todo:
                self._ask(todo)
            answers.update((item.id, self._stored[item.id]) for item in rest)
        return {item.id: answers[item.id] for item in items}

    def _look_up(self) -> int:
        """The number of the run; what is stored of it is read once."""
        if self._run is None:
            self._run = self.store.run(self.what() if callable(self.what) else self.what)
            if not self.refresh:
                self._stored = self.store.predictions(self._run)
        return self._run

    def _ask(self, items: Sequence[Item]) -> None:
        """Ask the model and store what it says: the guesses first, then what it makes of the keys."""
        run, store = self._look_up(), self.store
        if not self._locked:
            self._held.enter_context(store.hold(run, self.waiting))
            self._locked = True
            store.forget(run, unrated=not self.refresh)
            self._stored |= store.predictions(run)  # another process may have been at it
            items = [item for item in items if item.id not in self._stored]
            if not items:
                return
        if self._solver is None:
            self._solver = self.model()
        guessed = ask(self._solver, items)
        batch = store.add(run, guessed, rated=False)
        rated = rate(self._solver, items, guessed)
        short = [compact(item, prediction, self.most) for item, prediction in zip(items, rated, strict=True)]
        store.rate(batch, short)
        self._stored.update((prediction.item, prediction) for prediction in short)


class Sat(NamedTuple):
    """An exam that was sat."""

    items: list[Item]
    """All items, followed to their ends."""
    predictions: dict[str, Prediction]


def part_of(items: Sequence[Item], most: int) -> Sequence[Item]:
    """About ``most`` items: those of every so many-th group, so that a text keeps all of its items; all where there are no more.

    >>> from scenarist.question import Choice
    >>> items = [Item(f"{group}{n}", Choice((), ("a", "b")), "0", group=group) for group in "pqrs" for n in range(3)]
    >>> [item.id for item in part_of(items, 6)]
    ['p0', 'p1', 'p2', 'r0', 'r1', 'r2']
    """
    if not most or len(items) <= most:
        return items
    groups = dict.fromkeys(item.group or item.id for item in items)
    kept = set(list(groups)[:: math.ceil(len(items) / most)])
    return [item for item in items if (item.group or item.id) in kept]


def sit(answers: Answers, exam: Exam, items: Sequence[Item], tick: Tick | None = None) -> Sat:
    """One solver sits one exam."""
    follow = getattr(exam, "follow", None)
    oracle = getattr(exam, "mode", "oracle") == "oracle"
    asked: list[list[Item]] = []  # the first items, their followers, ...
    done: dict[str, Prediction] = {}
    with answers:
        for group in batches(items, BATCH if follow is None or oracle else FOLLOWED):
            wave, depth = list(group), 0
            while wave:
                done.update(answers.to(wave))
                if depth == len(asked):
                    asked.append([])
                asked[depth].extend(wave)
                if tick:
                    tick(len(done), len(done) + len(items) - len(asked[0]))
                if follow is None:
                    break
                wave = [nxt for item in wave if (nxt := follow(item, carried(item, done[item.id], oracle))) is not None]
                depth += 1
    return Sat([item for wave in asked for item in wave], done)


def carried(item: Item, prediction: Prediction, oracle: bool) -> Answer:
    """What is carried forward to the next item: the key, or the solver's best guess."""
    if oracle or prediction.best is None:
        return item.key
    return prediction.best


def best_guesses(prediction: Prediction, most: int) -> Prediction:
    """The first guesses, and those tied with the best."""
    top = prediction.guesses[0].logp if prediction.guesses else None
    tied = sum(guess.logp == top for guess in prediction.guesses) if top is not None else 0
    return msgspec.structs.replace(prediction, guesses=prediction.guesses[: max(most, tied)])


def compact(item: Item, prediction: Prediction, most: int = MOST) -> Prediction:
    """At most ``most`` guesses where the key's place is known from its rank; else all of them."""
    if len(prediction.guesses) <= most or prediction.key_rank is None or item.accept:
        return prediction
    short = best_guesses(prediction, most)
    return short if place(item, short) == place(item, prediction) else prediction
